"""The scalar ops as functions of ranges: what lies between two numbers.

A range holds the value wherever there is one. Of a function that rises or falls, as its record
says, the range is that of the values at the ends; of others that of the formula.

Moore, Interval Analysis (1966); Flatt and Panchekha, Making interval arithmetic robust to overflow
(2023), for the use of `partial`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

from relgraph.graph.notation import Operators
from relgraph.scalar import pow as power_op
from relgraph.scalar.named import Functions
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.truth.balls import (
    INFINITY,
    UNDECIDED,
    Ball,
    arb,
    as_ball,
    condition_of,
    is_infinite,
    is_none,
    scalar_op,
    value,
)

_ZERO, _ONE = arb(0), arb(1)


@dataclass(frozen=True, slots=True)
class Range(Operators):
    """What lies between two numbers.

    Attributes
    ----------
    low, high
        The ends, exact balls; they may be infinite.
    partial
        Whether there may be no value at some points.
    """

    low: Ball
    high: Ball
    partial: bool = False

    @property
    def is_point(self) -> bool:
        """Whether it is one number."""
        return bool(self.low == self.high)

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.partial)


NOWHERE = None
"""The range of what surely has no value."""

ANY = Range(-INFINITY, INFINITY, True)


def image(op: ScalarOp, args: Sequence[Any]) -> Any:
    """Return the range of an op for ranges of its inputs: `NOWHERE` if it surely has no value; of
    a condition whether it holds, or `UNDECIDED`.

    Parameters
    ----------
    args
        Ranges; conditions as they are returned.
    """
    if condition_of(op) is not None:
        return _condition(op, args)
    if op.name == "switch":
        return _chosen(*args)
    if any(a is NOWHERE for a in args):
        return NOWHERE
    if isinstance(op, FoldOp) and len(args) != 2:
        return reduce(lambda x, y: image(op, (x, y)), args)
    function = _FUNCTIONS.get(op.name)
    if function is not None:
        return function(*args)
    if len(args) == 1 and (op.facts.periodic or op.formula is None or _is_covered(op, args[0])):
        return _by_facts(op, args[0])
    return ANY if op.formula is None else op.formula(_NAMES, *args)


def image_of(name: str, args: Iterable[Any]) -> Any:
    """Return the range of an op by its name; numbers of Python are inputs too."""
    return image(scalar_op(name), [_as_range(a) for a in args])


def _as_range(x: Any) -> Any:
    if x is NOWHERE or isinstance(x, Range):
        return x
    ball = as_ball(x)
    return range_of(ball)


def range_of(ball: Ball) -> Range | None:
    """Return the range of a real value with its error."""
    if is_none(ball):
        return NOWHERE
    if is_infinite(ball) or ball.is_exact():
        return Range(ball, ball)
    return Range(ball.lower(), ball.upper()) if ball.is_finite() else ANY


def _for_formulas(op: ScalarOp) -> Callable[..., Any]:
    return lambda *args: image(op, [_as_range(a) for a in args])


_NAMES = Functions(_for_formulas)
Range._ops = _NAMES


# -- by the record ---------------------------------------------------------------------------------


def _clipped(x: Range, ends: tuple[float, float]) -> Range | None:
    low, high = map(arb, ends)
    if x.high < low or x.low > high:
        return NOWHERE
    cut = bool(x.low < low or x.high > high)
    return Range(max(x.low, low), min(x.high, high), x.partial or cut)


def _monotone_parts(op: ScalarOp) -> list[tuple[Ball, ...]]:
    facts = op.facts
    return [tuple(map(arb, p)) for p in (facts.increasing, facts.decreasing) if p is not None]


def _is_covered(op: ScalarOp, x: Range) -> bool:
    """Return whether a function rises and falls by parts that hold a range, as far as the range is
    in its domain."""
    inside = _clipped(_magnitude(x) if op.facts.even else x, op.facts.domain)
    if inside is NOWHERE:
        return True
    low, high = inside.low, inside.high
    parts = _monotone_parts(op)
    at_low = [p for p in parts if p[0] <= low <= p[1]]
    at_high = [p for p in parts if p[0] <= high <= p[1]]
    return bool(at_low and at_high and any(p[1] >= q[0] for p in at_low for q in at_high))


def _by_facts(op: ScalarOp, x: Range) -> Range | None:
    facts = op.facts
    inside = _clipped(_magnitude(x) if facts.even else x, facts.domain)
    if inside is NOWHERE:
        return NOWHERE
    most = Range(arb(facts.range[0]), arb(facts.range[1]), inside.partial)
    if facts.periodic or not _is_covered(op, x):
        return _by_ball(op, inside, most)
    turns = [e for part in _monotone_parts(op) for e in part if inside.low < e < inside.high]
    found = [_at(op, v, most) for v in (inside.low, inside.high, *turns)]
    return Range(
        min(r.low for r in found),
        max(r.high for r in found),
        inside.partial,
    )


def _at(op: ScalarOp, v: Ball, most: Range) -> Range:
    """Return the range of a value; all that the function has where it is not known."""
    found = value(op, (v,))
    if is_none(found) or not (found.is_finite() or is_infinite(found)):
        return most
    return range_of(found) or most


def _by_ball(op: ScalarOp, x: Range, most: Range) -> Range | None:
    if not (x.low.is_finite() and x.high.is_finite()):
        return Range(most.low, most.high, True)
    found = value(op, (x.low.union(x.high),))
    if not found.is_finite():
        return Range(most.low, most.high, True)
    return Range(max(found.lower(), most.low), min(found.upper(), most.high), x.partial)


# -- arithmetic ------------------------------------------------------------------------------------


def _sum(x: Range, y: Range) -> Range:
    low, high = (x.low + y.low).lower(), (x.high + y.high).upper()
    return Range(
        -INFINITY if is_none(low) else low,
        INFINITY if is_none(high) else high,
        x.partial or y.partial,
    )


def _times(x: Ball, y: Ball) -> Ball:
    """Return a product in which zero times infinity is zero: they bound what is finite."""
    return _ZERO if x == 0 or y == 0 else x * y


def _product(x: Range, y: Range) -> Any:
    if x is y:
        return image_of("sqr", (x,))
    ends = [_times(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    return _hull(ends, x.partial or y.partial)


def _hull(balls: Sequence[Ball], partial: bool) -> Range:
    low = min(b if is_infinite(b) else b.lower() for b in balls)
    high = max(b if is_infinite(b) else b.upper() for b in balls)
    return Range(low, high, partial)


def _quotient(x: Range, y: Range) -> Range | None:
    if y.low == 0 and y.high == 0:
        return NOWHERE
    if y.low <= 0 <= y.high:
        return ANY
    partial = x.partial or y.partial
    if not (y.low.is_finite() and y.high.is_finite()) and not (
        x.low.is_finite() and x.high.is_finite()
    ):
        return Range(-INFINITY, INFINITY, partial)
    both = product((x.low, x.high), (y.low, y.high))
    return _hull([_ZERO if is_infinite(b) else a / b for a, b in both], partial)


def _magnitude(x: Range) -> Range:
    if x.low >= 0:
        return x
    return -x if x.high <= 0 else Range(_ZERO, max(-x.low, x.high), x.partial)


def _maximum(x: Range, y: Range) -> Range:
    return Range(max(x.low, y.low), max(x.high, y.high), x.partial or y.partial)


def _copysign(x: Range, y: Range) -> Range:
    size = _magnitude(x)
    size = Range(size.low, size.high, x.partial or y.partial)
    if y.low >= 0:
        return size
    return -size if y.high < 0 else Range(-size.high, size.high, size.partial)


def _remainder(x: Range, y: Range) -> Any:
    times = _quotient(x, y)
    if times is NOWHERE or not (times.low.is_finite() and times.high.is_finite()):
        return ANY if times is not NOWHERE else NOWHERE
    return x - y * image_of("trunc", (times,))


def _arctan2(y: Range, x: Range) -> Any:
    if x.low > 0:
        return image_of("arctan", (y / x,))
    pi = range_of(arb.pi())
    assert pi is not NOWHERE
    if y.low <= 0 <= y.high:
        return Range(-pi.high, pi.high, True)
    # a quarter turn to its side of the axis, less the angle from there
    quarter = pi / 2 if y.low > 0 else -pi / 2
    return quarter - image_of("arctan", (x / y,))


def _power(x: Range, y: Range) -> Any:
    partial = x.partial or y.partial
    if y.is_point and y.low.is_integer():
        return _whole_power(x, y.low, partial)
    if x.high < 0:
        return ANY if not y.is_point else NOWHERE
    if x.low <= 0:
        if y.low <= 0 or x.high == 0:
            return ANY if not (x.low == x.high == 0 and y.low > 0) else Range(_ZERO, _ZERO, partial)
        top = _power(Range(x.high, x.high), y)
        return Range(_ZERO, max(_ONE, top.high), partial or bool(x.low < 0))
    return image_of("exp", (y * image_of("log", (x,)),))


def _whole_power(x: Range, n: Ball, partial: bool) -> Range | None:
    if n < 0:
        below = _whole_power(x, -n, partial)
        return below and _quotient(Range(_ONE, _ONE), below)
    if (n / 2).is_integer():
        x = _magnitude(x)
    ends = [value(power_op, (v, n)) if v.is_finite() else v for v in (x.low, x.high)]
    if any(is_none(e) or not (e.is_finite() or is_infinite(e)) for e in ends):
        return ANY
    return _hull(ends, partial)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": _sum,
    "sub": lambda x, y: _sum(x, -y),
    "mul": _product,
    "true_div": _quotient,
    "neg": operator.neg,
    "abs": _magnitude,
    "maximum": _maximum,
    "minimum": lambda x, y: -_maximum(-x, -y),
    "copysign": _copysign,
    "fmod": _remainder,
    "arctan2": _arctan2,
    "pow": _power,
}


# -- conditions ------------------------------------------------------------------------------------

_OF_ORDER = frozenset(("lt", "le", "gt", "ge"))


def _condition(op: ScalarOp, args: Sequence[Any]) -> Any:
    function = condition_of(op)
    assert function is not None
    if not any(isinstance(a, Range) or a is NOWHERE for a in args):
        return function(*args)
    if any(a is NOWHERE or a.partial for a in args):
        return UNDECIDED
    if op.name in _OF_ORDER or all(a.is_point for a in args) or _are_apart(*args):
        # what orders two numbers is so everywhere if it is so at the corners
        corners = [function(*ends) for ends in product(*[(a.low, a.high) for a in args])]
        return corners[0] if all(c is corners[0] for c in corners) else UNDECIDED
    return UNDECIDED


def _are_apart(x: Range, *ys: Range) -> bool:
    return bool(ys and (x.high < ys[0].low or x.low > ys[0].high))


def _chosen(condition: Any, x: Range | None, y: Range | None) -> Range | None:
    if condition is not UNDECIDED:
        return x if condition else y
    if x is NOWHERE or y is NOWHERE:
        one = y if x is NOWHERE else x
        return one and Range(one.low, one.high, True)
    return Range(min(x.low, y.low), max(x.high, y.high), x.partial or y.partial)
