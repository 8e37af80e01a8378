"""Ops for PyTensor, written: elementwise ones, reductions and what goes along an axis; shapes and
parts of tensors; products and linear algebra; loops, draws, branches and checks.

Each function takes the writer, the node, and its inputs as variables of PyTensor's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import pytensor
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType, disconnected_grad, grad_clip, grad_scale, zero_grad
from pytensor.printing import Print as PyTensorPrint
from pytensor.raise_op import Assert as PyTensorAssert
from pytensor.raise_op import CheckAndRaise as PyTensorCheck
from pytensor.scan.utils import until
from pytensor.tensor import basic, blas, special
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.elemwise import Elemwise as PyTensorElemwise
from pytensor.tensor.extra_ops import CumOp, SearchsortedOp
from pytensor.tensor.linalg import summary
from pytensor.tensor.linalg.decomposition.eigen import Eigvalsh as PyTensorEigvalsh
from pytensor.tensor.linalg.inverse import MatrixPinv
from pytensor.tensor.linalg.products import Expm as PyTensorExpm
from pytensor.tensor.math import Argmax as PyTensorArgmax
from pytensor.tensor.math import Max, Min
from pytensor.tensor.shape import Shape as PyTensorShape
from pytensor.tensor.shape import Shape_i as PyTensorShape_i
from pytensor.tensor.type_other import NoneConst

from relgraph import scalar
from relgraph.bridges.pytensor.counterparts import (
    DISTRIBUTION_OF_CLASS,
    QR_MODES,
    THEIRS,
    CholeskyOrNan,
    bounds_are_ordered,
    opened,
    present,
    typed,
)
from relgraph.bridges.pytensor.counterparts import IfElse as PyTensorIfElse
from relgraph.compile.io import DeepCopyOp
from relgraph.gradient.barriers import GradientBarrier, GradientClip, GradientScale
from relgraph.printing import Print
from relgraph.scalar.composite import Composite
from relgraph.scalar.named import ScipyOp
from relgraph.scalar.op import FoldOp
from relgraph.scalar.type import is_discrete
from relgraph.tensor.along_axes import ArgSort, Cumulate, Sort
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.basic import Assert, CheckAndRaise
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.elemwise import DimShuffle, Elemwise, FusedElemwise
from relgraph.tensor.functions.searching import Nonzero, SearchSorted
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.blas import Dot22, Dot22Scalar, Gemv
from relgraph.tensor.linalg.decompositions import QR, SVD, Cholesky, Eig, Eigh, Eigvalsh
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.functions import Det, Expm, SLogDet
from relgraph.tensor.linalg.products import BatchedDot, MatMul
from relgraph.tensor.linalg.systems import (
    CholeskySolve,
    Inverse,
    PseudoInverse,
    Solve,
    SolveTriangular,
)
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import Dot
from relgraph.tensor.random.op import RandomVariable
from relgraph.tensor.reductions import Argmax, Argmin, CAReduce
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.subtensor import IncSubtensor, Subtensor, symbolic_index
from relgraph.tensor.type import TensorType


def _logaddexp(x: Any, y: Any) -> Any:
    """Return ``log(exp(x) + exp(y))`` such that no exponential overflows."""
    far = pt.maximum(x, y) + pt.log1p(pt.exp(-abs(x - y)))
    return pt.switch(pt.eq(x, y), x + math.log(2), far)


_TO_INTEGERS = (scalar.ceil, scalar.floor, scalar.trunc, scalar.round)
_ON_BITS = (scalar.and_, scalar.or_, scalar.xor)

FORMULAS: dict[Any, Callable[..., Any]] = {
    # PyTensor's own asks for bounds in order, and takes nan for none
    scalar.clip: lambda x, low, high: pt.minimum(pt.maximum(x, low), high),
    scalar.logaddexp: lambda *xs: reduce(_logaddexp, xs),
    scalar.cosm1: lambda x: -2 * pt.sqr(pt.sin(x / 2)),
    scalar.log1p_sqr: lambda x: pt.switch(
        pt.gt(abs(x), 1e8), 2 * pt.log(abs(x)), pt.log1p(pt.sqr(x))
    ),
    scalar.sqr_less_sqr: lambda x, y: (x - y) * (x + y),
    scalar.angle: lambda z: pt.angle(z),
    **{
        ours: theirs
        for theirs, ours in present(
            {f"tensor.special.{name}": ScipyOp(name) for name in ("xlogy", "xlog1py")}
        ).items()
    },
    ScipyOp("owens_t"): lambda h, a: pt.owens_t(h, a),
}
"""Functions that are no op of PyTensor's, as precise as the op of this library."""


