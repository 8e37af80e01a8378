"""Roundings that cancel: formulas that are right because two of their parts round alike.

``log(u) * x / (u - 1)`` with ``u = 1 + x`` is right to the last digits: both `log` and the
difference take the rounded `u` (Kahan; Goldberg 1991, theorem 4). ``log1p(x) * x / (u - 1)`` is
not, for `u - 1` has lost digits of `x` that `log1p` has not. So a law that takes the rounding of
`u` out of one of its readers leaves the graph alone where another reader has it that may cancel it:

- a function that is zero at 1, such as `log`, and a difference from 1 have it alike, unless there
  are laws about both, which then both apply (`Facts.has_log_and_m1`);
- so have it a function that is zero at 1 and a difference from what may be 1 where `u` is, being
  made of the same: ``log(x * x)`` and ``x * x - x``;
- two sums that are terms of one sum, ``(u - 1) + (y - u)``, add it and subtract it, or a multiple.
  So they may have the function, as in ``(x - v) + v`` with ``v = log(1 + x)``: where `v` is rounded
  to 0, that is `x`, and the true `v` may be much larger;
- a sum that takes the numbers away again that it adds, ``1 - v - 1``, rounds `v` as ``1 + x`` does;
- two differences that are factors of one product have the errors of both, of which one may make up
  for the other where one is of `u` and a function of `u`, ``(u - 1) * (u - 1 / u)``, or where both
  are of `u` and the same, or a multiple: ``(t * y - u) / (u - t)``, near ``y = 1``.

A reader that does not enlarge the relative error of `u`, as products and roots do, is no such
reader: what is gained is more than what it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from relations.kit.guards import constant_data
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.goals import Readers, readerso
from relgraph.graph.kanren.rules import split
from relgraph.graph.kanren.terms import Literal
from relgraph.graph.notation import number_of
from relgraph.scalar.op import Facts
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.math import (
    abs,
    add,
    erfc,
    exp,
    log2,
    log10,
    mul,
    neg,
    pow,
    sqr,
    sqrt,
    sub,
    true_div,
)

SUMS = (add, sub)
FACTORS = (mul, true_div)
IN_BASES = (log2, log10)
OF_SIZE = (abs, sqr, sqrt)
"""Ops that are 1 where their argument is 1 or -1."""

LEVELS = 3
"""So many sums of sums are looked at, one in the other."""


def kept_apart(fgraph: Any, u: Variable) -> bool:
    """Return whether a sum may lose the rounding of its term `u`: no function that is zero at 1
    has it, and no other term of a sum in which it stands."""
    if not _is_shared(fgraph, u):
        return True
    return (
        (_has_both_laws(u) or without_logarithm(fgraph, u))
        and not _meets_itself(fgraph, u)
        and not _is_beside_its_like(fgraph, u)
    )


def in_no_sum_twice(fgraph: Any, u: Variable) -> bool:
    """Return whether `u` is a term, or a multiple of one, in no sum twice, and in none that adds a
    number and takes it away again."""
    if not _is_shared(fgraph, u):
        return True
    return not _meets_itself(fgraph, u) and not any(
        sum(
            constant_data(v) is not None
            for inner in _sums_above(fgraph, node)
            for v in inner.inputs
        )
        > 1
        for node in _readers(fgraph, u)
        if node.op in SUMS
    )


def without_logarithm(fgraph: Any, u: Variable) -> bool:
    """Return whether no function that is zero at 1 has the rounding of `u`, or of its size."""
    for node in _readers(fgraph, u):
        sizes = _readers(fgraph, node.outputs[0]) if node.op in OF_SIZE else ()
        if any(_is_zero_at_one(reader.op) for reader in (node, *sizes)):
            return False
    return True


def uncompensated(fgraph: Any, u: Variable) -> bool:
    """Return whether a function that is zero at 1 may lose the rounding of its argument `u`: no
    difference from 1 has it, nor from what is made of the same, nor, of ``1 + x`` or ``1 - x``, any
    difference."""
    if not _is_shared(fgraph, u):
        return True
    near_one = u.owner is not None and u.owner.op in SUMS and _has_one(u.owner)
    both = _has_both_laws(u)
    for node in _readers(fgraph, u):
        if node.op not in SUMS:
            continue
        if _has_one(node):
            if not both:
                return False
        elif (near_one and node.op is sub) or _is_of_same_parts(node, u):
            return False
    return True


def without_logarithm_in_base(fgraph: Any, u: Variable) -> bool:
    """Return whether no logarithm in another base has the rounding of the sum `u`.

    ``log10(u) / (u - 1)`` with ``u = 1 + x`` is right, and ``log10(u) / x`` is not. Of `log` it is,
    as `log1p`, which there is in no other base.
    """
    return not any(node.op in IN_BASES for node in _readers(fgraph, u))


def roundings_kept_apart(matched: Any, sound: str) -> Sequence[Readers]:
    """Return what every law of the class ``stable`` asks of the readers of what it matches.

    Parameters
    ----------
    matched
        The left side: a sum, a difference or a multiple, or a function that is zero at 1; of others
        nothing is required. Nor is it of a function of an exponential: ``log(exp(x))`` collapses to
        `x` as a graph is copied, before there are readers. That may be worse beside
        ``exp(x) - sinh(x)``, which has few digits itself.
    """
    op, arguments, _ = split(matched)
    if sound != "stable":
        return ()
    inner = [(part, of) for part in arguments if (of := split(part).head) is not None]
    if _is_zero_at_one(op):
        asked = [readerso(uncompensated, part) for part, of in inner if of is not exp]
        return [*asked, readerso(in_no_sum_twice, matched)] if asked else ()
    if op in SUMS:
        asked = [readerso(kept_apart, part) for part, _ in inner]
        return [*asked, readerso(in_no_sum_twice, matched)] if asked else ()
    if op is mul and any(isinstance(part, Literal) for part in arguments):
        return [readerso(in_no_sum_twice, part) for part, _ in inner]
    return ()


def _is_shared(fgraph: Any, u: Variable) -> bool:
    return len(fgraph.clients.get(u, ())) > 1


def _readers(fgraph: Any, var: Variable) -> Iterator[Apply]:
    for node, _ in fgraph.clients.get(var, ()):
        if isinstance(node, Apply):
            yield node


def _has_one(node: Apply) -> bool:
    """Return whether the number 1 is added or subtracted, at some element at least."""
    data = (constant_data(v) for v in node.inputs)
    return any(numbers is not None and bool(np.any(np.abs(numbers) == 1)) for numbers in data)


def _is_of_same_parts(node: Apply, u: Variable) -> bool:
    """Return whether a term beside `u` is an argument of it, or a function of one."""
    parts = {v for v in _arguments(u) if not isinstance(v, Constant)}
    others = (v for v in node.inputs if v is not u)
    return any(v in parts or not parts.isdisjoint(_arguments(v)) for v in others)


def _arguments(v: Variable) -> Sequence[Variable]:
    return v.owner.inputs if v.owner is not None else ()


def _facts(op: Any) -> Facts:
    return op.scalar_op.facts if isinstance(op, Elemwise) else Facts()


def _is_zero_at_one(op: Any) -> bool:
    return _facts(op).zeros == (1,)


def _has_both_laws(u: Variable) -> bool:
    node = u.owner
    if node is None or _facts(node.op).has_log_and_m1:
        return node is not None
    if node.op is pow:
        return bool(number_of(node.inputs[1]) == 2)
    if node.op not in FACTORS or len(node.inputs) > 2:
        return False
    # a square, or a half of erfc: the normal distribution function
    first, second = node.inputs
    if node.op is true_div:
        return first.head is erfc and bool(number_of(second) == 2)
    return first is second or (second.head is erfc and bool(number_of(first) == 0.5))


def _meets_itself(fgraph: Any, u: Variable) -> bool:
    """Return whether two of the sums that read `u` are parts of one sum."""
    seen: set[Apply] = set()
    for node in dict.fromkeys(_readers(fgraph, u)):
        above = set(_sums_above(fgraph, node))
        if not seen.isdisjoint(above):
            return True
        seen |= above
    return False


def _is_beside_its_like(fgraph: Any, u: Variable) -> bool:
    """Return whether two sums with the term `u` are factors of one product or quotient, and may
    have the same error: one of them has a function of `u` as its other term, or both have the same,
    or a multiple of it."""
    sums: dict[Apply, list[Apply]] = {}
    for node in _sums_with(fgraph, u):
        products = [r for r in _readers(fgraph, node.outputs[0]) if r.op in FACTORS]
        for other, found in sums.items():
            if not set(found).isdisjoint(products) and (
                any(u in _arguments(v) for one in (node, other) for v in _signs(one, u))
                or _have_same_beside(node, other, u)
            ):
                return True
        sums[node] = products
    return False


def _sums_with(fgraph: Any, u: Variable) -> dict[Apply, None]:
    """Return the sums of which `u`, or its negation, is a term."""
    found: dict[Apply, None] = {}
    for node in _readers(fgraph, u):
        negated = _readers(fgraph, node.outputs[0]) if node.op is neg else (node,)
        found |= dict.fromkeys(reader for reader in negated if reader.op in SUMS)
    return found


def _signs(node: Apply, u: Variable) -> dict[Variable, int]:
    """Return `u` and the other terms of a sum without their negations, each with its sign."""
    found = {}
    for place, term in enumerate(node.inputs):
        sign = -1 if node.op is sub and place == 1 else 1
        while term is not u and term.owner is not None and term.owner.op is neg:
            sign, term = -sign, term.owner.inputs[0]
        found[term] = sign
    return found


def _have_same_beside(one: Apply, other: Apply, u: Variable) -> bool:
    """Return whether two sums with the term `u` have beside it a term with the same sign, or one
    that is a factor of one in the other."""
    left, right = _signs(one, u), _signs(other, u)
    return any(
        left[a] * left[u] == right[b] * right[u] if a is b else a in _factors(b) or b in _factors(a)
        for a in left
        for b in right
        if a is not u and b is not u and constant_data(a) is None and constant_data(b) is None
    )


def _factors(v: Variable) -> Sequence[Variable]:
    return v.owner.inputs if v.owner is not None and v.owner.op in FACTORS else ()


def _sums_above(fgraph: Any, node: Apply) -> Iterator[Apply]:
    """Yield a sum and those in which it is a term, or a multiple of it, some levels up."""
    level = [node] if _is_linear(node) else []
    for _ in range(LEVELS):
        yield from level
        level = [
            reader
            for inner in level
            for reader in _readers(fgraph, inner.outputs[0])
            if _is_linear(reader)
        ]


def _is_linear(node: Apply) -> bool:
    """Return whether a node is a sum, a negation, or a multiple of one variable by numbers."""
    if node.op is mul:
        return [number_of(v) is None for v in node.inputs].count(True) == 1
    return node.op in SUMS or node.op is neg
