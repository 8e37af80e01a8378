"""Shapes, fills, orders of axes and joined pieces, for the laws in `relations.layout`.

Nothing here looks at values: a length that is not known ahead is a variable. The template of a fill
is the tensor into the shape of which a value is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from relations.kit.guards import (
    asks_graph,
    containing_any_of,
    covers_shape,
    depends_on_levels,
    in_dtype,
    is_length_of,
    reads_length_of,
    requires_heads,
)
from relations.kit.index_arithmetic import Order, padded, trimmed
from relgraph import scalar
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import one_client
from relgraph.tensor.assembly import Alloc, Join, Split, alloc
from relgraph.tensor.basic import constant, static_int
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.math import second
from relgraph.tensor.shapes import (
    Shape_i,
    _shape,
    as_shape_vector,
    has_shape,
    inferred_shape,
    known_entries,
    known_length,
)
from relgraph.tensor.subtensor import IndexList, Slice, Subtensor, static_length

_ALLOC = Alloc()


def _inferred_lengths(y: Any) -> tuple[Variable, ...] | None:
    """Return the lengths of `y` as its node infers them, int64s of rank 0; None if it can't."""
    if not has_shape(y) or y.owner is None:
        return None
    shape = inferred_shape(y)
    return None if shape is None else tuple(in_dtype(n, "int64") for n in shape)


def _is_worth(fgraph: Any, y: Any, plain: bool) -> bool:
    """Return whether a length of `y` is better an expression of the inputs of its node: that takes
    no arithmetic, or else nothing but the length is read of `y`, which is not computed then."""
    return plain or fgraph is None or one_client(fgraph, y)


@depends_on_levels(1)
@asks_graph
def length_from_inputs(fgraph: Any, y: Any, axis: int) -> Variable | None:
    """Return the length of an axis of `y` as an expression of the inputs of its node, if that is
    known and worth it; else None."""
    if y.type.shape[axis] is not None:
        return in_dtype(y.type.shape[axis], "int64")
    lengths = _inferred_lengths(y)
    if lengths is None:
        return None
    length = lengths[axis]
    of_input = length.owner is None or isinstance(length.owner.op, Shape_i)
    plain = of_input or _is_element_of_input(length, y)
    return length if _is_worth(fgraph, y, plain) else None


def _is_element_of_input(length: Any, y: Any) -> bool:
    """Return whether a length is an element of a vector that the node of `y` reads."""
    node = length.owner
    return (
        isinstance(node.op, Subtensor)
        and is_one_integer(node.op.idx_list)
        and any(v is node.inputs[0] for v in y.owner.inputs)
    )


@depends_on_levels(1)
@asks_graph
def shape_from_inputs(fgraph: Any, y: Any) -> Any:
    """Return the same of the shape of `y`, a vector."""
    if None not in y.type.shape:
        return as_shape_vector(y.type.shape, "shape")
    lengths = _inferred_lengths(y)
    if lengths is None:
        return None
    whole = tensor_of_lengths(lengths)
    plain = all(n.owner is None or _is_element_of_input(n, y) for n in lengths)
    made = as_shape_vector(lengths, "shape") if whole is None else _shape(whole)
    return made if _is_worth(fgraph, y, plain or whole is not None) else None


def is_one_integer(index: Any) -> bool:
    """Return whether a basic index is one integer that is known."""
    return len(index) == 1 and isinstance(index[0], int)


def axis_at(index: Any, x: Any) -> int | None:
    """Return which axis of `x` an index into its shape means; None if it is not one integer."""
    return int(index[0] % x.type.ndim) if is_one_integer(index) else None


def element_at(index: Any, elements: Sequence[Any]) -> Any:
    """Return the element that a basic index means; None if it is not one integer within bounds."""
    within = is_one_integer(index) and -len(elements) <= index[0] < len(elements)
    return elements[index[0]] if within else None


def elements_at(index: Any, elements: Sequence[Any]) -> Any:
    """Return the elements that a basic index means; None if it is not one slice, with known ends,
    of at least one."""
    is_slice = len(index) == 1 and isinstance(index[0], Slice)
    known = is_slice and static_length(len(elements), index[0])
    return elements[slice(*index[0].parts())] if known else None


def is_not_fill(scalar_op: object) -> bool:
    """Return whether an elementwise op computes anything."""
    return scalar_op is not scalar.second


