"""`RelativeDimShuffle`: how a law says `moveaxis` or `expand_dims` of a tensor of any rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.op import RelativeOp
from relgraph.tensor.axes import normalize_axes, normalize_axis
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.elemwise.dimshuffle import DimShuffle

Order = tuple[int | str, ...]


def transposed(ndim: int, axes: Sequence[int] | None) -> Order:
    """Return the order of axes for `transpose`; None for `axes` stands for the reverse order."""
    if axes is None:
        return tuple(reversed(range(ndim)))
    order = tuple(normalize_axis(a, ndim, "transpose") for a in axes)
    if sorted(order) != list(range(ndim)):
        raise ValueError(f"transpose: {axes} is no order of {ndim} axes")
    return order


def with_axes_swapped(ndim: int, axis1: int, axis2: int) -> Order:
    """Return the order of axes for `swapaxes`."""
    order = list(range(ndim))
    i = normalize_axis(axis1, ndim, "swapaxes")
    j = normalize_axis(axis2, ndim, "swapaxes")
    order[i], order[j] = j, i
    return tuple(order)


def with_axis_moved(ndim: int, source: int, destination: int) -> Order:
    """Return the order of axes for `moveaxis`."""
    order = list(range(ndim))
    order.remove(i := normalize_axis(source, ndim, "moveaxis"))
    order.insert(normalize_axis(destination, ndim, "moveaxis"), i)
    return tuple(order)


def with_new_axes(ndim: int, axes: Sequence[int]) -> Order:
    """Return the order of axes for `expand_dims`; `axes` are those of the result."""
    total = ndim + len(axes)
    new = normalize_axes(tuple(axes), total, "expand_dims")
    old = iter(range(ndim))
    return tuple("x" if i in new else next(old) for i in range(total))


def without_axes(ndim: int, axes: Sequence[int]) -> Order:
    """Return the order of axes for `squeeze`."""
    dropped = normalize_axes(tuple(axes), ndim, "squeeze")
    return tuple(i for i in range(ndim) if i not in dropped)


_ORDERS: dict[str, Callable[..., Order]] = {
    "transpose": transposed,
    "swapaxes": with_axes_swapped,
    "moveaxis": with_axis_moved,
    "expand_dims": with_new_axes,
    "squeeze": without_axes,
}


class RelativeDimShuffle(RelativeOp):
    """The `DimShuffle` that one of NumPy's functions is for a tensor of any rank.

    It stands in terms only: a node has the DimShuffle.

    Parameters
    ----------
    function
        The name of the function.
    arguments
        Its arguments besides the tensor, hashable.
    """

    __props__ = ("function", "arguments")
    relative = DimShuffle
    repeats = 0

    def __init__(self, function: str, arguments: tuple[Any, ...]) -> None:
        self.function = function
        self.arguments = arguments

    def __str__(self) -> str:
        return f"{self.function}{{{', '.join(map(str, self.arguments))}}}"

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the view; the input itself if its axes are in that order, as the functions do."""
        made = super().__call__(*inputs, **kwargs)
        node = getattr(made, "owner", None)
        if node is not None and node.op.new_order == tuple(range(node.op.input_ndim)):
            return node.inputs[0]
        return made

    def for_inputs(self, inputs: Sequence[Any]) -> DimShuffle:
        ndim = inputs[0].type.ndim
        made: Any = DimShuffle(ndim, _ORDERS[self.function](ndim, *self.arguments))
        assert isinstance(made, DimShuffle)
        return made

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != 1:
            raise TypeError(f"{self} takes 1 input, not {len(inputs)}")
        return [as_tensor_variable(inputs[0])]

    def output_types(self, *input_types: Any) -> Sequence[Any]:
        raise TypeError(f"{self} stands in laws; a node has the DimShuffle that it is for its rank")
