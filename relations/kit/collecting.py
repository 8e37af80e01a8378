"""Equal terms and equal factors counted together, for the laws in `relations.numbers.collecting`.

A term of a sum is a coefficient times factors, a factor of a product is a base to an exponent. Both
are a count of a unit: ``3 * x`` is 3 times `x`, ``x**2`` is `x` twice. The functions take the nest
of a sum or product, and of each leaf the count and the unit. Coefficients are computed in the dtype
of the sum. None is the result where there is nothing to do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from unification.variable import isvar

from relations.kit.constant_arithmetic import applied, folded
from relations.kit.guards import (
    asks_graph,
    containing_any_of,
    containing_constant,
    containing_equal_or_any_of,
    containing_two_constants_or,
    depends_on_levels,
    is_constant,
    is_nonnegative,
    is_positive,
    real_number,
    requires_heads,
)
from relations.kit.nests import DEPTH, Nest, Part, edited, is_nested, nest_at, nest_of, power_of
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import found_in, goal, holds_of_readers, one_client
from relgraph.graph.kanren.rules import head_of
from relgraph.graph.kanren.views import View
from relgraph.graph.notation import number_of
from relgraph.graph.unify import same_variable
from relgraph.tensor.basic import number
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.math import add, mul, neg, pow, sqr, sqrt, sub, true_div

Counted = Sequence[tuple[Any, Any]]
"""The count and the unit of each of some arguments, as a view gives them.

