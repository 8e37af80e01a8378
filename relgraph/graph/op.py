"""What a node computes."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation import Applied
from relgraph.graph.traversal import io_toposort
from relgraph.graph.type import DisconnectedType, Type
from relgraph.graph.utils import LogicTerm, Memo, MetaObject, MethodNotDefined

Variables = Sequence[Any]
"""Variables of types that an op knows, and a type checker does not."""
Storage = Sequence[list[Any]]
"""For each output, a list of length 1 that holds its value."""


class Op(MetaObject):
    """An operation on variables.

    A subclass defines `make_node`, `compute` or `perform`, and `grad` if it has one. Ops with equal
    ``__props__`` (or that are equal by an ``__eq__`` of their own) are one object.

    Attributes
    ----------
    default_output
        The index of the output that calling the op returns; None for all of them.
    destroy_map
        From the index of an output to the inputs whose storage it overwrites and shares; under
        None, inputs that are overwritten without being shared.
    view_map
        From the index of an output to the inputs whose storage it may share.
    destroyhandler_tolerate_same
        Pairs (i, j): input i may be destroyed although input j is the same variable.
    destroyhandler_tolerate_aliased
        Pairs (i, j): input i may be destroyed although input j may share its storage.
    pure
        Whether equal inputs give equal outputs. An op that draws at random, reads a clock or asks
        the world says False: each of its nodes then denotes a call of its own, which is not
        merged with another one, not computed ahead of time, and not matched by laws about a class
        of ops; a law that names the op may match it.
    nout
        How many outputs every node of it has; None if that is not known ahead.
    commutative, associative
        Whether the order, and the grouping, of the inputs can't be told from the result (but for
        rounding).
    rounds_by_order
        The dtypes of the output in which the order of two inputs can be told from the rounding.
    converts
        Whether the dtype of the output is the op's own affair (a comparison, a cast).
    repeats
        The index of an input whose elements the output repeats and nothing else (a broadcast),
        through which a law sees a constant; None for most ops.
    cost
        The operations that it takes for each number of the largest input or output.
    elementwise
        Whether each element of the output is computed from the elements of the inputs at its place,
        to which the inputs are broadcast.
    is_identity
        Whether the value of its only output is that of its only input, or a copy of it.
    keeps_shape
        Whether its only output has the shape of its first input.
    is_length
        Whether its value is the length of an axis.
    connected_inputs
        The indices of the inputs through which gradients flow; None for all.
    relative
        If a parameter has a meaning only together with the inputs (an axis counted from the end,
        say), the class of the ops that nodes have in the place of this one; else None. See
        `for_inputs`.
    """

    default_output: int | None = None
    destroy_map: dict[int | None, list[int]] = {}
    view_map: dict[int, list[int]] = {}
    destroyhandler_tolerate_same: Sequence[tuple[int, int]] = ()
    destroyhandler_tolerate_aliased: Sequence[tuple[int, int]] = ()
    pure: bool = True
    nout: int | None = None
    commutative: bool = False
    associative: bool = False
    rounds_by_order: frozenset[str] = frozenset()
    converts: bool = False
    repeats: int | None = None
    cost: float = 1.0
    elementwise: bool = False
    is_identity: bool = False
    keeps_shape: bool = False
    is_length: bool = False
    connected_inputs: Container[int] | None = None
    relative: type[Op] | None = None
    inplace: bool

    def set_inplace(self, inplace: bool, position: int = 0) -> None:
        """Set whether the output is written over the input at a position."""
        self.inplace = bool(inplace)
        if inplace:
            self.destroy_map = {0: [position]}

    def for_inputs(self, inputs: Sequence[Variable]) -> Op:
        """Return the op that a node has if this one is called on `inputs`: itself, or one of the
        class `relative`.

        Raises
        ------
        ValueError
            If the parameter means nothing there: there is no such axis.
        """
        return self

    @property
    def tracked(self) -> Op | type[Op]:
        """What the nodes that it makes are looked up by: itself, or the class `relative`."""
        return self if self.relative is None else self.relative

    def makes(self, node: Apply) -> bool:
        """Return whether `node` is what a call of this op on its inputs gives.

        So a law that holds this op means by it what a call of it means.
        """
        if self.relative is None:
            return node.op is self
        if type(node.op) is not self.relative:
            return False
        try:
            return self.for_inputs(node.inputs) is node.op
        except (TypeError, ValueError):
            return False

    def head(self) -> tuple[str, str]:
        """Return how this op is written: its name, and its parameters as text."""
        name, _, parameters = str(self).partition("{")
        return name, parameters.removesuffix("}")

    @classmethod
    def head_with(cls, props: Sequence[str]) -> tuple[str, str]:
        """Return how a law writes an op of this class with some properties; see `head`."""
        return cls.__name__, ", ".join(props)

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        """Return how this op is written where it is applied to arguments.

        Parameters
        ----------
        arguments
            Variables, or the parts of a term.
        output
            Which of several outputs is meant.

        Returns
        -------
        written
            An `Applied` or `Pieces`; one of the arguments if that is written in its place.
        """
        name, parameters = self.head()
        return Applied(name, tuple(arguments), parameters, output)

    def with_axes_kept(self, arguments: Sequence[Any], order: Sequence[int | str]) -> Any:
        """Return how this op is written where axes of length 1 take the place of those that it
        reduces, by the `order` of a DimShuffle; None if it does not reduce these."""
        return None

    def divided(self, arguments: Sequence[Any], divisor: Any) -> Any:
        """Return how this op is written where it is divided by something, if that has a name; else
        None."""
        return None

    def make_node(self, *inputs: Any) -> Apply:
        """Return a node that applies this op to `inputs`.

        Raises
        ------
        TypeError
            If an input does not suit the op.
        """
        raise MethodNotDefined(f"{self} ({type(self).__name__}) does not define make_node")

    def __call__(
        self, *inputs: Any, name: str | None = None, return_list: bool = False, **kwargs: Any
    ) -> Any:
        """Return the output of this op for `inputs`, or the list of its outputs.

        On a logic variable or a term, return the term instead.

        Parameters
        ----------
        name
            A name for the output.
        return_list
            Return a list even of one output.
        """
        for arg in inputs:
            if isinstance(arg, LogicTerm):
                return arg.apply_op(self, inputs)
        node = self.make_node(*inputs, **kwargs)
        if name is not None:
            node.outputs[self.default_output or 0].name = name
        if return_list:
            return list(node.outputs)
        if self.default_output is not None:
            return node.outputs[self.default_output]
        return node.outputs[0] if len(node.outputs) == 1 else list(node.outputs)

    def compute(self, node: Apply, *values: Any, **kwargs: Any) -> Any:
        """Return the value of the output of `node` for values of its inputs, or a sequence of those
        of several outputs. It is called where NumPy's warnings are turned off.
        """
        raise MethodNotDefined(f"{self} ({type(self).__name__}) does not define perform")

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Storage) -> None:
        """Compute the outputs of `node`; by default by `compute`.

        Parameters
        ----------
        inputs
            The values of its inputs.
        output_storage
            For each output, a list of length 1 to put its value in. What is in it already may be
            overwritten and used again.
        """
        with np.errstate(all="ignore"):
            found = self.compute(node, *inputs)
        values = [found] if len(output_storage) == 1 else found
        for cell, value in zip(output_storage, values, strict=True):
            cell[0] = value

    def grad(self, inputs: Variables, output_gradients: Variables) -> Any:
        """Return for each input the gradient of a cost, given the cost's gradient by each output.

        It is None for an input by which the outputs are not differentiable.

        Raises
        ------
        MethodNotDefined
            If the op has no gradient.
        """
        if type(self).L_op is Op.L_op:
            raise MethodNotDefined(f"{self} ({type(self).__name__}) has no gradient")
        return self.L_op(inputs, self(*inputs, return_list=True), output_gradients)

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> Any:
        """Like `grad`, for ops whose gradient is best said in terms of their outputs."""
        return self.grad(inputs, output_grads)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Return the shape of each output in terms of the shapes of the inputs.

        Raises
        ------
        MethodNotDefined
            If the op can't tell without computing.
        """
        if self.keeps_shape:
            return [shapes[0]]
        raise MethodNotDefined(f"{self} ({type(self).__name__}) does not define infer_shape")

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        """Return groups of lengths that have to be equal, in terms of the shapes of the inputs.

        Where they are not, `perform` raises an error.
        """
        return ()

    def inputs_read(self, node: Apply, values: Mapping[Variable, Any]) -> Sequence[Variable]:
        """Return the inputs that the outputs need, as far as some values that are known tell."""
        return node.inputs

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Return whether a node of constants may be computed ahead of time: if it is `pure`."""
        return self.pure

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Return, for each input and each output, whether a gradient can flow between them.

        By default it is all outputs, for each of `connected_inputs`.
        """
        connected = self.connected_inputs
        return [
            [connected is None or i in connected] * len(node.outputs)
            for i in range(len(node.inputs))
        ]

    def make_thunk(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[bool]] | None,
        no_recycling: Sequence[Variable],
        impl: str | None = None,
    ) -> Callable[[], None]:
        """Return a function of no arguments that computes `node` on the storage it is given.

        Parameters
        ----------
        storage_map
            For each variable, a list of length 1 that holds its value.
        compute_map
            For each variable, a list of length 1 that is set to True once it is computed.
        no_recycling
            Outputs whose storage is not to be used again.
        """
        inputs = [storage_map[v] for v in node.inputs]
        outputs = [storage_map[v] for v in node.outputs]
        fresh = [storage_map[v] for v in node.outputs if v in set(no_recycling)]
        done = [] if compute_map is None else [compute_map[v] for v in node.outputs]

        def thunk() -> None:
            for cell in fresh:
                cell[0] = None
            self.perform(node, [cell[0] for cell in inputs], outputs)
            for flag in done:
                flag[0] = True

        return thunk


