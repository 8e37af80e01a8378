"""`from_pytensor`: PyTensor's graphs as graphs of this library, node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pytensor.gradient import DisconnectedType as PyTensorDisconnectedType
from pytensor.graph.basic import Apply as PyTensorApply
from pytensor.graph.basic import Constant as PyTensorConstant
from pytensor.graph.basic import Variable as PyTensorVariable
from pytensor.graph.traversal import explicit_graph_inputs, toposort

from relgraph.bridges.pytensor import reading_control, reading_ops
from relgraph.bridges.pytensor.counterparts import (
    HoldsOp,
    NodeOrigin,
    counterpart_in_relgraph,
    fitted,
    note_counterpart,
    present,
    type_from_pytensor,
    value_from_pytensor,
    value_to_pytensor,
    with_lengths,
)
from relgraph.compile.sharedvalue import TensorSharedVariable
from relgraph.graph.basic import Apply, Variable, applys_between
from relgraph.graph.op import Storage, TypedOp, Variables
from relgraph.graph.shared_values import Container
from relgraph.graph.type import DisconnectedType, Type, disconnected, undefined
from relgraph.tensor.random.type import RandomGeneratorSharedVariable, RandomGeneratorType
from relgraph.tensor.type import TensorType

BY_ADDRESS: dict[str, Callable[..., Any]] = {**reading_control.TABLE, **reading_ops.TABLE}
"""From the address of a class of PyTensor's ops to ``read(reader, node, *inputs)``, which returns
the outputs of a node, as variables of this library; or None if they can't be said, which holds the
op."""

TABLE: dict[type, Callable[..., Any]] = present(BY_ADDRESS)
"""The same by the classes themselves."""


class HeldOp(HoldsOp, TypedOp):
    """An op of PyTensor's that has no counterpart: it is run by its own `perform`."""

    __props__ = ("op", "inputs", "outputs")

    def __init__(self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        super().__init__(op, inputs, outputs)
        self.nout = len(self.outputs)
        self.view_map = dict(op.view_map)
        self._destroyed = {i for which in op.destroy_map.values() for i in which}

    def __str__(self) -> str:
        return f"pytensor:{self.op}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != len(self.inputs):
            raise TypeError(f"{self} takes {len(self.inputs)} inputs, not {len(inputs)}")
        return super().as_inputs(*inputs)

    def output_types(self, *input_types: Type) -> list[Type]:
        for i, (given, wanted) in enumerate(zip(input_types, self.inputs, strict=True)):
            if not type_from_pytensor(wanted).is_super(given):
                raise TypeError(f"{self}: input {i} is a {given}, and a {wanted} is wanted")
        return [type_from_pytensor(t) for t in self.outputs]

    def node(self) -> Any:
        """Return a node of PyTensor's op on fresh inputs."""
        return PyTensorApply(self.op, [t() for t in self.inputs], [t() for t in self.outputs])

    def node_to_perform(self) -> Any:
        prepared = self.node()
        self.op.prepare_node(prepared, None, None, "py")
        return prepared

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
        values = self.computed(inputs, value_to_pytensor, self._destroyed)
        for storage, value, t in zip(output_storage, values, self.outputs, strict=True):
            storage[0] = value_from_pytensor(t, value)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        pattern = getattr(self.op, "connection_pattern", None)
        if pattern is None:
            return super().connection_pattern(node)
        return [[bool(c) for c in row] for row in pattern(self.node())]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradients that PyTensor's op gives, read."""
        absent = [isinstance(g.type, DisconnectedType) for g in output_grads]
        given, grads = self.pulled_back(self.op.pullback, PyTensorDisconnectedType(), absent)
        reader = Reader(dict(zip(given, [*inputs, *outputs, *output_grads], strict=True)))
        return [self._gradient(reader, g, i) for i, g in enumerate(grads)]

    def _gradient(self, reader: Reader, theirs: Any, i: int) -> Variable:
        if isinstance(theirs.type, PyTensorDisconnectedType):
            return disconnected()
        if hasattr(theirs.type, "why_null"):
            return undefined(f"{self}: by input {i} there is none ({theirs.type.why_null})")
        return reader.read([theirs])[0]

    def in_pytensor(self, *inputs: Any) -> list[Any]:
        """Return the outputs of the op on variables of PyTensor's."""
        fitting = [t.filter_variable(x) for t, x in zip(self.inputs, inputs, strict=True)]
        made: list[Any] = PyTensorApply(self.op, fitting, [t() for t in self.outputs]).outputs
        return made


class Reader:
    """Reads variables of PyTensor's, each once.

    Parameters
    ----------
    found
        What is known already: the variables of this library, by PyTensor's.

    Attributes
    ----------
    traces
        What the arrays of states are made of, by PyTensor's variables.
    """

    def __init__(self, found: dict[Any, Variable] | None = None) -> None:
        self.found: dict[Any, Variable] = {} if found is None else found
        self.traces: dict[Any, reading_control.Trace] = {}

    def read(self, outputs: Sequence[Any], given: Iterable[Any] = ()) -> list[Variable]:
        """Return `outputs` as variables of this library.

        Parameters
        ----------
        given
            Variables of PyTensor's that become inputs, whatever computes them.
        """
        for v in given:
            self.found.setdefault(v, self.leaf(v, as_input=True))
        for node in toposort(outputs, blockers=list(self.found)):
            if not all(out in self.found for out in node.outputs):
                self._read_node(node)
        return [self.variable(v) for v in outputs]

    def read_graph(self, fgraph: Any) -> tuple[list[Variable], list[Variable]]:
        """Return the inputs and outputs of a FunctionGraph of PyTensor's; shared variables among
        the inputs are inputs."""
        inputs = [self.leaf(v, as_input=True) for v in fgraph.inputs]
        self.found.update(zip(fgraph.inputs, inputs, strict=True))
        return inputs, self.read(fgraph.outputs)

    def inner(self, graph: Any, inputs: Iterable[Variable]) -> list[Variable]:
        """Return the outputs of an inner graph of PyTensor's (what has `inputs` and `outputs`) on
        variables of this library."""
        reader = Reader(dict(zip(graph.inputs, inputs, strict=True)))
        return reader.read(graph.outputs)

    def fresh(self, v: Any) -> Variable:
        """Return a new variable of the type of one of PyTensor's, as which it is not noted."""
        return type_from_pytensor(v.type).make_variable(v.name)

    def variable(self, v: Any) -> Variable:
        """Return a variable that has been read, or that nothing computes."""
        known = self.found.get(v)
        if known is None:
            known = self.found[v] = self.leaf(v)
        return known

    def leaf(self, v: Any, as_input: bool = False) -> Variable:
        """Return a new variable for an input, a constant or a shared variable.

        Parameters
        ----------
        as_input
            Whether to make an input of a shared variable too.
        """
        known = counterpart_in_relgraph(v)
        kind = type_from_pytensor(v.type)
        if known is not None and known.type == kind:
            return known
        if isinstance(v, PyTensorConstant):
            made: Variable = kind.make_constant(value_from_pytensor(v.type, v.data), v.name)
        elif getattr(v, "container", None) is not None and not as_input:
            made = _shared(kind, v)
        else:
            made = kind.make_variable(v.name)
        note_counterpart(made, v)
        return made

    def note_origins(self, outputs: Sequence[Variable], inputs: Sequence[Variable]) -> None:
        """Note on all that `outputs` are computed by what it was read from."""
        theirs: dict[Variable, Any] = {}
        for one, ours in self.found.items():
            theirs.setdefault(ours, one)
        for node in applys_between(list(inputs), list(outputs)):
            if getattr(node.tag, "pytensor", None) is None:
                node.tag.pytensor = NodeOrigin(
                    node.op, tuple(node.inputs), tuple([theirs.get(out) for out in node.outputs])
                )

    def _read_node(self, node: Any) -> None:
        made = self.made(node, [self.variable(v) for v in node.inputs])
        for theirs, ours in zip(node.outputs, made, strict=True):
            ours = fitted(ours, type_from_pytensor(theirs.type))
            if theirs.name is not None and ours.owner is not None and ours.name is None:
                ours.name = theirs.name
            self.found[theirs] = ours

    def made(self, node: Any, inputs: Sequence[Variable]) -> Sequence[Variable]:
        """Return the outputs of a node of PyTensor's on some inputs."""
        carried = getattr(node.op, "in_relgraph", None)
        if carried is not None:
            made: Any = carried(*inputs)
            return list(made)
        read = next((TABLE[c] for c in type(node.op).__mro__ if c in TABLE), None)
        made = None if read is None else read(self, node, *inputs)
        if made is None:
            kinds = [[v.type for v in side] for side in (node.inputs, node.outputs)]
            # an op that is held may rely on all lengths that PyTensor's types say
            wanted = map(type_from_pytensor, kinds[0])
            given = [with_lengths(v, t) for v, t in zip(inputs, wanted, strict=True)]
            made = HeldOp(node.op, *kinds)(*given, return_list=True)
        return list(made) if isinstance(made, list | tuple) else [made]


def _shared(kind: Type, v: Any) -> Variable:
    """Return a shared variable with a copy of the value that one of PyTensor's has."""
    container = Container(kind, v.get_value(), v.name)
    if isinstance(kind, TensorType):
        return TensorSharedVariable(kind, container, v.name)
    if isinstance(kind, RandomGeneratorType):
        return RandomGeneratorSharedVariable(kind, container, v.name)
    raise TypeError(
        f"from_pytensor: {v} is shared, and its type {v.type} can't be: make it an input"
    )


def from_pytensor(outputs: Any, inputs: Sequence[Any] | None = None) -> tuple[list[Variable], Any]:
    """Return a graph of PyTensor's as a graph of this library.

    Names and static lengths stay. What has no counterpart is held: its node runs PyTensor's own
    `perform`, and goes back as it was. A shared variable becomes a shared variable with a copy of
    the value that it has now; `to_pytensor` gives PyTensor's own back.

    Parameters
    ----------
    outputs
        A variable of PyTensor's, or a sequence of them.
    inputs
        The variables to take for inputs, whatever computes them. By default all that nothing
        computes and that have no value.

    Returns
    -------
    inputs
        The inputs, a list in the order of `inputs`.
    outputs
        A variable, or a list, as was given.

    Raises
    ------
    TypeError
        If an output is no variable of PyTensor's, or a shared variable has a type that can't be.
    """
    several = isinstance(outputs, list | tuple)
    wanted = list(outputs) if several else [outputs]
    for v in wanted:
        if not isinstance(v, PyTensorVariable):
            raise TypeError(f"from_pytensor: {v!r} is no variable of PyTensor's")
    given = list(dict.fromkeys(explicit_graph_inputs(wanted))) if inputs is None else list(inputs)
    reader = Reader()
    read = reader.read(wanted, given)
    ours = [reader.variable(v) for v in given]
    reader.note_origins(read, ours)
    return ours, read if several else read[0]
