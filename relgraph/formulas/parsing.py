"""Formulas and conditions in Python's syntax, read without running them.

`SCALAR_NAMES` and the tables beside it say what notations call functions and numbers. What is no
formula is refused with a hint what to write instead: powers, products and functions as other
languages and paper have them.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import reduce
from typing import Any

from relgraph.formulas.expressions import (
    CONDITIONS,
    OF_CONDITIONS,
    OPS,
    Expr,
    apply,
    named,
    number,
    with_numbers,
    written,
)
from relgraph.scalar.op import ScalarOp
from relgraph.truth.balls import condition_of, has_value

SCALAR_NAMES = {
    **{op.scalar_op.c_name: name for name, op in OPS.items() if hasattr(math, op.scalar_op.c_name)},
    "fabs": "abs",
}
"""The scalar ops that C's library, Python's `math` and FPCore call otherwise than NumPy."""

OTHER_NAMES = {
    **SCALAR_NAMES,
    "absolute": "abs",
    "square": "sqr",
    "power": "pow",
    "ln": "log",
    "where": "switch",
    "min": "minimum",
    "max": "maximum",
}
"""Those, and what NumPy and Python call otherwise than the scalar ops here."""


def _is_known(op: ScalarOp) -> bool:
    """Return whether an op gives numbers whose true values are known."""
    return has_value(op) and condition_of(op) is None


COMMON_NAMES = (
    *(n for n, op in OPS.items() if _is_known(op.scalar_op) and hasattr(math, n) and n != "fabs"),
    *("fma", "round"),
)
"""Those that have one name everywhere."""

_PI, _TWO = number("pi"), number(2)

FPCORE_CONSTANTS = {
    "PI": _PI,
    "E": number("e"),
    "INFINITY": number("inf"),
    "NAN": number("nan"),
    "TRUE": apply("le", number(0), number(0)),
    "FALSE": apply("lt", number(0), number(0)),
    "PI_2": apply("true_div", _PI, _TWO),
    "PI_4": apply("true_div", _PI, number(4)),
    "M_1_PI": apply("true_div", number(1), _PI),
    "M_2_PI": apply("true_div", _TWO, _PI),
    "M_2_SQRTPI": apply("true_div", _TWO, apply("sqrt", _PI)),
    "LN2": apply("log", _TWO),
    "LN10": apply("log", number(10)),
    "LOG2E": apply("true_div", number(1), apply("log", _TWO)),
    "LOG10E": apply("true_div", number(1), apply("log", number(10))),
    "SQRT2": apply("sqrt", _TWO),
    "SQRT1_2": apply("sqrt", number(Fraction(1, 2))),
}
"""The constants of FPCore."""

NUMBERS = ("pi", "inf", "nan")
"""The numbers that formulas in Python's syntax have, where no input is declared that is called so;
Euler's is ``math.e``."""

NUMBERS_ELSEWHERE = {
    **{word: written(value) for word, value in FPCORE_CONSTANTS.items()},
    **{"e": "math.e", "Pi": "pi", "π": "pi", "M_PI": "pi", "M_E": "math.e"},
    **{"Inf": "inf", "Infinity": "inf", "infinity": "inf", "NaN": "nan", "oo": "inf"},
}
"""Words that may be numbers or inputs, and how formulas in Python's syntax write the number."""

_OF_SEVERAL = ("add", "mul", "and_", "or_", "minimum", "maximum", "logaddexp")
"""Ops of two arguments that represent more."""


_MOST_DIGITS = 5000
"""Of an exponent's value: a decimal is held exactly, with all its digits."""


def exact_number(text: str) -> Fraction | None:
    """Return the number that a decimal or a fraction writes; None if it is none, or so large or
    small that no float is like it."""
    _, _, exponent = text.lower().partition("e")
    try:
        if abs(int(exponent or "0")) > _MOST_DIGITS:
            return None
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


class WrongArguments(ValueError):
    """A function does not take such arguments; the message says which it takes."""


def applied(name: str, args: Sequence[Expr], word: str) -> Expr:
    """Return an op of arguments. A condition that represents a number is one or zero.

    Parameters
    ----------
    name
        The name of the op.
    args
        The arguments.
    word
        What the op is called where it is written.

    Raises
    ------
    WrongArguments
        If it takes more or fewer, or if one has to be a condition and is a number.
    """
    if name in _OF_SEVERAL and len(args) > 2:
        return reduce(lambda a, b: applied(name, [a, b], word), args)
    arity = OPS[name].scalar_op.nin
    count = arity if arity >= 0 else 2
    if len(args) != count:
        raise WrongArguments(f"{word} takes {count} argument{'s' * (count != 1)}, not {len(args)}")
    for k in OF_CONDITIONS.get(name, ()):
        if args[k].op not in CONDITIONS:
            raise WrongArguments(f"{word} takes a condition, such as x > 0, not {written(args[k])}")
    return apply(name, *with_numbers(name, args))


