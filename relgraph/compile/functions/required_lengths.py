"""Which lengths of the inputs of a graph have to be equal, and the check that they are.

Only an axis whose length is known to be 1 broadcasts. Other lengths that meet have to be equal: the
node where they meet raises an error if they are not. Laws rely on that and may leave out the node,
as ``x * y / y → x`` does. A call then checks what the node required of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.shared_values.container import Container
from relgraph.tensor.along_axes.one_axis import OneAxis
from relgraph.tensor.conditional.if_else import IfElse
from relgraph.tensor.conditional.laziness import Contexts
from relgraph.tensor.contraction import MatrixProduct
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.indices import WHOLE, Slice
from relgraph.tensor.indexing.subtensor import BaseIncSubtensor, Subtensor
from relgraph.tensor.linalg.gemm import BlasUpdate
from relgraph.tensor.reductions.fused_reduction import FusedReduction
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import SpecifyShape
from relgraph.tensor.type import TensorType
from relgraph.vm.lines.equal_lengths import EqualLengths, Length

_ALL = (WHOLE, Slice(None, None, -1))
"""The slices that take everything."""


class Requirement(NamedTuple):
    """An op that needs two lengths to be equal.

    Attributes
    ----------
    op
        The op.
    first
        The position of an input, and one of its axes.
    second
        Another one, or the length that the first must have.
    """

    op: Op
    first: tuple[int, int]
    second: tuple[int, int] | int


class RequiredLengths:
    """The lengths of the inputs of a graph that have to be equal, so that no node raises an error.

    What only a branch of an `IfElse` needs requires nothing: it may not run. Nor does what is known
    of lengths go through every op: not through one that makes new ones.

    Attributes
    ----------
    requirements
        The requirements; none follows from the others.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.requirements: list[Requirement] = []
        self._inputs = list(fgraph.inputs)
        self._lengths = EqualLengths()
        # that of an axis which is known to be 1 is ~1; no other axis broadcasts
        self._axes: dict[Variable, tuple[Length, ...]] = {}
        # for some lengths an input that has it
        self._input_axes: dict[Length, tuple[int, int]] = {}
        for i, var in enumerate(self._inputs):
            for axis, length in enumerate(self._of(var)):
                if length >= 0:
                    self._input_axes[length] = (i, axis)
        if self._input_axes:
            for node in _nodes_that_run(fgraph):
                self._add(node)

    def without(self, kept: RequiredLengths) -> list[Requirement]:
        """Return the requirements that `kept`, those of another graph of the inputs, does not
        imply."""
        return [r for r in self.requirements if not kept.implies(r)]

    def implies(self, requirement: Requirement) -> bool:
        """Return whether two lengths have to be equal."""
        first, second = requirement.first, requirement.second
        wanted = ~second if isinstance(second, int) else self._at(second)
        return self._lengths.find(self._at(first)) == self._lengths.find(wanted)

    def _at(self, axis: tuple[int, int]) -> Length:
        return self._of(self._inputs[axis[0]])[axis[1]]

    def _of(self, var: Variable) -> tuple[Length, ...]:
        """Return the lengths of the axes of a tensor; of another variable none."""
        axes = self._axes.get(var)
        if axes is None:
            shape = var.type.shape if isinstance(var.type, TensorType) else ()
            axes = tuple([self._lengths.new() if n is None else ~n for n in shape])
            self._axes[var] = axes
        return axes

    def _add(self, node: Apply) -> None:
        """Note what a node requires, and the lengths of its outputs."""
        op = node.op
        if isinstance(op, Elemwise | FusedReduction):
            found = self._broadcast(op, [self._of(v) for v in node.inputs])
            if isinstance(op, Elemwise):
                for out in node.outputs:
                    self._axes[out] = found
        elif isinstance(op, DimShuffle):
            given = self._of(node.inputs[0])
            self._axes[node.outputs[0]] = tuple(
                [~1 if isinstance(a, str) else given[a] for a in op.new_order]
            )
        elif isinstance(op, CAReduce):
            given = self._of(node.inputs[0])
            reduced = op.axes(len(given))
            self._axes[node.outputs[0]] = tuple(
                [n for axis, n in enumerate(given) if axis not in reduced]
            )
        elif isinstance(op, MatrixProduct):
            self._add_product(node)
        elif isinstance(op, BlasUpdate):
            self._add_update(node)
        elif isinstance(op, Subtensor):
            self._add_part(node)
        elif isinstance(op, BaseIncSubtensor | OneAxis | SpecifyShape):
            given = self._axes[node.outputs[0]] = self._of(node.inputs[0])
            if isinstance(op, SpecifyShape):
                for length, n in zip(given, op.shape, strict=True):
                    self._equate(op, length, length if n is None else ~n)

    def _broadcast(self, op: Op, shapes: Sequence[tuple[Length, ...]]) -> tuple[Length, ...]:
        """Return the lengths that tensors of one rank have together."""
        first = shapes[0]
        if shapes.count(first) == len(shapes):
            return first
        found = []
        for lengths in zip(*shapes, strict=True):
            common = ~1
            for n in lengths:
                if common == ~1:
                    common = n
                elif n not in (~1, common):
                    self._equate(op, common, n)
            found.append(common)
        return tuple(found)

    def _add_product(self, node: Apply) -> None:
        x, y = (self._of(v) for v in node.inputs[:2])
        self._equate(node.op, x[-1], y[-2 if len(y) > 1 else 0])
        stacks = x[:-2], y[:-2]
        ndim = max(map(len, stacks))
        batch = self._broadcast(node.op, [(~1,) * (ndim - len(v)) + v for v in stacks])
        self._axes[node.outputs[0]] = (*batch, *x[-2:-1], *(y[-1:] if len(y) > 1 else ()))

    def _add_update(self, node: Apply) -> None:
        of_letter: dict[str, Length] = {}
        for letters, v in zip(node.op.axes, node.inputs, strict=True):
            for letter, length in zip(letters, self._of(v), strict=True):
                self._equate(node.op, of_letter.setdefault(letter, length), length)
        self._axes[node.outputs[0]] = self._of(node.inputs[0])

    def _add_part(self, node: Apply) -> None:
        entries, given = node.op.idx_list, self._of(node.inputs[0])
        sliced = [
            n if entry in _ALL else None
            for entry, n in zip(entries, given, strict=False)
            if isinstance(entry, Slice)
        ]
        made = zip(self._of(node.outputs[0]), [*sliced, *given[len(entries) :]], strict=True)
        self._axes[node.outputs[0]] = tuple([new if old is None else old for new, old in made])

    def _equate(self, op: Op, a: Length, b: Length) -> None:
        a, b = self._lengths.find(a), self._lengths.find(b)
        if a == b or (a < 0 and b < 0):
            return
        if a < 0:
            a, b = b, a
        first, second = self._input_axes.get(a), ~b if b < 0 else self._input_axes.get(b)
        self._lengths.equate(a, b)
        if first is not None and second is not None:
            self.requirements.append(Requirement(op, first, second))
        known = first if first is not None else self._input_axes.get(b)
        if known is not None:
            self._input_axes[self._lengths.find(a)] = known


