"""Squares that were written out in sums, for `relations.cancellation.squares`.

Each term is taken apart into *monomials*, in index notation: a coefficient, and variables to whole
powers, each with the indices of its axes. ``sum(x * sum(A * y, axis=1))`` is
``A[i, j] * x[i] * y[j]``, summed over i and j. So the spelling, the order and the grouping of the
terms mean nothing: ``sqr(x)[:, None] / c - 2 * x[:, None] * x / c + sqr(x) / c`` is a square, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from relations.kit.constant_arithmetic import applied
from relations.kit.guards import asks_graph, containing_any_of, depends_on_levels, real_number
from relations.kit.nests import Nest, Part, edited, nest_at, power_of
from relations.kit.type_guards import is_float
from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.tensor.basic import number
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.math import add, mul, neg, pow, reciprocal, sqr, sub, true_div
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.reductions import sum as sum_

Axes = tuple[int | None, ...]
"""The index along each axis of a variable; None along those of length 1."""

Powers = Mapping[tuple[Variable, Axes], int]

_MOST_TERMS, _MOST_VISITS = 32, 128
_POWERS = {n for n in range(-8, 9) if n}


class Monomial(NamedTuple):
    """A coefficient times powers of variables; indices that are not those of the sum are summed."""

    coefficient: Fraction
    powers: Powers

    def to_power(self, exponent: int) -> Monomial:
        """Return a power of the monomial."""
        powers = {factor: exponent * n for factor, n in self.powers.items()}
        return Monomial(self.coefficient**exponent, powers)

    def __mul__(self, other: Any) -> Monomial:
        return Monomial(self.coefficient * other.coefficient, _times(self.powers, other.powers))


def _times(one: Powers, other: Powers, exponent: int = 1) -> Powers:
    found = Counter(one)
    for factor, n in other.items():
        found[factor] += exponent * n
    return {factor: n for factor, n in found.items() if n}


class _TooLong(Exception):
    """There are more monomials than are worth a search."""


class _Reading:
    """Takes variables apart into monomials.

    Sums are taken apart where nothing else reads them, or a weight that many terms share would be
    lost in its own terms.
    """

    def __init__(self, fgraph: Any, nest: Nest) -> None:
        self.clients = None if fgraph is None else fgraph.clients
        self.dtype = nest.dtype
        self.fresh = count(nest.ndim)
        self.visits = 0

    def read(self, var: Variable, axes: Axes, whole: bool = False) -> list[Monomial]:
        """Return the monomials of which `var` is the sum.

        Parameters
        ----------
        axes
            The indices of its axes.
        whole
            Whether sums in it stay whole.
        """
        self.visits += 1
        if self.visits > _MOST_VISITS:
            raise _TooLong
        value = real_number(var)
        if value is not None:
            return [Monomial(Fraction(value), {})]
        shared = self.clients is not None and len(self.clients.get(var, ())) > 1
        found = None if var.owner is None else self._parts(var, axes, whole or shared)
        if found is None:
            lengths = zip(axes, var.type.shape, strict=True)
            own = tuple([None if length == 1 else axis for axis, length in lengths])
            found = [Monomial(Fraction(1), {(var, own): 1})]
        if len(found) > _MOST_TERMS:
            raise _TooLong
        return found

    def _parts(self, var: Any, axes: Axes, whole: bool) -> list[Monomial] | None:
        """Return the monomials of a variable by those of what it is computed of; None if it is not
        a sum, product, power or reduction."""
        op, inputs = var.owner.op, var.owner.inputs
        if isinstance(op, DimShuffle):
            places = {a: axes[k] for k, a in enumerate(op.new_order) if a != "x"}
            of_input = tuple([places.get(a) for a in range(op.input_ndim)])
            return self.read(inputs[0], of_input, whole)
        if var.type.dtype != self.dtype:
            return None
        if isinstance(op, CAReduce):
            if op.scalar_op is not scalar.add:
                return None
            ndim = inputs[0].type.ndim
            reduced, left = range(ndim) if op.axis is None else op.axis, iter(axes)
            within = tuple([next(self.fresh) if a in reduced else next(left) for a in range(ndim)])
            summed = {within[a] for a in reduced if inputs[0].type.shape[a] != 1}
            found = self.read(inputs[0], within, whole)
            # what is the same along an axis is added as often as that is long
            return found if all(summed <= _indices(one.powers) for one in found) else None
        if op is add or op is sub:
            if whole:
                return None
            first, *others = [self.read(v, axes) for v in inputs]
            sign = Fraction(-1 if op is sub else 1)
            return first + [Monomial(sign, {}) * one for other in others for one in other]
        if op is neg:
            return [Monomial(Fraction(-1), {}) * one for one in self.read(inputs[0], axes, whole)]
        if op is mul:
            found = [Monomial(Fraction(1), {})]
            for v in inputs:
                read = self.read(v, axes, whole)
                found = [one * other for one in found for other in read]
            return found
        exponent = _exponent(op, inputs)
        if exponent is None:
            return None
        *above, base = [self.read(v, axes, whole) for v in inputs[: 1 + (op is true_div)]]
        if len(base) > 1 or (exponent < 0 and not base[0].coefficient):
            return None
        last = base[0].to_power(exponent)
        return [one * last for one in above[0]] if above else [last]


def _exponent(op: Any, inputs: Sequence[Any]) -> int | None:
    """Return the exponent of the last factor of a power or quotient; None for other ops."""
    if op is pow:
        exponent = real_number(inputs[1])
        return int(exponent) if exponent in _POWERS else None
    found: int | None = {sqr: 2, reciprocal: -1, true_div: -1}.get(op)
    return found


def _indices(powers: Iterable[tuple[Variable, Axes]]) -> set[int]:
    return {index for _, axes in powers for index in axes if index is not None}


class _Square(NamedTuple):
    """``coefficient * (first + second)**2``, and the places of the three terms that it was."""

    members: tuple[int, int, int]
    coefficient: Fraction
    first: Monomial
    second: Monomial


def _square_in(terms: Sequence[Monomial], dtype: str) -> _Square | None:
    """Return a square that was written out among some monomials, of variables of a dtype."""
    roots: dict[Any, int] = {}
    for i, (_, powers) in enumerate(terms):
        if not any(n % 2 or var.type.dtype != dtype for (var, _), n in powers.items()):
            roots.setdefault(frozenset((factor, n // 2) for factor, n in powers.items()), i)
    if len(roots) < 2:
        return None
    for k, (twice, powers) in enumerate(terms):
        for root, i in roots.items():
            first = dict(root)
            second = _times(powers, first, -1)
            j = roots.get(frozenset(second.items()), i)
            a, b = terms[i].coefficient, terms[j].coefficient
            if len({i, j, k}) < 3 or not a or twice**2 != 4 * a * b:
                continue
            # a * (first + ratio * second)**2, where twice is 2 * a * ratio
            ratio = twice / (2 * a)
            if not (_has_float(a, dtype) and _has_float(ratio, dtype)):
                continue
            return _Square((i, j, k), a, Monomial(Fraction(1), first), Monomial(ratio, second))
    return None


def _has_float(value: Fraction, dtype: str) -> bool:
    limits = np.finfo(dtype)
    return bool(limits.tiny <= abs(value) <= limits.max)


def _read_leaves(
    fgraph: Any, nest: Nest, is_usable: Callable[[Monomial], bool]
) -> dict[int, list[Monomial]]:
    """Return the monomials of the leaves of a sum in which all are usable; nothing if there are too
    many."""
    reading, axes = _Reading(fgraph, nest), tuple(range(nest.ndim))
    found: dict[int, list[Monomial]] = {}
    for i, (leaf, below) in enumerate(zip(nest.leaves, nest.below, strict=True)):
        sign = Monomial(Fraction(-1 if below else 1), {})
        try:
            monomials = [sign * one for one in reading.read(leaf, axes)]
        except _TooLong:
            return {}
        if all(map(is_usable, monomials)):
            found[i] = monomials
    return found


@depends_on_levels(3)
@asks_graph
def square_together(fgraph: Any, nest: Nest) -> Any:
    """Return a sum in which three terms are one square, of a sum or difference."""
    axes = range(nest.ndim)
    read = _read_leaves(fgraph, nest, lambda one: _indices(one.powers) <= {*axes})
    single = {i: monomials[0] for i, monomials in read.items() if len(monomials) == 1}
    places, terms = list(single), list(single.values())
    square = _square_in(terms, nest.dtype)
    if square is None:
        return None
    edits: dict[int, Part | None] = {places[member]: None for member in square.members}
    whole = _written(abs(square.coefficient), {}, square, axes, nest.dtype)
    edits[min(edits)] = whole, square.coefficient < 0
    return edited(nest, edits)


def _with_indices(monomial: Monomial, weight: Powers | None) -> Monomial | None:
    """Return a monomial summed over two indices with these named 0 and 1, such that the factors
    that have both are the `weight`, if that is known; None if it is another one."""
    indices = sorted(_indices(monomial.powers))
    if len(indices) != 2:
        return None
    for names in ((0, 1), (1, 0)):
        named = dict(zip(indices, names, strict=True))
        powers = {
            (var, tuple([None if a is None else named[a] for a in axes])): n
            for (var, axes), n in monomial.powers.items()
        }
        if weight in (None, _weight(powers)):
            return Monomial(monomial.coefficient, powers)
    return None


def _weight(powers: Powers) -> Powers:
    return {factor: n for factor, n in powers.items() if len(_indices([factor])) == 2}


@depends_on_levels(3)
@asks_graph
def squares_over_two_axes(fgraph: Any, nest: Nest) -> Any:
    """Return a sum in which terms like ``sum(A[i, j] * (x[i]**2 - 2 * x[i] * y[j] + y[j]**2))``,
    whatever the sums in which the three are, are one sum of weighted squares."""
    read = _read_leaves(fgraph, nest, lambda one: len(_indices(one.powers)) == 2)
    weight: Powers | None = None
    collected: dict[Any, Fraction] = {}
    for one in [one for monomials in read.values() for one in monomials]:
        named = _with_indices(one, weight)
        if named is None:
            return None
        weight = _weight(named.powers)
        key = frozenset(named.powers.items())
        collected[key] = collected.get(key, Fraction(0)) + named.coefficient
    terms = [(c, powers) for powers, c in collected.items() if c]
    if not weight or len(terms) != 3:
        return None
    shared = dict(frozenset.intersection(*[powers for _, powers in terms]))
    square = _square_in([Monomial(c, dict(p - shared.items())) for c, p in terms], nest.dtype)
    if square is None:
        return None
    within = {factor: n for factor, n in shared.items() if _indices([factor])}
    outside = {factor: n for factor, n in shared.items() if factor not in within}
    total = sum_(_written(Fraction(1), within, square, (0, 1), nest.dtype))
    axes = range(nest.ndim)
    if axes:
        total = DimShuffle(0, ["x" for _ in axes])(total)
    edits: dict[int, Part | None] = dict.fromkeys(read)
    whole = _product(abs(square.coefficient), outside, axes, nest.dtype, total)
    edits[min(edits)] = whole, square.coefficient < 0
    return edited(nest, edits)


# -- what they are written as ----------------------------------------------------------------------


def _written(
    coefficient: Fraction, powers: Powers, square: _Square, indices: Sequence[int], dtype: str
) -> Any:
    """Return a square, from which what both of its terms share is taken out, times a product."""
    one, other = square.first.powers, square.second.powers
    shared = {factor: n for factor, n in one.items() if other.get(factor) == n}
    first, second = (
        _product(abs(part.coefficient), _times(part.powers, shared, -1), indices, dtype)
        for part in (square.first, square.second)
    )
    apart = (sub if square.second.coefficient < 0 else add)(first, second)
    root = _product(Fraction(1), shared, indices, dtype, apart)
    return _product(coefficient, powers, indices, dtype, sqr(root))


def _product(
    coefficient: Fraction, powers: Powers, indices: Sequence[int], dtype: str, *above: Any
) -> Any:
    """Return a product of powers and of the factors `above`, with an axis for each index."""
    sides: tuple[list[Any], list[Any]] = [*above], []
    for (var, axes), n in powers.items():
        places = {axis: a for a, axis in enumerate(axes) if axis is not None}
        order = [places.get(index, "x") for index in indices]
        placed = var if order == list(range(len(axes))) else DimShuffle(len(axes), order)(var)
        sides[n < 0].append(power_of(abs(n), placed))
    if coefficient != 1 or not sides[0]:
        sides[0].insert(0, number(float(coefficient), dtype, len(indices)))
    whole, *divisor = (applied(mul, side, 1) for side in sides if side)
    return true_div(whole, *divisor) if divisor else whole


# -- which sums are looked at ----------------------------------------------------------------------


def _below(var: Any) -> Any:
    """Return what a variable is before its axes are named otherwise."""
    while isinstance(var.head, DimShuffle):
        var = var.owner.inputs[0]
    return var


def _factors(leaf: Any) -> list[Any]:
    """Return the factors of a term, to one level."""
    var = _below(leaf)
    return [_below(v) for v in var.owner.inputs] if var.head in (mul, true_div, neg) else [var]


def _may_have_square(leaves: Sequence[Any]) -> bool:
    if not 3 <= len(leaves) <= _MOST_TERMS or not is_float(leaves[0]):
        return False
    return any(factor.head in (sqr, pow) for leaf in leaves for factor in _factors(leaf))


def _are_reductions(leaves: Sequence[Any]) -> bool:
    if len(leaves) > _MOST_TERMS or not is_float(leaves[0]):
        return False
    reductions = [
        leaf
        for leaf in leaves
        if all(length == 1 for length in leaf.type.shape)
        and any(isinstance(factor.head, CAReduce) for factor in _factors(leaf))
    ]
    return len(reductions) > 1


_has_nest, _has_product = containing_any_of(add, sub, neg), containing_any_of(mul, true_div)


def _of_three_terms(heads: Sequence[Any]) -> bool:
    return _has_nest(heads) or (len(heads) > 2 and _has_product(heads))


def _of_reductions(heads: Sequence[Any]) -> bool:
    terms = [h for h in heads if h is mul or h is true_div or isinstance(h, CAReduce | DimShuffle)]
    return _has_nest(heads) or len(terms) > 1


sum_with_square = nest_at(_of_three_terms, leaves_admitted=_may_have_square)
sum_of_reductions = nest_at(_of_reductions, leaves_admitted=_are_reductions)
"""The nests that the sums are the outermost nodes of; see `nest_at`."""
