"""How each op is written, from the formulas of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from relgraph.display.formulas.notation import ATOM, Formula, Notation

_SUM, _PRODUCT, _PREFIX, _POWER = 5, 6, 7, 8


class _Infix(NamedTuple):
    sign: str
    binding: int


_INFIX = {
    "or_": _Infix("∨", 1), "xor": _Infix("⊕", 2), "and_": _Infix("∧", 3),
    "eq": _Infix("=", 4), "neq": _Infix("≠", 4), "lt": _Infix("<", 4), "le": _Infix("≤", 4),
    "gt": _Infix(">", 4), "ge": _Infix("≥", 4), "add": _Infix("+", _SUM),
    "sub": _Infix("-", _SUM), "mul": _Infix("·", _PRODUCT), "int_div": _Infix("//", _PRODUCT),
    "mod": _Infix("mod", _PRODUCT), "dot": _Infix("", _PRODUCT),
}  # fmt: skip
_NOT_ASSOCIATIVE = {"sub", "int_div", "mod"}
_SUMS = {"sum": "∑", "prod": "∏", "max": "max", "min": "min", "mean": "mean"}


def operation(
    to: Notation, name: str, parameters: str, arguments: Sequence[Formula], axes: Any = None
) -> Formula:
    """Return an op applied to arguments.

    Parameters
    ----------
    to
        The language.
    name
        The name of the op, without its parameters.
    parameters
        Its parameters as text; empty if there are none.
    arguments
        The formulas of the arguments.
    axes
        For a reduction the axes, as text; None for all. For DimShuffle the new order.
    """
    size = 1 + sum(argument.size for argument in arguments)
    if name in _INFIX and len(arguments) > 1:
        return _infix(to, name, arguments, size)
    if name in _SUMS and len(arguments) == 1:
        return _reduction(to, _SUMS[name], axes, arguments[0], size)
    writer = _WRITERS.get((name, len(arguments)))
    if writer is not None:
        return writer(to, arguments, size)
    head = to.function(name)
    if parameters or axes is not None:
        head = to.index(head, _parameter(to, parameters or str(axes)))
    return Formula(to.row([head, _called(to, arguments)]), ATOM, size)


def within(to: Notation, formula: Formula, binding: int) -> str:
    """Return a formula as it stands beside an operator: in parentheses where it binds less."""
    return to.group(formula.text) if formula.binding < binding else formula.text


def _parameter(to: Notation, text: str) -> str:
    if len(text) == 1 and text.isalpha():
        return to.name(text)
    return to.number(text) if text.lstrip("-").isdigit() else to.function(text)


def _called(to: Notation, arguments: Sequence[Formula]) -> str:
    parts: list[str] = []
    for i, argument in enumerate(arguments):
        parts += [to.operator(",")] * (i > 0) + [argument.text]
    return to.group(to.row(parts))


def _infix(to: Notation, name: str, arguments: Sequence[Formula], size: int) -> Formula:
    sign, binding = _INFIX[name]
    parts: list[str] = []
    for i, argument in enumerate(arguments):
        if i and sign:
            parts.append(to.operator(sign))
        # the right side of `a - b`, and a sign in front of what follows another
        after_sign = i > 0 and binding >= _SUM and argument.binding == _PREFIX
        least = ATOM if after_sign else binding + (i > 0 and name in _NOT_ASSOCIATIVE)
        parts.append(within(to, argument, least))
    return Formula(to.row(parts), binding, size)


def _reduction(to: Notation, sign: str, axes: Any, argument: Formula, size: int) -> Formula:
    head = to.operator(sign) if sign in "∑∏" else to.function(sign)
    if axes is not None:
        head = to.index(head, _parameter(to, str(axes)))
    if sign in "∑∏":
        return Formula(to.row([head, within(to, argument, _PRODUCT)]), _PRODUCT, size)
    return Formula(to.row([head, to.group(argument.text)]), ATOM, size)


def _prefix(sign: str) -> _Writer:
    def write(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
        inner = within(to, arguments[0], _PREFIX)
        return Formula(to.row([to.operator(sign), inner]), _PREFIX, size)

    return write


def _fraction(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    above, below = arguments
    return Formula(to.fraction(above.text, below.text), _POWER, size)


def _power(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    base, exponent = arguments
    return Formula(to.power(within(to, base, ATOM), exponent.text), _POWER, size)


def _square(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    return Formula(to.power(within(to, arguments[0], ATOM), to.number("2")), _POWER, size)


def _exponential(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    if arguments[0].size > 12:
        return Formula(to.row([to.function("exp"), to.group(arguments[0].text)]), ATOM, size)
    return Formula(to.power(to.name("e"), arguments[0].text), _POWER, size)


def _root(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    return Formula(to.root(arguments[0].text), ATOM, size)


def _absolute(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    return Formula(to.absolute(arguments[0].text), ATOM, size)


def _switch(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    condition, then, other = (argument.text for argument in arguments)
    rows = [(then, to.row([to.words("if "), condition])), (other, to.words("otherwise"))]
    return Formula(to.cases(rows), _SUM, size)


def _transposed(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    top = to.operator("ᵀ")
    return Formula(to.power(within(to, arguments[0], ATOM), top), _POWER, size)


_Writer = Callable[[Notation, Sequence[Formula], int], Formula]
_WRITERS: dict[tuple[str, int], _Writer] = {
    ("neg", 1): _prefix("-"),
    ("invert", 1): _prefix("¬"),
    ("true_div", 2): _fraction,
    ("pow", 2): _power,
    ("sqr", 1): _square,
    ("exp", 1): _exponential,
    ("sqrt", 1): _root,
    ("abs", 1): _absolute,
    ("switch", 3): _switch,
    ("transposed", 1): _transposed,
}
