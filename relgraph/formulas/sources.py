"""Forms as functions to be pasted: in Python with NumPy or JAX, in C, and in FPCore.

What a language lacks is written by what it has, as accurately; or it is refused by name.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Container, Iterable, Sequence
from textwrap import indent, wrap
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.formulas.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    as_float,
    folded,
    from_graph,
    names_for_parts,
    parts,
)
from relgraph.formulas.fpcore import Core, is_written, word_of
from relgraph.formulas.parsing import parsed
from relgraph.graph.notation import (
    ATOM,
    INFIX,
    SIGNS,
    Applied,
    Formula,
    Infix,
    Leaf,
    Pieces,
    Text,
    Written,
    formulas,
    separated,
)

_SUM_LOST = "x - (x + y - (x + y - x)) + (y - (x + y - x))"

# two numbers of 26 digits whose sum a float64 is: Dekker (1971)
_HIGH = f"({2**27 + 1} * x - ({2**27 + 1} * x - x))"
_LOW = f"(x - {_HIGH})"
_HIGH_Y, _LOW_Y = _HIGH.replace("x", "y"), _LOW.replace("x", "y")
_PRODUCT_LOST = (
    f"{_LOW} * {_LOW_Y} - (x * y - {_HIGH} * {_HIGH_Y} - {_LOW} * {_HIGH_Y} - {_HIGH} * {_LOW_Y})"
)


def _if_finite(lost: str) -> str:
    return f"where(abs({lost}) < inf, {lost}, 0)"


_WRITTEN_OUT = {
    "sigmoid": "where(x < 0, exp(-abs(x)), 1) / (1 + exp(-abs(x)))",
    "sign": "where(x > 0, 1, where(x < 0, -1, x))",
    "logaddexp": "maximum(x, y) + log1p(exp(-abs(x - y)))",
    "sqr": "x * x",
    "log10": "log(x) / log(10)",
    "isnan": "x != x",
    "isinf": "abs(x) == inf",
    "clip": "minimum(maximum(x, y), z)",
    "mul_error": _if_finite("fma(x, y, -(x * y))"),
    "add_error": _if_finite(_SUM_LOST),
    "fma": f"x * y + z + (add_error(x * y, z) + {_if_finite(_PRODUCT_LOST)})",
}
"""Functions that a language may lack and that have no formula of arrays, of ``x``, ``y`` and ``z``.
"""


def _formula(e: Expr) -> tuple[Expr, list[str]] | None:
    """Return what the op of an expression computes by other functions of arrays, and of which
    inputs; None if its record does not say it."""
    op: Any = OPS[e.op].scalar_op
    if op.array_formula is None:
        return None
    inputs = ["x"] if len(e.args) == 1 else [f"x{k}" for k, _ in enumerate(e.args)]
    variables = [at.dscalar(name) for name in inputs]
    return from_graph(op.array_formula(at, *variables), variables, inputs), inputs


def _written_out(e: Expr) -> Expr | None:
    """Return an expression by other functions, as accurate; None if nothing says how."""
    text = _WRITTEN_OUT.get(e.op)
    found = _formula(e) if text is None else (parsed(text, "xyz"), ["x", "y", "z"])
    if found is None:
        return None
    formula, inputs = found
    given = dict(zip(inputs, e.args, strict=False))
    whole: Expr = folded(
        formula,
        lambda leaf: given[leaf.value] if leaf.op is INPUT else leaf,
        lambda op, *args: apply(op.scalar_op.name, *args),
    )
    return whole


_SCALED = "scaled_product"
_SCALED_OF_ARRAYS = """

def scaled_product(factors, divisors):
    fraction, exponent = 1.0, 0
    for value, side in [(v, 1) for v in factors] + [(v, -1) for v in divisors]:
        part, place = {np}.frexp(value)
        fraction = fraction * part if side > 0 else fraction / part
        exponent = exponent + side * place
    return {np}.ldexp(fraction, exponent)
