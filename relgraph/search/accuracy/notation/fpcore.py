"""FPCore, the language of the benchmarks of floating-point formulas (fpbench.org), as expressions.

Formulas of numbers and conditions, with ``let`` and ``if``; no loops and no arrays.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from relgraph.search.accuracy.expressions import (
    Expr,
    NotSupported,
    apply,
    named,
    number,
)
from relgraph.search.accuracy.notation.names import SCALAR_NAMES

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|#\|.*?\|#|;[^\n]*|[()\[\]]|[^\s()\[\]";]+', re.S)

_SAME_NAMES = (
    *("sqrt", "cbrt", "hypot", "pow", "exp", "exp2", "expm1", "fma", "fmod", "copysign"),
    *("log", "log2", "log10", "log1p", "erf", "erfc", "floor", "ceil", "trunc", "round"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh"),
)
_NAMES = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "true_div",
    "fmin": "minimum",
    "fmax": "maximum",
    "nearbyint": "round",
    **SCALAR_NAMES,
    **{name: name for name in _SAME_NAMES},
}
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "neq"}
_HALF, _TWO, _TEN = number(Fraction(1, 2)), number(2), number(10)
_PI = number("pi")
_NUMBERS = {
    "PI": _PI,
    "E": number("e"),
    "INFINITY": number("inf"),
    "NAN": number("nan"),
    "TRUE": number(1),
    "FALSE": number(0),
    "PI_2": apply("true_div", _PI, _TWO),
    "PI_4": apply("true_div", _PI, number(4)),
    "M_1_PI": apply("true_div", number(1), _PI),
    "M_2_PI": apply("true_div", _TWO, _PI),
    "LN2": apply("log", _TWO),
    "LN10": apply("log", _TEN),
    "LOG2E": apply("true_div", number(1), apply("log", _TWO)),
    "LOG10E": apply("true_div", number(1), apply("log", _TEN)),
    "SQRT2": apply("sqrt", _TWO),
    "SQRT1_2": apply("sqrt", _HALF),
}


@dataclass(frozen=True)
class Core:
    """A formula of a benchmark.

    Attributes
    ----------
    name
        What it is called.
    inputs
        The names of its arguments.
    expr
        What it computes.
    domain
        For which arguments, if for some alone.
    """

    name: str
    inputs: tuple[str, ...]
    expr: Expr
    domain: Expr | None


def forms(text: str) -> list[Any]:
    """Return the S-expressions of a text, as lists of lists and words."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token.startswith((";", "#|")):
            continue
        if token in "([":
            stack.append([])
            stack[-2].append(stack[-1])
        elif token in ")]":
            if len(stack) == 1:
                raise NotSupported("a bracket is closed that was not opened")
            stack.pop()
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise NotSupported("a bracket is not closed")
    return stack[0]


def from_fpcore(text: str) -> list[Core]:
    """Return the formulas of a text in FPCore.

    Raises
    ------
    NotSupported
        If one has a loop, an array or a function that is not known; the message names it.
    """
    return [core(form) for form in forms(text) if isinstance(form, list)]


def core(form: Sequence[Any]) -> Core:
    """Return a formula that stands as an S-expression."""
    if not form or form[0] != "FPCore" or len(form) < 3:
        raise NotSupported("a formula starts with (FPCore (arguments…)")
    rest, name = list(form[1:]), None
    if isinstance(rest[0], str):
        name = rest.pop(0)
    arguments = [a[-1] if isinstance(a, list) and a[:1] == ["!"] else a for a in rest.pop(0)]
    for a in arguments:
        if not isinstance(a, str):
            raise NotSupported(f"the argument {a} is an array")
    properties = dict(_pairs(rest[:-1]))
    env = {a: named(a) for a in arguments}
    before = properties.get(":pre")
    return Core(
        str(properties.get(":name", name or "formula")).strip('"'),
        tuple(arguments),
        expression(rest[-1], env),
        None if before is None else expression(before, env),
    )


def _pairs(rest: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    return zip(rest[::2], rest[1::2], strict=False)


def rational(token: str) -> Fraction | None:
    """Return the number that a word writes."""
    try:
        if token.lower().lstrip("+-").startswith("0x"):
            return Fraction(float.fromhex(token))
        return Fraction(re.sub(r"(?<=\d)f0$", "", token))
    except (ValueError, ZeroDivisionError):
        return None


def expression(form: Any, env: dict[str, Expr]) -> Expr:
    """Return the expression that an S-expression writes, of what the words in it mean."""
    if isinstance(form, str):
        if form in env:
            return env[form]
        value = rational(form)
        if value is not None:
            return number(value)
        if form in _NUMBERS:
            return _NUMBERS[form]
        raise NotSupported(f"{form} is neither an argument nor a known constant")
    head = form[0] if form and isinstance(form[0], str) else None
    if head in ("!", "cast"):
        return expression(form[-1], env)
    if head in ("let", "let*"):
        inner = dict(env)
        for name, value in form[1]:
            inner[name] = expression(value, inner if head == "let*" else env)
        return expression(form[2], inner)
    if head is None:
        raise NotSupported(f"{form} applies no function")
    args = [expression(a, env) for a in form[1:]]
    return _applied(head, args)


def _applied(head: str, args: list[Expr]) -> Expr:
    if head == "if":
        return apply("switch", *args)
    if head == "-" and len(args) == 1:
        return apply("neg", *args)
    if head in ("and", "or"):
        return _folded(lambda a, b: apply(f"{head}_", a, b), args)
    if head == "not":
        return apply("invert", *args)
    if head in _COMPARISONS:
        return _chain(_COMPARISONS[head], args)
    if head in ("sqr", "cube"):
        return _folded(lambda a, b: apply("mul", a, b), args * (2 if head == "sqr" else 3))
    if head == "cotan":
        return apply("true_div", number(1), apply("tan", *args))
    if head == "fdim":
        apart = apply("sub", *args)
        return apply("switch", apply("gt", *args), apart, number(0))
    if head in ("+", "-", "*", "/"):
        return _folded(lambda a, b: apply(_NAMES[head], a, b), args)
    if head not in _NAMES:
        raise NotSupported(f"{head} is no function of numbers that is known")
    return apply(_NAMES[head], *args)


def _folded(function: Callable[[Expr, Expr], Expr], args: Sequence[Expr]) -> Expr:
    total = args[0]
    for a in args[1:]:
        total = function(total, a)
    return total


def _chain(name: str, args: Sequence[Expr]) -> Expr:
    """Return the condition that each argument stands in a relation to the next; to all others for
    ``!=``."""
    if name == "neq":
        pairs = [(a, b) for k, a in enumerate(args) for b in args[k + 1 :]]
    else:
        pairs = list(itertools.pairwise(args))
    return _folded(lambda a, b: apply("and_", a, b), [apply(name, a, b) for a, b in pairs])
