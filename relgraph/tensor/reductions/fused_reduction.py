"""`FusedReduction`: elementwise operations, and reductions of their results over all axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.type import DisconnectedType
from relgraph.scalar.composite import Composite
from relgraph.tensor.elemwise.composite_kernel import CompositeKernel
from relgraph.tensor.elemwise.composite_source import Pattern
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.reductions.reduction import CAReduce


class FusedReduction(Op):
    """An elementwise op some of whose outputs are reduced over all axes.

    What is reduced is never there as a whole.

    Parameters
    ----------
    elemwise
        The elementwise op, whose scalar op is a Composite.
    reductions
        For each of its outputs the `CAReduce` that reduces it; None if it is not reduced.

    Raises
    ------
    TypeError
        If the scalar op is not a Composite, or it has another number of outputs.
    ValueError
        If a reduction is not over all axes.
    """

    __props__ = ("elemwise", "reductions")

    def __init__(self, elemwise: Elemwise, reductions: Sequence[CAReduce | None]) -> None:
        self.elemwise = elemwise
        self.reductions = tuple(reductions)
        self.nout = len(self.reductions)
        if not isinstance(elemwise.scalar_op, Composite) or elemwise.inplace_pattern:
            raise TypeError(f"FusedReduction: {elemwise} is not a Composite on its own")
        if elemwise.nout != len(self.reductions):
            raise TypeError(
                f"FusedReduction: {len(self.reductions)} reductions of the {elemwise.nout} outputs "
                f"of {elemwise}"
            )
        for op in self.reductions:
            if op is not None and op.axis is not None:
                raise ValueError(f"FusedReduction: {op} does not reduce all axes")
        self._kernels: dict[tuple[Pattern, ...], CompositeKernel] = {}

    def __str__(self) -> str:
        around = ["" if op is None else str(op) for op in self.reductions]
        composite: Any = self.elemwise.scalar_op
        return f"Fused{{{composite.described(around)}}}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.elemwise, self.reductions)

    def make_node(self, *inputs: Any) -> Apply:
        elementwise = self.elemwise.make_node(*inputs)
        outputs = [
            out if op is None else op.make_node(out).outputs[0]
            for out, op in zip(elementwise.outputs, self.reductions, strict=True)
        ]
        return Apply(self, elementwise.inputs, [out.type.make_variable() for out in outputs])

    def kernel(self, node: Apply) -> CompositeKernel:
        """Return the kernel of a node."""
        patterns = tuple([v.type.broadcastable for v in node.inputs])
        kernel = self._kernels.get(patterns)
        if kernel is None:
            ufuncs = [None if op is None else op.ufunc for op in self.reductions]
            scalar_op: Any = self.elemwise.scalar_op
            kernel = self._kernels[patterns] = CompositeKernel(scalar_op, patterns, ufuncs, {})
        return kernel

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        shape = self.elemwise.checked_shape(node, inputs)
        for op in self.reductions:
            if op is not None and op.ufunc.identity is None and 0 in shape:
                raise ValueError(f"{self}: {op} of an array of shape {shape}, which has no extreme")
        with np.errstate(all="ignore"):
            results = self.kernel(node).run(inputs, shape, [None] * len(node.outputs))
        for cell, result in zip(output_storage, results, strict=True):
            cell[0] = result

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        elementwise = self.elemwise.make_node(*node.inputs)
        found = self.elemwise.infer_shape(fgraph, elementwise, shapes)
        return [
            shape if op is None else () for shape, op in zip(found, self.reductions, strict=True)
        ]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return self.elemwise.connection_pattern(node)

    def grad(self, inputs: Sequence[Any], output_gradients: Sequence[Any]) -> list[Any]:
        return self.L_op(inputs, self(*inputs, return_list=True), output_gradients)

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> list[Any]:
        """Return the gradients of the elementwise op, each reduction's gradient put in."""
        values = self.elemwise.make_node(*inputs).outputs
        grads = [
            g
            if op is None or isinstance(g.type, DisconnectedType)
            else op.L_op([value], [out], [g])[0]
            for op, value, out, g in zip(
                self.reductions, values, outputs, output_grads, strict=True
            )
        ]
        return self.elemwise.L_op(inputs, values, grads)
