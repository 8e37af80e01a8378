"""Orders of dimshuffles, for the laws in `relations.layout.axes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.arithmetic.axis_orders import Order
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels


def composed_order(outer: Order, inner: Order) -> tuple[int | str, ...]:
    """Return the order of the dimshuffle that does what `inner` and then `outer` do."""
    return tuple([a if isinstance(a, str) else inner[a] for a in outer])


def is_identity_order(input_ndim: int, order: Order) -> bool:
    """Return whether a dimshuffle to `order` leaves every axis where it is.

    It may drop an axis and put a new one in its place: both have length 1.
    """
    return len(order) == input_ndim and all(
        a == i or (isinstance(a, str) and i not in order) for i, a in enumerate(order)
    )


def is_input_axis(order: Order, axis: int) -> bool:
    """Return whether `axis` of a dimshuffle is one of its input, and not a new one."""
    return not isinstance(order[axis], str)


def each_dimshuffled(ndim: int, order: Order, arguments: Sequence[Any]) -> list[Any]:
    """Return the dimshuffle of each argument, which has `ndim` axes, to `order`."""
    shuffle = DimShuffle(ndim, order)
    return [shuffle(v) for v in arguments]


def is_made_of_few_ops(var: Any, levels: int = 2) -> bool:
    """Return whether at most so many levels of elementwise ops, of at most three inputs each, make
    `var` of what is not elementwise."""
    node = var.owner
    if node is None or not isinstance(node.op, Elemwise):
        return True
    few = levels > 0 and len(node.inputs) <= 3
    return few and all(is_made_of_few_ops(v, levels - 1) for v in node.inputs)


@depends_on_levels(1)
def common_dimshuffle(axis: int, variables: Sequence[Any]) -> Any:
    """Return the `DimShuffle` that made each of `variables`, if `axis` is none of its new ones."""
    op = variables[0].head
    alike = isinstance(op, DimShuffle) and all(v.head is op for v in variables)
    return op if alike and is_input_axis(op.new_order, axis) else None


@depends_on_levels(1)
def before_each(variables: Sequence[Any]) -> list[Any]:
    """Return the first input of the node of each variable."""
    return [v.owner.inputs[0] for v in variables]