def is_total(scalar_op: object, operands: Sequence[Any]) -> bool:
    """Return whether an elementwise op computes something, and for all elements of its operands.

    An integer has no negative power: a fill into an empty tensor computes none.
    """
    floats = any(v.type.dtype[0] in "fc" for v in operands)
    return is_not_fill(scalar_op) and (scalar_op is not scalar.pow or floats)


def covers_lengths(y: Any, lengths: Sequence[Any]) -> bool:
    """Return whether an elementwise op on `y` and a tensor of `lengths` has the shape of `y`."""
    return y.type.ndim == len(lengths) and all(
        static_int(n) == 1 or not small
        for n, small in zip(lengths, y.type.broadcastable, strict=True)
    )


def is_not_allocated_like(x: Any, a: Any) -> bool:
    """Return False if `x` is an allocation that `a` makes needless: `a` is no allocation, and its
    shape covers the lengths."""
    needless = _is_alloc(x) and not _is_alloc(a) and covers_lengths(a, x.owner.inputs[1:])
    return not needless


def _is_alloc(x: Any) -> bool:
    return x.head is _ALLOC


def broadcasts_to(x: Any, lengths: Sequence[Any]) -> bool:
    """Return whether `x` broadcasts to `lengths`, as far as types tell."""
    missing = len(lengths) - x.type.ndim
    return missing >= 0 and all(
        small or static_int(n) != 1
        for n, small in zip(lengths[missing:], x.type.broadcastable, strict=True)
    )


def stretches_to(y: Any, lengths: Sequence[Any]) -> bool:
    """Return whether `y` broadcasts to `lengths`, and not all of these are its own."""
    return broadcasts_to(y, lengths) and not covers_lengths(y, lengths)


def has_lengths(x: Any, lengths: Sequence[Any]) -> bool:
    """Return whether `x` is known to have these lengths: numbers, or its own.

    A length that is known to be 1 has to be given as a number: what is allocated to a variable that
    is one does not broadcast there, and `x` does.
    """
    known = [known_length(n) for n in lengths]
    return x.type.ndim == len(lengths) and all(
        is_length_of(n, x, i) and (isinstance(n, int) or x.type.shape[i] != 1)
        for i, n in enumerate(known)
    )


@depends_on_levels(1)
@requires_heads(
    lambda heads: any(h in (second, _ALLOC) or isinstance(h, DimShuffle) for h in heads)
)
def without_copies(operands: Sequence[Any]) -> tuple[Variable, ...] | None:
    """Return the operands of an elementwise op, with the value in place of each fill and allocation
    that the shape of another one makes needless; None if none is."""
    values = [_copied(v) for v in operands]
    large = [v for v, value in zip(operands, values, strict=True) if value is None]
    kept = [
        value if value is not None and any(covers_shape(u, v) for u in large) else v
        for v, value in zip(operands, values, strict=True)
    ]
    return None if kept == list(operands) else tuple(kept)


def _copied(var: Any) -> Variable | None:
    """Return what a fill or an allocation repeats, with the axes of the fill in another order if
    that is dimshuffled; None if `var` is neither."""
    if var.head is second:
        filled: Variable = var.owner.inputs[1]
        return filled
    if _is_alloc(var):
        allocated: Variable = var.owner.inputs[0]
        return allocated
    if not isinstance(var.head, DimShuffle) or (below := var.owner.inputs[0]).head is not second:
        return None
    moved: Variable = var.head(below.owner.inputs[1])
    return moved


def alloc_like(x: Any, a: Any) -> Any:
    """Return `x`, allocated in the shape of `a`; None if that is not known ahead, or `x` does not
    broadcast to it."""
    shape = a.type.shape
    return alloc(x, *shape) if None not in shape and broadcasts_to(x, shape) else None


def with_first_axes(x: Any, lengths: Sequence[Any]) -> Variable | None:
    """Return what is allocated to some lengths with first axes of length 1 if these are all that
    the lengths add to it: they are all 1, and so is each of its own. None if not."""
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
    return constant(x.data.reshape(x.data.shape[len(first) :]))


def _template_of(var: Any) -> Variable | None:
    """Return the template of a fill; an allocation is its own. None if `var` is neither."""
    if var.head is second:
        template: Variable = var.owner.inputs[0]
        return template
    return var if _is_alloc(var) else None