"""
_SCALED_IN_C = """
static double scaled_product(int above, int below, const double *values) {
    double fraction = 1.0;
    int exponent = 0, place;
    for (int k = 0; k < above + below; k++) {
        double part = frexp(values[k], &place);
        fraction = k < above ? fraction * part : fraction / part;
        exponent += k < above ? place : -place;
    }
    return ldexp(fraction, exponent);
}
"""


_WIDTH = 88


def _wrapped(formula: str) -> list[str]:
    return wrap(formula, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _in_lines(start: str, formula: str) -> str:
    """Return a statement of Python, in several lines if it is long."""
    if len(start) + len(formula) <= _WIDTH:
        return start + formula
    lines = _wrapped(formula)
    return "\n    ".join((f"{start}(", *lines)) + "\n)"


class _Arrays(Text):
    """Python, with the functions of arrays that a module has."""

    def __init__(self, module: str, imported: str, quiet: str = "") -> None:
        self._head, self._quiet = f"import {imported} as {module}\n", quiet
        self._scaled = _SCALED_OF_ARRAYS.format(np=module)
        self._module = module
        self.reserved = frozenset((*keyword.kwlist, module, _SCALED))
        self.constants = {name: f"{module}.{name}" for name in ("pi", "e", "inf", "nan")}

    def has(self, e: Expr) -> bool:
        """Return whether there is an operator or a function for the op of an expression."""
        is_sign = e.op in INFIX or e.op in SIGNS
        return is_sign or e.op.startswith(_SCALED) or self.word(e.op) is not None

    def word(self, op: str) -> str | None:
        """Return the name of the function for an op; None if the language lacks it."""
        name = {"sqr": "square", "switch": "where"}.get(op, op)
        is_there = op == "switch" or isinstance(getattr(np, name, None), np.ufunc)
        return f"{self._module}.{name}" if is_there else None

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        return super().call(item._replace(name=self.word(item.name) or item.name), arguments)

    def number(self, value: float) -> str:
        """Return a number."""
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)

    def scaled(self, above: Sequence[Any], below: Sequence[Any]) -> Pieces:
        """Return a call of the helper for scaled products."""
        lists = (*separated(above, ", "), "], [", *separated(below, ", "))
        return Pieces((f"{_SCALED}([", *lists, "])"))

    def function(
        self, name: str, inputs: Sequence[str], named: Sequence[Any], body: Formula
    ) -> str:
        """Return the text of a function that gives names to some formulas first."""
        lines = [*(_in_lines(f"{v} = ", str(value)) for v, value in named)]
        lines.append(_in_lines("return ", str(body)))
        if self._quiet and f"{self._module}.where" in "".join(lines):
            lines = [self._quiet, *(indent(line, "    ") for line in lines)]
        inner = indent("\n".join(lines), "    ")
        return f"\n\ndef {name}({', '.join(inputs)}):\n{inner}\n"

    def whole(self, functions: Iterable[str], scales: bool) -> str:
        """Return functions after all that they need."""
        return "".join((self._head, self._scaled if scales else "", *functions))


_KEYWORDS_OF_C = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while
"""


class _C(_Arrays):
    """C of 1999, in double precision."""

    def __init__(self) -> None:
        self._head, self._scaled = "#include <math.h>\n", _SCALED_IN_C
        functions = (str(word_of(op)) for op in OPS)
        self.reserved = frozenset((*_KEYWORDS_OF_C.split(), *functions, _SCALED))
        self.constants = {"pi": "M_PI", "e": "M_E", "inf": "INFINITY", "nan": "NAN"}

    def word(self, op: str) -> str | None:
        # FPCore has the names of C
        return "?" if op == "switch" else word_of(op)

    def infix(self, sign: Infix, arguments: Sequence[Formula]) -> Formula:
        if sign.symbol == "**":
            return super().call(Applied("pow", ()), arguments)
        if sign.symbol == "|":
            sign, arguments = sign._replace(symbol="||"), [self.held(a, ATOM) for a in arguments]
        elif sign.symbol == "&":
            sign = sign._replace(symbol="&&")
        return super().infix(sign, arguments)

    def prefix(self, signs: tuple[str, str], argument: Formula) -> Formula:
        return super().prefix(("!" if signs[0] == "~" else signs[0], ""), argument)

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        if item.name != "switch":
            return super().call(item, arguments)
        condition, first, other = arguments
        return self.group(self.formula(0, condition, " ? ", first, " : ", other))

    def number(self, value: float) -> str:
        return repr(value)

    def scaled(self, above: Sequence[Any], below: Sequence[Any]) -> Pieces:
        values = separated((*above, *below), ", ")
        counts = f"{len(above)}, {len(below)}"
        return Pieces((f"{_SCALED}({counts}, (double[]){{", *values, "})"))

    def function(
        self, name: str, inputs: Sequence[str], named: Sequence[Any], body: Formula
    ) -> str:
        lines = [f"const double {v} = {value};" for v, value in named] + [f"return {body};"]
        inner = indent("\n".join("\n    ".join(_wrapped(line)) for line in lines), "    ")
        given = ", ".join(f"double {v}" for v in inputs) or "void"
        return f"\ndouble {name}({given}) {{\n{inner}\n}}\n"


