"""Tensors as functions of indices: where each element of a result comes from, as terms of Z3.

A tensor is its shape, integers, and a function that gives the element at an index. Elements are
uninterpreted but for int64s and booleans; int64s are lengths and positions here, which do not wrap
around. An elementwise op of which nothing else is said is a function of elements and dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import count
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.proof.elements import NotTranslated, Term, kept, z3
from relgraph.proof.reals import OPS
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.tensor.along_axes import Cumulate, Sort
from relgraph.tensor.assembly import Alloc, ARange, Join, Split
from relgraph.tensor.basic import Assert
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.subtensor import IncSubtensor, Placeholder, Subtensor, symbolic_index

Index = Sequence[Term]

_MOST_ELEMENTS = 8
"""Constant vectors of more elements are not translated."""


_FIRST_SYMBOL = 1 << 40
_made = count(_FIRST_SYMBOL)


def any_int() -> int:
    """Return a parameter of an op that denotes any integer; it differs from all others."""
    return next(_made)


@dataclass(frozen=True)
class Grid:
    """A tensor.

    Attributes
    ----------
    shape
        The lengths of its axes.
    at
        The element at an index.
    flat
        The element at a place in C order; None if it is not known.
    reshaped
        What it is a reshape of: it has as many elements.
    """

    shape: tuple[Term, ...]
    at: Callable[[Index], Term]
    flat: Callable[[Term], Term] | None = None
    reshaped: Grid | None = None

    @property
    def size(self) -> Term:
        """The number of elements."""
        return product(self.shape) if self.reshaped is None else self.reshaped.size


@dataclass(frozen=True)
class AxisMap:
    """The places of an axis that an entry of an index takes.

    Attributes
    ----------
    length
        How many; None for an integer, which takes one and no axis of the result.
    place
        The place that is taken as the `k`-th.
    taken, rank
        Whether a place is taken, and as which.
    """

    length: Term | None
    place: Callable[[Term], Term]
    taken: Callable[[Term], Term]
    rank: Callable[[Term], Term]


def number(n: Any) -> Term:
    """Return an integer as a term; one that represents any, as a constant."""
    if not isinstance(n, int | np.integer):
        return n
    return z3.IntVal(int(n)) if n < _FIRST_SYMBOL else z3.Int(f"any {n}")


def sort_of(dtype: str) -> Any:
    """Return the sort of the elements of a dtype."""
    if dtype in ("bool", "int64"):
        return z3.BoolSort() if dtype == "bool" else z3.IntSort()
    return z3.DeclareSort(f"element of {dtype}")


def converted(x: Term, dtype: str, wanted: str) -> Term:
    """Return an element in another dtype."""
    if dtype == wanted:
        return x
    return z3.Function(f"{dtype} as {wanted}", sort_of(dtype), sort_of(wanted))(x)


def product(lengths: Sequence[Term]) -> Term:
    """Return the number of elements of a shape."""
    return reduce(lambda n, m: n * m, lengths) if lengths else z3.IntVal(1)


def place_in(shape: Sequence[Term], index: Index) -> Term:
    """Return the place of an index in C order."""
    if not index:
        return z3.IntVal(0)
    pairs = zip(shape[1:], index[1:], strict=True)
    return reduce(lambda place, pair: place * pair[0] + pair[1], pairs, index[0])


def laid_out(
    shape: tuple[Term, ...], flat: Callable[[Term], Term], reshaped: Grid | None = None
) -> Grid:
    """Return a tensor of which the element at each place in C order is known."""
    return Grid(shape, lambda index: flat(place_in(shape, index)), flat, reshaped)


def of_elements(shape: tuple[Term, ...], elements: Sequence[Term], dtype: str) -> Grid:
    """Return a tensor of some elements, in C order."""
    none = z3.Const(f"no element of {dtype}", sort_of(dtype))

    def flat(k: Term) -> Term:
        if z3.is_int_value(k) and 0 <= k.as_long() < len(elements):
            return elements[k.as_long()]
        return _chosen(elements, k, none)

    return laid_out(shape, flat)


def within(index: Index, shape: Sequence[Term]) -> Term:
    """Return that an index is one into a shape."""
    return z3.And([z3.And(i >= 0, i < n) for i, n in zip(index, shape, strict=True)])


def _chosen(terms: Sequence[Term], k: Term, otherwise: Term) -> Term:
    """Return the `k`-th of some terms."""
    for i, term in reversed(list(enumerate(terms))):
        otherwise = z3.If(k == i, term, otherwise)
    return otherwise


_OF_INTEGERS = frozenset(
    ["add", "sub", "mul", "neg", "maximum", "minimum", "eq", "neq", "lt", "le", "gt", "ge"]
)
"""The scalar ops that are arithmetic of int64s; others are functions of which nothing is known."""


class Places:
    """The tensors of graphs.

    Parameters
    ----------
    in_order
        Whether the order of elements in C order counts: they are functions of it then.

    Attributes
    ----------
    required
        What the ops that were translated since this was set require of their inputs.
    known
        What holds of the terms.
    """

    def __init__(self, in_order: bool = False) -> None:
        self.in_order = in_order
        self.required: list[Term] = []
        self.known: list[Term] = []
        self._grids: dict[Variable, Grid] = {}

    def of(self, v: Any) -> Grid:
        """Return a tensor.

        Raises
        ------
        NotTranslated
            If an op that computes it is not known.
        """
        for node in io_toposort(list(self._grids), [v]):
            grids = self._translated(node)
            self._grids.update(zip(node.outputs, grids, strict=True))
        if v not in self._grids:
            self._grids[v] = self._constant(v) if isinstance(v, Constant) else self._input(v)
        return self._grids[v]

    def value(self, v: Any) -> Term:
        """Return the element of a tensor of rank 0, or a number."""
        return self.of(v).at(()) if isinstance(v, Variable) else number(v)

    def element(self, op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str) -> Term:
        """Return a scalar op applied to elements of some dtypes, as an element of a dtype."""
        known = kept(op, xs, dtypes, out, converted)
        if known is not None:
            return known
        if isinstance(op, FoldOp):
            xs, dtypes = [converted(x, d, out) for x, d in zip(xs, dtypes, strict=True)], [out]
        if op.name in _OF_INTEGERS and set(dtypes) == {"int64"}:
            compute = OPS[op.name]
            return reduce(compute, xs) if isinstance(op, FoldOp) else compute(*xs)
        # equal ops are one object
        name = f"{op} {id(op)} of {', '.join(dtypes)} as {out}"
        return z3.Function(name, *[x.sort() for x in xs], sort_of(out))(*xs)

    # -- inputs ------------------------------------------------------------------------------------

    def _length(self, v: Any, axis: int) -> Term:
        known = v.type.shape[axis]
        if known is not None:
            return number(known)
        return z3.Int(f"length {axis} of {v} {len(self._grids)}")

    def _input(self, v: Any) -> Grid:
        ndim, sort = v.type.ndim, sort_of(v.type.dtype)
        shape = tuple(self._length(v, axis) for axis in range(ndim))
        self.known += [n >= 0 for n in shape if not z3.is_int_value(n)]
        name = f"{v} {len(self._grids)}"
        if ndim == 0:
            element = z3.Const(name, sort)
            return laid_out((), lambda k: element)
        if ndim == 1 or self.in_order:
            line = z3.Function(name, z3.IntSort(), sort)
            return laid_out(shape, line)
        function = z3.Function(name, *[z3.IntSort()] * ndim, sort)
        return Grid(shape, lambda index: function(*index))

    def _constant(self, v: Any) -> Grid:
        data, dtype = np.asarray(v.data), v.type.dtype
        shape = tuple(map(number, data.shape))
        every = [self._literal(n, dtype) for n in data.flat[:_MOST_ELEMENTS]]
        if every and v.unique_value() is not None:
            return laid_out(shape, lambda k: every[0])
        if data.size > _MOST_ELEMENTS:
            raise NotTranslated(f"{v}, of many elements")
        return of_elements(shape, every, dtype)

    def _literal(self, n: Any, dtype: str) -> Term:
        if dtype == "int64":
            return z3.IntVal(int(n))
        if dtype == "bool":
            return z3.BoolVal(bool(n))
        return z3.Const(f"{n!r} of {dtype}", sort_of(dtype))

    # -- ops ---------------------------------------------------------------------------------------

    def _translated(self, node: Apply) -> Sequence[Grid]:
        op: Any = node.op
        translate = _OPS.get(type(op))
        if translate is None:
            raise NotTranslated(f"{op}, of which it is not stated where its elements come from")
        found: Grid | Sequence[Grid] = translate(self, node, *map(self.of, node.inputs))
        return (found,) if isinstance(found, Grid) else found

    def broadcast(self, v: Any, grid: Grid, shape: Sequence[Term]) -> Callable[[Index], Term]:
        """Return the function that gives the elements of a tensor, broadcast to a shape.

        An axis broadcasts if its type says that it has length 1; others must have the length.
        """
        missing = len(shape) - len(grid.shape)
        flags = v.type.broadcastable
        pairs = zip(flags, grid.shape, shape[missing:], strict=True)
        self.required += [n == m for small, n, m in pairs if not small]

        def at(index: Index) -> Term:
            own = zip(flags, index[missing:], strict=True)
            return grid.at([z3.IntVal(0) if small else i for small, i in own])

        return at

    def _elementwise(self, node: Apply, *grids: Grid) -> Grid:
        op: Any = node.op
        if len(node.outputs) > 1:
            raise NotTranslated(f"{op}, which has several outputs")
        out: Any = node.outputs[0]
        inputs: list[Any] = node.inputs
        shape: list[Term] = []
        for axis in range(len(grids[0].shape)):
            long = [g for v, g in zip(inputs, grids, strict=True) if not v.broadcastable[axis]]
            shape.append(long[0].shape[axis] if long else z3.IntVal(1))
        each = [self.broadcast(v, g, shape) for v, g in zip(inputs, grids, strict=True)]
        dtypes = [v.type.dtype for v in inputs]

        def at(index: Index) -> Term:
            return self.element(op.scalar_op, [f(index) for f in each], dtypes, out.type.dtype)

        return Grid(tuple(shape), at)

    def _shuffled(self, node: Apply, x: Grid) -> Grid:
        op: Any = node.op
        shape = tuple(z3.IntVal(1) if a == "x" else x.shape[a] for a in op.new_order)
        self.required += [x.shape[axis] == 1 for axis in op.drop]

        def at(index: Index) -> Term:
            own: list[Term] = [z3.IntVal(0)] * op.input_ndim
            for axis, i in zip(op.new_order, index, strict=True):
                if axis != "x":
                    own[axis] = i
            return x.at(own)

        return Grid(shape, at, x.flat if list(op.shuffle) == sorted(op.shuffle) else None)

    def _allocated(self, node: Apply, x: Grid, *lengths: Grid) -> Grid:
        shape = tuple(n.at(()) for n in lengths)
        self.required += [n >= 0 for n in shape]
        return Grid(shape, self.broadcast(node.inputs[0], x, shape))

    def _reshaped(self, node: Apply, x: Grid, lengths: Grid) -> Grid:
        op: Any = node.op
        if x.flat is None:
            raise NotTranslated("a reshape of what is in another order")
        wanted = [lengths.at([z3.IntVal(i)]) for i in range(op.ndim)]
        total = x.size
        # a function of the lengths and the size, which is known by what is required of it
        rest = z3.Function(f"rest {op.ndim}", *[z3.IntSort()] * (op.ndim + 2))(*wanted, total)
        shape = tuple(z3.If(n == -1, rest, n) for n in wanted)
        others = product([z3.If(n == -1, z3.IntVal(1), n) for n in wanted])
        free = z3.Sum([z3.IntVal(0), *[z3.If(n == -1, 1, 0) for n in wanted]])
        self.required += [lengths.shape[0] == op.ndim, free <= 1, product(shape) == total]
        self.required += [n >= -1 for n in wanted]
        self.required.append(z3.Implies(free == 1, z3.And(others > 0, rest >= 0)))
        return laid_out(shape, x.flat, x)

    def _one_kept(self, node: Apply, x: Grid) -> Grid:
        """Return what something is along an axis: itself where the axis has length 1."""
        op: Any = node.op
        (given,), (out,) = node.inputs, node.outputs
        dtypes: Any = given.type.dtype, out.type.dtype
        sorts = [z3.IntSort()] * len(x.shape)
        other = z3.Function(f"along {len(self._grids)}", *sorts, sort_of(dtypes[1]))

        def at(index: Index) -> Term:
            return z3.If(x.shape[op.axis] == 1, converted(x.at(index), *dtypes), other(*index))

        return Grid(x.shape, at)

    def _declared(self, node: Apply, x: Grid) -> Grid:
        op: Any = node.op
        pairs = zip(op.shape, x.shape, strict=True)
        self.required += [number(n) == m for n, m in pairs if n is not None]
        return x

    def _asserted(self, node: Apply, x: Grid, *conditions: Grid) -> Grid:
        if any(c.shape for c in conditions) or any(v.type.dtype != "bool" for v in node.inputs[1:]):
            raise NotTranslated("an assertion of several conditions")
        self.required += [c.at(()) for c in conditions]
        return x

    def _assumed(self, node: Apply, x: Grid) -> Grid:
        return x

    def _shape(self, node: Apply, x: Grid) -> Grid:
        return of_elements((z3.IntVal(len(x.shape)),), x.shape, "int64")

    def _one_length(self, node: Apply, x: Grid) -> Grid:
        op: Any = node.op
        return laid_out((), lambda k: x.shape[op.i])

    def _made(self, node: Apply, *elements: Grid) -> Grid:
        op: Any = node.op
        dtypes = [v.type.dtype for v in node.inputs]
        pairs = zip(elements, dtypes, strict=True)
        made = [converted(x.at(()), d, op.dtype) for x, d in pairs]
        return of_elements((z3.IntVal(len(made)),), made, op.dtype)

    def _range(self, node: Apply, start: Grid, stop: Grid, step: Grid) -> Grid:
        dtypes = {v.type.dtype for v in (*node.inputs, *node.outputs)}
        if dtypes != {"int64"} or not z3.eq(step.at(()), z3.IntVal(1)):
            raise NotTranslated("a range that does not count by one")
        first = start.at(())
        more = stop.at(()) - first
        return Grid((z3.If(more > 0, more, 0),), lambda index: first + index[0])

    def _joined(self, node: Apply, *pieces: Grid) -> Grid:
        op: Any = node.op
        axis, first = op.axis, pieces[0]
        (out,) = node.outputs
        ends = [pieces[0].shape[axis]]
        for piece in pieces[1:]:
            ends.append(ends[-1] + piece.shape[axis])
            pairs = enumerate(zip(first.shape, piece.shape, strict=True))
            self.required += [n == m for i, (n, m) in pairs if i != axis]

        def at(index: Index) -> Term:
            found: Any = None
            for k, (v, piece) in reversed(list(enumerate(zip(node.inputs, pieces, strict=True)))):
                own = list(index)
                own[axis] = own[axis] - ends[k - 1] if k else own[axis]
                element = converted(piece.at(own), v.type.dtype, out.type.dtype)
                found = element if found is None else z3.If(index[axis] < ends[k], element, found)
            return found

        return Grid((*first.shape[:axis], ends[-1], *first.shape[axis + 1 :]), at)

    def _split(self, node: Apply, x: Grid, sizes: Grid) -> Sequence[Grid]:
        op: Any = node.op
        axis = op.axis
        lengths = [sizes.at([z3.IntVal(i)]) for i in range(op.len_splits)]
        self.required += [sizes.shape[0] == op.len_splits, z3.Sum(lengths) == x.shape[axis]]
        self.required += [n >= 0 for n in lengths]

        def at(before: Term, index: Index) -> Term:
            return x.at([*index[:axis], index[axis] + before, *index[axis + 1 :]])

        parts = []
        for i, n in enumerate(lengths):
            before = z3.Sum(lengths[:i]) if i else z3.IntVal(0)
            shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])
            parts.append(Grid(shape, partial(at, before)))
        return parts

    def _diagonal(self, node: Apply, x: Grid) -> Grid:
        op: Any = node.op
        offset = number(op.offset)
        down, right = z3.If(offset < 0, -offset, 0), z3.If(offset > 0, offset, 0)
        *batch, rows, columns = x.shape
        least = z3.If(rows - down < columns - right, rows - down, columns - right)
        n = z3.If(least > 0, least, 0)
        return Grid(
            (*batch, n), lambda index: x.at([*index[:-1], index[-1] + down, index[-1] + right])
        )

    # -- indices -----------------------------------------------------------------------------------

    def _maps(self, node: Apply, shape: Sequence[Term], inputs: Sequence[Any]) -> list[AxisMap]:
        op: Any = node.op
        entries = symbolic_index(op.idx_list, inputs)
        entries += [slice(None)] * (len(shape) - len(entries))
        return [
            self._slice(e, n) if isinstance(e, slice) else self._integer(self.value(e), n)
            for e, n in zip(entries, shape, strict=True)
        ]

    def _integer(self, i: Term, n: Term) -> AxisMap:
        self.required += [-n <= i, i < n]
        place = (
            z3.simplify(z3.If(i < 0, i + n, i)) if z3.is_int_value(i) else z3.If(i < 0, i + n, i)
        )
        return AxisMap(None, lambda k: place, lambda p: p == place, lambda p: z3.IntVal(0))

    def _slice(self, entry: slice, n: Term) -> AxisMap:
        if entry == slice(None):
            return AxisMap(n, lambda k: k, lambda p: z3.BoolVal(True), lambda p: p)
        parts = [
            None if e is None else self.value(e) for e in (entry.start, entry.stop, entry.step)
        ]
        start, stop, step = parts
        if step is not None and not z3.is_int_value(step):
            return self._slice_by_any_step(parts, n)
        by = 1 if step is None else step.as_long()
        if by == 0:
            raise NotTranslated("a slice by steps of 0")
        least, most = (z3.IntVal(0), n) if by > 0 else (z3.IntVal(-1), n - 1)
        ends = (least, most) if by > 0 else (most, least)
        first = ends[0] if start is None else _clipped(start, n, least, most)
        last = ends[1] if stop is None else _clipped(stop, n, least, most)
        more = ((last - first) if by > 0 else (first - last)) + (abs(by) - 1)
        length = z3.If(more > 0, more if abs(by) == 1 else more / abs(by), 0)

        def rank(p: Term) -> Term:
            ahead = p - first if by > 0 else first - p
            return ahead if abs(by) == 1 else ahead / abs(by)

        def taken(p: Term) -> Term:
            k = rank(p)
            return z3.And(first + by * k == p, k >= 0, k < length)

        return AxisMap(length, lambda k: first + by * k, taken, rank)

    def _slice_by_any_step(self, parts: Sequence[Any], n: Term) -> AxisMap:
        """Return the map of a slice: some one-to-one map to places of the axis."""
        self.required.append(parts[2] != 0)
        given = [n, *[p for p in parts if p is not None]]
        name = "slice by " + " ".join("any" if p is None else "given" for p in parts)
        sorts = [z3.IntSort()] * len(given)
        length = z3.Function(f"length of {name}", *sorts, z3.IntSort())(*given)
        place = z3.Function(f"place in {name}", *sorts, z3.IntSort(), z3.IntSort())
        taken = z3.Function(f"taken by {name}", *sorts, z3.IntSort(), z3.BoolSort())
        rank = z3.Function(f"rank in {name}", *sorts, z3.IntSort(), z3.IntSort())
        self.known.append(length >= 0)

        def place_of(k: Term) -> Term:
            p = place(*given, k)
            there = z3.And(p >= 0, p < n, taken(*given, p), rank(*given, p) == k)
            self.known.append(z3.Implies(z3.And(k >= 0, k < length), there))
            return p

        def is_taken(p: Term) -> Term:
            k = rank(*given, p)
            there = z3.And(k >= 0, k < length, place(*given, k) == p)
            self.known.append(z3.Implies(taken(*given, p), there))
            return taken(*given, p)

        return AxisMap(length, place_of, is_taken, lambda p: rank(*given, p))

    def _part(self, node: Apply, x: Grid, *indices: Grid) -> Grid:
        maps = self._maps(node, x.shape, node.inputs[1:])
        shape = tuple(m.length for m in maps if m.length is not None)

        def at(index: Index) -> Term:
            rest = iter(index)
            nothing = z3.IntVal(0)
            return x.at([m.place(nothing if m.length is None else next(rest)) for m in maps])

        return Grid(shape, at)

    def _changed(self, node: Apply, x: Grid, y: Grid, *indices: Grid) -> Grid:
        maps = self._maps(node, x.shape, node.inputs[2:])
        shape = [m.length for m in maps if m.length is not None]

        def rank(index: Index) -> tuple[Term, Index]:
            pairs = list(zip(maps, index, strict=True))
            taken = z3.And([m.taken(p) for m, p in pairs])
            return taken, [m.rank(p) for m, p in pairs if m.length is not None]

        return self._with_part(node, x, self.broadcast(node.inputs[1], y, shape), rank)

    def _with_part(
        self,
        node: Apply,
        x: Grid,
        y: Callable[[Index], Term],
        rank: Callable[[Index], tuple[Term, Index]],
    ) -> Grid:
        """Return a tensor a part of which is set, or incremented.

        Parameters
        ----------
        y
            The elements of the part.
        rank
            Whether an element of the tensor is in the part, and where in it.
        """
        op: Any = node.op
        dtype, given = node.outputs[0].type.dtype, node.inputs[1].type.dtype

        def at(index: Index) -> Term:
            taken, within = rank(index)
            new = converted(y(within), given, dtype)
            if not op.set_instead_of_inc:
                new = self.element(scalar.add, [x.at(index), new], [dtype, dtype], dtype)
            return z3.If(taken, new, x.at(index))

        return Grid(x.shape, at)

    def _positions(self, op: Any, v: Any, x: Grid, inputs: Sequence[Any]) -> Any:
        """Return the functions that say where an index by arrays takes what from: they are the same
        for the same index into the same shape.

        Returns
        -------
        shape, source, rank
            The shape of the part; where its elements come from; whether an element of `v` is in
            it, and as which the last time.
        """
        (part,) = AdvancedSubtensor(op.idx_list).output_types(v.type, *[w.type for w in inputs])
        names = [f"{w} {list(self._grids).index(w)}" for w in inputs]
        name = f"{op.idx_list} by {', '.join(names)}"
        whole, ndim = len(x.shape), part.ndim

        def function(what: str, count: int, sort: Any) -> Callable[..., Term]:
            sorts = [z3.IntSort()] * (whole + count)
            made = z3.Function(f"{what} of {name}", *sorts, sort)
            return lambda *index: made(*x.shape, *index)

        ranks = [function(f"rank {i}", whole, z3.IntSort()) for i in range(ndim)]
        taken = function("taken", whole, z3.BoolSort())
        vectors = all(w.type.ndim == 1 and w.type.dtype == "int64" for w in inputs)
        alike = len(inputs) == 1 or all(w.type.shape == (None,) for w in inputs)
        if vectors and alike and set(op.idx_list) == {Placeholder.ARRAY}:
            positions = [self.of(w) for w in inputs]
            first, taken_axes = positions[0].shape, len(inputs)
            shape = (*first, *x.shape[taken_axes:])
            self.required += [p.shape[0] == first[0] for p in positions[1:]]

            def source_of(index: Index) -> Index:
                found = [p.at(index[:1]) for p in positions]
                pairs = list(zip(found, x.shape, strict=False))
                inside = [z3.And(-n <= i, i < n) for i, n in pairs]
                self.required.append(z3.Implies(within(index[:1], first), z3.And(inside)))
                return [*[z3.If(i < 0, i + n, i) for i, n in pairs], *index[1:]]
        else:
            shape = tuple(function(f"length {i}", 0, z3.IntSort())() for i in range(ndim))
            places = [function(f"place {i}", ndim, z3.IntSort()) for i in range(whole)]
            pairs = zip(shape, part.shape, strict=True)
            self.known += [n >= 0 if m is None else n == number(m) for n, m in pairs]

            def source_of(index: Index) -> Index:
                return [place(*index) for place in places]

        def source(index: Index) -> Index:
            found = source_of(index)
            there = z3.And(within(found, x.shape), taken(*found))
            self.known.append(z3.Implies(within(index, shape), there))
            return found

        def rank(index: Index) -> tuple[Term, Index]:
            found = [r(*index) for r in ranks]
            back = [p == i for p, i in zip(source_of(found), index, strict=True)]
            self.known.append(z3.Implies(taken(*index), z3.And(within(found, shape), *back)))
            return taken(*index), found

        return shape, source, rank

    def _taken(self, node: Apply, x: Grid, *indices: Grid) -> Grid:
        shape, source, _ = self._positions(node.op, node.inputs[0], x, node.inputs[1:])
        return Grid(shape, lambda index: x.at(source(index)))

    def _changed_at(self, node: Apply, x: Grid, y: Grid, *indices: Grid) -> Grid:
        op: Any = node.op
        shape, _, rank = self._positions(op, node.inputs[0], x, node.inputs[2:])
        if op.set_instead_of_inc:
            return self._with_part(node, x, self.broadcast(node.inputs[1], y, shape), rank)
        # an element may be incremented several times
        dtype = node.outputs[0].type.dtype
        sorts = [z3.IntSort()] * len(x.shape)
        several = z3.Function(f"increment {len(self._grids)}", *sorts, sort_of(dtype))
        self.broadcast(node.inputs[1], y, shape)
        return Grid(x.shape, lambda index: z3.If(rank(index)[0], several(*index), x.at(index)))


def _clipped(i: Term, n: Term, least: Term, most: Term) -> Term:
    from_front = z3.If(i < 0, i + n, i)
    return z3.If(from_front < least, least, z3.If(from_front > most, most, from_front))


_OPS: dict[type, Callable[..., Grid | Sequence[Grid]]] = {
    Elemwise: Places._elementwise,
    DimShuffle: Places._shuffled,
    Alloc: Places._allocated,
    Reshape: Places._reshaped,
    SpecifyShape: Places._declared,
    Cumulate: Places._one_kept,
    Sort: Places._one_kept,
    Assert: Places._asserted,
    Assume: Places._assumed,
    Shape: Places._shape,
    Shape_i: Places._one_length,
    MakeVector: Places._made,
    ARange: Places._range,
    Join: Places._joined,
    Split: Places._split,
    ExtractDiag: Places._diagonal,
    Subtensor: Places._part,
    IncSubtensor: Places._changed,
    AdvancedSubtensor: Places._taken,
    AdvancedIncSubtensor: Places._changed_at,
}
