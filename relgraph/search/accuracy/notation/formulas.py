"""Formulas and conditions in Python's syntax, read without running them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from functools import reduce
from typing import Any

from relgraph.search.accuracy.expressions import CONDITIONS, OPS, Expr, apply, named, number
from relgraph.search.accuracy.notation.hints import (
    function_hint,
    operator_hint,
    product_hint,
    syntax_hint,
)
from relgraph.search.accuracy.notation.names import (
    COMMON_NAMES,
    NUMBERS,
    NUMBERS_ELSEWHERE,
    OTHER_NAMES,
    SCALAR_NAMES,
    WrongArguments,
    applied,
    exact_number,
)

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


class _Reader:
    """Reads the trees of a text, of whose names some are inputs."""

    def __init__(self, text: str, inputs: Collection[str]) -> None:
        self._text, self._inputs = text, inputs

    def read(self, tree: ast.expr) -> Expr:
        for kind, read in _READERS.items():
            if isinstance(tree, kind):
                return read(self, tree)
        what = "is neither arithmetic, nor a function, nor a condition"
        raise FormulaError(f"{self._part(tree)} {what}{operator_hint(tree, self._text)}")

    def _part(self, tree: ast.expr) -> str:
        return repr(ast.get_source_segment(self._text, tree) or self._text)

    def _applied(self, name: str, args: list[Expr], tree: ast.expr, word: str = "") -> Expr:
        try:
            return applied(name, args, word or self._part(tree))
        except WrongArguments as error:
            raise FormulaError(str(error)) from None

    def name(self, tree: ast.Name) -> Expr:
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

    def constant(self, tree: ast.Constant) -> Expr:
        if isinstance(tree.value, bool):
            return number(int(tree.value))
        if not isinstance(tree.value, int | float):
            raise FormulaError(f"{self._part(tree)} is no number")
        # the decimal that is written, not the float that is nearest to it
        written = ast.get_source_segment(self._text, tree) or repr(tree.value)
        found = exact_number(written.replace("_", ""))
        return number(tree.value if found is None else found)

    def attribute(self, tree: ast.Attribute) -> Expr:
        module = tree.value.id if isinstance(tree.value, ast.Name) else None
        if module in _MODULES and tree.attr in _OF_MODULES:
            return number(tree.attr)
        raise FormulaError(f"{self._part(tree)} is neither arithmetic, nor a number, as math.pi is")

    def operation(self, tree: ast.BinOp) -> Expr:
        name = self._operator(tree.op, tree)
        sides = [self.read(tree.left), self.read(tree.right)]
        if name in ("and_", "or_") and not all(s.op in CONDITIONS for s in sides):
            hint = operator_hint(tree, self._text)
            raise FormulaError(
                f"{self._part(tree)}: conditions beside & and | stand in brackets{hint}"
            )
        return self._applied(name, sides, tree)

    def sign(self, tree: ast.UnaryOp) -> Expr:
        inner = self.read(tree.operand)
        if isinstance(tree.op, ast.UAdd):
            return inner
        return self._applied(_OPERATORS[type(tree.op)], [inner], tree)

    def _operator(self, op: Any, tree: ast.expr) -> str:
        if type(op) not in _OPERATORS:
            hint = operator_hint(tree, self._text)
            raise FormulaError(f"{self._part(tree)} has an operator that is not known{hint}")
        return _OPERATORS[type(op)]

    def junction(self, tree: ast.BoolOp) -> Expr:
        name = "and_" if isinstance(tree.op, ast.And) else "or_"
        return self._applied(name, [self.read(v) for v in tree.values], tree)

    def comparison(self, tree: ast.Compare) -> Expr:
        names = [self._operator(op, tree) for op in tree.ops]
        operands = [self.read(v) for v in (tree.left, *tree.comparators)]
        found = [
            self._applied(name, [a, b], tree)
            for name, a, b in zip(names, operands, operands[1:], strict=False)
        ]
        return reduce(lambda a, b: apply("and_", a, b), found)

    def choice(self, tree: ast.IfExp) -> Expr:
        args = [self.read(v) for v in (tree.test, tree.body, tree.orelse)]
        return self._applied("switch", args, tree)

    def call(self, tree: ast.Call) -> Expr:
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


_READERS: dict[type, Callable[[_Reader, Any], Expr]] = {
    ast.Name: _Reader.name,
    ast.Constant: _Reader.constant,
    ast.Attribute: _Reader.attribute,
    ast.BinOp: _Reader.operation,
    ast.UnaryOp: _Reader.sign,
    ast.BoolOp: _Reader.junction,
    ast.Compare: _Reader.comparison,
    ast.IfExp: _Reader.choice,
    ast.Call: _Reader.call,
}
