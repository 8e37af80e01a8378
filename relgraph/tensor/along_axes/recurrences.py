"""`Recurrence`: sums of terms that are multiplied on the way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.scalar.dtypes import result_dtype
from relgraph.tensor.assembly.creation import zeros_like
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.basic import as_argument
from relgraph.tensor.contraction import conjugate
from relgraph.tensor.indexing.functions import getitem
from relgraph.tensor.type import TensorType

Array = np.ndarray[Any, Any]


class AlongAxis(TypedOp):
    """Base class of ops that take two tensors of one shape, and give one of that shape."""

    __props__ = ("axis",)
    name = ""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def __str__(self) -> str:
        return f"{self.name}{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [as_argument(v, self.name, i) for i, v in enumerate(inputs)]

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, y = input_types
        if x.ndim != y.ndim or not 0 <= self.axis < x.ndim:
            raise TypeError(f"{self}: the inputs are {x} and {y}; wanted is one rank with the axis")
        shape = []
        for axis, (n, m) in enumerate(zip(x.shape, y.shape, strict=True)):
            if n is not None and m is not None and n != m:
                raise ValueError(f"{self}: axis {axis} has length {n} in input 0, {m} in input 1")
            shape.append(m if n is None else n)
        return [TensorType(result_dtype(x.dtype, y.dtype), shape)]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x, y = inputs
        if x.shape != y.shape:
            raise ValueError(f"{self}: the inputs have shapes {x.shape} and {y.shape}")
        dtype = node.outputs[0].type.numpy_dtype
        with np.errstate(all="ignore"):
            found = self.compute(np.asarray(x, dtype), np.asarray(y, dtype))
        output_storage[0][0] = np.asarray(found, dtype)

    def compute(self, x: Array, y: Array) -> Array:
        """Return the value for two arrays of the dtype of the output."""
        raise NotImplementedError

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]

    def part(self, x: Any, part: slice) -> Any:
        return getitem(x, (*[slice(None)] * self.axis, part))

    def reversed(self, x: Any) -> Any:
        return self.part(x, slice(None, None, -1))

    def after(self, first: Any, x: Any) -> Any:
        """Return `x` moved on by one place, behind the first row of another tensor."""
        return join(self.axis, self.part(first, slice(1)), self.part(x, slice(-1)))

    def ahead(self, x: Any) -> Any:
        """Return `x` moved back by one place, its first row at the end."""
        return join(self.axis, self.part(x, slice(1, None)), self.part(x, slice(1)))

    def backward(self, factors: Any, terms: Any) -> Any:
        """Return what satisfies ``s[t] = factors[t + 1] * s[t + 1] + terms[t]``."""
        recurrence = Recurrence(self.axis)
        return self.reversed(recurrence(self.reversed(self.ahead(factors)), self.reversed(terms)))


class Recurrence(AlongAxis):
    """``s[t] = factors[t] * s[t - 1] + terms[t]`` along an axis, from ``s[0] = terms[0]``.

    The inputs are the factors, the first of which is not read, and the terms.
    """

    name = "recurrence"

    def compute(self, factors: Array, terms: Array) -> Array:
        if terms.ndim == 1:
            pairs = zip(factors[1:], terms[1:], strict=True)
            found = accumulate(pairs, _next, initial=terms[0]) if len(terms) else ()
            return np.array(list(found), terms.dtype)
        out = terms.copy()
        rows, given = np.moveaxis(out, self.axis, 0), np.moveaxis(factors, self.axis, 0)
        for t in range(1, len(rows)):
            rows[t] += given[t] * rows[t - 1]
        return out

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        factors, s = conjugate(inputs[0]), conjugate(outputs[0])
        by_terms = self.backward(factors, output_grads[0])
        return [by_terms * self.after(zeros_like(s), s), by_terms]


def _next(before: Any, pair: Any) -> Any:
    factor, term = pair
    return factor * before + term
