"""Forms as functions to be pasted: in Python with NumPy or JAX, in C, and in FPCore.

What a language lacks is written by what it has, as accurately; or it is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.formulas.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    as_float,
    folded,
    names_for_parts,
    number,
    parts,
)
from relgraph.formulas.fpcore import Core, is_written, word_of
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


def _sigmoid(x: Expr) -> Expr:
    power = apply("exp", apply("neg", apply("abs", x)))
    top = apply("switch", apply("lt", x, number(0)), power, number(1))
    return apply("true_div", top, apply("add", number(1), power))


def _cosm1(x: Expr) -> Expr:
    sine = apply("sin", apply("true_div", x, number(2)))
    return apply("mul", number(-2), apply("mul", sine, sine))


def _sign(x: Expr) -> Expr:
    zero = number(0)
    below = apply("switch", apply("lt", x, zero), number(-1), x)
    return apply("switch", apply("gt", x, zero), number(1), below)


def _logaddexp(x: Expr, y: Expr) -> Expr:
    apart = apply("neg", apply("abs", y if x is number(0) else apply("sub", x, y)))
    return apply("add", apply("maximum", x, y), apply("log1p", apply("exp", apart)))


def _add_error(x: Expr, y: Expr) -> Expr:
    total = apply("add", x, y)
    part = apply("sub", total, x)
    lost = apply("add", apply("sub", x, apply("sub", total, part)), apply("sub", y, part))
    return _if_finite(lost)


def _mul_error(x: Expr, y: Expr) -> Expr:
    return _if_finite(apply("fma", x, y, apply("neg", apply("mul", x, y))))


def _if_finite(lost: Expr) -> Expr:
    return apply("switch", apply("lt", apply("abs", lost), number("inf")), lost, number(0))


_WRITTEN_OUT: dict[str, Callable[..., Expr]] = {
    "softplus": lambda x: apply("logaddexp", number(0), x),
    "sigmoid": _sigmoid,
    "cosm1": _cosm1,
    "sign": _sign,
    "logaddexp": _logaddexp,
    "sqr": lambda x: apply("mul", x, x),
    "log10": lambda x: apply("true_div", apply("log", x), apply("log", number(10))),
    "mul_error": _mul_error,
    "add_error": _add_error,
}
"""Functions that a language may lack."""

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


class _Arrays(Text):
    """Python, with the functions of arrays that a module has."""

    def __init__(self, module: str, imported: str, quiet: str = "") -> None:
        self._head, self._quiet = f"import {imported} as {module}\n", quiet
        self._scaled = _SCALED_OF_ARRAYS.format(np=module)
        self._module = module
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
        return super().call(item._replace(name=str(self.word(item.name))), arguments)

    def number(self, value: float) -> str:
        """Return a number."""
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)

    def scaled(self, above: Sequence[Any], below: Sequence[Any]) -> Pieces:
        """Return a call of the helper for scaled products."""
        lists = (*separated(above, ", "), "], [", *separated(below, ", "))
        return Pieces((f"{_SCALED}([", *lists, "])"))

    def function(
        self, name: str, inputs: Sequence[str], named: Sequence[Any], body: Formula, scales: bool
    ) -> str:
        """Return the text of a function that gives names to some formulas first."""
        lines = [*(f"{v} = {value}" for v, value in named), f"return {body}"]
        if self._quiet and f"{self._module}.where" in "".join(lines):
            lines = [self._quiet, *(f"    {line}" for line in lines)]
        inner = "".join(f"    {line}\n" for line in lines)
        helper = self._scaled if scales else ""
        return f"{self._head}{helper}\n\ndef {name}({', '.join(inputs)}):\n{inner}"


class _C(_Arrays):
    """C of 1999, in double precision."""

    def __init__(self) -> None:
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
        self, name: str, inputs: Sequence[str], named: Sequence[Any], body: Formula, scales: bool
    ) -> str:
        lines = [*(f"const double {v} = {value};" for v, value in named), f"return {body};"]
        inner = "".join(f"    {line}\n" for line in lines)
        given = ", ".join(f"double {v}" for v in inputs) or "void"
        helper = _SCALED_IN_C if scales else ""
        return f"#include <math.h>\n{helper}\ndouble {name}({given}) {{\n{inner}}}\n"


_LANGUAGES: dict[str, _Arrays] = {
    # cases are computed where they are not taken too, and may warn there
    "numpy": _Arrays("np", "numpy", 'with np.errstate(all="ignore"):'),
    "jax": _Arrays("jnp", "jax.numpy"),
    "c": _C(),
}
LANGUAGES = (*_LANGUAGES, "fpcore")


def source(expr: Expr, inputs: Sequence[str], language: str = "numpy", name: str = "f") -> str:
    """Return an expression as the text of a function.

    Parameters
    ----------
    inputs
        The names of its inputs, in order.
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
    one = _LANGUAGES[language]
    whole = _in_its_functions(expr, one.has, language)
    names = names_for_parts(one, inputs)
    (body,) = formulas([whole], lambda e: _view(e, one), one, names)
    scales = any(e.op.startswith(_SCALED) for e in parts(whole))
    return one.function(name, inputs, names.definitions, body, scales)


def _in_its_functions(expr: Expr, has: Callable[[Expr], bool], language: str) -> Expr:
    """Return an expression with what a language lacks written out."""

    def of_op(op: Any, *args: Expr) -> Expr:
        made = apply(op.scalar_op.name, *args)
        while not has(made):
            if made.op not in _WRITTEN_OUT:
                raise NotSupported(f"there is no function {made.op} in {language}")
            made = _in_its_functions(_WRITTEN_OUT[made.op](*made.args), has, language)
        return made

    return folded(expr, lambda e: e, of_op) if expr.args else expr


def _view(e: Expr, one: _Arrays) -> Written:
    """Return how a language writes an expression."""
    if e.op is INPUT:
        return Leaf(str(e.value))
    if e.op is NUMBER:
        word = one.constants.get(e.value) if isinstance(e.value, str) else None
        return Leaf(one.number(as_float(e.value)) if word is None else word, "number")
    op: Any = OPS[e.op].scalar_op
    if e.op.startswith(_SCALED):
        return one.scaled(e.args[: op.above], e.args[op.above :])
    return Applied(e.op, e.args)
