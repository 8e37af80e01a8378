"""`to_pytensor`: graphs of this library as PyTensor's, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytensor.compile.builders import OpFromGraph
from pytensor.gradient import DisconnectedType as PyTensorDisconnectedType
from pytensor.gradient import disconnected_type, grad_undefined
from pytensor.graph.basic import Apply as PyTensorApply
from pytensor.graph.op import Op as PyTensorOp

from relgraph.bridges.pytensor.counterparts import (
    HoldsOp,
    counterpart_in_pytensor,
    fitted,
    inline_ofg_node,
    note_counterpart,
    type_from_pytensor,
    type_to_pytensor,
    unchanged_origin,
    value_from_pytensor,
)
from relgraph.bridges.pytensor.writing_ops import TABLE
from relgraph.graph.basic import Apply, Constant, Variable, graph_inputs
from relgraph.graph.shared_values import SharedVariable
from relgraph.graph.traversal import io_toposort
from relgraph.graph.type import DisconnectedType, NullType


class CarriedOp(HoldsOp, PyTensorOp):  # type: ignore[misc]
    """An op of this library in a graph of PyTensor's: it is run by its own `perform`."""

    __props__ = ("op", "inputs", "outputs")

    def __init__(self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        super().__init__(op, inputs, outputs)
        self.view_map = {i: which for i, which in op.view_map.items() if len(which) == 1}
        self._copied = {
            *[i for which in op.destroy_map.values() for i in which],
            *[i for which in op.view_map.values() if len(which) > 1 for i in which],
        }

    def __str__(self) -> str:
        return f"relgraph:{self.op}"

    def make_node(self, *inputs: Any) -> Any:
        fitting = [t.filter_variable(x) for t, x in zip(self.inputs, inputs, strict=True)]
        return PyTensorApply(self, fitting, [t() for t in self.outputs])

    def node(self) -> Apply:
        """Return a node of this library's op on fresh inputs."""
        inputs = [type_from_pytensor(t).make_variable() for t in self.inputs]
        made: Apply = self.op.make_node(*inputs)
        return made

    def perform(self, node: Any, inputs: Sequence[Any], output_storage: Sequence[Any]) -> None:
        values = self.computed(inputs, value_from_pytensor, self._copied)
        for storage, value in zip(output_storage, values, strict=True):
            storage[0] = value

    def connection_pattern(self, node: Any) -> list[list[bool]]:
        pattern: list[list[bool]] = self.op.connection_pattern(self.node())
        return pattern

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> list[Any]:
        """Return the gradients that this library's op gives, written."""
        absent = [isinstance(g.type, PyTensorDisconnectedType) for g in cotangents]
        given, grads = self.pulled_back(self.op.L_op, DisconnectedType(), absent)
        writer = Writer(dict(zip(given, [*inputs, *outputs, *cotangents], strict=True)))
        return [self._gradient(writer, g, inputs, i) for i, g in enumerate(grads)]

    def _gradient(self, writer: Writer, ours: Any, inputs: Sequence[Any], i: int) -> Any:
        if ours is None or isinstance(ours.type, NullType):
            return grad_undefined(self, i, inputs[i])
        if isinstance(ours.type, DisconnectedType):
            return disconnected_type()
        return writer.write([ours])[0]

    def in_relgraph(self, *inputs: Any) -> list[Variable]:
        """Return the outputs of the op on variables of this library."""
        made: list[Variable] = self.op.make_node(*inputs).outputs
        return made


class Writer:
    """Writes variables of this library for PyTensor, each once.

    Parameters
    ----------
    found
        What is known already: PyTensor's variables, by those of this library.
    opens
        Whether an op of PyTensor's that is defined by a graph is written as that graph.
    """

    def __init__(self, found: dict[Variable, Any] | None = None, opens: bool = False) -> None:
        self.found: dict[Variable, Any] = {} if found is None else found
        self.opens = opens
        self._unchanged: set[Apply] = set()

    def write(self, outputs: Sequence[Variable], inputs: Sequence[Variable] = ()) -> list[Any]:
        """Return `outputs` as variables of PyTensor's; `inputs` become inputs."""
        for v in inputs:
            self.variable(v)
        nodes = io_toposort(list(self.found), list(outputs))
        self._take_unchanged(nodes)
        for node in self._needed(nodes, outputs):
            self._write_node(node)
        return [self.variable(v) for v in outputs]

    def variable(self, v: Variable) -> Any:
        """Return a variable that has been written, or that nothing computes."""
        if v not in self.found:
            self.found[v] = _leaf(v)
        return self.found[v]

    def _take_unchanged(self, nodes: Sequence[Apply]) -> None:
        """Find the nodes that are unchanged, and use PyTensor's own variables for them."""
        for node in nodes:
            origin = unchanged_origin(node)
            if origin is None or not all(self._is_unchanged(v) for v in node.inputs):
                continue
            self._unchanged.add(node)
            for out, theirs in zip(node.outputs, origin.outputs, strict=True):
                if theirs is not None:
                    self.found.setdefault(out, theirs)

    def _is_unchanged(self, v: Variable) -> bool:
        if v.owner is not None:
            return v.owner in self._unchanged
        return isinstance(v, Constant) or counterpart_in_pytensor(v) is not None

    def _needed(self, nodes: Sequence[Apply], outputs: Sequence[Variable]) -> list[Apply]:
        """Return the nodes whose outputs are to be written, in order."""
        wanted = set(outputs)
        needed = []
        for node in reversed(nodes):
            if any(out in wanted and out not in self.found for out in node.outputs):
                wanted.update(node.inputs)
                needed.append(node)
        return needed[::-1]

    def _write_node(self, node: Apply) -> None:
        made = self._made(node, [self.variable(v) for v in node.inputs])
        maker = made[0].owner
        if self.opens and maker is not None and isinstance(maker.op, OpFromGraph):
            made = inline_ofg_node(maker)
        for ours, theirs in zip(node.outputs, made, strict=True):
            theirs = fitted(theirs, type_to_pytensor(ours.type))
            if ours.name is not None and theirs.owner is not None and theirs.name is None:
                theirs.name = ours.name
            self.found.setdefault(ours, theirs)

    def _made(self, node: Apply, inputs: list[Any]) -> Sequence[Any]:
        held = getattr(node.op, "in_pytensor", None)
        if held is not None:
            returned: Sequence[Any] = held(*inputs)
            return returned
        made = self._written(node, inputs)
        if made is None:
            sides = (node.inputs, node.outputs)
            kinds = [[type_to_pytensor(v.type) for v in side] for side in sides]
            made = CarriedOp(node.op, *kinds)(*inputs, return_list=True)
        return made if isinstance(made, list | tuple) else [made]

    def _written(self, node: Apply, inputs: list[Any]) -> Any:
        """Return the outputs of a node, or None if PyTensor has no such op for these dtypes."""
        try:
            write = TABLE.get(type(node.op))
            return None if write is None else write(self, node, *inputs)
        except (TypeError, NotImplementedError):
            return None

    def inner(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], given: Sequence[Any]
    ) -> list[Any]:
        """Return the outputs of an inner graph on variables of PyTensor's."""
        writer = Writer(dict(zip(inputs, given, strict=True)), self.opens)
        return writer.write(outputs)


