"""Values that are filled into shapes, for the laws in `relations.layout.filling`.

The template of a fill is the tensor into the shape of which a value is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from relgraph import scalar
from relgraph.graph.basic import Constant, Variable
from relgraph.tensor.assembly.creation import Alloc, alloc
from relgraph.tensor.axes import static_int
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.lawkit.guards.shapes import covers_shape, is_length_of, known_length
from relgraph.tensor.lawkit.guards.types import is_real
from relgraph.tensor.math import second

ALLOCATED_RANKS = (1, 2, 3)
"""Of which ranks the laws about allocations are."""


def is_not_fill(scalar_op: object) -> bool:
    """Return whether an elementwise op computes anything."""
    return scalar_op is not scalar.second


def are_real(factors: Sequence[Any]) -> bool:
    """Return whether none of some factors is complex."""
    return all(map(is_real, factors))


def is_total(scalar_op: object, u: Any, v: Any) -> bool:
    """Return whether an elementwise op computes something, and for all elements of `u` and `v`.

    An integer has no negative power: before a fill into an empty tensor nobody asked for one.
    """
    floats = any(w.type.dtype[0] in "fc" for w in (u, v))
    return is_not_fill(scalar_op) and (scalar_op is not scalar.pow or floats)


def covers_lengths(y: Any, *lengths: Any) -> bool:
    """Return whether an elementwise op on `y` and a tensor of `lengths` has the shape of `y`."""
    return y.type.ndim == len(lengths) and all(
        static_int(n) == 1 or not small
        for n, small in zip(lengths, y.type.broadcastable, strict=True)
    )


def has_room_for(a: Any, *lengths: Any) -> bool:
    """Return whether the shape of `a` makes an allocation of some lengths needless: `a` is no
    allocation itself, and broadcasts with none of them."""
    return not _is_alloc(a) and covers_lengths(a, *lengths)


def is_not_allocated_like(x: Any, a: Any) -> bool:
    """Return whether `x` is something else than an allocation of lengths that `a` has room for."""
    if x.type.ndim not in ALLOCATED_RANKS or not _is_alloc(x):
        return True
    return not has_room_for(a, *x.owner.inputs[1:])


def _is_alloc(x: Any) -> bool:
    return x.owner is not None and isinstance(x.owner.op, Alloc)


def broadcasts_to(x: Any, *lengths: Any) -> bool:
    """Return whether `x` broadcasts to `lengths`, as far as types tell."""
    missing = len(lengths) - x.type.ndim
    return missing >= 0 and all(
        small or static_int(n) != 1
        for n, small in zip(lengths[missing:], x.type.broadcastable, strict=True)
    )


def stretches_to(y: Any, *lengths: Any) -> bool:
    """Return whether `y` broadcasts to `lengths`, and not all of these are its own."""
    return broadcasts_to(y, *lengths) and not covers_lengths(y, *lengths)


def has_lengths(x: Any, *lengths: Any) -> bool:
    """Return whether `x` is known to have these lengths: numbers, or its own.

    A length that is known to be 1 has to be given as a number: what is allocated to a variable that
    is one does not broadcast there, and `x` does.
    """
    known = [known_length(n) for n in lengths]
    return x.type.ndim == len(lengths) and all(
        is_length_of(n, x, i) and (isinstance(n, int) or x.type.shape[i] != 1)
        for i, n in enumerate(known)
    )


def covers_dimshuffled(y: Any, order: Sequence[int | str], a: Any) -> bool:
    """Return whether `y` covers the shape of the `DimShuffle` of `a` to `order`."""
    return y.type.ndim == len(order) and all(
        isinstance(axis, str) or a.type.broadcastable[axis] or not small
        for axis, small in zip(order, y.type.broadcastable, strict=True)
    )


def broadcasts_to_known_shape(x: Any, a: Any) -> bool:
    """Return whether the shape of `a` is known ahead, and `x` broadcasts to it."""
    shape = a.type.shape
    return None not in shape and broadcasts_to(x, *shape)


def alloc_like(x: Any, a: Any) -> Any:
    """Return `x`, allocated in the shape of `a`, which is known."""
    return alloc(x, *a.type.shape)


def with_first_axes(x: Any, *lengths: Any) -> Variable | None:
    """Return `x` with first axes of length 1 if these are all that `lengths` add to it: they are
    all 1, and so is each length of `x`. None if not."""
    if not all(x.type.broadcastable) or any(static_int(n) != 1 for n in lengths):
        return None
    new = ("x",) * (len(lengths) - x.type.ndim)
    made: Variable = DimShuffle(x.type.ndim, (*new, *range(x.type.ndim)))(x)
    return made


def without_first_axes(x: Any) -> Variable | None:
    """Return a constant without its first axes of length 1; None if there are none, or for what is
    no constant."""
    first = list(takewhile(lambda small: small, x.type.broadcastable))
    if not first or not isinstance(x, Constant):
        return None
    made: Variable = constant(x.data.reshape(x.data.shape[len(first) :]))
    return made


def widest_template(template: Variable, variables: Sequence[Variable]) -> Variable:
    """Return the widest of `template` and the templates of those `variables` that are fills.

    A template is wider than another that it covers and is not covered by.
    """
    for var in variables:
        if var.head is second and var.owner is not None:
            other = var.owner.inputs[0]
            if covers_shape(other, template) and not covers_shape(template, other):
                template = other
    return template


def unfilled(template: Variable, variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the variables, with the value in place of each fill whose template `template`
    covers."""
    every: list[Variable] = []
    for var in variables:
        node = var.owner if var.head is second else None
        fits = node is not None and covers_shape(template, node.inputs[0])
        every.append(node.inputs[1] if node is not None and fits else var)
    return tuple(every)


@depends_on_levels(1)
def shape_source(var: Variable) -> Variable | None:
    """Return the variable furthest down that has the shape of `var`, as the elementwise ops on the
    way tell; None if that is `var` itself.

    The whole way is gone at once: a step at a time, what is filled into the shape of the last of
    many results would be made anew for each of them.
    """
    source, below = var, _covering_input(var)
    while below is not None:
        source, below = below, _covering_input(below)
    return None if source is var else source


def _covering_input(var: Variable) -> Variable | None:
    """Return the first input of an elementwise op that has the shape of its output, `var`."""
    node = var.owner
    if node is None or not isinstance(node.op, Elemwise):
        return None
    return next((x for x in node.inputs if covers_shape(x, var)), None)
