"""What laws compute with the arguments of sums, products, differences and quotients.

All are functions of lists of arguments and of what a view has said of each: a term of a sum as
``(coefficient, factors)``, a factor of a product as ``(exponent, base)``. Numbers are computed in
the dtype of the sum. None is the answer where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.guards.dependence import alike_or, one_of, suiting
from relgraph.tensor.math import add, mul, neg, pow, sqr, sqrt, sub, true_div

Seen = Sequence[tuple[Any, Any]]
"""What a view says of each of some arguments."""


@dataclass(slots=True)
class Parts:
    """Arguments, by column.

    Attributes
    ----------
    variables
        The arguments.
    below
        Whether each is subtracted, or divided by.
    counts, of
        How many times each is what.
    keys
        What each has in common with other counts of the same.
    """

    variables: list[Variable]
    below: list[bool]
    counts: list[Any]
    of: list[Any]
    keys: list[Hashable]


class Sides(NamedTuple):
    """The terms that are added and subtracted, or the factors that multiply and divide."""

    above: list[Variable]
    below: list[Variable]


def is_found(answer: Any) -> bool:
    """Return whether a function of this module has had something to do."""
    return answer is not None


def common_dtype(variables: Sequence[Variable]) -> np.dtype[Any] | None:
    """Return the one dtype of all variables; None if there are several, or no such arithmetic."""
    names = {v.type.dtype for v in variables}
    if len(names) != 1:
        return None
    dtype = np.dtype(names.pop())
    return dtype if dtype.kind in "fiu" else None


# -- sums ----------------------------------------------------------------------------------------


def difference(above: Sequence[Variable], below: Sequence[Variable]) -> Any:
    """Return the sum of some terms less the sum of others; no term at all is 0."""
    if not below:
        return _joined(add, above, 0)
    if not above:
        return neg(_joined(add, below, 0))
    return sub(_joined(add, above, 0), _joined(add, below, 0))


@suiting(one_of(neg, sub, mul, Constant))
def split_by_sign(signed: Sequence[tuple[tuple[Variable, ...], tuple[Variable, ...]]]) -> Any:
    """Return a sum as one difference, or None if nothing in it is subtracted.

    Parameters
    ----------
    signed
        Of each term, what is added and what is subtracted in it.
    """
    below = [v for _, minus in signed for v in minus]
    if not below:
        return None
    above = [v for plus, _ in signed for v in plus]
    return None if common_dtype([*above, *below]) is None else difference(above, below)


def may_have_less(variables: Sequence[Variable]) -> bool:
    """Return False where no term is subtracted or negative; a look at each is enough."""
    for var in variables:
        head = var.head
        if head is neg or head is sub:
            return True
        if head is mul:
            assert var.owner is not None
            if any(factor.head is mul or _is_less(factor) for factor in var.owner.inputs):
                return True
        elif head is not None and _is_less(var):
            return True
    return False


def _is_less(var: Variable) -> bool:
    number = number_of(var)
    return number is not None and not isinstance(number, complex) and number < 0


def may_have_equal_terms(variables: Sequence[Variable]) -> bool:
    """Return False where no two terms have a factor in common; a look at each is enough."""
    return _have_common_parts(variables, mul, _TIMES)


def may_have_equal_bases(variables: Sequence[Variable]) -> bool:
    """Return False where no two factors are of one base; a look at each is enough."""
    return _have_common_parts(variables, _NO_OP, _TO_THE)


_TIMES, _TO_THE, _NO_OP = frozenset((neg, true_div)), frozenset((sqr, sqrt, pow)), object()


def _have_common_parts(
    variables: Sequence[Variable], all_of: Any, first_of: frozenset[Any]
) -> bool:
    """Return whether two variables may be made of the same, constants aside.

    Parameters
    ----------
    all_of, first_of
        The op of what all inputs count of, and those of what the first one counts of.
    """
    heads = {var.head for var in variables}
    if all_of not in heads and first_of.isdisjoint(heads):
        varying = [var for var in variables if var.head is not Constant]
        return len(set(varying)) < len(varying)
    seen: set[Variable] = set()
    for var in variables:
        head = var.head
        if head is all_of or head in first_of:
            assert var.owner is not None
            parts = var.owner.inputs if head is all_of else var.owner.inputs[:1]
            if any(part in seen or part.head is all_of for part in parts):
                return True
            seen.update([part for part in parts if part.head is not Constant])
        elif var in seen:
            return True
        elif head is not Constant:
            seen.add(var)
    return False


@suiting(alike_or(mul, neg, true_div))
def collected(variables: Sequence[Variable], terms: Seen) -> Any:
    """Return a sum with equal terms of one sign collected; ``x + 2 * x`` is ``3 * x``.

    Those of integers are collected whatever their sign.
    """
    return _collected_terms(_parts(variables, terms), cancelling=False)


@suiting(alike_or(mul, neg, true_div))
def cancelled(variables: Sequence[Variable], terms: Seen) -> Any:
    """Return a sum with equal terms collected whatever their sign."""
    return _collected_terms(_parts(variables, terms), cancelling=True)


@suiting(alike_or(add, mul, neg, true_div))
def cancelled_difference(
    above: Sequence[Variable], plus: Seen, below: Sequence[Variable], minus: Seen
) -> Any:
    """Return a difference with equal terms collected if there are some on both sides."""
    if not _share(plus, minus):
        return None
    return _collected_terms(_parts(above, plus, below, minus), cancelling=True)


def _collected_terms(parts: Parts, cancelling: bool) -> Any:
    dtype = None if _are_different(parts) else common_dtype(parts.variables)
    if dtype is None:
        return None
    wanted = _any_count if dtype.kind != "f" or cancelling else _sign_of
    with np.errstate(all="ignore"):
        sides = _gathered(parts, _signed(parts, dtype), wanted, _scaled)
    return None if sides is None else difference(*sides)


def _signed(parts: Parts, dtype: np.dtype[Any]) -> list[Any]:
    """Return the coefficients, less than zero if a term is subtracted, in the dtype of the sum."""
    signed: list[Any] = []
    # most are 1, which need not be made again
    known: dict[Any, Any] = {}
    for key in zip(parts.counts, parts.below, strict=True):
        if key not in known:
            number = np.asarray(_number(key[0])).astype(dtype)[()]
            known[key] = -number if key[1] else number
        signed.append(known[key])
    return signed


def _any_count(count: Any) -> Any:
    return True if np.isfinite(count) else None


def _sign_of(count: Any) -> Any:
    # 0 * inf and inf - inf are nan: what is collected with these would change
    return bool(count > 0) if np.isfinite(count) and count != 0 else None


def _scaled(count: Any, factors: tuple[Variable, ...]) -> Any:
    if count == 1:
        return _joined(mul, factors, 1)
    return mul(constant(count), *factors)


# -- products ------------------------------------------------------------------------------------


def quotient(above: Sequence[Variable], below: Sequence[Variable]) -> Any:
    """Return the product of some factors divided by that of others; no factor at all is 1."""
    product = _joined(mul, above, 1)
    return true_div(product, _joined(mul, below, 1)) if below else product


@suiting(alike_or(sqr, sqrt, pow))
def powers_collected(variables: Sequence[Variable], factors: Seen) -> Any:
    """Return a product with equal bases collected where exponents are whole and positive."""
    return _collected_factors(_parts(variables, factors), any_exponent=False)


@suiting(alike_or(sqr, sqrt, pow))
def powers_added(variables: Sequence[Variable], factors: Seen) -> Any:
    """Return a product with equal bases collected, whatever their exponents."""
    return _collected_factors(_parts(variables, factors), any_exponent=True)


@suiting(alike_or(mul, sqr, sqrt, pow))
def cancelled_quotient(
    above: Sequence[Variable], over: Seen, below: Sequence[Variable], under: Seen
) -> Any:
    """Return a quotient with equal bases collected if there are some on both sides."""
    if not _share(over, under):
        return None
    return _collected_factors(_parts(above, over, below, under), any_exponent=True)


def _collected_factors(parts: Parts, any_exponent: bool) -> Any:
    dtype = None if _are_different(parts) else common_dtype(parts.variables)
    if dtype is None:
        return None
    if dtype.kind == "f":
        limit, wanted = 2.0**24, _any_count if any_exponent else _is_whole
    else:
        limit, wanted = float(np.iinfo(dtype).max), _is_whole
    # exponents are added as what holds all of them, and have to be of the dtype in the end
    counts = [_exponent(*pair) for pair in zip(parts.counts, parts.below, strict=True)]
    if not all(abs(count) <= limit / len(counts) for count in counts):
        return None
    sides = _gathered(parts, counts, wanted, _raised)
    return None if sides is None else quotient(*sides)


def _exponent(count: Any, below: bool) -> Any:
    exponent = np.float64(_number(count))
    return -exponent if below else exponent


def _is_whole(count: Any) -> Any:
    return True if count > 0 and count == np.floor(count) else None


def _raised(count: Any, base: Variable) -> Any:
    if count == 1:
        return base
    if count == 2:
        return sqr(base)
    return pow(base, constant(np.asarray(count).astype(base.type.dtype)))


# -- both ----------------------------------------------------------------------------------------


def _parts(
    above: Sequence[Variable], over: Seen, below: Sequence[Variable] = (), under: Seen = ()
) -> Parts:
    counts, of = map(list, zip(*over, *under, strict=True))
    sides = [False] * len(above) + [True] * len(below)
    return Parts([*above, *below], sides, counts, of, [_key(what) for what in of])


def _key(of: Any) -> Hashable:
    if of.__class__ is not tuple:
        return id(of)
    return id(of[0]) if len(of) == 1 else tuple(sorted(map(id, of)))


def _share(one: Seen, other: Seen) -> bool:
    return not {_key(of) for _, of in one}.isdisjoint([_key(of) for _, of in other])


def _number(count: Any) -> Any:
    return number_of(count) if isinstance(count, Variable) else count


def _are_different(parts: Parts) -> bool:
    """Return whether there is nothing to collect."""
    return len(set(parts.keys)) == len(parts.keys)


def _joined(op: Any, variables: Sequence[Variable], nothing: int) -> Any:
    if not variables:
        return nothing
    return variables[0] if len(variables) == 1 else op(*variables)


def _gathered(
    parts: Parts,
    counts: list[Any],
    wanted: Callable[[Any], Any],
    build: Callable[[Any, Any], Any],
) -> Sides | None:
    """Return the arguments with those of one key counted together; None if no two can be.

    Parameters
    ----------
    wanted
        What the counts that are added must have in common; None for one that stays alone.
    build
        Makes the argument that is there so many times.
    """
    groups: dict[Hashable, list[int]] = {}
    kinds: dict[int, Any] = {}
    group: Hashable
    for i, count in enumerate(counts):
        same = id(count)
        if same not in kinds:
            kinds[same] = wanted(count)
        kind = kinds[same]
        group = i if kind is None else (parts.keys[i], kind)
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
                sides[parts.below[i]].append(parts.variables[i])
            continue
        changed = True
        below = bool(total < 0 and -total > 0)
        if total != 0:
            what, times = _taken_whole(parts, counts, members, total)
            sides[below].append(build(-times if below else times, what))
    return sides if changed else None


# A product of more factors is not written out again with another number in front of it.
_MOST_FACTORS = 8


def _taken_whole(
    parts: Parts, counts: list[Any], members: list[int], total: Any
) -> tuple[Any, Any]:
    """Return what some arguments of one key are counts of, and how many it is of them.

    That is the argument itself where it is the same each time and its number 1, or its factors
    many: written out, they would be as many again for each level of sums of sums.
    """
    of, whole = parts.of[members[0]], parts.variables[members[0]]
    if of.__class__ is not tuple or any(parts.variables[i] is not whole for i in members[1:]):
        return of, total
    if counts[members[0]] == 1:
        return (whole,), total
    if len(of) <= _MOST_FACTORS:
        return of, total
    signs = [parts.below[i] for i in members]
    return (whole,), counts[members[0]].__class__(len(signs) - 2 * sum(signs))


def distinct(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the variables, each once."""
    return tuple(dict.fromkeys(variables))