def _function_of(op: Any, bools: bool) -> Callable[..., Any] | None:
    """Return what computes a scalar op on tensors of PyTensor's; None if nothing does.

    Parameters
    ----------
    bools
        Whether all inputs are booleans, of which PyTensor has no sums.
    """
    if isinstance(op, scalar.Cast):
        return lambda x: pt.cast(x, op.dtype)
    if bools and op in (scalar.add, scalar.maximum):
        return lambda *xs: reduce(pt.or_, xs)
    if bools and op in (scalar.mul, scalar.minimum):
        return lambda *xs: reduce(pt.and_, xs)
    if op in FORMULAS:
        return FORMULAS[op]
    theirs = THEIRS.get(op)
    if theirs is None:
        return None
    applied: Callable[..., Any] = PyTensorElemwise(theirs)
    if isinstance(op, FoldOp) and op not in (scalar.add, scalar.mul):
        return lambda *xs: reduce(applied, xs)
    return applied


def _apply(op: Any, dtype: str, *inputs: Any) -> Any:
    """Return a scalar op on tensors, or None if PyTensor has no such function."""
    if isinstance(op, FoldOp) and len(inputs) == 1:
        return inputs[0]
    if op in _TO_INTEGERS and is_discrete(dtype):
        return inputs[0]
    if op in _ON_BITS:
        inputs = tuple([pt.cast(x, dtype) for x in inputs])
    if op in FORMULAS and not is_discrete(dtype):
        inputs = tuple([pt.cast(x, dtype) if is_discrete(x.type.dtype) else x for x in inputs])
    function = _function_of(op, all(x.type.dtype == "bool" for x in inputs))
    return None if function is None else typed(pt, function, dtype, *inputs)


def elemwise(writer: Any, node: Any, *inputs: Any) -> Any:
    """Write an Elemwise; a composite is opened."""
    op = node.op.scalar_op
    if op is scalar.clip and bounds_are_ordered(node.inputs[1:]):
        return pt.clip(*inputs)
    return _of_scalars(op, node, inputs)


def _of_scalars(op: Any, node: Any, inputs: Sequence[Any]) -> Any:
    if not isinstance(op, Composite):
        return _apply(op, node.outputs[0].type.dtype, *inputs)
    return opened(pt, op.nodes, op.inputs, op.outputs, inputs, _of_scalars)


_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    scalar.add: lambda x, axis, dtype: pt.sum(x, axis, dtype=dtype, acc_dtype=dtype),
    scalar.mul: lambda x, axis, dtype: pt.prod(x, axis, dtype=dtype, acc_dtype=dtype),
    scalar.maximum: lambda x, axis, dtype: Max(axis=axis)(x),
    # `pt.min` of integers is that of their negatives, which wrap around
    scalar.minimum: lambda x, axis, dtype: Min(axis=axis)(x),
}
_OF_BOOLS: dict[Any, Callable[..., Any]] = {
    scalar.maximum: pt.any,
    scalar.minimum: pt.all,
    scalar.or_: pt.any,
    scalar.and_: pt.all,
}


