"""`argmax` and `argmin`: the positions of extremes along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import RelativeOp
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.axes import normalize_axes, normalize_axis, reduced_axes
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.math import second
from relgraph.tensor.reductions.reduction import kept_axes, restore_axes
from relgraph.tensor.shapes.reshaping import reshape
from relgraph.tensor.shapes.shape import lengths, one_input, product
from relgraph.tensor.type import TensorType


class _ArgExtreme(RelativeOp):
    """The position of the first extreme along an axis, as int64; a nan counts as an extreme.

    Parameters
    ----------
    axis
        The axis, in a node counted from the front; None for the position in the flattened input.
    """

    __props__ = ("axis",)
    function: Callable[..., Any]
    name: str

    def __init__(self, axis: int | None = None) -> None:
        self.axis = axis
        self.relative = None if axis is None else type(self)

    def for_inputs(self, inputs: Sequence[Any]) -> _ArgExtreme:
        ndim = inputs[0].type.ndim
        if self.axis is not None and reduced_axes((self.axis,), ndim, self.name) == ():
            return type(self)(None)
        return type(self)(normalize_axis(self.axis, ndim, self.name))

    def __str__(self) -> str:
        return self.name if self.axis is None else f"{self.name}{{axis={self.axis}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return one_input(self, inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        (x,) = input_types
        if self.axis is None:
            return [TensorType("int64", ())]
        axis = normalize_axis(self.axis, x.ndim, self.name)
        return [TensorType("int64", x.shape[:axis] + x.shape[axis + 1 :])]

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        (x,) = inputs
        length = x.size if self.axis is None else x.shape[self.axis]
        if length == 0:
            which = "an empty input" if self.axis is None else f"axis {self.axis} of length 0"
            raise ValueError(f"{self}: {node.inputs[0]} has shape {x.shape}: no extreme of {which}")
        output_storage[0][0] = np.asarray(type(self).function(x, axis=self.axis), dtype="int64")

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (x,) = shapes
        return [() if self.axis is None else (*x[: self.axis], *x[self.axis + 1 :])]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Any:
        return [second(inputs[0], np.float64(0.0))]


class Argmax(_ArgExtreme):
    """The position of the first greatest element along an axis; see `argmax`."""

    function = staticmethod(np.argmax)
    name = "argmax"


class Argmin(_ArgExtreme):
    """The position of the first least element along an axis; see `argmin`."""

    function = staticmethod(np.argmin)
    name = "argmin"


def _arg_reduce(op: type[_ArgExtreme], x: Any, axis: Any, keepdims: bool) -> Any:
    x = as_tensor_variable(x)
    if isinstance(x, LogicTerm) or isinstance(axis, LogicTerm):
        out = op(axis)(x)
        return kept_axes(out, axis, op.name) if keepdims else out
    ndim = x.type.ndim
    if ndim == 0:
        return op(axis)(x)
    axes = normalize_axes(axis, ndim, op.name)
    out = op(None)(x) if axis is None else _over_axes(op, x, axes)
    return restore_axes(out, axes, ndim) if keepdims else out


def _over_axes(op: type[_ArgExtreme], x: Any, axes: tuple[int, ...]) -> Any:
    """Return the positions of extremes among the elements along some axes."""
    if not axes:
        raise ValueError(f"{op.name}: there is no axis, and no position along none")
    if len(axes) == 1:
        return op(axes[0])(x)
    if len(axes) == x.type.ndim:
        return op(None)(x)
    kept = [i for i in range(x.type.ndim) if i not in axes]
    sizes = lengths(x)
    flat = (*[sizes[i] for i in kept], product([sizes[i] for i in axes]))
    return op(len(kept))(reshape(x.dimshuffle(*kept, *axes), flat))


def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first greatest element of `x` along `axis`, as int64.

    Parameters
    ----------
    x
        A tensor.
    axis
        An int, a tuple or list of ints, or None for all axes. Of several axes the position is that
        among the elements along them, flattened: the last axis goes fastest.
    keepdims
        Whether to keep the axes, with length 1.
    """
    return _arg_reduce(Argmax, x, axis, keepdims)


def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first least element of `x` along `axis`; see `argmax`.

    Parameters
    ----------
    x, axis, keepdims
        As those of `argmax`.

    >>> argmin([3, 1, 2]).eval()
    array(1)
    """
    return _arg_reduce(Argmin, x, axis, keepdims)
