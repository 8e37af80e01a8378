"""Which lengths of the inputs of a graph, or made of these, have to be equal; checks of them.

Only an axis whose length is known to be 1 broadcasts. Other lengths that meet have to be equal: the
node where they meet raises an error if they are not. Laws rely on that and may leave out the node,
as ``x * y / y → x`` does. A call then checks what the node required of the inputs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.shared_values import Container
from relgraph.tensor.along_axes import OneAxis
from relgraph.tensor.assembly import Alloc, ARange, Join
from relgraph.tensor.conditional import Contexts
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.linalg.blas import BlasUpdate
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.matrix_op import SquareMatrixOp
from relgraph.tensor.linalg.systems import LinearSolve
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.reductions import CAReduce, FusedReduction
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.signatures import undeclared
from relgraph.tensor.subtensor import WHOLE, BaseIncSubtensor, Slice, Subtensor
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import AxisLength, EqualLengths, Length, Unknown, from_source


class Made(NamedTuple):
    """A number that is made of others, as by an op on integers.

    Attributes
    ----------
    how
        What makes it: a name in `MAKERS`.
    of
        What it is made of; None for a bound that a slice doesn't have.
    """

    how: str
    of: tuple[Number | None, ...]


Number: TypeAlias = int | AxisLength | Made
"""A length, or a number that lengths are computed with."""


MAKERS: dict[str, Callable[..., Any]] = {
    "add": lambda *numbers: sum(numbers),
    "sub": operator.sub,
    "mul": lambda *numbers: math.prod(numbers),
    "int_div": operator.floordiv,
    "mod": operator.mod,
    "minimum": lambda *numbers: min(numbers),
    "maximum": lambda *numbers: max(numbers),
    "slice": lambda n, *bounds: len(range(n)[slice(*bounds)]),
    "arange": lambda start, stop, step: len(range(start, stop, step)),
}
"""What makes numbers of numbers, by the names of the ops. A division by 0 raises an error."""


MOST_PARTS = 200
"""A number of more parts is not known: that of ``e = concatenate([e, e])``, again and again, has
twice as many each time."""


def parts_of(number: Number | None) -> int:
    """Return how many numbers a number is made of, each as often as it is there."""
    return sum(map(parts_of, number.of)) + 1 if isinstance(number, Made) else 1


def made(how: str, *of: Number | None) -> Number | None:
    """Return what is made of numbers, in its simplest form; None if there is no such number, or it
    has too many parts.

    ``x[1:]`` and ``x[:-1]`` have one length, that of x less 1 and at least 0.
    """
    if sum(map(parts_of, of)) > MOST_PARTS:
        return None
    if all(n is None or isinstance(n, int) for n in of):
        try:
            return int(MAKERS[how](*of))
        except (ZeroDivisionError, ValueError):
            return None
    if how == "slice":
        return _simplest_slice(*of)
    neutral = {"add": 0, "mul": 1}.get(how)
    if neutral is not None:
        left = tuple(n for n in of if n != neutral)
        return left[0] if len(left) == 1 else Made(how, left)
    if how == "sub" and of[1] == 0:
        return of[0]
    if how == "maximum" and of[1:] == (0,) and is_length(of[0]):
        return of[0]
    if how == "minimum" and len(set(of)) == 1:
        return of[0]
    return Made(how, of)


def _simplest_slice(n: Any, start: Any, stop: Any, step: Any) -> Number | None:
    bounds = all(b is None or isinstance(b, int) for b in (start, stop))
    if bounds and step in (None, 1):
        start = 0 if start is None else start
        if start >= 0 and (stop is None or stop < 0):
            return _less(n, start - (stop or 0))
        if start == 0 and stop is not None:
            return Made("minimum", (n, stop))
        if start < 0 and stop is None:
            return Made("minimum", (n, -start))
    if bounds and step == -1 and start is None and stop is None:
        return n  # type: ignore[no-any-return]
    return Made("slice", (n, start, stop, step))


def _less(n: Number, k: int) -> Number:
    """Return a length less some elements, as far as there are any."""
    if k == 0:
        return n
    # the length of one slice, so that slices of slices become one
    if isinstance(n, Made) and n.how == "slice" and n.of[2:] == (None, None):
        first, start = n.of[:2]
        if isinstance(start, int) and start > 0:
            return Made("slice", (first, start + k, None, None))
    return Made("slice", (n, k, None, None))


def is_length(number: Number | None) -> bool:
    """Return whether a number is at least 0 whatever the arguments are."""
    if not isinstance(number, Made):
        return isinstance(number, AxisLength) or (number is not None and number >= 0)
    if number.how in ("slice", "arange"):
        return True
    are = [is_length(part) for part in number.of]
    return any(are) if number.how == "maximum" else number.how != "sub" and all(are)


def replaced(number: Number | None, by: Callable[[AxisLength], Number]) -> Number | None:
    """Return a number with others for its axes."""
    if isinstance(number, AxisLength):
        return by(number)
    if isinstance(number, Made):
        return made(number.how, *(replaced(part, by) for part in number.of))
    return number


def source(number: Number | None, value: Callable[[int], str]) -> str:
    """Return the expression for a number; `value` gives that of an argument."""
    if isinstance(number, AxisLength):
        return f"{value(number.argument)}.shape[{number.axis}]"
    if isinstance(number, Made):
        return f"{number.how}({', '.join(source(part, value) for part in number.of)})"
    return str(number)


def value_of(number: Number, shapes: Sequence[tuple[int, ...]]) -> Any:
    """Return a number for arguments of some shapes; None if it is not known."""
    scope = {f"a{i}": SimpleNamespace(shape=shape) for i, shape in enumerate(shapes)}
    try:
        found = eval(source(number, "a{}".format), {**MAKERS, **scope})
    except (ArithmeticError, TypeError, ValueError):
        return None
    # an array of another library may not know its lengths
    return None if found != found else found


def named(number: Number | None, variables: Sequence[Variable]) -> str:
    """Return a number as text."""
    if isinstance(number, AxisLength):
        return f"axis {number.axis} of {variables[number.argument]}"
    if isinstance(number, Made):
        parts = [named(part, variables) for part in number.of]
        if number.how == "slice":
            start, stop, step = ("" if part == "None" else part for part in parts[1:])
            return f"part {start}:{stop}{step and ':'}{step} of {parts[0]}"
        return f"{number.how}({', '.join(parts)})"
    return str(number)


# What these make has lengths that their inputs have.
_MOVING = (
    *(Elemwise, FusedReduction, DimShuffle, CAReduce, MatrixProduct, BlasUpdate, LinearSolve),
    *(SquareMatrixOp, BaseIncSubtensor, SetDiagonal, OneAxis, SpecifyShape),
)


class Requirement(NamedTuple):
    """An op that needs two lengths to be equal.

    Attributes
    ----------
    op
        The op.
    first, second
        The lengths.
    """

    op: Op
    first: Number
    second: Number


def checked_call(
    call: Callable[..., Any],
    requirements: Sequence[Requirement],
    variables: Sequence[Variable],
    shared: Sequence[Container],
) -> Callable[..., Any]:
    """Return a function of the arguments that checks lengths before it makes a call.

    Parameters
    ----------
    call
        Takes the arguments of a function, which need not be arrays.
    requirements
        What has to hold of the lengths of the inputs.
    variables
        The inputs: arguments, and after them shared variables.
    shared
        The containers of these.
    """
    count = len(variables) - len(shared)

    def value(i: int) -> str:
        return f"a{i}" if i < count else f"anywhere(s{i - count})"

    arguments = ", ".join(f"a{i}" for i in range(count))
    conditions = [f"{source(r.first, value)} == {source(r.second, value)}" for r in requirements]
    code = [
        f"def checked({arguments}):",
        f" try: holds = {' and '.join(conditions)}",
        " except Exception: holds = False",
        f" if not holds: require([{arguments}])",
        f" return call({arguments})",
    ]

    def require(given: Sequence[Any]) -> None:
        values = [*given, *(_anywhere(container) for container in shared)]
        shapes = [np.shape(x) for x in values]
        # what has another rank than its variable the call refuses
        ranks = [getattr(v.type, "ndim", len(s)) for v, s in zip(variables, shapes, strict=True)]
        if ranks == [len(shape) for shape in shapes]:
            for requirement in requirements:
                _require(requirement, shapes, variables)

    scope: dict[str, Any] = {**MAKERS, "call": call, "require": require, "anywhere": _anywhere}
    scope.update((f"s{k}", container) for k, container in enumerate(shared))
    return from_source(code, scope, "lengths")


def _anywhere(container: Container) -> Any:
    """Return the value of a shared variable where it is, which may be on a device."""
    return container.here if container.away is None else container.away


def _require(
    requirement: Requirement, shapes: Sequence[tuple[int, ...]], variables: Sequence[Variable]
) -> None:
    """Raise a ValueError if two lengths differ that have to be equal."""
    op, first, second = requirement
    n, m = (value_of(number, shapes) for number in (first, second))
    if n is None or m is None or n == m:
        return
    # a length of 1 that could have been declared comes first
    if n != 1 and m == 1 and isinstance(second, AxisLength):
        first, second, n, m = second, first, m, n
    if isinstance(second, int):
        text = f"{op}: {named(first, variables)} has length {n}, not {m}"
    else:
        one, other = (named(number, variables) for number in (first, second))
        text = f"{op}: {one} has length {n}, {other} {m}"
    if n != 1 or not isinstance(first, AxisLength):
        raise ValueError(text)
    raise ValueError(text + undeclared(variables[first.argument].type, first.axis))


class RequiredLengths:
    """The lengths of the inputs of a graph that have to be equal, so that no node raises an error.

    What only a branch of an `IfElse` needs requires nothing: it may not run. Nor does what is known
    of lengths go through every op: not through one that makes new ones of values.

    Attributes
    ----------
    requirements
        The requirements; none follows from the others.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.requirements: list[Requirement] = []
        self._inputs = list(fgraph.inputs)
        self._lengths = EqualLengths()
        # for some lengths how they follow from those of inputs: if one is equal, it is that
        self._numbers: dict[Length, Number] = {}
        self._made: dict[Number, Length] = {}
        # what integers of rank 0 are
        self._integers: dict[Variable, Number] = {}
        for i, var in enumerate(self._inputs):
            for axis, length in enumerate(self._lengths.of(var)):
                if isinstance(length, Unknown):
                    self._numbers[length] = AxisLength(i, axis)
        if self._numbers:
            for node in _nodes_that_run(fgraph):
                self._add(node)

    def without(self, kept: RequiredLengths) -> list[Requirement]:
        """Return the requirements that `kept`, those of another graph of the inputs, does not
        imply."""
        kept._close()
        return [r for r in self.requirements if not kept.implies(r)]

    def implies(self, requirement: Requirement) -> bool:
        """Return whether two lengths have to be equal."""
        first, second = (
            self._lengths.find(self._length(self._canonical(n)))
            for n in (requirement.first, requirement.second)
        )
        return first == second

    def _close(self) -> None:
        """Note that what is made of equal lengths in the same way is equal."""
        known = 0
        while known != len(self._made):
            known = len(self._made)
            for number, length in list(self._made.items()):
                self._join(self._length(self._canonical(number)), length)

    def _join(self, a: Length, b: Length) -> None:
        """Note that two lengths are equal. The one that is made of the other is replaced."""
        a, b = self._lengths.find(a), self._lengths.find(b)
        if self._is_made_of(self._number(b), a):
            a, b = b, a
        self._lengths.equate(a, b)

    def _is_made_of(self, number: Number | None, length: Length) -> bool:
        """Return whether a number is made of a length, or of others that are equal to such ones."""
        if not isinstance(number, Made):
            return False
        for part in number.of:
            found = part
            if isinstance(part, AxisLength):
                axis = self._lengths.of(self._inputs[part.argument])[part.axis]
                if axis == length:
                    return True
                found = self._number(axis)
            if self._is_made_of(found, length):
                return True
        return False

    def _canonical(self, number: Number) -> Number:
        """Return a number with one of all equal lengths in the place of each."""
        found = replaced(number, self._first_equal)
        return number if found is None else found

    def _first_equal(self, axis: AxisLength) -> Number:
        found = self._number(self._lengths.of(self._inputs[axis.argument])[axis.axis])
        return axis if found is None else found

    def _number(self, length: Length) -> Number | None:
        """Return how a length follows from those of inputs; None if it is not known."""
        length = self._lengths.find(length)
        return length if isinstance(length, int) else self._numbers.get(length)

    def _length(self, number: Number | None) -> Length:
        """Return the length that is a number; a new one if the number isn't known to be one."""
        if number is None or not is_length(number):
            return Unknown()
        if isinstance(number, int):
            return number
        if isinstance(number, AxisLength):
            return self._lengths.of(self._inputs[number.argument])[number.axis]
        length = self._made.get(number)
        if length is None:
            length = self._made[number] = Unknown()
            self._numbers[length] = number
        return length

    def _integer(self, var: Variable) -> Number | None:
        """Return what an integer of rank 0 is; None if that is not known."""
        if isinstance(var, Constant) and var.type.dtype.startswith(("int", "uint")):
            return int(var.data)
        return self._integers.get(var)

    def _define(self, var: Variable, axes: Iterable[Length | None]) -> None:
        """Note the lengths of an output, of which the type may know more; None is not known."""
        pairs = zip(self._lengths.of(var), axes, strict=True)
        self._lengths.axes[var] = tuple(
            [own if n is None or isinstance(own, int) else n for own, n in pairs]
        )

    def _add(self, node: Apply) -> None:
        """Note what a node requires, and the lengths of its outputs."""
        op = node.op
        if not isinstance(op, _MOVING):
            self._add_lengths(node)
            return
        shapes = [self._lengths.of(v) for v in node.inputs]
        # of nearly all elementwise nodes there is nothing else to note
        alike = isinstance(op, Elemwise) and shapes.count(shapes[0]) == len(shapes)
        if alike:
            found = [shapes[0]] * len(node.outputs)
        else:
            self._require(node, shapes)
            found = op.infer_shape(None, node, shapes)
        for out, shape in zip(node.outputs, found, strict=True):
            self._lengths.axes[out] = tuple(shape)
        (out, *_) = node.outputs
        if isinstance(op, BaseIncSubtensor):
            self._fit(op, node.inputs[1], self._part(node, op.part(), node.inputs[2:]))
        elif isinstance(op, SetDiagonal):
            self._fit(op, node.inputs[1], self._diagonal(node))
        elif isinstance(op, Elemwise) and not out.type.ndim and out.type.dtype == "int64":
            self._add_integer(node)

    def _require(self, node: Apply, shapes: Sequence[Any]) -> None:
        for first, *others in node.op.required_lengths(node, shapes):
            for n in others:
                self._equate(node.op, first, n)

    def _add_lengths(self, node: Apply) -> None:
        """Note what a node requires that makes new lengths."""
        op = node.op
        if isinstance(op, Subtensor | AdvancedSubtensor):
            self._define(node.outputs[0], self._part(node, op, node.inputs[1:]))
            made_by = node.inputs[0].owner
            if made_by is not None and isinstance(made_by.op, Shape):
                given, entry = self._lengths.of(made_by.inputs[0]), op.idx_list[0]
                if given and isinstance(entry, int):
                    self._add_length(node, given[entry])
        elif isinstance(op, ExtractDiag):
            self._define(node.outputs[0], self._diagonal(node))
        elif isinstance(op, Join):
            self._add_join(node)
        elif isinstance(op, Reshape):
            self._add_reshape(node)
        elif isinstance(op, Alloc):
            axes = [self._length(self._integer(n)) for n in node.inputs[1:]]
            self._fit(op, node.inputs[0], axes)
            self._define(node.outputs[0], axes)
        elif isinstance(op, ARange):
            numbers = [self._integer(n) for n in node.inputs]
            if None not in numbers:
                start, stop, step = numbers
                of_zero = (start, step) == (0, 1)
                number = made("maximum", stop, 0) if of_zero else made("arange", *numbers)
                self._define(node.outputs[0], [self._length(number)])
        elif isinstance(op, Shape_i) and isinstance(node.inputs[0].type, TensorType):
            self._add_length(node, self._lengths.of(node.inputs[0])[op.i])

    def _add_length(self, node: Apply, length: Length) -> None:
        """Note that an integer is a length."""
        number = self._number(length)
        if number is not None:
            self._integers[node.outputs[0]] = number

    def _add_integer(self, node: Apply) -> None:
        numbers = [self._integer(v) for v in node.inputs]
        name = node.op.scalar_op.name
        if name in MAKERS and None not in numbers:
            number = made(name, *numbers)
            if number is not None:
                self._integers[node.outputs[0]] = number

    def _fit(self, op: Op, var: Variable, part: Sequence[Length | None]) -> None:
        """Note that a value is broadcast to a part, the lengths of whose axes may be unknown."""
        own = self._lengths.of(var)
        for n, m in zip(reversed(own), reversed(part), strict=False):
            if m is not None and n not in (1, m):
                self._equate(op, n, m)

    def _diagonal(self, node: Apply) -> list[Length | None]:
        """Return the lengths of the axes of the diagonal that a node takes or sets."""
        *batch, rows, columns = self._lengths.of(node.inputs[0])
        sides, k = [self._number(n) for n in (rows, columns)], node.op.offset
        if None in sides:
            return [*batch, None]
        starts = (max(-k, 0), max(k, 0))
        left = [made("slice", n, s, None, None) for n, s in zip(sides, starts, strict=True)]
        return [*batch, self._length(made("minimum", *left))]

    def _add_join(self, node: Apply) -> None:
        shapes = [self._lengths.of(v) for v in node.inputs]
        self._require(node, shapes)
        axes = list(shapes[0])
        numbers = [self._number(shape[node.op.axis]) for shape in shapes]
        total = None if None in numbers else made("add", *numbers)
        axes[node.op.axis] = self._length(total)
        self._define(node.outputs[0], axes)

    def _add_reshape(self, node: Apply) -> None:
        vector = node.inputs[1]
        if isinstance(vector, Constant):
            entries: list[Number | None] = [int(n) for n in vector.data]
        elif vector.owner is not None and isinstance(vector.owner.op, MakeVector):
            entries = [self._integer(n) for n in vector.owner.inputs]
        else:
            return
        if entries.count(-1) == 1 and None not in entries:
            numbers = [self._number(n) for n in self._lengths.of(node.inputs[0])]
            rest = made("mul", *(n for n in entries if n != -1))
            total = None if None in numbers else made("mul", *numbers)
            found = total if total is None or rest == 1 else made("int_div", total, rest)
            entries = [found if n == -1 else n for n in entries]
        self._define(node.outputs[0], [self._length(n) for n in entries])

    def _part(self, node: Apply, op: Any, indices: Sequence[Variable]) -> Sequence[Length | None]:
        """Return the lengths of the part that an op takes of the first input of a node."""

        def sliced(n: Length, entry: Slice, given: slice) -> Length | None:
            if entry in (WHOLE, Slice(None, None, -1)):
                return n
            parts = (given.start, given.stop, given.step)
            bounds = [self._integer(b) if isinstance(b, Variable) else b for b in parts]
            number = self._number(n)
            if number is None or any(
                b is None and part is not None for b, part in zip(bounds, parts, strict=True)
            ):
                return None
            return self._length(made("slice", number, *bounds))

        def broadcast(arrays: Sequence[Any]) -> list[Length | None]:
            rank = max(1 if v.type.dtype == "bool" else v.type.ndim for v in arrays)
            if rank > 1 or any(v.type.dtype == "bool" for v in arrays):
                return [None] * rank
            lengths = [n for v in arrays for n in self._lengths.of(v) if n != 1]
            for n in lengths[1:]:
                self._equate(node.op, lengths[0], n)
            if rank == 0:
                return []
            return [*lengths[:1]] or [1] * rank

        shape = self._lengths.of(node.inputs[0])
        found: Sequence[Length | None] = op.shape_of_part(shape, indices, sliced, broadcast)
        return found

    def _equate(self, op: Op, a: Length, b: Length) -> None:
        a, b = self._lengths.find(a), self._lengths.find(b)
        if a == b or (isinstance(a, int) and isinstance(b, int)):
            return
        if isinstance(a, int):
            a, b = b, a
        first, second = self._number(a), self._number(b)
        self._join(a, b)
        if first is not None and second is not None:
            self.requirements.append(Requirement(op, first, second))
        if isinstance(b, Unknown):
            # that of an input rather than one that is made
            either = [n for n in (first, second) if n is not None]
            if either:
                number = min(either, key=lambda n: isinstance(n, Made))
                self._numbers[self._lengths.find(a)] = number


def _nodes_that_run(fgraph: FunctionGraph) -> Iterable[Apply]:
    """Return the nodes of a graph that run whatever the values of its inputs are."""
    nodes = fgraph.toposort()
    contexts = Contexts.of_graph(fgraph, nodes)
    return nodes if contexts is None else contexts.nodes_in(contexts.root)
