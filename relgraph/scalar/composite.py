"""`Composite`: a graph of scalar ops as one op, made by loop fusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from relgraph.graph.basic import (
    Apply,
    Constant,
    Variable,
    as_string,
    clone_replace,
    io_connection_pattern,
    io_toposort,
)
from relgraph.graph.op import HasInnerGraph, Variables, structure
from relgraph.graph.type import Type
from relgraph.scalar.op import ScalarOp, TypedNumber, zero_like
from relgraph.scalar.type import ScalarType, is_discrete

# The text of more ops is unreadable, and is part of that of each node and each error.
_MOST_WRITTEN_OUT = 40


class Composite(ScalarOp, HasInnerGraph):
    """A graph of scalar ops as one op. Two with equal graphs are one object.

    Parameters
    ----------
    inputs
        The inputs of the graph: scalar variables.
    outputs
        The outputs of the graph.

    Raises
    ------
    TypeError
        If an input or output is not a scalar variable, or a node has no scalar op.
    ValueError
        If the outputs depend on a variable that is neither an input nor a constant.
    """

    __props__ = ("inputs", "outputs")
    holomorphic = False

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.nin = len(self.inputs)
        self.nout = len(self.outputs)
        if not all(isinstance(v.type, ScalarType) for v in (*self.inputs, *self.outputs)):
            raise TypeError("the inputs and outputs of a Composite are scalar variables")
        self.nodes, self._slots, self._key = structure(self.inputs, self.outputs)
        for node in self.nodes:
            if not isinstance(node.op, ScalarOp):
                raise TypeError(f"Composite: {node.op} is not a scalar op")
        # the values of the slots, None for what is no constant
        self._values = [v.data if isinstance(v, Constant) else None for v in self._slots]
        self._hash = hash(self._key)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Composite) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def name(self) -> str:  # type: ignore[override]
        return f"Composite{{{self.described([''] * self.nout)}}}"

    def described(self, around: Sequence[str]) -> str:
        """Return what is computed as text: the formulas, with the inputs named i0, i1 and so on; if
        they are long, how often each op is there.

        Parameters
        ----------
        around
            For each output the name of what is done to it; empty if nothing is.
        """
        if len(self.nodes) > _MOST_WRITTEN_OUT:
            names = Counter(
                [str(node.op) for node in self.nodes] + [name for name in around if name]
            )
            return ", ".join(f"{k} {name}" if k > 1 else name for name, k in names.most_common())
        formulas = zip(around, self._formulas, strict=True)
        return ", ".join(f"{name}({text})" if name else text for name, text in formulas)

    @cached_property
    def _formulas(self) -> list[str]:
        renamed = {v: v.type.make_variable(f"i{i}") for i, v in enumerate(self.inputs)}
        return as_string(list(renamed.values()), clone_replace(self.outputs, renamed))

    @property
    def fn(self) -> Callable[..., Any]:
        return self.impl

    @property
    def ufunc(self) -> Callable[..., Any]:
        return self.impl

    def impl(self, *values: Any) -> Any:
        """Return the output for numbers or arrays; a list if there are several outputs."""
        slots = self._slots
        known = list(self._values)
        known[: len(values)] = values
        for node in self.nodes:
            result = node.op.impl(*[known[slots[v]] for v in node.inputs])
            results = [result] if len(node.outputs) == 1 else result
            for out, value in zip(node.outputs, results, strict=True):
                known[slots[out]] = np.asarray(value).astype(out.type.numpy_dtype, copy=False)
        # An output that is an input or a constant must not share its storage.
        outputs = [
            np.array(known[slots[v]]) if v.owner is None else known[slots[v]] for v in self.outputs
        ]
        return outputs[0] if len(outputs) == 1 else outputs

    def output_dtype(self, *input_dtypes: str) -> str:
        if len(self.outputs) != 1:
            raise TypeError(f"{self} has {len(self.outputs)} outputs")
        self._check_dtypes(input_dtypes)
        return str(self.outputs[0].type.dtype)

    def _check_dtypes(self, dtypes: Sequence[str]) -> None:
        for i, (var, dtype) in enumerate(zip(self.inputs, dtypes, strict=True)):
            if var.type.dtype != dtype:
                raise TypeError(
                    f"{self}: input {i} is of dtype {dtype} where {var.type.dtype} is wanted"
                )

    def typed_numbers(self, inputs: Sequence[Any]) -> list[TypedNumber | None]:
        return [
            None if isinstance(x, Variable) else (x, v.type.dtype)
            for x, v in zip(inputs, self.inputs, strict=True)
        ]

    def output_types(self, *input_types: Any) -> Sequence[Type]:
        self._check_dtypes([t.dtype for t in input_types])
        return [v.type for v in self.outputs]

    def compute(self, node: Apply, *values: Any) -> Any:
        found = self.impl(*values)
        return np.asarray(found)[()] if self.nout == 1 else [np.asarray(x)[()] for x in found]

    def expand(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the outputs as a graph of other inputs: scalar variables of the same types."""
        known: dict[Variable, Any] = dict(zip(self.inputs, inputs, strict=True))
        for node in self.nodes:
            made = node.op.make_node(*[known.get(v, v) for v in node.inputs])
            known.update(zip(node.outputs, made.outputs, strict=True))
        return [known.get(out, out) for out in self.outputs]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradients of the inputs as a graph of the inner ops, not of Composites."""
        expanded = self.expand(inputs)
        terms: dict[Variable, list[Any]] = {}
        undefined: set[Variable] = set()

        def collect(var: Any, g: Any) -> None:
            if g is None:
                undefined.add(var)
            else:
                terms.setdefault(var, []).append(g)

        def gradient(var: Any) -> Any:
            found = terms.get(var)
            if found is None:
                return None
            if len(found) > 1:
                found[:] = [found[0]._ops.add(*found)]
            return found[0]

        for out, g in zip(expanded, output_grads, strict=True):
            if not is_discrete(out.type.dtype):
                collect(out, g)
        for node in reversed(io_toposort(inputs, expanded)):
            grads = [gradient(out) for out in node.outputs]
            if all(g is None for g in grads):
                if not undefined.isdisjoint(node.outputs):
                    undefined.update(node.inputs)
                continue
            filled = [
                zero_like(o) if g is None else g for o, g in zip(node.outputs, grads, strict=True)
            ]
            for var, g in zip(
                node.inputs, node.op.L_op(node.inputs, node.outputs, filled), strict=True
            ):
                collect(var, g)
        return [gradient(x) if x in terms or x in undefined else zero_like(x) for x in inputs]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return io_connection_pattern(self.inputs, self.outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        # The outputs refer to the nodes.
        return type(self), (self.inputs, self.outputs)