def _nodes_that_run(fgraph: FunctionGraph) -> Iterable[Apply]:
    """Return the nodes of a graph that run whatever the values of its inputs are."""
    nodes = fgraph.toposort()
    if not any(isinstance(node.op, IfElse) for node in nodes):
        return nodes
    contexts = Contexts(fgraph, nodes)
    return [node for node in nodes if contexts.of_node[node] is contexts.root]


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
    arguments = ", ".join(f"a{i}" for i in range(count))
    conditions = [f"{_source(r.first, count)} == {_source(r.second, count)}" for r in requirements]
    source = f"""\
def checked({arguments}):
 try: holds = {" and ".join(conditions)}
 except Exception: holds = False
 if not holds: require([{arguments}])
 return call({arguments})"""

    def require(given: Sequence[Any]) -> None:
        values = [*given, *(_anywhere(container) for container in shared)]
        for requirement in requirements:
            _require(requirement, values, variables)

    scope: dict[str, Any] = {"call": call, "require": require, "anywhere": _anywhere}
    scope.update((f"s{k}", container) for k, container in enumerate(shared))
    exec(compile(source, "<relgraph lengths>", "exec"), scope)
    checked: Callable[..., Any] = scope["checked"]
    return checked


def _source(side: tuple[int, int] | int, count: int) -> str:
    """Return the expression for a length."""
    if isinstance(side, int):
        return str(side)
    i, axis = side
    value = f"a{i}" if i < count else f"anywhere(s{i - count})"
    return f"{value}.shape[{axis}]"


def _anywhere(container: Container) -> Any:
    """Return the value of a shared variable where it is, which may be on a device."""
    return container.here if container.away is None else container.away


def _require(
    requirement: Requirement, values: Sequence[Any], variables: Sequence[Variable]
) -> None:
    """Raise a ValueError if two lengths differ that have to be equal.

    What is no array of the right rank the call refuses. A length that is nan is not known.
    """
    op, first, second = requirement
    n, m = (_length_of(side, values, variables) for side in (first, second))
    if n is None or m is None or n == m or n != n or m != m:
        return
    if isinstance(second, int):
        text = f"{op}: axis {first[1]} of {variables[first[0]]} has length {n}, not {m}"
    else:
        if m == 1:
            first, second, n, m = second, first, m, n
        text = (
            f"{op}: axis {first[1]} of {variables[first[0]]} has length {n}, "
            f"axis {second[1]} of {variables[second[0]]} {m}"
        )
    if n != 1:
        raise ValueError(text)
    kind: Any = variables[first[0]].type
    shape = tuple(1 if k == first[1] else length for k, length in enumerate(kind.shape))
    raise ValueError(
        f"{text}; only an axis whose length is known to be 1 broadcasts: declare "
        f"TensorType({kind.dtype!r}, {shape}), or use specify_shape"
    )


def _length_of(
    side: tuple[int, int] | int, values: Sequence[Any], variables: Sequence[Variable]
) -> Any:
    if isinstance(side, int):
        return side
    shape = np.shape(values[side[0]])
    kind: Any = variables[side[0]].type
    return shape[side[1]] if len(shape) == kind.ndim else None