@requires_heads(containing_any_of(second, _ALLOC))
def widest_template(operands: Sequence[Any]) -> Variable | None:
    """Return the widest template of those operands that are fills or allocations; None if none is.

    A template is wider than another that it covers and is not covered by.
    """
    widest: Variable | None = None
    for template in map(_template_of, operands):
        if template is not None and (
            widest is None
            or (covers_shape(template, widest) and not covers_shape(widest, template))
        ):
            widest = template
    return widest


def unfilled(template: Variable, variables: Sequence[Any]) -> tuple[Variable, ...]:
    """Return the variables, with the value in place of each fill and allocation whose template
    `template` covers."""
    templates = [_template_of(v) for v in variables]
    return tuple(
        v if own is None or not covers_shape(template, own) else v.owner.inputs[v.head is second]
        for v, own in zip(variables, templates, strict=True)
    )


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


Lengths = Sequence[int | None]


def keeps_memory_order(order: Sequence[int | str]) -> bool:
    """Return whether a `DimShuffle` to `order` leaves the elements where they are in memory."""
    axes = [axis for axis in order if not isinstance(axis, str)]
    return axes == sorted(axes)


@depends_on_levels(2)
def is_shape_of(vector: Any, x: Any) -> bool:
    """Return whether `vector` is known to be the shape of `x`, or to represent it by a -1.

    It is a constant, or made of ints and lengths of `x`.
    """
    entries = known_entries(vector)
    if entries is None:
        return False
    known = x.type.shape
    free = [i for i, n in enumerate(entries) if isinstance(n, int) and n == -1]
    return (
        len(entries) == len(known)
        and len(free) <= 1
        # of a tensor without elements a -1 may be anything
        and (not free or len(entries) == 1 or (None not in known and 0 not in known))
        and all(i in free or is_length_of(n, x, i) for i, n in enumerate(entries))
    )


@depends_on_levels(2)
def one_element_reshaped(x: Any, vector: Any) -> Variable | None:
    """Return what a reshape makes of one element, without a reshape: axes of length 1 go and come.

    None if `x` may have more elements, or `vector` holds something else than ones and -1.
    """
    entries = known_entries(vector)
    if entries is None or not all(x.type.broadcastable):
        return None
    if not all(isinstance(n, int) and n in (1, -1) for n in entries):
        return None
    made: Variable = DimShuffle(x.type.ndim, ("x",) * len(entries))(x)
    return made


def is_known_shape_of(lengths: Lengths, x: Any) -> bool:
    """Return whether the type of `x` has all those `lengths` that are no None."""
    return all(n is None or n == known for n, known in zip(lengths, x.type.shape, strict=True))