def _leaf(v: Variable) -> Any:
    """Return PyTensor's variable for an input or a constant.

    Raises
    ------
    TypeError
        If PyTensor has no such type, or `v` is shared and does not come from PyTensor.
    """
    known = counterpart_in_pytensor(v)
    if known is not None and type_from_pytensor(known.type).is_super(v.type):
        return fitted(known, type_to_pytensor(v.type))
    kind = type_to_pytensor(v.type)
    if isinstance(v, Constant):
        return kind.make_constant(v.data, name=v.name)
    if isinstance(v, SharedVariable):
        raise TypeError(
            f"to_pytensor: {v} is a shared variable of this library: give its value as an input"
        )
    made = kind.make_variable(v.name)
    note_counterpart(v, made)
    return made


def to_pytensor(outputs: Any, inputs: Sequence[Variable] | None = None) -> tuple[list[Any], Any]:
    """Return a graph of this library as a graph of PyTensor's.

    What came from PyTensor by `from_pytensor` and has not changed is the very variable that it
    was. An op that PyTensor has no counterpart of is carried: it runs its own `perform` there, and
    comes back as it was.

    Parameters
    ----------
    outputs
        A variable, or a sequence of them.
    inputs
        The variables to take for inputs. By default all that nothing computes and that have no
        value.

    Returns
    -------
    inputs
        PyTensor's inputs, a list in the order of `inputs`.
    outputs
        A variable of PyTensor's, or a list, as was given.

    Raises
    ------
    TypeError
        If an output is no variable, PyTensor has no such type, or a shared variable is not one of
        PyTensor's.
    """
    several = isinstance(outputs, list | tuple)
    wanted = list(outputs) if several else [outputs]
    for v in wanted:
        if not isinstance(v, Variable):
            raise TypeError(f"to_pytensor: {v!r} is no variable")
    given = _free(wanted) if inputs is None else list(inputs)
    writer = Writer()
    written = writer.write(wanted, given)
    return [writer.variable(v) for v in given], written if several else written[0]


def _free(outputs: Sequence[Variable]) -> list[Variable]:
    leaves = dict.fromkeys(graph_inputs(outputs))
    return [v for v in leaves if not isinstance(v, Constant | SharedVariable)]
