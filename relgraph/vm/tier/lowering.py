"""Lowers a part of a graph to loops over elements.

A value is a number or lives in the loops over its axes, those along which it does not broadcast.
Nodes over the same axes share loops, unless one needs what another gives only when it has ended: a
sum, or a value that it reads along other axes. So each value has a level, and there is one nest of
loops for each level and axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.assembly import Join
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.functions import SLogDet
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, Solve
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import SpecifyShape
from relgraph.vm.codegen import AxisLength, EqualLengths, Length
from relgraph.vm.tier.compiler import Loop, find_loop
from relgraph.vm.tier.operations import (
    ON_WHOLE_ARRAYS,
    How,
    how_of,
    is_transpose,
    kept_axes,
    known_number,
)
from relgraph.vm.tier.routines import WORK_COLUMNS
from relgraph.vm.tier.scalar_code import kind, native
from relgraph.vm.tier.windows import (
    MOVERS,
    PARTS,
    UPDATES,
    Along,
    Window,
    indices_of,
    part_type,
    pieces_of,
    taken,
    window_of,
    window_of_order,
)


def longer(length: Length, count: int) -> Length:
    """Return the length of an axis with so many elements more."""
    if isinstance(length, AxisLength):
        return length._replace(more=length.more + count)
    return length + count


@dataclass(eq=False)
class Value:
    """A value of compiled code.

    Attributes
    ----------
    dtype
        Its dtype.
    axes
        The lengths of the axes along which it does not broadcast.
    level
        When it is there: a number before the loops of its level, another value in them.
    constant
        The number, if it is known.
    view_of
        The matrix of which it is the transpose, and which is read in its place.
    nest
        The loops in which it is made.
    whole
        Whether it is stored as an array, for other loops or as an output.
    """

    dtype: str
    axes: tuple[Length, ...] = ()
    level: int = 0
    constant: Any = None
    view_of: Value | None = None
    nest: Nest | None = None
    whole: bool = False


@dataclass(frozen=True)
class Operand:
    """A value as it is read in loops.

    Attributes
    ----------
    broadcasts
        For each axis of the loops whether the value broadcasts along it.
    window
        How the loops go through the value; empty if they go through all of it, in order.
    """

    value: Value
    broadcasts: tuple[bool, ...] = ()
    window: Window = ()


@dataclass(eq=False)
class Step:
    """An operation on elements."""

    out: Value
    how: How
    operands: list[Operand]


@dataclass(eq=False)
class Store:
    """An operand that becomes a part of an array, or is added to it.

    Attributes
    ----------
    into
        The array.
    window
        How the loops go through the array.
    adds
        Whether the operand is added.
    """

    operand: Operand
    into: Value
    window: Window
    adds: bool = False


@dataclass(frozen=True)
class Factor:
    """A whole array as it is read: by rows, or as the transpose of a matrix by rows."""

    value: Value
    transposed: bool = False


@dataclass(eq=False)
class Routine:
    """A computation on whole arrays, one of `ROUTINES`.

    Attributes
    ----------
    name
        That of its function.
    outs
        What it makes.
    factors
        What it reads.
    lengths
        The lengths that the function takes.
    """

    name: str
    outs: list[Value]
    factors: list[Factor]
    lengths: list[Length]


@dataclass(eq=False)
class Reduction:
    """The reduction of a value over some of its axes, the first or the last, in the dtype of the
    result.

    Attributes
    ----------
    op
        The scalar op by which is reduced.
    kept
        Which axes are kept.
    loop
        The loop of NumPy that reduces a block; None if instructions do.
    """

    out: Value
    operand: Operand
    op: ScalarOp
    kept: tuple[bool, ...]
    loop: Loop | None


@dataclass(eq=False)
class Nest:
    """Loops over the same axes."""

    level: int
    axes: tuple[Length, ...]
    steps: list[Step] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)


class Lowering:
    """The loops of a part of a graph.

    Parameters
    ----------
    nodes
        The nodes, in order; `operations` says of each that it is compiled.
    inputs
        The variables from elsewhere that they read: arguments of the compiled function.
    outputs
        The variables that others read; none is a view.
    exact
        See `operations`.
    alike
        Pairs of variables that have to have the same lengths.
    shapes
        Shapes that some of the inputs usually have.

    Attributes
    ----------
    values
        The value of each variable.
    straight
        For each level what is computed before its loops: with numbers, and whole arrays.
    nests
        The loops.
    equal
        The lengths of variables, and which ones have to be equal.
    not_empty
        Lengths of which one being 0 leaves a reduction without a result.
    least
        Lengths, and how long they have to be.
    """

    def __init__(
        self,
        nodes: Sequence[Apply],
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        exact: bool,
        alike: Sequence[tuple[Variable, Variable]] = (),
        shapes: Mapping[Variable, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        self.exact = exact
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.values: dict[Variable, Value] = {}
        self.straight: dict[int, list[Step | Routine | Store]] = {}
        self._copies: dict[Value, Value] = {}
        self._factors: dict[tuple[Value, bool | None], list[Value]] = {}
        self.nests: dict[tuple[int, tuple[Length, ...]], Nest] = {}
        self.not_empty: dict[Length, None] = {}
        self.least: list[tuple[Length, int]] = []
        self.equal = EqualLengths()
        for i, var in enumerate(inputs):
            known = enumerate(var.type.shape)
            self.equal.define(var, [AxisLength(i, axis) if n is None else n for axis, n in known])
        self._readers = Counter([*outputs, *(v for node in nodes for v in node.inputs)])
        self._parts: dict[Apply, list[Length]] = {}
        self._assembled: set[Variable] = set()
        self._checked: dict[tuple[Value, Length], Value] = {}
        for node in nodes:
            self._find_lengths(node)
        for a, b in alike:
            for n, m in zip(self.equal.of(a), self.equal.of(b), strict=True):
                self.equal.equate(n, m)
        self._usual = {
            self.equal.find(AxisLength(i, axis)): n
            for i, var in enumerate(inputs)
            for axis, n in enumerate(shapes.get(var, ()))
        }
        for var in inputs:
            self.values[var] = Value(var.type.dtype, self._axes(var))
        for node in nodes:
            self._lower(node)
        for var in outputs:
            value = self.values[var] = self._value(var)
            value.whole = bool(value.axes)

    # -- lengths -------------------------------------------------------------------------------

    def shape(self, var: Variable) -> list[Length]:
        """Return the lengths of the axes of a variable."""
        return list(self.equal.of(var))

    def _axes(self, var: Any) -> tuple[Length, ...]:
        """Return the lengths of the axes along which a variable does not broadcast."""
        pairs = zip(self.shape(var), var.type.broadcastable, strict=True)
        return tuple([n for n, b in pairs if not b])

    def usual(self, length: Length) -> int | None:
        """Return what a length usually is; None if that is not known."""
        if not isinstance(length, AxisLength):
            return length if isinstance(length, int) else None
        known = self._usual.get(length)
        if known is None and length.more:
            base = self._usual.get(self.equal.find(length._replace(more=0)))
            return None if base is None else base + length.more
        return known

    def _find_lengths(self, node: Apply) -> None:
        """Note the lengths of the outputs, and which lengths a node needs to be equal."""
        shapes = list(map(self.equal.of, node.inputs))
        for first, *others in node.op.required_lengths(node, shapes):
            for other in others:
                self.equal.equate(first, other)
        for out, shape in zip(node.outputs, self._shapes(node, shapes), strict=True):
            self.equal.define(out, shape)

    def _shapes(self, node: Apply, shapes: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """Return the lengths of the outputs of a node, with those of its inputs."""
        op = node.op
        if isinstance(op, PARTS):
            return [self._taken_lengths(node, shapes)]
        if isinstance(op, UPDATES):
            part = self._parts[node] = self._taken_lengths(node, shapes)
            broadcastable = node.inputs[1].type.broadcastable
            pairs = zip(reversed(part), reversed(shapes[1]), reversed(broadcastable), strict=False)
            for n, own, broadcasts in pairs:
                if not broadcasts:
                    self.equal.equate(n, own)
        if isinstance(op, Join):
            pieces = [shape[op.axis] for shape in shapes]
            # of at most one the length is not known
            unknown = [n for n in pieces if not isinstance(n, int)]
            total = longer(next(iter(unknown), 0), sum(n for n in pieces if isinstance(n, int)))
            return [[total if i == op.axis else n for i, n in enumerate(shapes[0])]]
        found: Sequence[Sequence[Any]] = node.op.infer_shape(None, node, shapes)
        return found

    def _taken_lengths(self, node: Apply, shapes: Sequence[Sequence[Any]]) -> list[Length]:
        """Return the lengths of the part that an index takes, and note how long axes have to be."""
        count = len(indices_of(node))
        by_arrays: list[Length] = [n for shape in shapes[-count:] for n in shape] if count else []
        for other in by_arrays[1:]:
            self.equal.equate(by_arrays[0], other)
        found = by_arrays[:1]
        for n, along in zip(shapes[0], taken(node) or (), strict=True):
            if along.least:
                self.least.append((n, along.least))
            if along.length is not None:
                found.append(longer(n, along.length) if along.of_axis else along.length)
        return found

    # -- steps ---------------------------------------------------------------------------------

    def _lower(self, node: Apply) -> None:
        op = node.op
        if is_transpose(node) and not self.exact:
            self.values[node.outputs[0]] = self._transposed(self._seen(node.inputs[0]))
        elif type(op) is DimShuffle:
            in_order = list(op.shuffle) == sorted(op.shuffle)
            window = () if in_order else window_of_order(node)
            self.values[node.outputs[0]] = self._part_of(node, window)
        elif type(op) in MOVERS:
            self._lower_move(node)
        elif type(op) in ON_WHOLE_ARRAYS:
            self._lower_whole(node)
        elif isinstance(op, CAReduce):
            value = self._value(node.inputs[0])
            operand = Operand(value, (False,) * len(value.axes))
            kept = tuple(kept_axes(node))
            self.values[node.outputs[0]] = self._reduce(op, operand, node.outputs[0], kept)
        else:
            self._lower_elementwise(node)

    # -- parts of arrays -----------------------------------------------------------------------

    def _lower_move(self, node: Apply) -> None:
        op, out = node.op, node.outputs[0]
        if isinstance(op, PARTS):
            self.values[out] = self._part_of(node, window_of(node, self._places(node)))
        elif isinstance(op, SpecifyShape):
            self.values[out] = self._seen(node.inputs[0])
        elif isinstance(op, UPDATES):
            self.values[out] = self._updated(node)
        else:
            whole = self._new_whole(out)
            for piece, window in zip(node.inputs, pieces_of(node) or (), strict=True):
                value = self._value(piece)
                self._store(Operand(value, (False,) * len(value.axes)), whole, window, value.axes)
            self.values[out] = whole

    def _part_of(self, node: Apply, window: Window) -> Value:
        """Return what loops read that go through the first input of a node by a window."""
        (x, *_), (out,) = node.inputs, node.outputs
        value, lengths = self._value(x), self._axes(out)
        if not window:
            return value
        operand = Operand(value, (False,) * len(lengths), window)
        return self._moved(operand, lengths)

    def _new_whole(self, var: Variable) -> Value:
        type_: Any = var.type
        whole = Value(type_.dtype, self._axes(var), whole=True)
        self._assembled.add(var)
        return whole

    def _updated(self, node: Apply) -> Value:
        """Return the array of which a part is set or added to: the old one if no one else reads
        it."""
        x, y, *_ = node.inputs
        places = self._places(node)
        whole = self._value(x)
        out = node.outputs[0]
        # a view of the array may have one reader, and the array another one
        if x not in self._assembled or self._readers[x] > 1:
            old, whole = whole, self._new_whole(out)
            self._store(Operand(old, (False,) * len(old.axes)), whole, (), whole.axes)
        self._assembled.add(out)
        part: Any = part_type(node)
        pairs = zip(self._parts[node], part.broadcastable, strict=True)
        lengths = tuple([self.equal.find(n) for n, b in pairs if not b])
        own = [True] * (part.ndim - y.type.ndim) + list(y.type.broadcastable)
        broadcasts = [b for b, gone in zip(own, part.broadcastable, strict=True) if not gone]
        operand = Operand(self._value(y), tuple(broadcasts))
        adds = not node.op.set_instead_of_inc
        self._store(operand, whole, window_of(node, places), lengths, adds)
        return whole

    def _places(self, node: Apply) -> list[Value]:
        """Return the arrays among the indices of a part, counted from the front; a call is left to
        NumPy where one is out of bounds."""
        found = []
        for var, n in zip(indices_of(node), self.shape(node.inputs[0]), strict=False):
            index = self._value(var)
            made = self._checked.get((index, n))
            if made is None:
                made = self._checked[index, n] = Value("int64", index.axes, whole=True)
                self._routine("places", [made], [Factor(index)], [*index.axes, n])
            found.append(made)
        return found

    def _store(
        self,
        operand: Operand,
        into: Value,
        window: Window,
        lengths: tuple[Length, ...],
        adds: bool = False,
    ) -> None:
        """Make an operand a part of an array, when all that was stored there before is there."""
        store = Store(operand, into, window, adds)
        level = self._level([operand], lengths, max([into.level, *_levels_of_places(window)]))
        if lengths:
            self._nest_at(level, lengths).stores.append(store)
            into.level = level + 1
        else:
            self.straight.setdefault(level, []).append(store)
            into.level = level

    # -- whole arrays --------------------------------------------------------------------------

    def _value(self, var: Variable) -> Value:
        """Return the value of a variable; the transpose of a matrix is read along other axes."""
        value = self._seen(var)
        if value.view_of is None:
            return value
        if value not in self._copies:
            source = value.view_of
            turned = Operand(source, (False, False), (Along(0, 1, 1), Along(0, 1, 0)))
            self._copies[value] = self._moved(turned, value.axes)
        return self._copies[value]

    def _transposed(self, value: Value) -> Value:
        if value.view_of is not None:
            return value.view_of
        return Value(value.dtype, value.axes[::-1], value.level, view_of=value)

    def _factor(self, var: Variable) -> Factor:
        value = self._seen(var)
        return Factor(value) if value.view_of is None else Factor(value.view_of, True)

    def _routine(
        self,
        name: str,
        outs: list[Value],
        factors: list[Factor],
        lengths: Sequence[Length],
    ) -> None:
        """Add a computation on whole arrays, when these are there."""
        level = 0
        for value in [factor.value for factor in factors]:
            level = max(level, value.level + (value.nest is not None))
            value.whole = value.whole or value.nest is not None
        for out in outs:
            out.level = level
        self.straight.setdefault(level, []).append(Routine(name, outs, factors, list(lengths)))

    def _factored(self, matrix: Factor, n: Length, triangle: bool | None) -> list[Factor]:
        """Return the factors and the pivots of a matrix. Its transpose has the same ones.

        Parameters
        ----------
        triangle
            Whether the lower triangle by columns is read of a symmetric matrix; None for any other.
        """
        value = matrix.value
        if (value, triangle) not in self._factors:
            made = [Value(value.dtype, (n, n), whole=True), Value("int32", (n,), whole=True)]
            if triangle is None:
                self._routine("lu", made, [Factor(value)], [n])
            else:
                work = Value(value.dtype, (n, WORK_COLUMNS), whole=True)
                self._routine("ldl", [*made, work], [Factor(value)], [n, int(triangle)])
            self._factors[value, triangle] = made
        factors, pivots = self._factors[value, triangle]
        return [Factor(factors, matrix.transposed), Factor(pivots)]

    def _lower_whole(self, node: Apply) -> None:
        op, dtype = node.op, node.outputs[0].type.dtype
        x, *others = node.inputs
        y = others[0] if others else None
        factors = [self._factor(v) for v in node.inputs]
        first = self.shape(x)
        second = [*([] if y is None else self.shape(y)), 1]
        triangle = None
        if type(op) is Solve and op.assume_a != "gen":
            # what is a triangle by rows is the other one by columns
            triangle = op.lower == factors[0].transposed
        if type(op) in (SLogDet, Inverse, Solve):
            factors[:1] = self._factored(factors[0], first[0], triangle)
        if type(op) is SLogDet:
            outs = [Value(dtype), Value(dtype)]
            self._routine("slogdet", outs, factors, first[:1])
            self.values.update(zip(node.outputs, outs, strict=True))
            return
        axes = self._axes(node.outputs[0])
        made = self.values[node.outputs[0]] = Value(dtype, axes, whole=bool(axes))
        # what LAPACK works on is an output of its own, which nothing reads
        columns = Value(dtype, tuple(second[:2]), whole=True)
        if type(op) is Inverse:
            work = Value(dtype, (first[0], WORK_COLUMNS), whole=True)
            self._routine("inverse", [made, work], factors, first[:1])
        elif triangle is not None:
            work = Value(dtype, tuple(first[:1]), whole=True)
            outs, lengths = [made, columns, work], [*second[:2], int(triangle)]
            self._routine("symmetric_solve", outs, factors, lengths)
        elif type(op) is Solve:
            self._routine("solve", [made, columns], factors, second[:2])
        elif type(op) is Cholesky:
            self._routine("cholesky", [made], factors, [first[0], int(op.lower)])
        elif type(op) is CholeskySolve:
            factor = Value(dtype, (first[0], first[0]), whole=True)
            outs, lengths = [made, factor, columns], [*second[:2], int(op.lower)]
            self._routine("cho_solve", outs, factors, lengths)
        else:
            self._routine("product", [made], factors, [*(first[:-1] or [1]), *second[:2]])

    def _moved(self, operand: Operand, lengths: tuple[Length, ...]) -> Value:
        """Return what loops over some lengths read of an operand."""
        dtype = operand.value.dtype
        how = native(scalar.identity, [dtype], dtype, self.exact)
        assert how is not None
        return self._step(how, dtype, [operand], lengths)

    def _seen(self, var: Variable) -> Value:
        """Return the value of a variable, which may be the transpose of another one."""
        known = self.values.get(var)
        if known is None:
            type_: Any = var.type
            known = self.values[var] = Value(type_.dtype, constant=known_number(var), level=0)
        return known

    def _lower_elementwise(self, node: Apply) -> None:
        patterns = [v.type.broadcastable for v in node.inputs]
        pattern = list(map(all, zip(*patterns, strict=True)))
        values = [self._value(v) for v in node.inputs]
        axes: dict[int, Length] = {}
        for value, own in zip(values, patterns, strict=True):
            kept = [axis for axis, b in enumerate(own) if not b]
            axes.update(zip(kept, value.axes, strict=True))
        order = [axis for axis, b in enumerate(pattern) if not b]
        operands = [
            Operand(value, tuple([own[axis] for axis in order]))
            for value, own in zip(values, patterns, strict=True)
        ]
        how, (out,) = how_of(node, self.exact), node.outputs
        assert how is not None
        lengths = tuple([axes[axis] for axis in order])
        self.values[out] = self._step(how, out.type.dtype, operands, lengths)

    def _step(
        self, how: How, dtype: str, operands: Sequence[Operand], lengths: tuple[Length, ...]
    ) -> Value:
        """Add a step in the loops over some lengths; return its result."""
        level = self._level(operands, lengths)
        if not lengths or all(not operand.value.axes for operand in operands):
            out = Value(dtype, level=level)
            given = [Operand(operand.value, (), operand.window) for operand in operands]
            self.straight.setdefault(level, []).append(Step(out, how, given))
            return out
        nest = self._nest_at(level, lengths)
        out = Value(dtype, lengths, nest.level, nest=nest)
        nest.steps.append(Step(out, how, list(operands)))
        return out

    def _level(
        self, operands: Sequence[Operand], lengths: tuple[Length, ...], level: int = 0
    ) -> int:
        """Return when some operands can be read, at a level or later, in loops over some lengths.

        What is made in other loops is stored.
        """

        def is_apart(operand: Operand) -> bool:
            value = operand.value
            return bool(operand.window or value.axes != lengths or any(operand.broadcasts))

        for operand in operands:
            value = operand.value
            level = max(level, value.level + (value.nest is not None and is_apart(operand)))
            level = max([level, *_levels_of_places(operand.window)])
        for operand in operands:
            value = operand.value
            if value.nest is not None and (value.level < level or is_apart(operand)):
                value.whole = True
        return level

    def _nest_at(self, level: int, lengths: tuple[Length, ...]) -> Nest:
        return self.nests.setdefault((level, lengths), Nest(level, lengths))

    def _reduce(self, op: CAReduce, operand: Operand, out: Any, kept: tuple[bool, ...]) -> Value:
        lengths = operand.value.axes
        nest = self._nest_at(self._level([operand], lengths), lengths)
        axes = tuple([n for n, k in zip(operand.value.axes, kept, strict=True) if k])
        result = Value(out.type.dtype, axes, nest.level + 1, whole=bool(axes))
        loop = None
        if op.ufunc.identity is None:
            if type(op) is CAReduce:  # others have a result of nothing
                self.not_empty.update(dict.fromkeys(operand.value.axes))
            if kind(result.dtype) == "f" and not (kept and kept[-1]):
                loop = find_loop(op.ufunc, (result.dtype,) * 2)
        nest.reductions.append(Reduction(result, operand, op.scalar_op, kept, loop))
        return result


def _levels_of_places(window: Window) -> list[int]:
    return [along.places.level for along in window if along.places is not None]


def external(nodes: Sequence[Apply]) -> list[Variable]:
    """Return the variables that nodes read and do not make, numbers that are known aside."""
    made = {v for node in nodes for v in node.outputs}
    read = dict.fromkeys(v for node in nodes for v in node.inputs)
    return [v for v in read if v not in made and known_number(v) is None]