def composed_order(outer: Order, inner: Order) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that does what `inner` and then `outer` do."""
    return tuple([a if isinstance(a, str) else inner[a] for a in outer])


def is_identity_order(input_ndim: int, order: Order) -> bool:
    """Return whether a dimshuffle to `order` leaves every axis where it is.

    It may drop an axis and put a new one in its place: both have length 1.
    """
    return len(order) == input_ndim and all(
        a == i or (isinstance(a, str) and i not in order) for i, a in enumerate(order)
    )


def undoes_order(input_ndim: int, outer: Order, inner: Order) -> bool:
    """Return whether a dimshuffle to `outer` gives back what one to `inner` was given."""
    return is_identity_order(input_ndim, composed_order(outer, inner))


def each_dimshuffled(ndim: int, order: Order, arguments: Sequence[Any]) -> list[Any]:
    """Return the dimshuffle of each argument, which has `ndim` axes, to `order`."""
    shuffle = DimShuffle(ndim, order)
    return [shuffle(v) for v in arguments]


@depends_on_levels(2)
def are_made_of_few_ops(variables: Sequence[Any], levels: int = 1) -> bool:
    """Return whether there are at most three variables, and at most so many levels of elementwise
    ops, of at most three inputs each, make them of what is not elementwise."""
    made = [v.owner.inputs for v in variables if isinstance(v.head, Elemwise)]
    few = len(variables) <= 3 and (levels > 0 or not made)
    return few and all(are_made_of_few_ops(inputs, levels - 1) for inputs in made)


@depends_on_levels(1)
def common_dimshuffle(axis: int, variables: Sequence[Any]) -> Any:
    """Return the `DimShuffle` that made each of `variables`, if `axis` is none of its new ones."""
    op = variables[0].head
    alike = isinstance(op, DimShuffle) and all(v.head is op for v in variables)
    return op if alike and op.new_order[axis] != "x" else None


@depends_on_levels(1)
def before_each(variables: Sequence[Any]) -> list[Any]:
    """Return the first input of the node of each variable."""
    return [v.owner.inputs[0] for v in variables]


@depends_on_levels(1)
@asks_graph
def pieces_of_joins(fgraph: Any, axis: int, pieces: Sequence[Variable]) -> list[Variable] | None:
    """Return `pieces`, with those that joins on `axis` join in place of these; None if there are no
    such joins.

    A join that is read more than once stays: each of its readers would have all of its pieces.
    """
    every: list[Variable] = []
    for v in pieces:
        alone = pieces.count(v) == 1 and (fgraph is None or one_client(fgraph, v))
        inner = v.owner if alone and v.head is Join(axis) else None
        every += [v] if inner is None else inner.inputs
    return every if every != list(pieces) else None


@depends_on_levels(1)
def split_into(axis: int, pieces: Sequence[Variable]) -> Variable | None:
    """Return the tensor that a split on `axis` splits into `pieces`, in order; None if there is
    none."""
    node = pieces[0].owner
    if node is None or not isinstance(node.op, Split) or node.op.axis != axis:
        return None
    whole: Variable = node.inputs[0]
    return whole if list(pieces) == list(node.outputs) else None


def tensor_of_lengths(lengths: Sequence[Variable]) -> Variable | None:
    """Return the tensor whose lengths, all of them and in order, some variables are; None if there
    is none."""
    first = lengths[0].owner if lengths else None
    if first is None or not isinstance(first.op, Shape_i):
        return None
    x: Variable = first.inputs[0]
    own = x.type.ndim == len(lengths)
    return x if own and all(reads_length_of(n, x, i) for i, n in enumerate(lengths)) else None


def nonempty_pieces(axis: int, pieces: Sequence[Any]) -> list[Any] | None:
    """Return those of `pieces` that may have elements on `axis`; None if all or none of them do."""
    left = [v for v in pieces if v.type.shape[axis] != 0]
    return left if 0 < len(left) < len(pieces) else None


def are_lengths_of(sizes: Any, axis: int, pieces: Sequence[Any]) -> bool:
    """Return whether the entries of the vector `sizes` are known to be the lengths of `pieces` on
    `axis`: ints, or the lengths of the pieces as variables."""
    entries = known_entries(sizes)
    return (
        entries is not None
        and len(entries) == len(pieces)
        and all(is_length_of(n, v, axis) for n, v in zip(entries, pieces, strict=True))
    )


def is_everything(index: IndexList) -> bool:
    """Return whether an index without whole slices at its end takes everything."""
    return index == ()


def adjacent_slices_as_one(axis: int, a: IndexList, b: IndexList) -> IndexList | None:
    """Return the index that takes what `a` and then `b` take on `axis`.

    ``[:k]`` and ``[k:]`` are ``[:]``, ``[1:3]`` and ``[3:]`` are ``[1:]``.

    Returns
    -------
    index
        None if the slice of `b` does not begin where that of `a` ends, or they differ elsewhere.
    """
    first, second = padded(a, axis + 1), padded(b, axis + 1)
    if not all(isinstance(entry, Slice) for entry in first[:axis]):
        return None  # the axis of the join is another one of the tensor
    others = (*first[:axis], *first[axis + 1 :]) == (*second[:axis], *second[axis + 1 :])
    low, high = first[axis], second[axis]
    if not others or not isinstance(low, Slice) or not isinstance(high, Slice):
        return None
    if {low.step, high.step} - {None, 1} or low.stop is None or low.stop != high.start:
        return None
    ends = (low.start, low.stop, high.stop)
    whole = low.start is None and high.stop is None
    counted = [e for e in ends if e is not None]
    placed = [e for e in counted if isinstance(e, int) and e >= 0]
    rising = placed == counted == sorted(placed)
    if not whole and not rising:
        return None
    return trimmed((*first[:axis], Slice(low.start, high.stop), *first[axis + 1 :]))