def reduced(writer: Any, node: Any, x: Any) -> Any:
    op = node.op.scalar_op
    if x.type.dtype == "bool" and op in _OF_BOOLS:
        return _OF_BOOLS[op](x, axis=node.op.axis)
    function = _REDUCTIONS.get(op)
    return None if function is None else function(x, node.op.axis, node.outputs[0].type.dtype)


def softmax(writer: Any, node: Any, x: Any) -> Any:
    op = special.LogSoftmax if isinstance(node.op, LogSoftmax) else special.Softmax
    return op(axis=node.op.axis)(x)


def logsumexp(writer: Any, node: Any, x: Any) -> Any:
    """Write the logarithm of a sum such that no exponential overflows, in any mode.

    Read again it is what it was, by the laws on shifted sums and `log-sum-exp-guarded`.
    """
    if 0 in x.type.shape or x.type.ndim == 0:
        return None
    axes = range(x.type.ndim) if node.op.axis is None else node.op.axes(x.type.ndim)
    largest = pt.max(x, axis=tuple(axes))
    total = pt.log(pt.sum(pt.exp(x - pt.expand_dims(largest, tuple(axes))), axis=tuple(axes)))
    return pt.switch(pt.isinf(largest), largest, largest + total)


def argmax(writer: Any, node: Any, x: Any) -> Any:
    axis = node.op.axis
    return PyTensorArgmax(None if axis is None else (axis,))(x)


def argmin(writer: Any, node: Any, x: Any) -> Any:
    """Write the place of the least element as that of the greatest, in reversed order."""
    return argmax(writer, node, pt.invert(x) if is_discrete(x.type.dtype) else -x)


def cumulated(writer: Any, node: Any, x: Any) -> Any:
    modes = {scalar.add: "add", scalar.mul: "mul"}
    if node.op.scalar_op not in modes:
        return None
    return CumOp(node.op.axis, modes[node.op.scalar_op])(pt.cast(x, node.outputs[0].type.dtype))


def vector_of(writer: Any, node: Any, *numbers: Any) -> Any:
    dtype = node.op.dtype
    if not numbers:
        return pt.constant([], dtype=dtype)
    return basic.MakeVector(dtype)(*[pt.cast(n, dtype) for n in numbers])


def with_diagonal(writer: Any, node: Any, a: Any, v: Any) -> Any:
    k = node.op.offset
    along = pt.arange(pt.diagonal(a, k, -2, -1).shape[-1])
    return pt.set_subtensor(a[..., along + max(-k, 0), along + max(k, 0)], v)


def part(writer: Any, node: Any, x: Any, *indices: Any) -> Any:
    index = symbolic_index(node.op.idx_list, indices)
    return x[tuple(index)] if index else x


def changed(writer: Any, node: Any, x: Any, y: Any, *indices: Any) -> Any:
    """Write what sets or adds to a part; an index with new axes is carried."""
    index = symbolic_index(node.op.idx_list, indices)
    if None in node.op.idx_list:
        return None
    y = pt.cast(y, x.type.dtype)
    if not index:
        new = y if node.op.set_instead_of_inc else x + y
        return pt.second(x, new)
    change = pt.set_subtensor if node.op.set_instead_of_inc else pt.inc_subtensor
    return change(x[tuple(index)], y)


class SLogDetWithGradient(summary.SLogDet):  # type: ignore[misc]
    """PyTensor's op, which has no gradient, with the gradient of a logarithm of a determinant.

    Giles, Collected Matrix Derivative Results (2008), 2.2.2.
    """

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> list[Any]:
        (a,), g = inputs, cotangents[1]
        if isinstance(g.type, DisconnectedType):
            return [a.zeros_like()]
        return [g * pt.linalg.inv(a).T]


def _rank(b: Any) -> int:
    """Return the rank of one right side: as in NumPy only a vector is one."""
    return 1 if b.type.ndim == 1 else 2


def solved(writer: Any, node: Any, a: Any, b: Any) -> Any:
    return pt.linalg.solve(a, b, assume_a=node.op.assume_a, lower=node.op.lower, b_ndim=_rank(b))


