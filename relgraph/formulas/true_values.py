"""True values of expressions at points of a domain, with as many bits as settle them.

Points are uniform over the bit patterns of floats. A box that holds the domain is cut into cells
where few of its points are in the domain; cells that interval arithmetic rules out are thrown away.
Errors are counted in bits, between floats as integers in their order. Panchekha et al. (2015),
section 4.1; Saiki, Flatt, Nandi, Panchekha and Tatlock, Combining precision tuning and rewriting
(2021).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from relgraph.formulas.expressions import (
    INPUT,
    NUMBER,
    OPS,
    Expr,
    NotSupported,
    apply,
    inputs_of,
    parts,
)
from relgraph.graph.utils import Deadline
from relgraph.scalar.type import from_ordinals, to_ordinals
from relgraph.truth.balls import (
    INFINITY,
    NONE,
    UNDECIDED,
    Ball,
    arb,
    function_of,
    has_value,
    is_infinite,
    is_none,
    nearest,
    set_precision,
    to_float,
)
from relgraph.truth.ranges import NOWHERE, Range, image, range_of

Array = np.ndarray[Any, Any]
MOST_BITS = {8: 64.0, 4: 32.0}
"""The error of what is no number."""


def floats_between(a: Array, b: Array) -> Array:
    """Return how many floats two arrays are apart, element by element."""
    first, second = to_ordinals(a), to_ordinals(b)
    far = first.astype(np.float64) - second
    # the difference of integers wraps around where it is large
    return np.asarray(np.abs(np.where(np.abs(far) < 2.0**52, first - second, far)))


def bits_of_error(found: Array, true: Array) -> Array:
    """Return the logarithm to the base 2 of one and the number of floats between, for each value:
    half the floats agree at most. What is no number counts 64 bits, of float32 32.

    Panchekha, Sanchez-Stern, Wilcox and Tatlock, Automatically improving accuracy for floating
    point expressions (2015), section 4.1.
    """
    bits = np.log2(1 + floats_between(found, true))
    return np.where(np.isnan(found), MOST_BITS[np.asarray(true).dtype.itemsize], bits)


PRECISIONS = (80, 200, 560, 1400, 2800, 5600)
"""Bits, tried one after the other."""

UNSETTLED = "unsettled"
"""Stands for a value that no precision settles."""

_MOST_FOR_PARTS, _NARROW = 2800, 40
"""Parts of an expression are known by so many bits, unless more than those of the first are needed.
"""


def number_as_ball(value: Any) -> Ball:
    """Return a rational number, or π, e, inf or nan by name, at the precision."""
    if isinstance(value, Fraction):
        return arb(value.numerator) / arb(value.denominator)
    if value in ("pi", "e"):
        return arb.pi() if value == "pi" else arb(1).exp()
    return INFINITY if value == "inf" else NONE


class Settler:
    """Finds the true values of an expression.

    Parameters
    ----------
    expr
        The expression, a condition for instance.
    dtype
        What values are rounded to.

    Raises
    ------
    NotSupported
        If there is no rule for an op.
    """

    def __init__(self, expr: Expr, dtype: Any = np.float64) -> None:
        self.dtype = dtype
        self._order = list(parts(expr))
        self._numbers: dict[int, list[Any]] = {}
        places = {e: k for k, e in enumerate(self._order)}
        self._steps = []
        for k, e in enumerate(self._order):
            if e.op in (INPUT, NUMBER):
                continue
            op = OPS[e.op].scalar_op
            if not has_value(op):
                raise NotSupported(f"no true value of {e.op} is known")
            self._steps.append((k, op, function_of(op), [places[a] for a in e.args]))

    def range_over(self, bits: int, inputs: Mapping[str, Range]) -> Any:
        """Return the range of the value, or whether the condition holds, over ranges of the
        inputs."""
        set_precision(bits)
        values = [range_of(v) if isinstance(v, arb) else v for v in self._known(bits)]
        for k, e in enumerate(self._order):
            if e.op is INPUT:
                values[k] = inputs[e.value]
        for k, op, _, places in self._steps:
            values[k] = image(op, [values[p] for p in places])
        return values[-1]

    def _known(self, bits: int) -> list[Any]:
        """Return the numbers among the parts."""
        if bits not in self._numbers:
            self._numbers[bits] = [
                number_as_ball(e.value) if e.op is NUMBER else None for e in self._order
            ]
        return self._numbers[bits]

    def values(self, bits: int, point: Mapping[str, float]) -> list[Any]:
        """Return the values of all parts at a point, the whole last, with their errors."""
        set_precision(bits)
        values = list(self._known(bits))
        for k, e in enumerate(self._order):
            if e.op is INPUT:
                values[k] = arb(float(point[e.value]))
        for k, _, function, places in self._steps:
            values[k] = function(*[values[p] for p in places])
        return values

    def bits_of_parts(self, point: Mapping[str, float], least: int) -> int:
        """Return the bits with which the true values of all parts at a point are known too."""
        for bits in (b for b in PRECISIONS if b >= least):
            if bits > _MOST_FOR_PARTS or all(map(_is_narrow, self.values(bits, point))):
                return bits
        return least

    def value(self, point: Mapping[str, float]) -> tuple[Any, int]:
        """Return the true value at a point, rounded, and the bits that settled it.

        It is None where there is none or where it is too large for the dtype; a bool for a
        condition; and `UNSETTLED` if no precision settles it.
        """
        for bits in PRECISIONS:
            found = self.values(bits, point)[-1]
            if found is True or found is False:
                return found, bits
            if found is UNDECIDED:
                continue
            if is_none(found) or is_infinite(found):
                return None, bits
            rounded = to_float(found, self.dtype)
            if rounded is not None:
                return (rounded + 0.0 if np.isfinite(rounded) else None), bits
        return UNSETTLED, PRECISIONS[-1]


def _is_narrow(value: Any) -> bool:
    """Return whether a value is known to some digits, or nothing at all."""
    if not isinstance(value, arb) or not value.is_finite():
        return True
    return bool(value.is_exact() or value.rel_accuracy_bits() >= _NARROW)


@dataclass(frozen=True)
class Known:
    """Points, and what is true there.

    Attributes
    ----------
    inputs
        The values of each input, by name.
    true
        The true values.
    bits
        The precisions that settled them.
    """

    inputs: dict[str, np.ndarray[Any, Any]]
    true: np.ndarray[Any, Any]
    bits: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.true)

    def taken(self, which: Any) -> Known:
        """Return some of the points."""
        return Known(
            {k: v[which] for k, v in self.inputs.items()}, self.true[which], self.bits[which]
        )

    def with_more(self, more: Known) -> Known:
        """Return these points, and others after them."""
        return Known(
            {k: np.concatenate([v, more.inputs[k]]) for k, v in self.inputs.items()},
            np.concatenate([self.true, more.true]),
            np.concatenate([self.bits, more.bits]),
        )


Point = tuple[Sequence[float], float, int]
"""The values of the inputs, the true value there, and the bits that settled it."""

Box = tuple[tuple[int, int], ...]
"""For each input the ordinals of its least and its greatest value."""

_MOST_BRANCHES = 16
_MOST_CELLS = 1024
_MOST_TRIES = 20_000
_ROUNDS, _MOST_ROUNDS, _STILL_SMALLER = 12, 40, 0.8
"""How often cells are halved along each input; and how often at most in a narrow domain, while all
of them together become smaller than this part of what they were."""

_ORDINARY = (0.001, 1000.0)
_TRIES_BEFORE_CUTTING, _TRIES_BEFORE_CUTTING_AGAIN, _TRIES_BEFORE_ONE_SIZE = 200, 1000, 3000


class EmptyDomain(ValueError):
    """No point is in the domain, or none that has a true value."""


class Sampler:
    """Draws points of a domain.

    They are uniform over the bit patterns. Where hardly any of these are in the domain, inputs of
    one size are: the sides of a triangle, for instance.

    Parameters
    ----------
    expr
        What has to have a true value there.
    names
        The inputs.
    domain
        The condition on the inputs, if there is one.
    dtype
        Of the inputs and the value.
    seed
        Of the random numbers.
    """

    def __init__(
        self, expr: Expr, names: Sequence[str], domain: Expr | None, dtype: Any, seed: int
    ) -> None:
        self._names, self._dtype = list(names), np.dtype(dtype)
        self._truth = Settler(expr, dtype)
        self._domain = None if domain is None else Settler(domain, dtype)
        self._random = np.random.default_rng(seed)
        found = [_box(c, self._names, self._dtype) for c in _conjunctions(domain)]
        self._cells = [b for b in found if all(low <= high for low, high in b)]
        self._boxes = self._cells
        self._cuts = 0
        self._tried = self._kept = 0
        self._is_rare = False

    def points(self, count: int, seconds: float) -> Known:
        """Return points with true values: `count`, or as many as are found within a time.

        Raises
        ------
        EmptyDomain
            If none is found.
        """
        found: list[Point] = []
        end = Deadline(seconds)
        shares, last = self._shares(), self._tried + _MOST_TRIES
        while len(found) < count and self._cells:
            if end.is_over or (not found and self._tried > last):
                break
            if self._is_to_be_cut():
                self._cells = self._smaller_cells(Deadline(end.left / 2), self._cuts == 1)
                self._cuts += 1
                shares = self._shares()
                continue
            known = self._point(shares)
            if known is not None:
                found.append(known)
            if not self._names and self._tried:
                break
        if not found:
            raise EmptyDomain(
                "no point of the domain was found that has a true value; if it is narrow, state "
                "bounds of each input, or give points"
            )
        return self._as_known(found)

    def _is_to_be_cut(self) -> bool:
        """Return whether so few points of the cells are in the domain that smaller ones pay."""
        if self._cuts == 0:
            return self._tried >= _TRIES_BEFORE_CUTTING > 5 * self._kept
        return self._cuts == 1 and self._tried >= _TRIES_BEFORE_CUTTING_AGAIN > 200 * self._kept

    def _as_known(self, found: Sequence[Point]) -> Known:
        rows = np.array([f[0] for f in found], self._dtype).reshape(len(found), len(self._names))
        columns = {n: np.ascontiguousarray(rows[:, k]) for k, n in enumerate(self._names)}
        return Known(
            columns, np.array([f[1] for f in found], self._dtype), np.array([f[2] for f in found])
        )

    def ordinary_points(self, count: int, seconds: float) -> Known | None:
        """Return points of ordinary size: between 0.001 and 1,000 where the domain has such, of
        which bit patterns have few. None if there are none."""
        choices = [self._ordinary(k) for k in range(len(self._names))]
        found: list[Point] = []
        end = Deadline(seconds)
        for _ in range(8 * count):
            if len(found) == count or end.is_over or not choices:
                break
            ranges = [c[int(self._random.integers(len(c)))] for c in choices]
            known = self._known_at(ranges)
            if known is not None:
                found.append(known)
        return self._as_known(found) if found else None

    def _ordinary(self, k: int) -> list[tuple[int, int]]:
        """Return ranges of an input that is of ordinary size, all of it if it is never."""
        low, high = min(c[k][0] for c in self._cells), max(c[k][1] for c in self._cells)
        small, large = (int(o) for o in to_ordinals(np.array(_ORDINARY, self._dtype)))
        both = [(max(low, a), min(high, b)) for a, b in ((-large, -small), (small, large))]
        return [r for r in both if r[0] <= r[1]] or [(low, high)]

    def closer(self, known: Known) -> Known:
        """Return the points with the bits that settle all parts of the expression."""
        rows = [
            dict(zip(known.inputs, row, strict=True))
            for row in zip(*known.inputs.values(), strict=True)
        ]
        rows = rows or [{} for _ in range(len(known))]
        bits = [self._truth.bits_of_parts(r, int(b)) for r, b in zip(rows, known.bits, strict=True)]
        return Known(known.inputs, known.true, np.array(bits))

    def truth_at(self, point: Mapping[str, float]) -> float | None:
        """Return the true value at a point of the domain; None if there is none."""
        known = self._settled(point) if self._is_inside(point) else None
        return None if known is None else known[0]

    def decided(self, condition: Expr) -> bool | None:
        """Return whether a condition holds in all of the domain; None if not, or not known."""
        try:
            settler = Settler(condition, self._dtype)
        except NotSupported:
            return None
        verdicts = [settler.range_over(80, self._ranges(box)) for box in self._boxes]
        first = verdicts[0] if verdicts else None
        is_one = isinstance(first, bool) and all(v is first for v in verdicts)
        return first if is_one else None

    def _ranges(self, cell: Box) -> dict[str, Range]:
        inputs = {}
        for name, ends in zip(self._names, cell, strict=True):
            least, most = from_ordinals(ends, self._dtype)
            inputs[name] = Range(arb(float(least)), arb(float(most)))
        return inputs

    def _is_inside(self, point: Mapping[str, float]) -> bool:
        return self._domain is None or self._domain.value(point)[0] is True

    def _settled(self, point: Mapping[str, float]) -> tuple[float, int] | None:
        """Return the true value at a point and the bits that settled it, if it has one."""
        true, bits = self._truth.value(point)
        return None if true is None or isinstance(true, bool | str) else (float(true), bits)

    def with_truth(self, columns: Mapping[str, Any]) -> Known:
        """Return given points, those that have true values."""
        found = []
        for row in zip(*(np.asarray(columns[n], self._dtype) for n in self._names), strict=True):
            known = self._settled(dict(zip(self._names, row, strict=True)))
            if known is not None:
                found.append((row, *known))
        if not found:
            raise EmptyDomain("none of the points has a true value")
        return self._as_known(found)

    def _shares(self) -> Any:
        sizes = np.array([_size(cell) for cell in self._cells])
        return np.cumsum(sizes / sizes.sum()) if len(sizes) else sizes

    def _point(self, shares: Any) -> Point | None:
        """Return a drawn point, its true value and the bits that settled it, if it has one."""
        self._tried += 1
        chosen = min(int(np.searchsorted(shares, self._random.random())), len(shares) - 1)
        cell = self._cells[chosen]
        self._is_rare |= self._tried == _TRIES_BEFORE_ONE_SIZE > 1000 * self._kept
        known = self._known_at(self._of_one_size(cell) if self._is_rare else cell)
        self._kept += known is not None
        return known

    def _of_one_size(self, cell: Box) -> Box:
        """Return a part of a cell in which inputs are within a factor of four of one of them, drawn
        at random, where the cell has such."""
        low, high = cell[int(self._random.integers(len(cell)))]
        size = abs(int(self._random.integers(low, high, endpoint=True)))
        one, four = map(int, to_ordinals(np.array([1.0, 4.0], self._dtype)))
        parts = []
        for low, high in cell:
            ends = [(s * size - (four - one), s * size + (four - one)) for s in (1, -1)]
            near = [(max(low, a), min(high, b)) for a, b in ends if a <= high and low <= b]
            parts.append(near[int(self._random.integers(len(near)))] if near else (low, high))
        return tuple(parts)

    def _known_at(self, ranges: Sequence[tuple[int, int]]) -> Point | None:
        places = [int(self._random.integers(low, high, endpoint=True)) for low, high in ranges]
        values = [float(v) for v in from_ordinals(places, self._dtype)]
        point = dict(zip(self._names, values, strict=True))
        known = self._settled(point) if self._is_inside(point) else None
        return None if known is None else (values, *known)

    # -- cells -------------------------------------------------------------------------------------

    def _smaller_cells(self, end: Deadline, narrow: bool) -> list[Box]:
        """Return cells that hold all points of the domain, fewer others.

        Inputs are halved in turn; of a narrow domain, in which few points were found by that, the
        one of which a cell has most, and as long as it rules something out.
        """
        kept: list[Box] = []
        open_cells, before = list(self._boxes), math.inf
        count = len(self._names)
        for k in range((_MOST_ROUNDS if narrow else _ROUNDS) * count):
            if not open_cells or len(open_cells) + len(kept) > _MOST_CELLS:
                break
            if k % count == 0:
                size = sum(map(_size, open_cells))
                if narrow and k >= _ROUNDS * count and size > _STILL_SMALLER * before:
                    break
                before = size
            axis = _widest(open_cells) if narrow else k % count
            cut: list[Box] = []
            for k, cell in enumerate(open_cells):
                if end.is_over:
                    return kept + cut + open_cells[k:]
                for half in _halves(cell, axis):
                    verdict = self._verdict(half)
                    if verdict is True:
                        kept.append(half)
                    elif verdict is UNDECIDED:
                        cut.append(half)
            open_cells = cut
        return kept + open_cells

    def _verdict(self, cell: Box) -> Any:
        """Return whether all points of a cell are in the domain and have true values, or none."""
        inputs = self._ranges(cell)
        inside = True if self._domain is None else self._domain.range_over(80, inputs)
        value = NOWHERE if inside is False else self._truth.range_over(80, inputs)
        if value is NOWHERE:
            return False
        if not isinstance(value, Range):
            return UNDECIDED
        low, high = (nearest(v, self._dtype) for v in (value.low, value.high))
        if low == math.inf or high == -math.inf:
            return False
        sure = inside is True and not value.partial and math.isfinite(low) and math.isfinite(high)
        return True if sure else UNDECIDED


def _size(cell: Box) -> float:
    return math.prod(float(high - low + 1) for low, high in cell)


def _widest(cells: Sequence[Box]) -> int:
    """Return the input of which some cell has most floats."""
    extents = [max(high - low for low, high in side) for side in zip(*cells, strict=True)]
    return extents.index(max(extents))


def _halves(cell: Box, axis: int) -> Iterator[Box]:
    low, high = cell[axis]
    if high - low < 2:
        yield cell
        return
    middle = (low + high) // 2
    for part in ((low, middle), (middle + 1, high)):
        yield (*cell[:axis], part, *cell[axis + 1 :])


# -- boxes -----------------------------------------------------------------------------------------


def _conjunctions(condition: Expr | None) -> list[list[Expr]]:
    """Return the lists of conditions that a condition is the disjunction of; a list that is too
    long is left out, which makes the boxes larger."""
    if condition is None:
        return [[]]
    if condition.op == "or_":
        return [c for a in condition.args for c in _conjunctions(a)]
    if condition.op == "and_":
        first, second = (_conjunctions(a) for a in condition.args)
        if len(first) * len(second) > _MOST_BRANCHES:
            return [[]]
        return [a + b for a in first for b in second]
    sides = condition.args if condition.op in ("lt", "le") else condition.args[::-1]
    if condition.op in ("lt", "le", "gt", "ge") and sides[1].op == "abs":
        # a magnitude that is not small: two sides of zero
        least, inside = sides[0], sides[1].args[0]
        return [[apply("le", least, inside)], [apply("le", inside, apply("neg", least))]]
    return [[condition]]


def _box(conditions: Sequence[Expr], names: Sequence[str], dtype: Any) -> Box:
    """Return a box that holds all points on which some comparisons hold."""
    largest = float(np.finfo(dtype).max)
    bounds = {name: [-largest, largest] for name in names}

    def is_below(small: Expr, large: Expr) -> None:
        high, low = _constant(large), _constant(small)
        if high is not None and small.op is INPUT:
            bounds[small.value][1] = min(bounds[small.value][1], high)
        elif high is not None and small.op == "abs" and small.args[0].op is INPUT:
            mine = bounds[small.args[0].value]
            mine[:] = max(mine[0], -high), min(mine[1], high)
        if low is not None and large.op is INPUT:
            bounds[large.value][0] = max(bounds[large.value][0], low)

    for c in conditions:
        if c.op in ("lt", "le", "eq"):
            is_below(*c.args)
        if c.op in ("gt", "ge", "eq"):
            is_below(*reversed(c.args))
    return tuple(tuple(int(o) for o in to_ordinals(np.array(bounds[n], dtype))) for n in names)  # type: ignore[misc]


def _constant(e: Expr) -> float | None:
    """Return the float nearest to what has no inputs; None if it has some, or no finite value."""
    value = None if inputs_of(e) else Settler(e).value({})[0]
    return value if type(value) is float else None