_LANGUAGES: dict[str, _Arrays] = {
    # cases are computed where they are not taken too, and may warn there
    "numpy": _Arrays("np", "numpy", 'with np.errstate(all="ignore"):'),
    "jax": _Arrays("jnp", "jax.numpy"),
    "c": _C(),
}
LANGUAGES = (*_LANGUAGES, "fpcore")


def source(expr: Expr, inputs: Sequence[str], language: str = "numpy", name: str = "f") -> str:
    """Return an expression as the text of a function.

    What a language lacks becomes a function before it, or is written out; `fma` for float64.

    Parameters
    ----------
    inputs
        The names of its inputs, in order. What is no name in the language is changed.
    language
        ``"numpy"`` or ``"jax"``, for Python that needs nothing but these; ``"c"``; ``"fpcore"``.
    name
        What the function is called.

    Raises
    ------
    ValueError
        If there is no such language.
    NotSupported
        If the language lacks a function that occurs, and what it could be written with.
    """
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
    if language == "fpcore":
        whole = _in_its_functions(expr, is_written, "FPCore")
        return str(Core(name, tuple(inputs), whole, None))
    found = _Source(language, name, inputs)
    found.add(name, expr, inputs)
    return found.text()


class _Source:
    """The functions of a text.

    Parameters
    ----------
    language
        The name of the language.
    name
        That of the last function.
    inputs
        The names of its inputs. What is no name in the language is changed.
    """

    def __init__(self, language: str, name: str, inputs: Sequence[str]) -> None:
        self._language, self._one = language, _LANGUAGES[language]
        self._words: dict[str, str] = {}
        for one in inputs:
            taken = {*self._one.reserved, *self._words.values()}
            self._words[one] = _other_than(taken, re.sub(r"\W|^(?=\d)", "_", one))
        self._taken = {name, *self._words.values()}
        self._functions: dict[str, str] = {}
        self._helpers: dict[tuple[str, int], str] = {}
        self._scales = False

    def text(self) -> str:
        """Return all functions, each after those that it calls."""
        return self._one.whole(self._functions.values(), self._scales)

    def add(self, name: str, expr: Expr, inputs: Sequence[str]) -> None:
        """Add a function that computes an expression."""
        whole = _in_its_functions(expr, self._has, self._language)
        words = [self._words.get(n, n) for n in inputs]
        names = names_for_parts(self._one, words)
        (body,) = formulas([whole], self._view, self._one, names)
        self._scales |= any(e.op.startswith(_SCALED) for e in parts(whole))
        self._functions[name] = self._one.function(name, words, names.definitions, body)

    def _has(self, e: Expr) -> bool:
        """Return whether there is a function for an op, or a helper, which is made now."""
        key = e.op, len(e.args)
        if self._one.has(e) or key in self._helpers:
            return True
        found = None if e.op in _WRITTEN_OUT else _formula(e)
        if found is None:
            return False
        name = _other_than({*self._taken, *self._functions}, e.op)
        self.add(name, *found)
        self._helpers[key] = name
        return True

    def _view(self, e: Expr) -> Written:
        """Return how the language writes an expression."""
        one = self._one
        if e.op is INPUT:
            return Leaf(self._words.get(e.value, e.value))
        if e.op is NUMBER:
            word = one.constants.get(e.value) if isinstance(e.value, str) else None
            return Leaf(one.number(as_float(e.value)) if word is None else word, "number")
        op: Any = OPS[e.op].scalar_op
        if e.op.startswith(_SCALED):
            return one.scaled(e.args[: op.above], e.args[op.above :])
        return Applied(self._helpers.get((e.op, len(e.args)), e.op), e.args)


def _other_than(taken: Container[str], name: str) -> str:
    """Return a name, with lines below it after it where it is taken."""
    while name in taken:
        name += "_"
    return name


def _in_its_functions(expr: Expr, has: Callable[[Expr], bool], language: str) -> Expr:
    """Return an expression with what a language lacks written out."""

    def of_op(op: Any, *args: Expr) -> Expr:
        made = apply(op.scalar_op.name, *args)
        while not has(made):
            other = _written_out(made)
            if other is None:
                raise NotSupported(f"there is no function {made.op} in {language}")
            made = _in_its_functions(other, has, language)
        return made

    return folded(expr, lambda e: e, of_op) if expr.args else expr