def solved_triangular(writer: Any, node: Any, a: Any, b: Any) -> Any:
    return pt.linalg.solve_triangular(
        a, b, lower=node.op.lower, unit_diagonal=node.op.unit_diagonal, b_ndim=_rank(b)
    )


def solved_by_factor(writer: Any, node: Any, c: Any, b: Any) -> Any:
    return pt.linalg.cho_solve((c, node.op.lower), b, b_ndim=_rank(b))


def pseudo_inverse(writer: Any, node: Any, a: Any) -> Any:
    return None if node.op.rcond is not None else Blockwise(MatrixPinv(node.op.hermitian))(a)


def batched(writer: Any, node: Any, x: Any, y: Any) -> Any:
    return blas.BatchedDot()(x, y) if x.type.ndim == y.type.ndim == 3 else None


def loop(writer: Any, node: Any, steps: Any, *inputs: Any) -> Any:
    """Write a loop over tensors; one that hands on a generator is carried."""
    op = node.op
    if not all(isinstance(v.type, TensorType) for v in op.step.states):
        return None
    outer = op.parts(inputs)
    states, rows = op.results.states, op.results.rows
    own = [row for row in rows if row not in states]

    def step(*given: Any) -> Any:
        made = writer.inner(op.inner_inputs, [*states, *own, *op.results.stop], given)
        return (made[:-1], until(made[-1])) if op.has_condition else made

    traces = pytensor.scan(
        step,
        sequences=outer.sequences,
        outputs_info=[*outer.states, *[None] * len(own)],
        non_sequences=outer.fixed,
        n_steps=steps,
        name=op.name,
        strict=True,
        return_list=True,
        return_updates=False,
    )
    # the array of a state begins with the first one, which is the last one if no step is made
    last = [trace.owner.inputs[0][-1] for trace in traces[: op.n_states]]
    # a state that is collected has its rows in that array
    trace_of = dict(zip([*states, *own], traces, strict=True))
    collected = [
        trace_of[row] if kept is None else trace_of[row][-kept:]
        for row, kept in zip(rows, op.kept, strict=True)
    ]
    made = [*last, *collected]
    return [*made, pt.shape(traces[0])[0]] if op.has_condition else made


_CLASSES = {name: cls for cls, name in DISTRIBUTION_OF_CLASS.items()}


def drawn(writer: Any, node: Any, rng: Any, *inputs: Any) -> Any:
    """Write a draw; one that PyTensor would draw otherwise is carried."""
    op = node.op
    cls = _CLASSES.get(op.distribution.name)
    if cls is None or op.dtype != ("int64" if op.distribution.is_discrete else "float64"):
        return None
    size, *parameters = inputs if op.sized else (NoneConst, *inputs)
    return cls(dtype=op.dtype).make_node(rng, size, *parameters).outputs


def branches(writer: Any, node: Any, condition: Any, *values: Any) -> Any:
    return PyTensorIfElse(node.op.count)(condition, *values, return_list=True)


def checked(writer: Any, node: Any, value: Any, *conditions: Any) -> Any:
    op = node.op
    is_assert = type(op) is Assert
    check = PyTensorAssert(op.message) if is_assert else PyTensorCheck(op.exc_type, op.message)
    return check(value, *[pt.all(pt.neq(c, 0)) for c in conditions])


def cholesky(writer: Any, node: Any, a: Any) -> Any:
    return pt.linalg.cholesky(a, lower=node.op.lower)


def barrier(writer: Any, node: Any, x: Any) -> Any:
    return zero_grad(x) if node.op.connected else disconnected_grad(x)