_WORDS = frozenset(keyword.kwlist) - {"and", "or", "not", "if", "else", "True", "False", "None"}
_NAMES = tuple(name for name in dict.fromkeys((*COMMON_NAMES, *OTHER_NAMES, *OPS)))
_ELSEWHERE = {
    **dict.fromkeys(("cot", "cotan", "ctg"), "1 / tan"),
    **dict.fromkeys(("sec", "secant"), "1 / cos"),
    **dict.fromkeys(("csc", "cosec"), "1 / sin"),
    **{"tg": "tan", "arctg": "arctan", "lg": "log10", "ld": "log2", "sgn": "sign"},
    **dict.fromkeys(("root", "sqroot", "squareroot"), "sqrt"),
}
"""Functions that have another name here, or none, and what to write."""

_FUNCTION = "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
_OPERAND = r"(\w+|\([^()]*\))"
_NO_OPERATOR = r"(?!(?:and|or|if|else|not)\b)"
_NUMBER = r"((?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"

_RAISED, _DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"
_SYMBOLS = {
    **dict.fromkeys("×·⋅∗", "*"),
    **dict.fromkeys("÷∕", "/"),
    **dict.fromkeys("−–", "-"),
    **{"≤": "<=", "≥": ">=", "≠": "!=", "∞": "inf", "&&": " and ", "||": " or ", "<>": "!="},
    **dict(zip("₀₁₂₃₄₅₆₇₈₉", _DIGITS, strict=False)),
}
_REWRITTEN = (
    (rf"[{_RAISED}]+", lambda m: "^" + m[0].translate(str.maketrans(_RAISED, _DIGITS)), ""),
    ("|".join(map(re.escape, _SYMBOLS)), lambda m: _SYMBOLS[m[0]], "Python's syntax has no {0}"),
    (rf"√\s*{_OPERAND}", lambda m: f"sqrt({m[1].strip('()')})", "a root is a function"),
    (
        rf"\b({_FUNCTION})\s*(?:\^|\*\*)\s*(\w+)\s*{_OPERAND}",
        lambda m: f"{m[1]}({m[3].strip('()')})**{m[2]}",
        "a function has its argument before its power",
    ),
    (r"\^", "**", "a power is written **"),
    (r"\|([^|]+)\|", r"abs(\1)", "a magnitude is a function"),
    (
        rf"\b({_FUNCTION})\s+{_NO_OPERATOR}(\w+)",
        r"\1(\2)",
        "a function has its argument in brackets",
    ),
    (rf"{_NUMBER}\s*{_NO_OPERATOR}(?=[A-Za-z_(])", r"\1*", "a product is written *"),
    (rf"\)\s*{_NO_OPERATOR}(?=[\w(])", ")*", "a product is written *"),
    (
        rf"\b{_NO_OPERATOR}(?!(?:{_FUNCTION})\b)([A-Za-z_]\w*)\s+{_NO_OPERATOR}(?=[\w(])",
        r"\1*",
        "a product is written *",
    ),
)
"""What is written otherwise in Python's syntax, how, and why."""


def syntax_hint(text: str) -> str:
    """Return what is wrong with a text that Python does not read; nothing if that is not known."""
    if not text:
        return "it is empty"
    for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", text):
        if word in _WORDS:
            return f"{word} is a word of Python's own; an input may be called {word}_"
    if re.search(r"(?<![<>=!:])=(?!=)", text):
        return "a comparison is written ==, and of an equation only the side that is computed"
    if re.search(r"[-+*/<>&,]$", text):
        return "there is nothing after the last operator"
    return _rewritten(text).removeprefix("; ")


def _rewritten(text: str) -> str:
    """Return, after a semicolon, how Python's syntax has what a text writes otherwise, if that is
    seen."""
    why = ""
    new = text
    for pattern, instead, reason in _REWRITTEN:
        found = re.search(pattern, new)
        if found is not None:
            new = re.sub(pattern, instead, new)
            why = why or reason.format(found[0])
    try:
        ast.parse(new, mode="eval")
    except (SyntaxError, ValueError):
        return ""
    return f"; {why}: {new}" if why else ""


