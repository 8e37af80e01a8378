"""Equal terms and equal factors counted together, for the laws in `relations.numbers.collecting`.

A term of a sum is a coefficient times factors, a factor of a product is a base to an exponent. Both
are a count of a unit: ``3 * x`` is 3 times `x`, ``x**2`` is `x` twice. `collecting_sums` and
`collecting_products` have what is different. None is the result where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation import number_of
from relgraph.tensor.lawkit.numbers.nests import Nest, Part, edited

Counted = Sequence[tuple[Any, Any]]
"""The count and the unit of each of some arguments, as a view gives them.

A unit is one variable, or the tuple of all factors of a term.
"""


@dataclass(slots=True)
class Units:
    """The leaves of a nest as counts of units, by column.

    Attributes
    ----------
    nest
        The nest.
    counts, units
        Of what each leaf is how many.
    keys
        Hashables that are equal if the units are.
    """

    nest: Nest
    counts: list[Any]
    units: list[Any]
    keys: list[Hashable]

    @property
    def differ(self) -> bool:
        """Whether no two units are equal."""
        return len(set(self.keys)) == len(self.keys)


def units_of(nest: Nest, counted: Counted) -> Units:
    """Return the leaves of a nest, of each of which `counted` says what it is how many of."""
    counts, units = map(list, zip(*counted, strict=True))
    return Units(nest, counts, units, [_key(unit) for unit in units])


def _key(unit: Any) -> Hashable:
    if unit.__class__ is not tuple:
        return id(unit)
    return id(unit[0]) if len(unit) == 1 else tuple(sorted(map(id, unit)))


def number_in(count: Any) -> Any:
    """Return a count as a number; it may be a constant."""
    return number_of(count) if isinstance(count, Variable) else count


def applied(op: Any, variables: Sequence[Variable], to_none: int) -> Any:
    """Return `op` of some variables: of one, that one itself; of none, the number `to_none`."""
    if not variables:
        return to_none
    return variables[0] if len(variables) == 1 else op(*variables)


def may_have_common_unit(
    variables: Sequence[Variable], all_inputs_of: Any, first_input_of: frozenset[Any]
) -> bool:
    """Return False if the units of all `variables`, constants aside, are known to be different.

    A look at each variable is enough, so that most sums and products are left alone.

    Parameters
    ----------
    all_inputs_of
        The op whose inputs are all part of the unit.
    first_input_of
        The ops whose first input is the unit.
    """
    heads = {var.head for var in variables}
    if all_inputs_of not in heads and first_input_of.isdisjoint(heads):
        varying = [var for var in variables if var.head is not Constant]
        return len(set(varying)) < len(varying)
    seen: set[Variable] = set()
    for var in variables:
        head = var.head
        if head is all_inputs_of or head in first_input_of:
            assert var.owner is not None
            parts = var.owner.inputs if head is all_inputs_of else var.owner.inputs[:1]
            if any(part in seen or part.head is all_inputs_of for part in parts):
                return True
            seen.update([part for part in parts if part.head is not Constant])
        elif var in seen:
            return True
        elif head is not Constant:
            seen.add(var)
    return False


def collected(
    given: Units,
    counts: list[Any],
    kind_of: Callable[[int], Any],
    build: Callable[[Any, Any], Any],
    is_gain: Callable[[list[int], Any], bool],
) -> Any:
    """Return a nest with the counts of equal units added; None if no two are.

    Parameters
    ----------
    counts
        Those of `given` as numbers; of leaves above the line and below it alike.
    kind_of
        Says of a leaf what another must have in common to be added to it; None if nothing may.
    build
        Makes the leaf that is so many of a unit.
    is_gain
        Says whether some leaves should be one, which is so many of their unit.
    """
    groups: dict[Hashable, list[int]] = {}
    for i, key in enumerate(given.keys):
        kind = kind_of(i)
        groups.setdefault(i if kind is None else (key, kind), []).append(i)
    edits: dict[int, Part | None] = {}
    for members in groups.values():
        if len(members) == 1:
            continue
        total, below = _total(given.nest.below, counts, members)
        if not np.isfinite(total) or not is_gain(members, -total if below else total):
            continue
        edits.update(dict.fromkeys(members))
        if total != 0:
            unit, count, below = _largest_unit(given, counts, members, total, below)
            # it stands where one of them stood on that side
            place = next((i for i in members if given.nest.below[i] == below), members[0])
            edits[place] = build(count, unit), below
    return edited(given.nest, edits) if edits else None


def _total(sides: Sequence[bool], counts: list[Any], members: list[int]) -> tuple[Any, bool]:
    """Return how many of their unit some leaves are together, and whether below the line."""
    side = sides[members[0]]
    one_sided = all(sides[i] == side for i in members)
    below = one_sided and side
    signed = [-counts[i] if sides[i] != below else counts[i] for i in members]
    total = signed[0]
    for count in signed[1:]:
        total = total + count
    return (-total, not below) if total < 0 and -total > 0 else (total, below)


# A product of more factors is not written out again with another number in front of it.
_MOST_FACTORS = 8


def _largest_unit(
    given: Units, counts: list[Any], members: list[int], total: Any, below: bool
) -> tuple[Any, Any, bool]:
    """Return a unit of some leaves, how many of it they are together, and on which side.

    It is the leaf itself where all are the same, and its count is 1 or its factors are many:
    written out, they would be as many again for each level of sums of sums.
    """
    leaves, sides = given.nest.leaves, given.nest.below
    unit, whole = given.units[members[0]], leaves[members[0]]
    if unit.__class__ is not tuple or any(leaves[i] is not whole for i in members[1:]):
        return unit, total, below
    if counts[members[0]] == 1:
        return (whole,), total, below
    if len(unit) <= _MOST_FACTORS:
        return unit, total, below
    times = len(members) - 2 * sum(sides[i] for i in members)
    return (whole,), counts[members[0]].__class__(abs(times)), times < 0
