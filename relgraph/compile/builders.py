"""Ops that users build: `OpFromGraph`, of a graph, and `as_op`, of a function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from relgraph.compile.compilation import function
from relgraph.gradient import grad
from relgraph.graph.basic import (
    Apply,
    Constant,
    Variable,
    clone_replace,
    graph_inputs,
    io_connection_pattern,
    io_toposort,
)
from relgraph.graph.op import GraphOp, Op, Variables
from relgraph.graph.shared_values import SharedVariable
from relgraph.graph.type import DisconnectedType, Type
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.loops.scan_op import StepShapes

Gradients = Callable[[Variables, Variables, Variables], Sequence[Any]]
"""Takes the inputs, the outputs, and the gradients of these; returns the gradient of each input."""


def _node(
    op: Op, input_types: Sequence[Type], inputs: Sequence[Any], output_types: Sequence[Type]
) -> Apply:
    """Return a node of an op whose types are given."""
    fitting = [
        kind.filter_variable(v if isinstance(v, Variable) else as_tensor_variable(v))
        for kind, v in zip(input_types, inputs, strict=True)
    ]
    return Apply(op, fitting, [kind.make_variable() for kind in output_types])


class OpFromGraph(GraphOp):
    """A graph as one op, which can be called on other variables.

    Shared variables of the graph are inputs of its nodes too.

    Parameters
    ----------
    inputs, outputs
        Those of the graph.
    inline
        Whether the graph takes the place of its nodes when a function is compiled, so that laws see
        it. If not, it is a compiled function of its own.
    lop_overrides
        What gives the gradients in the place of those of the graph: a function as `Op.L_op`, or a
        list that has for each input a function that returns its gradient, or None for that of the
        graph.
    name
        A name for reports.

    Raises
    ------
    ValueError
        If the graph depends on a variable that is no input, no constant and not shared.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        inline: bool = False,
        lop_overrides: Gradients | Sequence[Gradients | None] | None = None,
        name: str | None = None,
    ) -> None:
        others = [v for v in graph_inputs(outputs, inputs) if not isinstance(v, Constant)]
        others = [v for v in dict.fromkeys(others) if v not in inputs]
        missing = [v for v in others if not isinstance(v, SharedVariable)]
        if missing:
            raise ValueError(f"OpFromGraph: the graph depends on {missing[0]}, which is no input")
        self.shared = others
        given = [*inputs, *others]
        self.inputs = tuple(v.type.make_variable(v.name) for v in given)
        self.outputs = tuple(clone_replace(list(outputs), zip(given, self.inputs, strict=True)))
        self.inline, self.overrides, self.name = inline, lop_overrides, name
        self.nout = len(self.outputs)

    def __str__(self) -> str:
        return self.name or "op_from_graph"

    def make_node(self, *inputs: Any) -> Apply:
        count = len(self.inputs) - len(self.shared)
        if len(inputs) == len(self.inputs):  # a node that is made again
            count = len(inputs)
        if len(inputs) != count:
            raise TypeError(f"{self} takes {count} inputs, not {len(inputs)}")
        every = [*inputs, *self.shared][: len(self.inputs)]
        return _node(self, [v.type for v in self.inputs], every, [v.type for v in self.outputs])

    @cached_property
    def fn(self) -> Callable[..., Any]:
        """The compiled graph."""
        return function(list(self.inputs), list(self.outputs), on_unused_input="ignore")

    def compute(self, node: Apply, *values: Any) -> Any:
        found = self.fn(*values)
        return found if len(found) > 1 else found[0]

    def in_place_of(self, node: Apply) -> list[Variable]:
        """Return the outputs of the graph over the inputs of a node."""
        found: list[Variable] = clone_replace(
            list(self.outputs), zip(self.inputs, node.inputs, strict=True)
        )
        return found

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return io_connection_pattern(list(self.inputs), list(self.outputs))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        lengths = [v for v in self.inputs if getattr(v.type, "shape", None) == ()]
        nodes = list(io_toposort(self.inputs, self.outputs))
        found = StepShapes(self.inputs, lengths, nodes)
        known = dict(zip(self.inputs, shapes, strict=True))
        values = dict(zip(self.inputs, node.inputs, strict=True))
        outside = [found.outside(v, known, values) for v in self.outputs]
        if any(shape is None for shape in outside):
            raise MethodNotDefined(f"{self}: a shape depends on what is computed")
        return outside

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        if callable(self.overrides):
            return list(self.overrides(inputs, outputs, output_grads))
        given = [None] * len(inputs) if self.overrides is None else [*self.overrides]
        given += [None] * (len(inputs) - len(given))
        of_graph = self._gradients(inputs, output_grads) if None in given else []
        return [
            of_graph[i] if one is None else one(inputs, outputs, output_grads)
            for i, one in enumerate(given)
        ]

    def _gradients(self, inputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradients of the graph: an op from a graph that computes them."""
        live = [
            (out, g)
            for out, g in zip(self.outputs, output_grads, strict=True)
            if not isinstance(g.type, DisconnectedType)
        ]
        seeds = {out: out.type.make_variable() for out, _ in live}
        found: list[Any] = grad(None, self.inputs, None, "ignore", seeds, "disconnected")
        kept = [g for g in found if not isinstance(g.type, DisconnectedType)]
        if not kept:
            return found
        name = None if self.name is None else f"gradient of {self.name}"
        made = OpFromGraph([*self.inputs, *seeds.values()], kept, self.inline, name=name)
        over = iter(made(*inputs, *(g for _, g in live), return_list=True))
        return [g if isinstance(g.type, DisconnectedType) else next(over) for g in found]


class FromFunctionOp(Op):
    """An op whose value a function of arrays computes; see `as_op`."""

    __props__ = ("function", "input_types", "output_types")

    def __init__(
        self,
        function: Callable[..., Any],
        input_types: Sequence[Type],
        output_types: Sequence[Type],
        infer_shape: Callable[..., Any] | None = None,
    ) -> None:
        self.function = function
        self.input_types, self.output_types = tuple(input_types), tuple(output_types)
        self._infer_shape = infer_shape
        self.nout = len(self.output_types)

    def __str__(self) -> str:
        return str(getattr(self.function, "__name__", "as_op"))

    def make_node(self, *inputs: Any) -> Apply:
        if len(inputs) != len(self.input_types):
            raise TypeError(f"{self} takes {len(self.input_types)} inputs, not {len(inputs)}")
        return _node(self, self.input_types, inputs, self.output_types)

    def compute(self, node: Apply, *values: Any) -> Any:
        found = self.function(*values)
        several = found if isinstance(found, tuple | list) else [found]
        if len(several) != self.nout:
            raise ValueError(f"{self} returned {len(several)} values, not {self.nout}")
        filtered = [t.filter(x) for t, x in zip(self.output_types, several, strict=True)]
        return filtered if self.nout > 1 else filtered[0]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        if self._infer_shape is None:
            raise MethodNotDefined(f"{self} was given no infer_shape")
        return list(self._infer_shape(fgraph, node, shapes))

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        raise MethodNotDefined(f"{self} is a function of arrays, whose gradient is not known")


def as_op(
    itypes: Any,
    otypes: Any,
    infer_shape: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], FromFunctionOp]:
    """Return a decorator that makes an op of a function of arrays.

    The function must not change its arguments, and what it returns is not to share their memory.

    Parameters
    ----------
    itypes, otypes
        The types of the inputs and of the outputs, or what makes variables of them, such as
        ``at.dvector``; one, or a list.
    infer_shape
        As `Op.infer_shape`; without it, a shape is known when the value is.

    Examples
    --------
    >>> import numpy as np
    >>> import relgraph.tensor as at
    >>> vector = at.TensorType("float64", (None,))
    >>> @as_op(vector, vector)
    ... def reversed_twice(x):
    ...     return np.flip(np.flip(x)).copy()
    >>> reversed_twice([1.0, 2.0]).eval()
    array([1., 2.])
    """

    def of(kinds: Any) -> Sequence[Type]:
        found = kinds if isinstance(kinds, list | tuple) else [kinds]
        return [kind if isinstance(kind, Type) else kind.clone() for kind in found]

    return lambda fn: FromFunctionOp(fn, of(itypes), of(otypes), infer_shape)