def operator_hint(tree: ast.expr, text: str) -> str:
    """Return what to write instead of an expression that is none here, after a semicolon; nothing
    if that is not known."""
    if isinstance(tree, ast.Lambda):
        return "; lambda is a word of Python's own; an input may be called lambda_"
    if isinstance(tree, ast.Tuple):
        return "; decimals have a point, and there is one formula at a time"
    if isinstance(tree, ast.Compare):
        return _range_hint(tree)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitXor | ast.BitOr):
        return _rewritten(text)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.FloorDiv | ast.Mod):
        quotient = ast.unparse(ast.BinOp(tree.left, ast.Div(), tree.right))
        remainder = f"fmod({ast.unparse(tree.left)}, {ast.unparse(tree.right)})"
        return f"; there are floor({quotient}) and {remainder}"
    return ""


def _range_hint(tree: ast.Compare) -> str:
    (operand,) = tree.comparators[:1]
    if isinstance(operand, ast.List | ast.Tuple) and len(operand.elts) == 2:
        low, high = map(ast.unparse, operand.elts)
        return f"; a range is written {low} <= {ast.unparse(tree.left)} <= {high}"
    return ""


def function_hint(name: str) -> str:
    """Return which function may be meant, after a semicolon."""
    if name in _ELSEWHERE:
        return f"; write {_ELSEWHERE[name]}(…)"
    near = get_close_matches(name.lower(), _NAMES, n=1, cutoff=0.8)
    return f"; did you mean {near[0]}?" if near else ""


def product_hint(tree: ast.Call) -> str:
    """Return the product that a call may be meant as, after a semicolon."""
    first = ast.unparse(tree.func)
    first = f"({first})" if isinstance(tree.func, ast.BinOp) else first
    return f"; a product is written {first}*({', '.join(map(ast.unparse, tree.args))})"


_OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "true_div",
    ast.Pow: "pow",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "neq",
    ast.USub: "neg",
    ast.Not: "invert",
    ast.Invert: "invert",
}
_MODULES = ("math", "np", "numpy")
_OF_MODULES = (*NUMBERS, "e")
_FUNCTIONS = frozenset((*COMMON_NAMES, *SCALAR_NAMES, "ln"))


class FormulaError(ValueError):
    """A text that is no formula; the message says what in it is not known."""


def parsed(text: str, inputs: Collection[str] = ()) -> Expr:
    """Return the formula or the condition that a text writes.

    Names are inputs, but for ``pi``, ``inf`` and ``nan``, which are numbers, as ``math.e`` and
    ``np.pi`` are. A name that is as often a number, ``e`` for instance, is refused unless it is
    known to be an input: by `inputs`, or by a comparison that has no other name, ``0 < e < 1``.
    Functions have NumPy's names or those of Python's `math`. Numbers are the decimals that are
    written. ``and``, ``or``, ``not`` and chained comparisons are conditions, as are ``&``, ``|``
    and ``~``.

    Parameters
    ----------
    text
        The formula.
    inputs
        Names that are inputs, whatever they mean elsewhere.

    Raises
    ------
    FormulaError
        If it is none; the message says what to write instead, where that can be guessed.
    """
    line = " ".join(text.split())
    try:
        tree = _tree(line)
        return _Reader(line, {*inputs, *_names_compared(tree)}).read(tree)
    except (RecursionError, MemoryError):
        raise FormulaError(f"{line[:60]!r}… is nested too deeply") from None


def names_compared(text: str) -> set[str]:
    """Return the names that a condition shows to be inputs: those that are compared with numbers.

    Raises
    ------
    FormulaError
        If the text is no formula.
    """
    return _names_compared(_tree(" ".join(text.split())))


def _tree(line: str) -> ast.expr:
    try:
        return ast.parse(line, mode="eval").body
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise FormulaError(f"{line!r} is no formula: {syntax_hint(line) or reason}") from None


def _names_compared(tree: ast.expr) -> set[str]:
    """Return the names that stand in a comparison in which there are else but numbers."""
    found = set()
    for one in ast.walk(tree):
        if isinstance(one, ast.Compare):
            names = set(_names_in(one))
            names = names if len(names) == 1 else names - {*NUMBERS}
            found |= names if len(names) == 1 else set()
    return found


