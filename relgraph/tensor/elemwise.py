"""`Elemwise` applies scalar ops element by element; `DimShuffle` aligns the axes.

The graph of a scalar op's gradient depends on the dtypes. It is built once for some dtypes and kept
as a plan, whose steps each node of the `Elemwise` repeats with its own tensors.

Where a `switch` does not take a branch, the gradient of the branch is 0, however steep it is: 0
times an infinite slope would be nan. So a `ChosenGradient` does not multiply the zeros; it puts
them in after the multiplication.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.notation import Applied, number_of
from relgraph.graph.op import Op, RelativeOp, Variables
from relgraph.graph.type import DisconnectedType, disconnected
from relgraph.graph.utils import Memo
from relgraph.introspection import documented, signature_of
from relgraph.scalar.composite import Composite
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.op import zero_like as scalar_zero_like
from relgraph.scalar.type import get_scalar_type, is_discrete, number_kind
from relgraph.tensor.basic import (
    TensorOp,
    as_argument,
    constant,
    merged_lengths,
    normalize_axes,
    normalize_axis,
    number,
)
from relgraph.tensor.memory import forward, steady
from relgraph.tensor.signatures import broadcast_shape, equal_lengths, met_shape
from relgraph.tensor.type import TensorType, TensorVariable


def array_function(op: ScalarOp, dtypes: Sequence[np.dtype[Any]]) -> Callable[..., Any]:
    """Return a function of arrays for an op that has no ufunc, or none that gives its dtype."""

    def compute(*values: Any) -> Any:
        made = op.impl(*[forward(x) for x in values])
        if len(dtypes) > 1:
            return [np.asarray(x, d) for x, d in zip(made, dtypes, strict=True)]
        return np.asarray(made, dtypes[0])

    return compute


def elementwise(
    op: ScalarOp,
    inputs: Sequence[Any],
    dtypes: Sequence[np.dtype[Any]],
    shape: tuple[int, ...],
    target: Any = None,
) -> list[Any]:
    """Return the results of a scalar op on each element, of some dtypes and a shape.

    Parameters
    ----------
    target
        The array that the result is written to, where a ufunc computes it; None for a new one.
    """
    ufunc = op.ufunc
    folds = len(inputs) > 2 and isinstance(op, FoldOp)
    if isinstance(ufunc, np.ufunc) and (folds or len(inputs) == ufunc.nin):
        compute = steady(ufunc, [x.dtype for x in inputs])
        if folds:
            # The last input may be the array that is overwritten: it is read last.
            first = compute(inputs[0], inputs[1], dtype=dtypes[0])
            for x in inputs[2:-1]:
                first = compute(first, x, dtype=dtypes[0])
            inputs = (first, inputs[-1])
        if target is not None:
            return [compute(*inputs, out=target)]
        results = [compute(*inputs)]
    else:
        made = op.impl(*[forward(x) for x in inputs])
        results = [made] if op.nout == 1 else made
    arrays = [np.asarray(r, dtype=d) for r, d in zip(results, dtypes, strict=True)]
    # An op that ignores an input does not broadcast its result to the shape of that input.
    return [a if a.shape == shape else copied(a, shape) for a in arrays]


def copied(x: Any, shape: tuple[int, ...]) -> Any:
    """Return a new array in C order to which an array is broadcast."""
    return np.array(np.broadcast_to(x, shape), order="C")


def _maker(argument: Any) -> Apply | None:
    """Return the node that makes an argument; of a part of a law None."""
    return argument.owner if isinstance(argument, Variable) and not argument.opaque else None


def _before_broadcasting(var: Any) -> Any:
    """Return what a variable is without axes of length 1 that stand before its others; a number
    without any."""
    node = _maker(var)
    is_number = node is not None and number_of(var) is not None
    while node is not None and isinstance(node.op, DimShuffle):
        if not (is_number or node.op.only_broadcasts):
            break
        var = node.inputs[0]
        node = _maker(var)
    return var


def _named_quotient(dividend: Any, divisor: Any) -> Any:
    """Return how a quotient is written that has a name, such as a mean, maybe of axes that are
    kept; else None."""
    node = _maker(dividend)
    if node is None or not isinstance(node.op, DimShuffle):
        return None if node is None else node.op.divided(node.inputs, divisor)
    inner = _maker(node.inputs[0])
    if inner is None:
        return None
    kept = inner.op.with_axes_kept(inner.inputs, node.op.new_order)
    found = None if kept is None else inner.op.divided(inner.inputs, divisor)
    return None if found is None else found._replace(parameters=kept.parameters)


class DimShuffle(TensorOp):
    """A view of a tensor with its axes in another order.

    Parameters
    ----------
    input_ndim
        The rank of the input.
    new_order
        For each axis of the output, an axis of the input, or ``"x"`` for a new one of length 1.
        Axes of the input that are left out are dropped; their static length must be 1.

    Raises
    ------
    TypeError
        If an entry of `new_order` is neither an integer nor ``"x"``.
    ValueError
        If `new_order` names an axis twice, or one that the input does not have.
    """

    __props__ = ("input_ndim", "new_order")

    view_map = {0: [0]}
    repeats = 0

    def __init__(self, input_ndim: int, new_order: Sequence[int | str]) -> None:
        self.input_ndim = int(input_ndim)
        self.new_order = tuple([self._axis(a, new_order) for a in new_order])
        self.shuffle = tuple([a for a in self.new_order if not isinstance(a, str)])
        if len(set(self.shuffle)) < len(self.shuffle):
            raise ValueError(f"dimshuffle: the order {tuple(new_order)} names an axis twice")
        self.drop = tuple([a for a in range(self.input_ndim) if a not in self.shuffle])
        # With the ellipsis, an index of rank 0 gives a view and not a number.
        self._key = (*[None if a == "x" else slice(None) for a in self.new_order], Ellipsis)

    def _axis(self, axis: Any, order: Any) -> int | str:
        if isinstance(axis, str):
            if axis != "x":
                raise TypeError(f"dimshuffle: {axis!r} in {order} is neither an axis nor 'x'")
            return axis
        return normalize_axis(axis, self.input_ndim, "dimshuffle")

    def __str__(self) -> str:
        return f"DimShuffle{{{', '.join(map(str, self.new_order))}}}"

    @property
    def only_broadcasts(self) -> bool:
        """Whether it does no more than broadcasting does: to add or drop axes before the others."""
        kept = range(self.input_ndim - len(self.shuffle), self.input_ndim)
        added = len(self.new_order) - len(kept)
        return self.new_order == (*["x"] * added, *kept)

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        (x,) = arguments
        order = self.new_order
        if self.shuffle != tuple(range(self.input_ndim)):
            if order == tuple(range(self.input_ndim))[::-1]:
                return Applied("T", (x,), form="attribute")
            if list(self.shuffle) == sorted(self.shuffle) and "x" not in order:
                return Applied("squeeze", (x,), f"axis={self.drop}")
            return Applied("dimshuffle", (x,), ", ".join(map(repr, order)), form="method")
        node = _maker(x)
        kept = None if node is None else node.op.with_axes_kept(node.inputs, order)
        if kept is not None:
            return kept
        index = ["None" if axis == "x" else ":" for axis in order]
        while index and index[-1] == ":":
            index.pop()
        return Applied("subtensor", (x,), ", ".join(index), form="index") if index else x

    def output_types(self, x: Any) -> list[TensorType]:
        if not isinstance(x, TensorType) or x.ndim != self.input_ndim:
            raise TypeError(f"{self} takes a tensor with {self.input_ndim} dimensions, not {x}")
        for axis in self.drop:
            if x.shape[axis] != 1:
                raise TypeError(
                    f"{self} would drop axis {axis} of {x}, whose length is "
                    f"{'not known' if x.shape[axis] is None else x.shape[axis]}: it must be known "
                    "to be 1"
                )
        return super().output_types(x)

    def compute(self, node: Apply, x: Any) -> Any:
        for axis in self.drop:
            if x.shape[axis] != 1:
                raise ValueError(
                    f"{self}: axis {axis} of {node.inputs[0]} has length {x.shape[axis]}, not 1"
                )
        kept = x.reshape([n for i, n in enumerate(x.shape) if i not in self.drop])
        positions = {axis: i for i, axis in enumerate(sorted(self.shuffle))}
        return kept.transpose([positions[a] for a in self.shuffle])[self._key]

    def output_shapes(self, x: Any) -> list[Any]:
        return [tuple(1 if isinstance(a, str) else x[a] for a in self.new_order)]

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        # A new axis has length 1. If the gradient is not known to, it is summed.
        extra = [i for i, a in enumerate(self.new_order) if a == "x" and g.type.shape[i] != 1]
        order = list(self.new_order)
        if extra:
            g = g.sum(axis=tuple(extra))
            order = [a for i, a in enumerate(order) if i not in extra]
        positions = {a: i for i, a in enumerate(order) if a != "x"}
        return [g.dimshuffle([positions.get(axis, "x") for axis in range(self.input_ndim)])]


Order = tuple[int | str, ...]


def transposed(ndim: int, axes: Sequence[int] | None) -> Order:
    """Return the order of axes for `transpose`; None for the reverse order."""
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
    """Return the order of axes for `expand_dims`; `axes` count in the result."""
    total = ndim + len(axes)
    new = normalize_axes(tuple(axes), total, "expand_dims")
    old = iter(range(ndim))
    return tuple("x" if i in new else next(old) for i in range(total))


def without_axes(ndim: int, axes: Sequence[int]) -> Order:
    """Return the order of axes for `squeeze`."""
    dropped = normalize_axes(tuple(axes), ndim, "squeeze")
    return tuple(i for i in range(ndim) if i not in dropped)


ORDERS: dict[str, Callable[..., Order]] = {
    "transpose": transposed,
    "swapaxes": with_axes_swapped,
    "moveaxis": with_axis_moved,
    "expand_dims": with_new_axes,
    "squeeze": without_axes,
}
"""From NumPy's functions to the order of axes, of a rank and the arguments besides the tensor."""