A unit is one variable, or the tuple of all factors of a term.
"""


def counted_by(seen_as: View) -> Callable[[Nest], Counted | None]:
    """Return the function that counts the units of the leaves of a nest by a view; None is the
    result if all units differ."""

    @depends_on_levels(seen_as.depth)
    def counted(nest: Nest) -> Counted | None:
        # several laws look at one nest
        if seen_as not in nest.counted:
            found = seen_as.each(nest.leaves)
            repeats = len(set(nest.leaves)) < len(found)
            is_any_equal = repeats or len({_key(unit) for _, unit in found}) < len(found)
            nest.counted[seen_as] = found if is_any_equal else None
        known: Counted | None = nest.counted[seen_as]
        return known

    return counted


def _key(unit: Any) -> Hashable:
    """Return a hashable that is equal to that of another unit if the units are."""
    if unit.__class__ is not tuple:
        return id(unit)
    return id(unit[0]) if len(unit) == 1 else tuple(sorted(map(id, unit)))


def number_in(count: Any) -> Any:
    """Return a count as a number; it may be a constant."""
    return number_of(count) if isinstance(count, Variable) else count


def _may_have_common_unit(of_factors: frozenset[Any], variables: Sequence[Variable]) -> bool:
    """Return False if the units of some variables, constants aside, are known to be different: a
    look at each is enough, so that most sums and products are left alone.

    Parameters
    ----------
    of_factors
        The ops whose inputs make the unit.
    """
    seen: set[Variable] = set()
    for var in variables:
        parts = (var,)
        if var.head in of_factors:
            assert var.owner is not None
            parts = tuple(var.owner.inputs)
            if any(part.head in of_factors for part in parts):
                return True
        if not seen.isdisjoint(parts):
            return True
        seen.update([part for part in parts if part.head is not Constant])
    return False


_FACTORS, _POWERS = frozenset((mul, true_div)), frozenset((sqr, sqrt, pow))


def _collected(
    nest: Nest,
    counted: Counted,
    counts: Sequence[Any],
    kind_of: Callable[[Any, bool], Any],
    build: Callable[[Any, Any], Any],
    is_gain: Callable[[list[int], Any], bool],
) -> Any:
    """Return a nest with the counts of equal units added; None if no two are.

    Parameters
    ----------
    counts
        Those of the leaves as numbers; of leaves above the line and below it alike.
    kind_of
        Says of a count, and of whether it is below the line, what another must have in common to be
        added to it; None if nothing may.
    build
        Makes the leaf that is so many of a unit.
    is_gain
        Says whether some leaves should be one, which is so many of their unit.
    """
    groups: dict[Hashable, list[int]] = {}
    # most leaves are alike
    kind_of, key_of = cache(kind_of), cache(_key)
    for i, (_, unit) in enumerate(counted):
        kind = kind_of(counts[i], nest.below[i])
        groups.setdefault(i if kind is None else (key_of(unit), kind), []).append(i)
    edits: dict[int, Part | None] = {}
    for members in groups.values():
        if len(members) == 1:
            continue
        total, below = _total(nest.below, counts, members)
        if not np.isfinite(total) or not is_gain(members, -total if below else total):
            continue
        edits.update(dict.fromkeys(members))
        if total != 0:
            unit, count, below = _largest_unit(nest, counted, counts, members, total, below)
            # it stands where one of them stood on that side
            place = next((i for i in members if nest.below[i] == below), members[0])
            edits[place] = build(count, unit), below
    return edited(nest, edits) if edits else None


def _total(sides: Sequence[bool], counts: Sequence[Any], members: list[int]) -> tuple[Any, bool]:
    """Return how many of their unit some leaves are together, and whether below the line."""
    below = False not in {sides[i] for i in members}
    signed = [-counts[i] if sides[i] != below else counts[i] for i in members]
    total = signed[0]
    for count in signed[1:]:
        total = total + count
    return (-total, not below) if total < 0 and -total > 0 else (total, below)


# A product of more factors is not written out again with another number in front of it.
_MOST_FACTORS = 8


def _largest_unit(
    nest: Nest,
    counted: Counted,
    counts: Sequence[Any],
    members: list[int],
    total: Any,
    below: bool,
) -> tuple[Any, Any, bool]:
    """Return a unit of some leaves, how many of it they are together, and on which side.

    It is the leaf itself where all are the same, and its count is 1 or its factors are many:
    written out, they would be as many again for each level of sums of sums.
    """
    leaves, sides = nest.leaves, nest.below
    (_, unit), whole = counted[members[0]], leaves[members[0]]
    if unit.__class__ is not tuple or any(leaves[i] is not whole for i in members[1:]):
        return unit, total, below
    if counts[members[0]] == 1:
        return (whole,), total, below
    if len(unit) <= _MOST_FACTORS:
        return unit, total, below
    times = len(members) - 2 * sum(sides[i] for i in members)
    return (whole,), counts[members[0]].__class__(abs(times)), times < 0


nest_of_powers = nest_at(
    containing_equal_or_any_of(mul, true_div, sqr, sqrt, pow),
    parts_too=True,
    leaves_admitted=partial(_may_have_common_unit, _POWERS),
)
"""The nest that a product or quotient is the outermost node of; see `nest_at`."""

# -- signs -----------------------------------------------------------------------------------------


@requires_heads(containing_any_of(neg, mul, true_div))
@depends_on_levels(DEPTH)
@asks_graph
def signs_in_front(fgraph: Any, whole: Any) -> Any:
    """Return the outermost product or quotient with the signs of its factors before it:
    ``x * -y / z`` is ``-(x * y / z)``. A sign in a nest goes there in one step."""
    root = found_in(fgraph, whole)
    if is_nested(fgraph, root):
        return None
    nest = nest_of(fgraph, root)
    edits: dict[int, Part | None] = {}
    for i, leaf in enumerate(nest.leaves):
        # the negative of an integer may wrap around before it is converted
        if leaf.owner is not None and leaf.head is neg and leaf.type.dtype == nest.dtype:
            edits[i] = leaf.owner.inputs[0], nest.below[i]
    if not edits:
        return None
    product = edited(nest, edits)
    return neg(product) if len(edits) % 2 else product


# a factor of more products is not looked at: each of them would look at all others
_MOST_PRODUCTS = 16


@asks_graph
def shared_factor_negated(fgraph: Any, product: Any) -> Any:
    """Return the negative of a product as the product with a negative factor, ``-y * x`` for
    ``-(x * y)``, where nothing but the negative of the factor is read, and products of which only
    the negative is."""
    nest = nest_of(fgraph, product, joins_only=True)
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


def parted(view: View) -> Callable[..., Any]:
    """Return the function that moves below the line, where they stand, the leaves of a sum or
    product in which a view sees something to subtract or to divide by: ``x + -y + z`` becomes
    ``(x - y) + z``, ``x * (1 / y) * z`` becomes ``(x / y) * z``.

    What is read elsewhere stays as it is.
    """
    *cases, _ = view.cases
    patterns = [one.pattern for one in cases]
    among = containing_any_of(*[head_of(p) for p in patterns if not isvar(p)])
    of_numbers = any(map(isvar, patterns))

    @requires_heads(lambda heads: among(heads) or (of_numbers and containing_constant(heads)))
    @depends_on_levels(view.depth)
    @asks_graph
    def part(fgraph: Any, whole: Any) -> Any:
        nest = nest_of(fgraph, whole, joins_only=True)
        edits: dict[int, Part | None] = {
            i: (seen, True)
            for i, (leaf, seen) in enumerate(zip(nest.leaves, view.each(nest.leaves), strict=True))
            if seen is not None
            and (leaf.owner is None or holds_of_readers(one_client, fgraph, leaf))
            # the negative of an integer may wrap around before it is converted
            and leaf.type.dtype == nest.dtype
        }
        return edited(nest, edits) if edits else None

    part.__name__ = f"{view.__name__} in place"
    return part


# -- constants -------------------------------------------------------------------------------------

product_with_constants = nest_at(containing_two_constants_or(mul, true_div))


_Known = tuple[int, Any, bool]
"""Where a constant stands, its value, and whether it is below the line."""


def _folded(
    known: Sequence[_Known], one_of_two: Callable[[_Known, _Known], _Known | None]
) -> dict[int, Part | None]:
    """Return the edits that make one constant of two as often as `one_of_two` gives one."""
    edits: dict[int, Part | None] = {}
    while len(known) > 1:
        joined = one_of_two(known[0], known[1])
        if joined is None:
            known = known[1:]
            continue
        edits.update({known[0][0]: None, known[1][0]: None, joined[0]: joined[1:]})
        known = [joined, *known[2:]]
    return edits


def constants_of_product_folded(nest: Nest) -> Any:
    """Return a product whose constants are one: ``(6 * x) / 4`` is ``1.5 * x``.

    It is 1 or -1 if it is within a rounding of that. They are not folded if it is subnormal, or
    overflows; of float16, not if something between them would be larger than it was.
    """
    numbers = [number_of(leaf) for leaf in nest.leaves]
    places = [i for i, number in enumerate(numbers) if number is not None]
    if not places or len(places) == len(nest.leaves):
        return None
    # one alone goes if it is 1 or -1 and stands deeper: other laws look at one product
    if len(places) == 1 and (len(nest.nodes) == 1 or numbers[places[0]] not in (1, -1)):
        return None
    edits: dict[int, Part | None] = {}
    dtype = np.dtype(nest.dtype)
    negated = False
    if dtype.kind == "f":
        # before they attract another constant, which would move for their sake
        negated = _drop_ones(nest, numbers, edits)
        left = [i for i in places if i not in edits]
        known = [(i, numbers[i], nest.below[i]) for i in left if _is_usual(numbers[i])]
        small = dtype == np.float16 and len(nest.leaves) - len(places) > 1
        for i, part in _folded(known, lambda a, b: _one_factor(a, b, dtype, small)).items():
            if part is not None:
                part = nest.number(part[0]), part[1]
            edits[i] = None if part is None or number_of(part[0]) == 1 else part
    elif len(places) > 1:
        with np.errstate(all="ignore"):
            total = np.prod([np.asarray(numbers[i]).astype(dtype) for i in places], dtype=dtype)
        edits.update(dict.fromkeys(places))
        edits[places[0]] = nest.number(total), False
    if not edits:
        return None
    return neg(edited(nest, edits)) if negated else edited(nest, edits)


def _is_usual(number: Any) -> bool:
    return bool(np.isfinite(number)) and number != 0


def _one_factor(one: _Known, other: _Known, dtype: np.dtype[Any], small: bool) -> _Known | None:
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
    # as sqrt(2) * sqrt(1 / 2) is; what is exact is meant so
    if abs(abs(value) - 1) <= limits.eps and not _is_exact(
        value, first, second, a_below == b_below
    ):
        value = np.sign(value)
    return (place, value[()], below) if limits.tiny <= abs(value) <= limits.max else None


def _is_exact(value: Any, one: Any, other: Any, is_product: bool) -> bool:
    """Return whether a product, or a quotient either way round, has not been rounded."""
    exact, first, second = (Fraction(float(number)) for number in (value, one, other))
    if is_product:
        return exact == first * second
    return exact * first == second or exact * second == first


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


def collected_powers(nest: Nest, counted: Counted, any_exponent: bool, both_sides: bool) -> Any:
    """Return a product with equal bases collected: ``x**2 * x * y`` is ``x**3 * y``.

    Floating-point factors are collected if that makes no power that was not there before:
    ``x * y * y`` may be a usual number where ``y**2`` overflows or is 0.

    Parameters
    ----------
    any_exponent
        Whether exponents may be others than whole and positive: ``x**2 * y * x**-0.5`` is
        ``x**1.5 * y``. Those of integers may not.
    both_sides
        Whether only bases above and below the line are: ``(x**3 * y) / (x * z)`` is
        ``(x**2 * y) / z``.
    """
    dtype = np.dtype(nest.dtype)
    limit = 2.0**24 if dtype.kind == "f" else float(np.iinfo(dtype).max)
    # exponents are added as floats that hold all of them, and are of the dtype in the end
    counts = [np.float64(number_in(count)) for count, _ in counted]
    if not all(abs(count) <= limit / len(counts) for count in counts):
        return None
    any_exponent = any_exponent and dtype.kind == "f"
    # once for all bases: it is a walk through the nest
    partial_spans = cache(nest.partial_spans)

    def kind_of(count: Any, below: bool) -> Any:
        whole = count > 0 and count == np.floor(count) and not below
        return True if whole or (any_exponent and np.isfinite(count)) else None

    def is_gain(members: list[int], total: Any) -> bool:
        if both_sides and len({nest.below[i] for i in members}) == 1:
            return False
        if dtype.kind != "f" or abs(total) <= max(1, *[abs(counts[i]) for i in members]):
            return True
        # a partial product is that of them alone
        together = members[-1] - members[0] == len(members) - 1
        return together and (members[0], members[-1]) in partial_spans()

    return _collected(nest, counted, counts, kind_of, power_of, is_gain)


nest_of_multiples = nest_at(
    containing_equal_or_any_of(add, sub, mul, neg, true_div),
    leaves_admitted=partial(_may_have_common_unit, _FACTORS),
)
"""The nest that a sum or difference is the outermost node of; see `nest_at`."""


# -- signs -----------------------------------------------------------------------------------------


@requires_heads(containing_constant)
def is_negative_number(var: Any) -> bool:
    """Return whether `var` is one negative number that can be negated."""
    value = real_number(var)
    if value is None or value >= 0:
        return False
    dtype = np.dtype(var.type.dtype)
    return bool(dtype.kind == "f" or value > np.iinfo(dtype).min)


negative_numbero = goal(is_negative_number)


# -- constants -------------------------------------------------------------------------------------

sum_with_constants = nest_at(containing_two_constants_or(add, sub, neg))


def constants_of_sum_folded(nest: Nest) -> Any:
    """Return a sum whose constants are one, where that is exact: ``(2 + x) - 5`` is ``x - 3``.

    One constant rounds once, where two round twice. If their sum is rounded itself it is left
    alone: ``(x - 0.1) + 1e-20`` is right where x is 0.1, and ``x - 0.1`` is 0.
    """
    places = [i for i, leaf in enumerate(nest.leaves) if leaf.head is Constant]
    if not 2 <= len(places) < len(nest.leaves):
        return None
    edits = _folded([(i, nest.leaves[i], nest.below[i]) for i in places], _one_term)
    for i, part in edits.items():
        if part is not None and real_number(part[0]) == 0:
            edits[i] = None
        elif part is not None and is_negative_number(part[0]):
            edits[i] = folded(neg, part[0]), not part[1]
    return edited(nest, edits) if edits else None


def _one_term(one: _Known, other: _Known) -> _Known | None:
    """Return one constant for two, on the side of the first; None if it is not exact."""
    (i, first, below), (_, second, second_below) = one, other
    whole = folded(add if below == second_below else sub, first, second)
    if whole is None or whole.type.numpy_dtype.kind != "f":
        return None if whole is None else (i, whole, below)
    a, b = np.asarray(first.data), np.asarray(second.data)
    b = b if below == second_below else -b
    with np.errstate(all="ignore"):
        # what is lost, exactly: Knuth's TwoSum
        s = a + b
        of_b = s - a
        lost = (a - (s - of_b)) + (b - of_b)
    return (i, whole, below) if not np.any(lost) else None


# -- slopes of powers ------------------------------------------------------------------------------


def divided_by(op: Any, power: View) -> Callable[..., Any]:
    """Return the function that takes a product and `x` to the product by ``op(x)``; None if it has
    no power of that, as a view of factors sees it, from the first on."""

    @depends_on_levels(power.depth + 2)
    def divided(product: Any, x: Any) -> Any:
        factors = _factors(product)
        for k, (exponent, base) in enumerate(power.each(factors)):
            count = _real(exponent)
            if count >= 1 and base.head is op and same_variable(base.owner.inputs[0], x):
                rest = [] if count == 1 else [power_of(count - 1, base)]
                return applied(mul, [*factors[:k], *rest, *factors[k + 1 :]], 1)
        return None

    return divided


def slope_of_reciprocal(power: View) -> Callable[..., Any]:
    """Return the function that takes ``y, x**c`` and a product with the factor ``x**(c - 1)``, as a
    view of factors sees them, to ``y / x`` times the other factors, and ``y, sqrt(x)`` and a
    product with the factors of `x` to ``y * sqrt(x)`` times the others; None for others."""

    @depends_on_levels(power.depth + 1)
    def slope(y: Any, divisor: Any, product: Any) -> Any:
        factors = _factors(product)
        # each quotient in a product of more would look at all others
        if len(factors) > _MOST_FACTORS:
            return None
        (exponent, base), *seen = power.each([divisor, *factors])
        count = _real(exponent)
        # of a negative number only whole powers are real
        admitted = count % 1 == 0 or is_nonnegative(base)
        for k, (less, unit) in enumerate(seen):
            if admitted and same_variable(unit, base) and _real(less) == count - 1:
                return applied(mul, [true_div(y, base), *factors[:k], *factors[k + 1 :]])
        return _by_root(y, divisor, factors) if divisor.head is sqrt else None

    return slope


def _by_root(y: Any, root: Any, factors: list[Variable]) -> Any:
    """Return ``y / root`` times the factors of what `root` is the root of, and others, as `y` times
    `root` and the others; None if factors that are no constants are missing, or it may be 0."""
    others, divisors, roots = list(factors), [], _factors(root.owner.inputs[0])
    if not all(is_positive(v) or _underflows_alone(v) for v in roots):
        return None
    for factor in roots:
        place = next((k for k, v in enumerate(others) if same_variable(v, factor)), None)
        if place is not None:
            others.pop(place)
        elif is_constant(factor):
            divisors.append(factor)
        else:
            return None
    found = applied(mul, [y, root, *others])
    return true_div(found, applied(mul, divisors)) if divisors else found


def _underflows_alone(var: Variable) -> bool:
    """Return whether a number is 0 only where it underflows, as an exponential does."""
    facts = var.head.scalar_op.facts if isinstance(var.head, Elemwise) else None
    return facts is not None and facts.zeros == () and facts.range[0] == 0


def _factors(product: Any) -> list[Variable]:
    return list(product.owner.inputs) if product.head is mul else [product]


def _real(count: Any) -> float:
    """Return a count as a number; nan if it is complex, infinite or not known."""
    found = real_number(count) if isinstance(count, Variable) else count
    return math.nan if found is None else found


# -- equal terms -----------------------------------------------------------------------------------


def collected_terms(nest: Nest, counted: Counted, cancelling: bool) -> Any:
    """Return a sum with equal terms collected: ``2 * x + y + 3 * x`` is ``5 * x + y``.

    Parameters
    ----------
    cancelling
        Whether those of both signs are: ``(2 * x + y) - 3 * x`` is ``y - x``. Those of integers are
        whatever their sign.
    """
    dtype = np.dtype(nest.dtype)
    any_sign = dtype.kind != "f" or cancelling
    with np.errstate(all="ignore"):
        counts = _coefficients(counted, dtype)

        def kind_of(count: Any, below: bool) -> Any:
            # 0 * inf and inf - inf are nan: what is collected with these would change
            if not math.isfinite(count) or not (any_sign or count):
                return None
            return "any" if any_sign else (count > 0) != below

        return _collected(nest, counted, counts, kind_of, _multiple, lambda *_: True)


def _coefficients(counted: Counted, dtype: np.dtype[Any]) -> list[Any]:
    """Return the coefficients in the dtype of the sum."""
    # most are 1, which need not be made again
    in_dtype = cache(lambda count: np.asarray(number_in(count)).astype(dtype)[()])
    return [in_dtype(count) for count, _ in counted]


def _multiple(count: Any, factors: tuple[Variable, ...]) -> Any:
    if count == 1:
        return applied(mul, factors, 1)
    return mul(number(count, count.dtype.name, factors[0].type.ndim), *factors)