class TypedOp(Op):
    """An op whose output types follow from the input types alone; it has one output, or `nout`.

    Making a node is part of every rewrite, so the output types are worked out once for each
    combination of input types and remembered.

    Attributes
    ----------
    name
        What errors call the op, and how most print; by default the name of the class, in lower case
        with underscores, and empty if the class defines ``__str__``.
    """

    name: str = ""
    nout = 1
    _most_plans: ClassVar[int] = 200
    _output_types: Memo[tuple[Type, ...], tuple[Type, ...]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            named = re.sub(r"(?<=\w)(?=[A-Z])", "_", cls.__name__.lstrip("_")).lower()
            cls.name = "" if "__str__" in vars(cls) else named

    def as_inputs(self, *inputs: Any) -> list[Any]:
        """Return the inputs as variables.

        Raises
        ------
        TypeError
            If there are too many or too few, or one can't be made a variable.
        """
        for i, arg in enumerate(inputs):
            if not isinstance(arg, Variable):
                raise TypeError(f"input {i} of {self} is {arg!r}, not a Variable")
        return list(inputs)

    @abstractmethod
    def output_types(self, *input_types: Any, **kwargs: Any) -> Sequence[Type]:
        """Return the types of the outputs.

        Raises
        ------
        TypeError
            If an input type does not suit the op.
        """

    def make_node(self, *inputs: Any) -> Apply:
        variables = self.as_inputs(*inputs)
        key = tuple([v.type for v in variables])
        try:
            memo = self._output_types
        except AttributeError:
            memo = self._output_types = Memo(self._most_plans)
        types = memo.recall(key)
        if types is None:
            types = tuple(self.output_types(*key))
            if len(types) != self.nout:
                raise TypeError(f"{self} has {len(types)} output types, and nout is {self.nout}")
            memo.keep(key, types)
        return Apply(self, variables, [t.make_variable() for t in types])

    def input_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Return the gradient by each input, as `L_op`.

        The arguments are the gradient by the output, the output, and the inputs; for an op of
        several outputs, the list of the gradients, None for one that is disconnected, and the list
        of the outputs.
        """
        raise MethodNotDefined(f"{self} ({type(self).__name__}) has no gradient")

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> Any:
        if type(self).grad is not Op.grad:
            return self.grad(inputs, output_grads)
        if type(self).input_gradients is TypedOp.input_gradients:
            return self.input_gradients()
        if self.nout == 1:
            return self.input_gradients(output_grads[0], outputs[0], *inputs)
        grads = [None if isinstance(g.type, DisconnectedType) else g for g in output_grads]
        return self.input_gradients(grads, outputs, *inputs)

    def __reduce__(self) -> tuple[Any, ...]:
        restore, (cls, state) = super().__reduce__()
        return restore, (cls, {k: v for k, v in state.items() if k != "_output_types"})


class RelativeOp(TypedOp):
    """A `TypedOp` whose parameter may be `relative` to its inputs; its nodes never have such a one.

    A subclass defines `for_inputs`, and sets `relative` when it is made.
    """

    def make_node(self, *inputs: Any) -> Apply:
        if self.relative is None:
            return super().make_node(*inputs)
        variables = self.as_inputs(*inputs)
        made: Any = self.for_inputs(variables)
        return TypedOp.make_node(made, *variables)


def structure(
    inputs: Sequence[Variable], outputs: Sequence[Variable], nodes: list[Apply] | None = None
) -> tuple[list[Apply], dict[Variable, int], Hashable]:
    """Return the nodes of a graph in order, a number for each variable from 0 on, and a key.

    Graphs with one key compute the same.

    Parameters
    ----------
    inputs, outputs
        The inputs and outputs of the graph.
    nodes
        Its nodes in order, if they are known.

    Raises
    ------
    ValueError
        If the outputs depend on a variable that is neither an input nor a constant.
    """
    numbers = {v: i for i, v in enumerate(inputs)}
    key: list[Hashable] = [tuple([v.type for v in inputs])]

    def number(var: Variable) -> int:
        known = numbers.get(var)
        if known is None:
            if not isinstance(var, Constant):
                raise ValueError(f"{var} is neither an input of the inner graph nor a constant")
            known = numbers[var] = len(numbers)
            key.append((var.type, var.signature()))
        return known

    nodes = io_toposort(inputs, outputs) if nodes is None else nodes
    for node in nodes:
        key.append((node.op, *[number(v) for v in node.inputs]))
        for out in node.outputs:
            key.append(out.type)
            numbers[out] = len(numbers)
    key.append(tuple([number(v) for v in outputs]))
    return nodes, numbers, tuple(key)


class HasInnerGraph(MetaObject):
    """A base class beside `Op` for ops that contain a graph.

    Attributes
    ----------
    inputs, outputs
        Those of the inner graph.
    """

    inputs: Sequence[Variable]
    outputs: Sequence[Variable]

    @property
    @abstractmethod
    def fn(self) -> Callable[..., Any]:
        """The inner graph as a function of values."""

    @property
    def inner_inputs(self) -> list[Variable]:
        """The inputs of the inner graph, as a list."""
        return list(self.inputs)

    @property
    def inner_outputs(self) -> list[Variable]:
        """The outputs of the inner graph, as a list."""
        return list(self.outputs)


class GraphOp(Op, HasInnerGraph):
    """A base class of ops whose graph can take the place of their nodes.

    Attributes
    ----------
    inline
        Whether it does when a function is compiled.
    """

    inline: bool

    @abstractmethod
    def in_place_of(self, node: Apply) -> list[Variable]:
        """Return the outputs of the graph over the inputs of a node."""


WIDE = 32
"""No pattern has this many arguments, so nodes with as many inputs are not told apart."""


def fullest_heads(heads: Sequence[Any], same_count: bool = True) -> Sequence[Any]:
    """The heads that the sums of one structure have, taken together: each as often as one has it.

    The structure is the number of terms, up to `WIDE`, and the set of their heads. An
    answer about one such sum is kept for all of them.

    Parameters
    ----------
    same_count
        Whether the sums have as many terms, or else have a repeated head like this one, or none.
    """
    kinds = dict.fromkeys(heads)
    repeated = len(heads) - len(kinds)
    if not same_count:
        return [*kinds] * WIDE if repeated else heads
    times = WIDE if len(heads) >= WIDE else 1 + repeated
    return [*kinds] * times