class RelativeDimShuffle(RelativeOp, TensorOp):
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

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        if self.arguments == (None,):
            return Applied("T", arguments, form="attribute")
        named = "axis=" if self.function in ("expand_dims", "squeeze") else ""
        return Applied(self.function, arguments, named + ", ".join(map(repr, self.arguments)))

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the view; the input itself if its axes are in that order, as the functions do."""
        made = super().__call__(*inputs, **kwargs)
        node = getattr(made, "owner", None)
        if node is not None and node.op.new_order == tuple(range(node.op.input_ndim)):
            return node.inputs[0]
        return made

    def for_inputs(self, inputs: Sequence[Any]) -> DimShuffle:
        ndim = inputs[0].type.ndim
        made: Any = DimShuffle(ndim, ORDERS[self.function](ndim, *self.arguments))
        assert isinstance(made, DimShuffle)
        return made


# How many nested choices are taken out of a gradient: each costs a node for each op.
_NESTED_CHOICES = 4

# These hand a gradient on as it is.
_SLOPE_IS_ONE = frozenset({scalar.add, scalar.identity, scalar.second})


def scalar_op_of(node: Apply | None) -> Any:
    """Return the scalar op that a node applies to each element; None if it is not elementwise."""
    return node.op.scalar_op if node is not None and isinstance(node.op, Elemwise) else None


class ChosenGradient(NamedTuple):
    """A gradient that is zero where a branch is not taken.

    Attributes
    ----------
    switch
        The op that chooses.
    condition
        What it chooses by.
    where_taken
        The gradient, right where the branch is taken.
    zero
        The other branch.
    if_true
        Whether the branch is taken where the condition holds.
    """

    switch: Any
    condition: Any
    where_taken: Any
    zero: Any
    if_true: bool

    @staticmethod
    def of(scalar_op: ScalarOp, output_grads: Sequence[Any]) -> ChosenGradient | None:
        """Return the gradient of the output of an elementwise op as a chosen one.

        Returns
        -------
        chosen
            None if it is not made by a choice, or a sum by one choice, or if the op hands it on.
        """
        if len(output_grads) != 1 or scalar_op in _SLOPE_IS_ONE:
            return None
        (g,) = output_grads
        if scalar_op_of(g.owner) is not scalar.add:
            return ChosenGradient._of_choice(g)
        terms = [ChosenGradient._of_choice(v) for v in g.owner.inputs]
        first = terms[0]
        if first is None or any(
            t is None or t.condition is not first.condition or t.if_true is not first.if_true
            for t in terms
        ):
            return None
        total = g.owner.op(*[t.where_taken for t in terms if t is not None])
        return first._replace(where_taken=total)

    @staticmethod
    def _of_choice(g: Any) -> ChosenGradient | None:
        node = g.owner
        if scalar_op_of(node) is not scalar.switch:
            return None
        condition, first, second = node.inputs
        for taken, other, if_true in ((first, second, True), (second, first, False)):
            # a gradient that is filled with zeros is a variable, and may be differentiated by
            if isinstance(other, Constant) and other.unique_value() == 0 and taken.dtype == g.dtype:
                return ChosenGradient(node.op, condition, taken, other, if_true)
        return None

    def and_zero_elsewhere(self, gradient: Any) -> Any:
        """Return a gradient, made of `where_taken`, that is zero where the branch is not taken."""
        if self.if_true:
            return self.switch(self.condition, gradient, self.zero)
        return self.switch(self.condition, self.zero, gradient)


class GradientPlan(NamedTuple):
    """The steps that make the gradients of a node with respect to some of its inputs.

    Slots are numbered in this order: the inputs of the node, its outputs, the gradients with
    respect to its outputs, `constants`, and the outputs of each step.

    Attributes
    ----------
    constants
        The constants that the steps read.
    steps
        The nodes to make, in order: for each a method that makes it, and the slots of its inputs.
    results
        The slot of each gradient; None if the scalar op has none.
    """

    constants: list[Any]
    steps: list[tuple[Callable[..., Any], tuple[int, ...]]]
    results: list[int | None]

    def run(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> list[Any]:
        """Return the gradients of a node.

        Each has the shape of the outputs, or one that broadcasts to it; it is None if the scalar
        op has no gradient with respect to that input.
        """
        known = [*inputs, *outputs, *output_grads, *self.constants]
        for make_node, slots in self.steps:
            known += make_node(*[known[slot] for slot in slots]).outputs
        return [None if slot is None else known[slot] for slot in self.results]


def plan_key(
    scalar_op: ScalarOp,
    inputs: Sequence[Any],
    output_grads: Sequence[Any],
    wanted: tuple[int, ...],
    ndim: int,
) -> Hashable:
    """Return a key such that nodes of a scalar op with equal keys have equal plans.

    For the parameters see `plan_gradients`.
    """
    return (
        wanted,
        ndim,
        tuple([v.type.dtype for v in inputs]),
        # A disconnected gradient has no dtype.
        tuple([getattr(g.type, "dtype", None) for g in output_grads]),
        tuple([_value_key(inputs[i]) for i in scalar_op.constants_read_by_gradient]),
    )


def _value_key(x: Any) -> Hashable:
    return x.data.flat[0].tobytes() if _is_number(x) else None


def _is_number(x: Any) -> bool:
    return isinstance(x, Constant) and x.unique_value() is not None


def plan_gradients(
    scalar_op: ScalarOp,
    inputs: Sequence[Any],
    output_grads: Sequence[Any],
    wanted: tuple[int, ...],
    ndim: int,
) -> GradientPlan:
    """Return a plan for the gradients of a node with respect to some of its inputs.

    Parameters
    ----------
    scalar_op
        The scalar op of the node.
    inputs, output_grads
        The inputs of the node, and the gradients with respect to its outputs.
    wanted
        The positions of the inputs whose gradients are wanted.
    ndim
        The rank of the outputs.
    """
    scalars = [
        _scalar_for(x, i in scalar_op.constants_read_by_gradient) for i, x in enumerate(inputs)
    ]
    node = scalar_op.make_node(*scalars)
    scalar_grads = [_scalar_gradient_for(g) for g in output_grads]
    grads = [
        scalar_zero_like(out) if isinstance(g.type, DisconnectedType) else scalar_grad
        for g, out, scalar_grad in zip(output_grads, node.outputs, scalar_grads, strict=True)
    ]
    found = scalar_op.L_op(scalars, node.outputs, grads)
    leaves = [*scalars, *node.outputs, *scalar_grads]
    return _plan_for_tensors(leaves, [found[i] for i in wanted], ndim)


def _scalar_for(x: Any, by_value: bool) -> Any:
    """Return a scalar variable for the elements of `x`.

    It is a constant if the gradient depends on their value, and all are the same number.
    """
    kind = get_scalar_type(x.type.dtype)
    if by_value and _is_number(x):
        return kind.make_constant(x.data.flat[0])
    return kind.make_variable()


def _scalar_gradient_for(g: Any) -> Any:
    """Return a scalar variable for the elements of a gradient."""
    dtype = getattr(g.type, "dtype", "float64")
    return get_scalar_type("float64" if is_discrete(dtype) else dtype).make_variable()


def _plan_for_tensors(
    leaves: Sequence[Variable], results: Sequence[Any], ndim: int
) -> GradientPlan:
    """Return the plan that makes a graph of tensors of rank `ndim` like a graph of scalars.

    Parameters
    ----------
    leaves, results
        The inputs and outputs of the graph of scalars.
    """
    nodes = io_toposort(leaves, [r for r in results if r is not None])
    slots: dict[Variable, int] = {v: i for i, v in enumerate(leaves)}
    constants: list[Any] = []
    for v in [*[v for node in nodes for v in node.inputs], *results]:
        if isinstance(v, Constant) and v not in slots:
            slots[v] = len(leaves) + len(constants)
            constants.append(constant(v.data, ndim=ndim))
    steps = []
    count = len(leaves) + len(constants)
    for node in nodes:
        steps.append((Elemwise(node.op).make_node, tuple([slots[v] for v in node.inputs])))
        for out in node.outputs:
            slots[out] = count
            count += 1
    return GradientPlan(constants, steps, [None if r is None else slots[r] for r in results])


# Of so many combinations of input types an op keeps plans.
_MOST_PLANS = 200

_new = object.__new__


class _NodePlan(NamedTuple):
    """The padding of the inputs and the output types of a node, for some input types.

    Attributes
    ----------
    padding
        For each input the op that adds axes in front, or None; None if no input needs any.
    output_types
        The types of the outputs.
    """

    padding: tuple[DimShuffle | None, ...] | None
    output_types: tuple[TensorType, ...]


@documented("elementwise", lambda op: signature_of(op.scalar_op.argument_names))
class Elemwise(Op):
    """A scalar op, applied to the elements of tensors that broadcast.

    An axis broadcasts if its static length is 1. An input of lower rank gets axes of length 1 in
    front.

    Parameters
    ----------
    scalar_op
        The scalar op.
    inplace_pattern
        Which outputs overwrite an input: a mapping, or pairs, from the position of the output to
        that of the input.

    Raises
    ------
    TypeError
        If `scalar_op` is not a scalar op.
    ValueError
        If two outputs overwrite one input.
    """

    __props__ = ("scalar_op", "inplace_pattern")
    elementwise = True

    scalar_op: ScalarOp
    inplace_pattern: tuple[tuple[int, int], ...]

    def __init__(
        self,
        scalar_op: Any,
        inplace_pattern: Mapping[int, int] | Sequence[tuple[int, int]] = (),
    ) -> None:
        if not isinstance(scalar_op, ScalarOp):
            raise TypeError(f"Elemwise: {scalar_op!r} is not a scalar op")
        pairs = inplace_pattern.items() if isinstance(inplace_pattern, Mapping) else inplace_pattern
        self.scalar_op = scalar_op
        self.inplace_pattern = tuple(sorted((int(o), int(i)) for o, i in pairs))
        if len({i for _, i in self.inplace_pattern}) < len(self.inplace_pattern):
            raise ValueError(f"{scalar_op}: two outputs can't be written over one input: {pairs}")
        self.destroy_map = {o: [i] for o, i in self.inplace_pattern}
        self.commutative = scalar_op.commutative
        self.associative = scalar_op.associative
        self.rounds_by_order = scalar_op.rounds_by_order
        self.converts = scalar_op.converts
        self.pure = scalar_op.pure
        self.repeats = scalar_op.repeats
        self.nin, self.nout = scalar_op.nin, scalar_op.nout
        self._plans: Memo[tuple[Any, ...], _NodePlan] = Memo(_MOST_PLANS)
        self._gradient_plans: Memo[Hashable, GradientPlan] = Memo(_MOST_PLANS)
        # a class check of what has a metaclass takes as long as a ufunc of few elements
        self._is_composite = isinstance(scalar_op, Composite)
        # what computes nodes, by how their inputs broadcast
        self.kernels: dict[tuple[tuple[bool, ...], ...], Any] = {}

    def __str__(self) -> str:
        if not self.inplace_pattern:
            return str(self.scalar_op)
        pairs = ", ".join(f"{o}: {i}" for o, i in self.inplace_pattern)
        return f"{self.scalar_op}{{inplace={{{pairs}}}}}"

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        """Return how it is written, of inputs without the axes that broadcasting adds."""
        inputs = tuple(map(_before_broadcasting, arguments))
        if self.inplace_pattern:
            return super().applied(inputs, output)
        node = _maker(inputs[0])
        if node is not None and self.scalar_op.converts and node.op.is_length:
            return inputs[0]
        quotient = None
        if self.scalar_op is scalar.true_div:
            quotient = _named_quotient(arguments[0], inputs[1])
        return self.scalar_op.applied(inputs, output) if quotient is None else quotient

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.scalar_op, self.inplace_pattern)

    def make_node(self, *inputs: Any) -> Apply:
        """Return a node of this op.

        Parameters
        ----------
        inputs
            Tensor variables, or anything that `as_tensor_variable` takes. A Python number gets
            the dtype that NumPy would give it beside the other inputs.

        Raises
        ------
        TypeError
            If there are too many or too few inputs, or the op is not defined on their dtypes.
        ValueError
            If the static lengths of an axis differ, and neither is 1.
        """
        try:
            plan = self._plans.get(tuple([v.type for v in inputs]))
        except AttributeError:
            plan = None
        if plan is None:
            inputs = tuple(self._as_tensors(inputs))
            plan = self._plan(tuple([v.type for v in inputs]))
        if plan.padding is not None:
            inputs = tuple(
                v if pad is None else _with_leading_axes(v, pad)
                for v, pad in zip(inputs, plan.padding, strict=True)
            )
        # This is `Apply(self, inputs, outputs)` without its checks: the plan has made them.
        node: Apply = _new(Apply)
        node.op = self
        node.inputs = list(inputs)
        node.outputs = outputs = []
        node._tag = None
        node.view = None
        for index, type_ in enumerate(plan.output_types):
            out: TensorVariable = _new(TensorVariable)
            out.type = type_
            out.owner = node
            out.index = index
            out.name = None
            out.head = self
            out._tag = None
            outputs.append(out)
        return node

    def _as_tensors(self, inputs: Sequence[Any]) -> list[Any]:
        op = self.scalar_op
        op.check_count(len(inputs))
        made = [
            x if number_kind(x) is not None else as_argument(x, self, i)
            for i, x in enumerate(inputs)
        ]
        if all(isinstance(x, Variable) for x in made):
            return made
        ndim = max((x.type.ndim for x in made if isinstance(x, Variable)), default=0)
        return [
            x if typed is None else number(*typed, ndim)
            for x, typed in zip(made, op.typed_numbers(made), strict=True)
        ]

    def _plan(self, types: tuple[Any, ...]) -> _NodePlan:
        known = self._plans.recall(types)
        if known is not None:
            return known
        for i, t in enumerate(types):
            if not isinstance(t, TensorType):
                raise TypeError(f"{self}: input {i} is of type {t}, not a tensor")
        ndim = max([t.ndim for t in types])
        padding = tuple(
            None if t.ndim == ndim else DimShuffle(t.ndim, _left_padded_order(t.ndim, ndim))
            for t in types
        )
        static = [t.shape for t in types]
        shape = broadcast_shape(self, types, static, static)
        scalar_types = self.scalar_op.output_types(*[get_scalar_type(t.dtype) for t in types])
        outputs = tuple(TensorType(t.dtype, shape) for t in scalar_types)
        self._check_inplace(types, outputs)
        needed_padding = padding if any(p is not None for p in padding) else None
        return self._plans.keep(types, _NodePlan(needed_padding, outputs))

    def _check_inplace(self, types: Sequence[TensorType], outputs: Sequence[TensorType]) -> None:
        for o, i in self.inplace_pattern:
            shape = (1,) * (outputs[o].ndim - types[i].ndim) + types[i].shape
            grows = any(n == 1 and m != 1 for n, m in zip(shape, outputs[o].shape, strict=True))
            if grows or types[i].dtype != outputs[o].dtype:
                raise TypeError(
                    f"{self}: output {o}, a {outputs[o]}, can't be written to the storage of "
                    f"input {i}, a {types[i]}"
                )

    def compute(self, node: Apply, *values: Any) -> Any:
        shape = self.checked_shape(node, values)
        targets = self.targets(values)
        if self._is_composite:
            return self.written(self.separately(values, shape), targets)
        wanted = [out.type.numpy_dtype for out in node.outputs]
        return self.written(elementwise(self.scalar_op, values, wanted, shape, targets[0]), targets)

    def separately(self, values: Sequence[Any], shape: tuple[int, ...]) -> list[Any]:
        """Return the outputs of a Composite for arrays that broadcast to a shape, computed one op
        after the other."""
        op: Any = self.scalar_op
        known: dict[Variable, Any] = dict(zip(op.inputs, values, strict=True))
        for node in op.nodes:
            given = [known[v] if v in known else np.asarray(v.data) for v in node.inputs]
            dtypes = [v.type.numpy_dtype for v in node.outputs]
            own_shape = np.broadcast_shapes(*[x.shape for x in given])
            found = elementwise(node.op, given, dtypes, own_shape)
            known.update(zip(node.outputs, found, strict=True))
        results: list[Any] = []
        for out in op.outputs:
            x = known[out] if out in known else np.asarray(out.data)
            if x.shape != shape or any(x is other for other in (*values, *results)):
                x = copied(x, shape)
            results.append(x)
        return results

    def targets(self, values: Sequence[Any]) -> list[Any]:
        """Return for each output the value that it overwrites, or None."""
        targets: list[Any] = [None] * self.scalar_op.nout
        for o, i in self.inplace_pattern:
            targets[o] = values[i]
        return targets

    def written(self, results: list[Any], targets: Sequence[Any]) -> Any:
        """Return results, written to their targets: one, or a list of several."""
        for o, _ in self.inplace_pattern:
            if results[o] is not targets[o]:
                targets[o][...] = results[o]
                results[o] = targets[o]
        return results if len(results) > 1 else results[0]

    def checked_shape(self, node: Apply, inputs: Sequence[Any]) -> tuple[int, ...]:
        """Return the shape of the output.

        Raises
        ------
        ValueError
            If the lengths of an axis differ, and no static length of 1 lets one broadcast.
        """
        first: tuple[int, ...] = inputs[0].shape
        if all(x.shape == first for x in inputs):
            return first
        static = [v.type.shape for v in node.inputs]
        return broadcast_shape(self, node.inputs, static, [x.shape for x in inputs])

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Return for each axis the length of an input that does not broadcast along it.

        Rewriting may have found out that all of them do where the output's type leaves it open.
        """
        met = met_shape([v.type.shape for v in node.inputs], shapes)
        return [merged_lengths(node.outputs[0].type.shape, met)] * len(node.outputs)

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        static = [v.type.shape for v in node.inputs]
        return equal_lengths(static, shapes, ((),) * len(static))

    def fill_like(self, node: Apply, new: Any) -> Any:
        """Return `new`, broadcast to the shape of an output of `node`; it reads only its inputs.

        Parameters
        ----------
        node
            A node of this op.
        new
            A variable that broadcasts to the shape of the outputs.
        """
        missing = [n != 1 for n in node.outputs[0].type.shape]
        missing = [
            need
            and (axis < len(missing) - new.type.ndim or new.type.shape[axis - len(missing)] == 1)
            for axis, need in enumerate(missing)
        ]
        by_use = sorted(
            node.inputs,
            key=lambda v: (isinstance(v, Constant), sum(n == 1 for n in v.type.shape)),
        )
        for v in by_use:
            fills = [need and n != 1 for need, n in zip(missing, v.type.shape, strict=True)]
            if any(fills):
                new = v._ops.second(v, new)
                missing = [need and not now for need, now in zip(missing, fills, strict=True)]
        if new.type.ndim < len(missing):
            new = new.dimshuffle(_left_padded_order(new.type.ndim, len(missing)))
        return new

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return self.scalar_op.connection_pattern(node)

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return the gradients of the scalar op, summed over the axes along which inputs broadcast.

        That of a float or complex input has the dtype of the input.
        """
        return self.gradients(inputs, outputs, output_grads, tuple(range(len(inputs))))

    def gradients(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        output_grads: Sequence[Any],
        wanted: tuple[int, ...],
    ) -> list[Any]:
        """Return the gradients of `L_op` with respect to the inputs at the positions `wanted`."""
        op = self.scalar_op
        ndim = outputs[0].type.ndim
        choices: list[ChosenGradient] = []  # one within the other
        while len(choices) < _NESTED_CHOICES:
            chosen = ChosenGradient.of(op, output_grads)
            if chosen is None:
                break
            choices.append(chosen)
            output_grads = [chosen.where_taken]
        key = plan_key(op, inputs, output_grads, wanted, ndim)
        plan = self._gradient_plans.recall(key)
        if plan is None:
            plan = plan_gradients(op, inputs, output_grads, wanted, ndim)
            self._gradient_plans.keep(key, plan)
        found = plan.run(inputs, outputs, output_grads)
        for chosen in reversed(choices):
            found = [None if g is None else chosen.and_zero_elsewhere(g) for g in found]
        return [
            summed_over_broadcast_axes(g, inputs[i])
            if g is not None
            else disconnected()
            if self._ignores(i, outputs[0].owner)
            else None
            for i, g in zip(wanted, found, strict=True)
        ]

    def _ignores(self, i: int, node: Apply | None) -> bool:
        """Return whether no output depends on input `i`."""
        if node is None:
            return i in self.scalar_op.ignored_inputs
        return not any(self.connection_pattern(node)[i])


def _left_padded_order(ndim: int, wanted: int) -> tuple[int | str, ...]:
    """Return the order of axes for a DimShuffle that adds axes in front."""
    return ("x",) * (wanted - ndim) + tuple(range(ndim))


def _with_leading_axes(var: Any, pad: DimShuffle) -> Any:
    """Return a variable with axes added in front; a constant of rank 0 stays a constant."""
    if isinstance(var, Constant) and var.type.ndim == 0:
        return constant(var.data.reshape((1,) * len(pad.new_order)))
    return pad(var)


def summed_over_broadcast_axes(g: Any, x: Any) -> Any:
    """Return a gradient summed over the axes along which `x` was broadcast."""
    if g.type == x.type:
        return g
    axes = tuple(
        i
        for i, (n, m) in enumerate(zip(x.type.shape, g.type.shape, strict=True))
        if n == 1 and m != 1
    )
    if not axes:
        return g
    return g.sum(axis=axes, keepdims=True)


class FusedElemwise(Elemwise):
    """An `Elemwise` of a `Composite` that fusion has made.

    It has a class of its own so that laws about any `Elemwise` leave it alone: its parts are what
    these laws were for, and they have been rewritten.
    """
