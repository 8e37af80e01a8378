"""Equal bases in products and quotients, for the laws in `relations.numbers.collecting`.

The functions take the nest of a product, and of each leaf its exponent and base. None is the result
where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.notation import number_of
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.guards.dependence import (
    containing_any_of,
    containing_equal_or_any_of,
    containing_two_constants_or,
    requires_heads,
)
from relgraph.tensor.lawkit.guards.types import is_float
from relgraph.tensor.lawkit.numbers.collecting import (
    Counted,
    Units,
    collected,
    may_have_common_unit,
    number_in,
    units_of,
)
from relgraph.tensor.lawkit.numbers.nests import (
    PRODUCT,
    Nest,
    Part,
    common_dtype,
    edited,
    nest_at,
    nest_of,
)
from relgraph.tensor.math import mul, neg, pow, reciprocal, sqr, sqrt, true_div

_factors_or_nested = containing_equal_or_any_of(mul, true_div, sqr, sqrt, pow)

nest_of_product = nest_at(mul, _factors_or_nested, parts_too=True)
nest_of_quotient = nest_at(true_div, _factors_or_nested)
"""The nest that a product, or a quotient, is the outermost node of; see `nest_at`."""

_BASE_OF = frozenset((sqr, sqrt, pow))
_NO_OP = object()


# -- signs -----------------------------------------------------------------------------------------


@requires_heads(containing_any_of(neg))
def signs_in_front(fgraph: Any, factors: Sequence[Variable]) -> Any:
    """Return a product with the signs of its factors before it: ``x * -y * z`` is
    ``-(x * y * z)``."""
    if not any(var.head is neg for var in factors):
        return None
    nest = nest_of(fgraph, PRODUCT, mul, factors, joins_only=True)
    edits: dict[int, Part | None] = {}
    for i, leaf in enumerate(nest.leaves):
        # the negative of an integer may wrap around before it is converted
        if leaf.owner is not None and leaf.head is neg and leaf.type.dtype == nest.dtype:
            edits[i] = leaf.owner.inputs[0], False
    product = edited(nest, edits)
    return neg(product) if len(edits) % 2 else product


signs_in_front.__dict__["asks_graph"] = True

# a factor of more products is not looked at: each of them would look at all others
_MOST_PRODUCTS = 16


def shared_factor_negated(fgraph: Any, factors: Sequence[Variable]) -> Any:
    """Return the negative of a product as the product with a negative factor, ``-y * x`` for
    ``-(x * y)``, where nothing but the negative of the factor is read, and products of which only
    the negative is."""
    nest = nest_of(fgraph, PRODUCT, mul, factors, joins_only=True)
    for i, leaf in enumerate(nest.leaves):
        if leaf.type.dtype == nest.dtype and _is_read_negated(fgraph, leaf):
            return edited(nest, {i: (neg(leaf), False)})
    return None


def _is_read_negated(fgraph: Any, var: Variable) -> bool:
    if fgraph is None:
        return True
    readers = fgraph.clients.get(var, ())
    few = 1 < len(readers) <= _MOST_PRODUCTS
    return few and all(_is_negated(fgraph, reader) for reader, _ in readers)


def _is_negated(fgraph: Any, node: Any) -> bool:
    if isinstance(node, str) or node.op is not mul:
        return not isinstance(node, str) and node.op is neg
    readers = fgraph.clients.get(node.outputs[0], ())
    return len(readers) == 1 and getattr(readers[0][0], "op", None) is neg


shared_factor_negated.__dict__["asks_graph"] = True


# -- reciprocals -----------------------------------------------------------------------------------


@requires_heads(containing_any_of(reciprocal))
def divided_in_place(fgraph: Any, factors: Sequence[Variable]) -> Any:
    """Return a product divided where it was multiplied by a reciprocal: ``x * (1 / y) * z`` is
    ``(x / y) * z``."""
    if not any(var.head is reciprocal for var in factors):
        return None
    nest = nest_of(fgraph, PRODUCT, mul, factors, joins_only=True)
    edits: dict[int, Part | None] = {}
    for i, leaf in enumerate(nest.leaves):
        # of an integer it is taken as a float
        if leaf.owner is not None and leaf.head is reciprocal and is_float(leaf.owner.inputs[0]):
            edits[i] = leaf.owner.inputs[0], True
    return edited(nest, edits) if edits else None


divided_in_place.__dict__["asks_graph"] = True


# -- constants -------------------------------------------------------------------------------------

_two_constants = containing_two_constants_or(mul, true_div)

product_with_constants = nest_at(mul, _two_constants)
quotient_with_constants = nest_at(true_div, _two_constants)


def constants_of_product_folded(nest: Nest) -> Any:
    """Return a product whose constants are one: ``(6 * x) / 4`` is ``1.5 * x``.

    They are not folded if that is subnormal, or overflows; of float16, not if something between
    them would be larger than it was.
    """
    numbers = [number_of(leaf) for leaf in nest.leaves]
    places = [i for i, number in enumerate(numbers) if number is not None]
    is_one_node = len(nest.nodes) == 1
    if len(places) == len(nest.leaves) or (is_one_node and len(places) < 2):
        return None
    edits: dict[int, Part | None] = {}
    dtype = common_dtype(nest.leaves)
    assert dtype is not None
    negated = False
    if dtype.kind == "f":
        # before they attract another constant, which would move for their sake
        negated = _drop_ones(nest, numbers, edits)
        left = [i for i in places if i not in edits]
        known = [(i, numbers[i], nest.below[i]) for i in left if _is_usual(numbers[i])]
        small = dtype == np.float16 and len(nest.leaves) - len(places) > 1
        while len(known) > 1:
            joined = _one_of_two(known[0], known[1], dtype, small)
            if joined is None:
                known = known[1:]
                continue
            edits.update({known[0][0]: None, known[1][0]: None})
            if joined[1] != 1:
                edits[joined[0]] = constant(np.asarray(joined[1], dtype)), joined[2]
            known = [joined, *known[2:]]
    elif len(places) > 1:
        with np.errstate(all="ignore"):
            total = np.prod([np.asarray(numbers[i]).astype(dtype) for i in places], dtype=dtype)
        edits.update(dict.fromkeys(places))
        edits[places[0]] = constant(np.asarray(total, dtype)), False
    if not edits:
        return None
    return neg(edited(nest, edits)) if negated else edited(nest, edits)


def _is_usual(number: Any) -> bool:
    return bool(np.isfinite(number)) and number != 0


_Known = tuple[int, Any, bool]
"""Where a constant stands, its value, and whether it is divided by."""


def _one_of_two(one: _Known, other: _Known, dtype: np.dtype[Any], small: bool) -> _Known | None:
    """Return one constant for two, which is divided by if both are; None if it is not as good.

    It stands where it makes nothing larger that is computed between them, if that is possible.
    """
    (i, a, a_below), (j, b, b_below) = one, other
    a_enlarges, b_enlarges = (abs(a) > 1) != a_below, (abs(b) > 1) != b_below
    if small and b_enlarges and not a_enlarges:
        return None
    place, below = j if b_enlarges and a_enlarges else i, a_below and b_below
    first, second = np.asarray(a, dtype), np.asarray(b, dtype)
    with np.errstate(all="ignore"):
        if a_below == b_below:
            value = first * second
        else:
            value = second / first if a_below else first / second
    limits = np.finfo(dtype)
    return (place, value[()], below) if limits.tiny <= abs(value) <= limits.max else None


def _drop_ones(nest: Nest, numbers: Sequence[Any], edits: dict[int, Part | None]) -> bool:
    """Drop divisors 1, and a factor 1 that is not alone above the line: ``x / (1 / y)`` is
    ``x * y``. The same for -1; return whether this changes the sign of the product."""
    ones = [i for i, number in enumerate(numbers) if number in (1, -1)]
    above = [i for i, below in enumerate(nest.below) if not below]
    if not any(nest.below[i] for i in ones):
        # what divides a divisor stays below the line: the 1 of 1 / (x / 0) stands alone above it
        spans = zip(nest.spans(), nest.inverted, strict=True)
        deeper = {i for (first, last), below in spans if below for i in range(first, last + 1)}
        above = [i for i in above if i not in deeper]
    ones_above = [i for i in ones if not nest.below[i]][: max(len(above) - 1, 0)]
    dropped = [*ones_above, *(i for i in ones if nest.below[i])]
    edits.update(dict.fromkeys(dropped))
    return [bool(numbers[i] == -1) for i in dropped].count(True) % 2 == 1


# -- equal bases -----------------------------------------------------------------------------------


def may_have_equal_bases(factors: Sequence[Variable]) -> bool:
    """Return False if no two factors are powers of one base; a look at each is enough."""
    if any(var.head is true_div for var in factors):
        return True  # what is nested there is not known
    return may_have_common_unit(factors, _NO_OP, _BASE_OF)


def whole_powers_collected(nest: Nest, counted: Counted) -> Any:
    """Return a product with equal bases collected where their exponents are whole and positive:
    ``x**2 * x * y`` is ``x**3 * y``."""
    return _collected_factors(units_of(nest, counted), any_exponent=False)


def powers_collected(nest: Nest, counted: Counted) -> Any:
    """Return a product with equal bases collected, whatever their exponents:
    ``x**2 * y * x**-0.5`` is ``x**1.5 * y``."""
    return _collected_factors(units_of(nest, counted), any_exponent=True)


def powers_cancelled(nest: Nest, counted: Counted) -> Any:
    """Return a quotient with the bases that are above and below the line collected:
    ``(x**3 * y) / (x * z)`` is ``(x**2 * y) / z``."""
    return _collected_factors(units_of(nest, counted), any_exponent=True, both_sides=True)


def _collected_factors(given: Units, any_exponent: bool, both_sides: bool = False) -> Any:
    """See `whole_powers_collected`.

    Floating-point factors are collected if that makes no power that was not there before:
    ``x * y * y`` may be a usual number where ``y**2`` overflows or is 0.
    """
    nest = given.nest
    dtype = None if given.differ else common_dtype(nest.leaves)
    if dtype is None:
        return None
    limit = 2.0**24 if dtype.kind == "f" else float(np.iinfo(dtype).max)
    # exponents are added as floats that hold all of them, and are of the dtype in the end
    counts = [np.float64(number_in(count)) for count in given.counts]
    if not all(abs(count) <= limit / len(counts) for count in counts):
        return None
    any_exponent = any_exponent and dtype.kind == "f"
    # once for all bases: it is a walk through the nest
    partial_spans = cache(nest.partial_spans)

    def kind_of(i: int) -> Any:
        whole = counts[i] > 0 and counts[i] == np.floor(counts[i]) and not nest.below[i]
        return True if whole or (any_exponent and np.isfinite(counts[i])) else None

    def is_gain(members: list[int], total: Any) -> bool:
        if both_sides and len({nest.below[i] for i in members}) == 1:
            return False
        if dtype.kind != "f" or abs(total) <= max(1, *[abs(counts[i]) for i in members]):
            return True
        # a partial product is that of them alone
        together = members[-1] - members[0] == len(members) - 1
        return together and (members[0], members[-1]) in partial_spans()

    return collected(given, counts, kind_of, _power, is_gain)


def _power(count: Any, base: Variable) -> Any:
    if count == 1:
        return base
    if count == 2:
        return sqr(base)
    return pow(base, constant(np.asarray(count).astype(base.type.dtype)))
