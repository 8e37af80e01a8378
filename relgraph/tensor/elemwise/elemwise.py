"""`Elemwise`: applies a scalar op to the elements of tensors that broadcast."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.type import disconnected
from relgraph.graph.utils import Memo
from relgraph.introspection import documented, signature_of
from relgraph.scalar.composite import Composite
from relgraph.scalar.dtypes import number_kind
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.type import get_scalar_type
from relgraph.tensor.basic import as_argument, constant, number
from relgraph.tensor.elemwise.chosen_gradient import ChosenGradient
from relgraph.tensor.elemwise.composite_kernel import CompositeKernel
from relgraph.tensor.elemwise.composite_source import Pattern
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.scalar_gradients import GradientPlan, plan_gradients, plan_key
from relgraph.tensor.memory_layout import forward, steady
from relgraph.tensor.type import TensorType
from relgraph.tensor.variable import TensorVariable

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
        self._kernels: dict[tuple[Pattern, ...], CompositeKernel] = {}

    def __str__(self) -> str:
        if not self.inplace_pattern:
            return str(self.scalar_op)
        pairs = ", ".join(f"{o}: {i}" for o, i in self.inplace_pattern)
        return f"{self.scalar_op}{{inplace={{{pairs}}}}}"

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
        shapes = [(1,) * (ndim - t.ndim) + t.shape for t in types]
        shape = tuple(self._length(axis, shapes) for axis in range(ndim))
        scalar_types = self.scalar_op.output_types(*[get_scalar_type(t.dtype) for t in types])
        outputs = tuple(TensorType(t.dtype, shape) for t in scalar_types)
        self._check_inplace(types, shapes, outputs)
        needed_padding = padding if any(p is not None for p in padding) else None
        return self._plans.keep(types, _NodePlan(needed_padding, outputs))

    def _length(self, axis: int, shapes: Sequence[tuple[int | None, ...]]) -> int | None:
        """Return the static length of an axis of the output."""
        lengths = [s[axis] for s in shapes]
        known = {n for n in lengths if n is not None and n != 1}
        if len(known) > 1:
            raise ValueError(
                f"{self}: the inputs have different lengths along axis {axis}: "
                f"their shapes are {', '.join(map(str, shapes))}"
            )
        if known:
            return known.pop()
        return None if None in lengths else 1

    def _check_inplace(
        self,
        types: Sequence[TensorType],
        shapes: Sequence[tuple[int | None, ...]],
        outputs: Sequence[TensorType],
    ) -> None:
        for o, i in self.inplace_pattern:
            grows = any(n == 1 and m != 1 for n, m in zip(shapes[i], outputs[o].shape, strict=True))
            if grows or types[i].dtype != outputs[o].dtype:
                raise TypeError(
                    f"{self}: output {o}, a {outputs[o]}, can't be written to the storage of "
                    f"input {i}, a {types[i]}"
                )

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        shape = self.checked_shape(node, inputs)
        targets: list[Any] = [None] * len(node.outputs)
        for o, i in self.inplace_pattern:
            targets[o] = inputs[i]
        with np.errstate(all="ignore"):
            results = self._compute(node, inputs, targets, shape)
            for cell, result, target in zip(output_storage, results, targets, strict=True):
                if target is None or result is target:
                    cell[0] = result
                else:
                    target[...] = result
                    cell[0] = target

    def _compute(
        self, node: Apply, inputs: Sequence[Any], targets: Sequence[Any], shape: tuple[int, ...]
    ) -> list[Any]:
        op = self.scalar_op
        if isinstance(op, Composite):
            return self.kernel(node).run(inputs, shape, targets)
        wanted = [out.type.numpy_dtype for out in node.outputs]
        ufunc = op.ufunc
        folds = isinstance(op, FoldOp) and len(inputs) > 2
        if isinstance(ufunc, np.ufunc) and (folds or len(inputs) == ufunc.nin):
            out = targets[0]
            compute = steady(ufunc, [x.dtype for x in inputs])
            if folds:
                # The last input may be the array that is overwritten: it is read last.
                first = compute(inputs[0], inputs[1], dtype=wanted[0])
                for x in inputs[2:-1]:
                    first = compute(first, x, dtype=wanted[0])
                inputs = (first, inputs[-1])
            if out is not None:
                return [compute(*inputs, out=out)]
            results = [compute(*inputs)]
        else:
            made = op.impl(*[forward(x) for x in inputs])
            results = [made] if op.nout == 1 else made
        arrays = [np.asarray(r, dtype=d) for r, d in zip(results, wanted, strict=True)]
        # An op that ignores an input does not broadcast its result to the shape of that input.
        return [
            a if a.shape == shape else np.array(np.broadcast_to(a, shape), order="C")
            for a in arrays
        ]

    def kernel(self, node: Apply) -> CompositeKernel:
        """Return the kernel of a node whose scalar op is a Composite."""
        patterns = tuple([v.type.broadcastable for v in node.inputs])
        kernel = self._kernels.get(patterns)
        if kernel is None:
            op: Any = self.scalar_op
            kernel = CompositeKernel(op, patterns, [None] * op.nout, dict(self.inplace_pattern))
            self._kernels[patterns] = kernel
        return kernel

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
        shape = tuple(
            max(lengths) if 0 not in lengths else 0
            for lengths in zip(*[x.shape for x in inputs], strict=True)
        )
        for i, x in enumerate(inputs):
            for axis, (n, m, known) in enumerate(
                zip(x.shape, shape, node.inputs[i].type.shape, strict=True)
            ):
                if n != m and known != 1:
                    raise ValueError(self._mismatch_message(node, inputs, i, axis))
        return shape

    def _mismatch_message(self, node: Apply, inputs: Sequence[Any], i: int, axis: int) -> str:
        var, length = node.inputs[i], inputs[i].shape[axis]
        text = (
            f"{self}: axis {axis} of input {i} ({var}) has length {length}, but the shapes of "
            f"the inputs are {', '.join(str(x.shape) for x in inputs)}"
        )
        if length != 1:
            return text
        shape = tuple(1 if k == axis else n for k, n in enumerate(var.type.shape))
        return (
            f"{text}; only an axis whose length is known to be 1 broadcasts: declare "
            f"TensorType({var.type.dtype!r}, {shape}), or use specify_shape"
        )

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Return for each axis the length of an input that does not broadcast along it.

        Rewriting may have found out that all of them do where the output's type leaves it open.
        """
        (out, *_) = node.outputs
        shape = []
        for axis, known in enumerate(out.type.shape):
            candidates = [
                s[axis] for v, s in zip(node.inputs, shapes, strict=True) if v.type.shape[axis] != 1
            ]
            shape.append(known if known is not None else candidates[0] if candidates else 1)
        return [tuple(shape) for _ in node.outputs]

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

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]
    ) -> list[Any]:
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
        chosen = ChosenGradient.of(op, output_grads)
        if chosen is not None:
            output_grads = [chosen.where_taken]
        key = plan_key(op, inputs, output_grads, wanted, ndim)
        plan = self._gradient_plans.recall(key)
        if plan is None:
            plan = plan_gradients(op, Elemwise, inputs, output_grads, wanted, ndim)
            self._gradient_plans.keep(key, plan)
        found = plan.run(inputs, outputs, output_grads)
        if chosen is not None:
            found = [None if g is None else chosen.and_zero_elsewhere(g) for g in found]
        return [
            _summed_over_broadcast_axes(g, inputs[i])
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

    def grad(self, inputs: Sequence[Any], output_gradients: Sequence[Any]) -> list[Any]:
        return self.L_op(inputs, self(*inputs, return_list=True), output_gradients)


def _left_padded_order(ndim: int, wanted: int) -> tuple[int | str, ...]:
    """Return the order of axes for a DimShuffle that adds axes in front."""
    return ("x",) * (wanted - ndim) + tuple(range(ndim))


def _with_leading_axes(var: Any, pad: DimShuffle) -> Any:
    """Return a variable with axes added in front; a constant of rank 0 stays a constant."""
    if isinstance(var, Constant) and var.type.ndim == 0:
        return constant(var.data.reshape((1,) * len(pad.new_order)))
    return pad(var)


def _summed_over_broadcast_axes(g: Any, x: Any) -> Any:
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
    kept = iter(range(g.type.ndim))
    order = ["x" if i in axes else next(kept) for i in range(g.type.ndim)]
    return g.sum(axis=axes).dimshuffle(order)


__all__ = ["DimShuffle", "Elemwise"]
