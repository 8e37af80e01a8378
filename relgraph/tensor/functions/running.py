"""The greatest, the least, and the logarithm of the sum of exponentials so far, along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.along_axes.one_axis import OneAxis
from relgraph.tensor.along_axes.rearranging import flip
from relgraph.tensor.assembly.creation import arange, zeros_like
from relgraph.tensor.assembly.joining import join
from relgraph.tensor.functions.parts import along, length, of_rank, part
from relgraph.tensor.indexing.functions import getitem, inc_subtensor
from relgraph.tensor.math import exp, fill, gt, log, lt, switch
from relgraph.tensor.memory_layout import in_order

_OPS = {scalar.maximum: "cummax", scalar.minimum: "cummin", scalar.logaddexp: "logcumsumexp"}


class Accumulate(OneAxis):
    """What a scalar op makes of all elements up to each one along an axis.

    Parameters
    ----------
    scalar_op
        ``relgraph.scalar.maximum``, ``minimum`` or ``logaddexp``.
    axis
        The axis, counted from the front.
    """

    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op: Any, axis: int) -> None:
        if scalar_op not in _OPS:
            raise TypeError(f"Accumulate: {scalar_op} is none of maximum, minimum and logaddexp")
        self.scalar_op = scalar_op
        self.axis = axis

    def __str__(self) -> str:
        return f"{_OPS[self.scalar_op]}{{axis={self.axis}}}"

    def output_dtype(self, dtype: str) -> str:
        found: str = self.scalar_op.output_dtype(dtype, dtype)
        return found

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        x = in_order(inputs[0]).astype(node.outputs[0].type.dtype, copy=False)
        with np.errstate(all="ignore"):
            output_storage[0][0] = self.scalar_op.ufunc.accumulate(x, axis=self.axis)

    def L_op(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        output_grads: Sequence[Variable],
    ) -> list[Any]:
        """Return the gradient: that of an extreme goes to the first element that reaches it."""
        x: Any = inputs[0]
        if self.scalar_op is scalar.logaddexp:
            return [_shares_of_sums(output_grads[0], x, outputs[0], self.axis)]
        before = part(outputs[0], self.axis, slice(None, -1))
        later = part(x, self.axis, slice(1, None))
        rises = (gt if self.scalar_op is scalar.maximum else lt)(later, before)
        first = fill(part(x, self.axis, slice(None, 1)), np.asarray(True))
        places = of_rank(arange(length(x, self.axis)), x.type.ndim, self.axis)
        reached = Accumulate(scalar.maximum, self.axis)(
            switch(join(self.axis, first, rises), places, 0)
        )
        index = tuple(
            reached if d == self.axis else of_rank(arange(length(x, d)), x.type.ndim, d)
            for d in range(x.type.ndim)
        )
        return [inc_subtensor(getitem(zeros_like(x), index), output_grads[0])]


def _shares_of_sums(g: Any, x: Any, out: Any, axis: int) -> Any:
    """Return ``sum(g[i] * exp(x[j] - out[i]) for i >= j)`` for each j.

    What `g` is positive for, and what it is negative for, are summed apart as logarithms.
    """

    def of_one_sign(share: Any) -> Any:
        logarithms = flip(log(share) - out, axis)
        return exp(x + flip(Accumulate(scalar.logaddexp, axis)(logarithms), axis))

    return of_one_sign(switch(gt(g, 0), g, 0)) - of_one_sign(switch(lt(g, 0), -g, 0))


def cummax(x: Any, axis: int | None = None) -> Any:
    """Return the greatest elements so far along an axis; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> cummax([1, 3, 2]).eval()
    array([1, 3, 3])
    """
    return _accumulate(scalar.maximum, x, axis, "cummax")


def cummin(x: Any, axis: int | None = None) -> Any:
    """Return the least elements so far along an axis; for None, of the flattened `x`.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> cummin([3, 1, 2]).eval()
    array([3, 1, 1])
    """
    return _accumulate(scalar.minimum, x, axis, "cummin")


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """Return ``log(cumsum(exp(x)))``, without overflow.

    Parameters
    ----------
    x
        A tensor.
    axis
        The axis; None for the flattened tensor.

    >>> logcumsumexp([0.0, 0.0]).eval()
    array([0.        , 0.69314718])
    """
    return _accumulate(scalar.logaddexp, x, axis, "logcumsumexp")


def _accumulate(scalar_op: Any, x: Any, axis: int | None, what: str) -> Any:
    x, axis = along(x, axis, what)
    return Accumulate(scalar_op, axis)(x)


__all__ = ["cummax", "cummin", "logcumsumexp"]