def _names_in(tree: ast.AST) -> Iterator[str]:
    """Yield the names in a tree that are neither functions nor modules."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Name):
            if not isinstance(tree, ast.Attribute) and getattr(tree, "func", None) is not child:
                yield child.id
        else:
            yield from _names_in(child)


class _Reader(ast.NodeVisitor):
    """Reads the trees of a text, of whose names some are inputs."""

    def __init__(self, text: str, inputs: Collection[str]) -> None:
        self._text, self._inputs = text, inputs

    def read(self, tree: ast.expr) -> Expr:
        found: Expr = self.visit(tree)
        return found

    def generic_visit(self, tree: Any) -> Any:
        what = "is neither arithmetic, nor a function, nor a condition"
        raise FormulaError(f"{self._part(tree)} {what}{operator_hint(tree, self._text)}")

    def _part(self, tree: ast.expr) -> str:
        return repr(ast.get_source_segment(self._text, tree) or self._text)

    def _applied(self, name: str, args: list[Expr], tree: ast.expr, word: str = "") -> Expr:
        try:
            return applied(name, args, word or self._part(tree))
        except WrongArguments as error:
            raise FormulaError(str(error)) from None

    def visit_Name(self, tree: ast.Name) -> Expr:
        name = tree.id
        if name in self._inputs:
            return named(name)
        if name in NUMBERS:
            return number(name)
        if name in NUMBERS_ELSEWHERE:
            what, instead = "number", NUMBERS_ELSEWHERE[name]
        elif name in _FUNCTIONS:
            what, instead = "function", f"{name}(x)"
        else:
            return named(name)
        others = {*_names_in(_tree(self._text))} - {*NUMBERS, *NUMBERS_ELSEWHERE, *_FUNCTIONS}
        inputs = sorted({*others, *self._inputs, name})
        raise FormulaError(
            f"in {self._text!r}, {name} may be a {what} or an input: write {instead} for the "
            f"{what}, or declare the inputs, by inputs={inputs} or --inputs {','.join(inputs)}"
        )

    def visit_Constant(self, tree: ast.Constant) -> Expr:
        if isinstance(tree.value, bool):
            return number(int(tree.value))
        if not isinstance(tree.value, int | float):
            raise FormulaError(f"{self._part(tree)} is no number")
        # the decimal that is written, not the float that is nearest to it
        written = ast.get_source_segment(self._text, tree) or repr(tree.value)
        found = exact_number(written.replace("_", ""))
        return number(tree.value if found is None else found)

    def visit_Attribute(self, tree: ast.Attribute) -> Expr:
        module = tree.value.id if isinstance(tree.value, ast.Name) else None
        if module in _MODULES and tree.attr in _OF_MODULES:
            return number(tree.attr)
        raise FormulaError(f"{self._part(tree)} is neither arithmetic, nor a number, as math.pi is")

    def visit_BinOp(self, tree: ast.BinOp) -> Expr:
        name = self._operator(tree.op, tree)
        sides = [self.read(tree.left), self.read(tree.right)]
        if name in ("and_", "or_") and not all(s.op in CONDITIONS for s in sides):
            hint = operator_hint(tree, self._text)
            raise FormulaError(
                f"{self._part(tree)}: conditions beside & and | stand in brackets{hint}"
            )
        return self._applied(name, sides, tree)

    def visit_UnaryOp(self, tree: ast.UnaryOp) -> Expr:
        inner = self.read(tree.operand)
        if isinstance(tree.op, ast.UAdd):
            return inner
        return self._applied(_OPERATORS[type(tree.op)], [inner], tree)

    def _operator(self, op: Any, tree: ast.expr) -> str:
        if type(op) not in _OPERATORS:
            hint = operator_hint(tree, self._text)
            raise FormulaError(f"{self._part(tree)} has an operator that is not known{hint}")
        return _OPERATORS[type(op)]

    def visit_BoolOp(self, tree: ast.BoolOp) -> Expr:
        name = "and_" if isinstance(tree.op, ast.And) else "or_"
        return self._applied(name, [self.read(v) for v in tree.values], tree)

    def visit_Compare(self, tree: ast.Compare) -> Expr:
        names = [self._operator(op, tree) for op in tree.ops]
        operands = [self.read(v) for v in (tree.left, *tree.comparators)]
        found = [
            self._applied(name, [a, b], tree)
            for name, a, b in zip(names, operands, operands[1:], strict=False)
        ]
        return reduce(lambda a, b: apply("and_", a, b), found)

    def visit_IfExp(self, tree: ast.IfExp) -> Expr:
        args = [self.read(v) for v in (tree.test, tree.body, tree.orelse)]
        return self._applied("switch", args, tree)

    def visit_Call(self, tree: ast.Call) -> Expr:
        function = tree.func.attr if isinstance(tree.func, ast.Attribute) else None
        if isinstance(tree.func, ast.Name):
            function = tree.func.id
        name = OTHER_NAMES.get(str(function), str(function))
        if function is None:
            raise FormulaError(f"there is no function {self._part(tree.func)}{product_hint(tree)}")
        if name not in OPS:
            known = {*self._inputs, *_names_in(_tree(self._text))}
            is_product = isinstance(tree.func, ast.Name) and (
                function in known or len(function) == 1
            )
            hint = product_hint(tree) if is_product else function_hint(function)
            raise FormulaError(f"there is no function {self._part(tree.func)}{hint}")
        if tree.keywords:
            raise FormulaError(f"{function} takes no arguments by name")
        return self._applied(name, [self.read(a) for a in tree.args], tree, function)
