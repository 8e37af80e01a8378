"""Equal terms and equal factors counted together, for the laws in `relations.numbers.collecting`.

A term of a sum is a coefficient times factors, a factor of a product is a base to an exponent. Both
are a count of a unit: ``3 * x`` is 3 times `x`, ``x**2`` is `x` twice. `collecting_sums` and
`collecting_products` have what is different. None is the result where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation.numbers import number_of

Counted = Sequence[tuple[Any, Any]]
"""The count and the unit of each of some arguments, as a view gives them.

A unit is one variable, or the tuple of all factors of a term.
"""


@dataclass(slots=True)
class Arguments:
    """Arguments of a sum, a difference, a product or a quotient, by column.

    Attributes
    ----------
    variables
        The arguments.
    below
        Whether each is subtracted, or divided by.
    counts, units
        Of what each is how many.
    keys
        Hashables that are equal if the units are.
    """

    variables: list[Variable]
    below: list[bool]
    counts: list[Any]
    units: list[Any]
    keys: list[Hashable]

    @property
    def differ(self) -> bool:
        """Whether no two units are equal."""
        return len(set(self.keys)) == len(self.keys)


class Sides(NamedTuple):
    """The terms that are added and subtracted, or the factors that multiply and divide."""

    above: list[Variable]
    below: list[Variable]


def arguments(
    above: Sequence[Variable],
    counted_above: Counted,
    below: Sequence[Variable] = (),
    counted_below: Counted = (),
) -> Arguments:
    """Return the arguments on the two sides of a difference or a quotient in one table."""
    counts, units = map(list, zip(*counted_above, *counted_below, strict=True))
    sides = [False] * len(above) + [True] * len(below)
    return Arguments([*above, *below], sides, counts, units, [_key(unit) for unit in units])


def _key(unit: Any) -> Hashable:
    if unit.__class__ is not tuple:
        return id(unit)
    return id(unit[0]) if len(unit) == 1 else tuple(sorted(map(id, unit)))


def have_common_unit(counted: Counted, others: Counted) -> bool:
    """Return whether a unit of one side is a unit of the other."""
    return not {_key(unit) for _, unit in counted}.isdisjoint([_key(unit) for _, unit in others])


def number_in(count: Any) -> Any:
    """Return a count as a number; it may be a constant."""
    return number_of(count) if isinstance(count, Variable) else count


def common_dtype(variables: Sequence[Variable]) -> np.dtype[Any] | None:
    """Return the dtype of all `variables`, of real floats or integers; None if there is none."""
    names = {v.type.dtype for v in variables}
    if len(names) != 1:
        return None
    dtype = np.dtype(names.pop())
    return dtype if dtype.kind in "fiu" else None


def applied(op: Any, variables: Sequence[Variable], to_none: int) -> Any:
    """Return `op` of some variables: of one, that one itself; of none, the number `to_none`."""
    if not variables:
        return to_none
    return variables[0] if len(variables) == 1 else op(*variables)


def any_finite(count: Any) -> Any:
    """Return what two counts must have in common to be added: nothing, if they are finite."""
    return True if np.isfinite(count) else None


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
    given: Arguments,
    counts: list[Any],
    kind_of: Callable[[Any], Any],
    build: Callable[[Any, Any], Any],
) -> Sides | None:
    """Return the arguments with the counts of equal units added; None if no two can be.

    Parameters
    ----------
    counts
        Those of `given` as numbers, less than zero if an argument stands below.
    kind_of
        Says of a count what another must have in common to be added to it; None if nothing may.
    build
        Makes the argument that is so many of a unit.
    """
    groups: dict[Hashable, list[int]] = {}
    kinds: dict[int, Any] = {}
    group: Hashable
    for i, count in enumerate(counts):
        same = id(count)
        if same not in kinds:
            kinds[same] = kind_of(count)
        kind = kinds[same]
        group = i if kind is None else (given.keys[i], kind)
        if group in groups:
            groups[group].append(i)
        else:
            groups[group] = [i]
    sides, changed = Sides([], []), False
    for members in groups.values():
        total = counts[members[0]]
        for i in members[1:]:
            total = total + counts[i]
        if len(members) == 1 or not np.isfinite(total):
            for i in members:
                sides[given.below[i]].append(given.variables[i])
            continue
        changed = True
        below = bool(total < 0 and -total > 0)
        if total != 0:
            unit, count = _largest_unit(given, counts, members, total)
            sides[below].append(build(-count if below else count, unit))
    return sides if changed else None


# A product of more factors is not written out again with another number in front of it.
_MOST_FACTORS = 8


def _largest_unit(
    given: Arguments, counts: list[Any], members: list[int], total: Any
) -> tuple[Any, Any]:
    """Return a unit of some arguments, and how many of it they are together.

    It is the argument itself where all are the same, and its count is 1 or its factors are many:
    written out, they would be as many again for each level of sums of sums.
    """
    unit, whole = given.units[members[0]], given.variables[members[0]]
    if unit.__class__ is not tuple or any(given.variables[i] is not whole for i in members[1:]):
        return unit, total
    if counts[members[0]] == 1:
        return (whole,), total
    if len(unit) <= _MOST_FACTORS:
        return unit, total
    signs = [given.below[i] for i in members]
    return (whole,), counts[members[0]].__class__(len(signs) - 2 * sum(signs))