TABLE: dict[type, Callable[..., Any]] = {
    Elemwise: elemwise,
    FusedElemwise: elemwise,
    CAReduce: reduced,
    Softmax: softmax,
    LogSoftmax: softmax,
    LogSumExp: logsumexp,
    Argmax: argmax,
    Argmin: argmin,
    Cumulate: cumulated,
    Sort: lambda writer, node, x: pt.sort(x, axis=node.op.axis),
    ArgSort: lambda writer, node, x: pt.argsort(x, axis=node.op.axis, kind="stable"),
    DimShuffle: lambda writer, node, x: x.dimshuffle(*node.op.new_order),
    Reshape: lambda writer, node, x, dims: pt.reshape(x, dims, ndim=node.op.ndim),
    Shape: lambda writer, node, x: PyTensorShape()(x),
    Shape_i: lambda writer, node, x: PyTensorShape_i(node.op.i)(x),
    SpecifyShape: lambda writer, node, x: pt.specify_shape(x, node.op.shape),
    Alloc: lambda writer, node, value, *dims: pt.alloc(value, *dims),
    MakeVector: vector_of,
    Join: lambda writer, node, *tensors: pt.join(node.op.axis, *tensors),
    Split: lambda writer, node, x, sizes: pt.split(
        x, sizes, n_splits=node.op.len_splits, axis=node.op.axis
    ),
    ARange: lambda writer, node, *limits: basic.ARange(node.op.dtype)(*limits),
    Eye: lambda writer, node, n, m, k: basic.Eye(node.op.dtype)(n, m, k),
    Nonzero: lambda writer, node, x: basic.Nonzero()(x, return_list=True),
    ExtractDiag: lambda writer, node, a: pt.diagonal(a, node.op.offset, -2, -1),
    SetDiagonal: with_diagonal,
    SearchSorted: lambda writer, node, x, v: SearchsortedOp(node.op.side)(x, v),
    Subtensor: part,
    AdvancedSubtensor: part,
    IncSubtensor: changed,
    AdvancedIncSubtensor: changed,
    Dot: lambda writer, node, x, y: pt.dot(x, y),
    Dot22: lambda writer, node, x, y: pt.dot(x, y),
    Gemv: lambda writer, node, a, x: pt.dot(a, x),
    MatMul: lambda writer, node, x, y: pt.matmul(x, y),
    BatchedDot: batched,
    Cholesky: cholesky,
    CholeskyOrNan: cholesky,
    Det: lambda writer, node, a: Blockwise(summary.Det())(a),
    SLogDet: lambda writer, node, a: Blockwise(SLogDetWithGradient())(a, return_list=True),
    Inverse: lambda writer, node, a: pt.linalg.inv(a),
    PseudoInverse: pseudo_inverse,
    Expm: lambda writer, node, a: Blockwise(PyTensorExpm())(a),
    Solve: solved,
    SolveTriangular: solved_triangular,
    CholeskySolve: solved_by_factor,
    Eigh: lambda writer, node, a: pt.linalg.eigh(a, lower=node.op.UPLO == "L"),
    Eigvalsh: lambda writer, node, a: Blockwise(PyTensorEigvalsh(lower=node.op.UPLO == "L"))(a),
    Eig: lambda writer, node, a: pt.linalg.eig(a),
    QR: lambda writer, node, a: pt.linalg.qr(a, mode=QR_MODES[node.op.mode]),
    SVD: lambda writer, node, a: pt.linalg.svd(a, node.op.full_matrices, node.op.compute_uv),
    Dot22Scalar: lambda writer, node, x, y, a: pt.dot(x, y) * a,
    Scan: loop,
    RandomVariable: drawn,
    IfElse: branches,
    Assert: checked,
    CheckAndRaise: checked,
    Print: lambda writer, node, x: PyTensorPrint(node.op.message)(x),
    GradientBarrier: barrier,
    GradientClip: lambda writer, node, x: grad_clip(x, node.op.lower, node.op.upper),
    GradientScale: lambda writer, node, x: grad_scale(x, node.op.factor),
    DeepCopyOp: lambda writer, node, x: x,
}
"""From a class of this library's ops to ``write(writer, node, *inputs)``, which returns the outputs
of a node as variables of PyTensor's; or None if they can't be said, which carries the op."""
