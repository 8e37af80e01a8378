"""Ops of PyTensor's, read: elementwise ones, reductions and what goes along an axis; shapes, axes,
and tensors made of others or of nothing; parts of tensors; draws, where NumPy's generator gives the
same numbers in both libraries; products and linear algebra.

Each function takes the reader, the node, and its inputs as variables of this library, which get the
dtype and the axes of length 1 that PyTensor says. PyTensor's stacks of matrices are stacks here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytensor.graph.traversal import toposort
from pytensor.scalar import basic
from pytensor.tensor import special
from pytensor.tensor.linalg.decomposition import eigen
from pytensor.tensor.sort import ArgSortOp

import relgraph.tensor as at
from relgraph.bridges.pytensor.counterparts import (
    DISTRIBUTION_NAMES,
    DISTRIBUTION_OF_CLASS,
    OURS,
    QR_MODES,
    CholeskyOrNan,
    HoldsOp,
    axis_and_others,
    bounds_are_ordered,
    opened,
    present,
    typed,
)
from relgraph.graph.basic import Constant
from relgraph.graph.reference import evaluate
from relgraph.scalar.op import FoldOp
from relgraph.scalar.type import converted_exactly, is_discrete, result_dtype
from relgraph.tensor import special as functions
from relgraph.tensor.along_axes import ArgSort, Sort
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.basic import static_int
from relgraph.tensor.elemwise import Elemwise as OurElemwise
from relgraph.tensor.functions.searching import Nonzero, SearchSorted
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.decompositions import QR, SVD, Eig, Eigh, Eigvalsh
from relgraph.tensor.linalg.functions import Det, Expm, SLogDet
from relgraph.tensor.linalg.products import BatchedDot, MatMul
from relgraph.tensor.linalg.systems import (
    STRUCTURES,
    CholeskySolve,
    Inverse,
    PseudoInverse,
    Solve,
    SolveTriangular,
)
from relgraph.tensor.math import Dot
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import RandomVariable
from relgraph.tensor.reductions import Argmax
from relgraph.tensor.reductions import CAReduce as OurCAReduce
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, lengths, product
from relgraph.tensor.softmaxes import LogSoftmax, Softmax
from relgraph.tensor.subtensor import (
    IncSubtensor,
    IndexList,
    Placeholder,
    Slice,
    Subtensor,
    parse_index,
)
from relgraph.tensor.type import TensorType

FORMULAS: dict[str, Callable[..., Any]] = {
    "scalar.basic.Deg2Rad": at.deg2rad,
    "scalar.basic.Rad2Deg": at.rad2deg,
    "scalar.basic.RoundHalfAwayFromZero": lambda x: at.sign(x) * at.floor(abs(x) + 0.5),
    "scalar.math.TriGamma": lambda x: at.polygamma(1, x),
    "scalar.math.GammaU": lambda k, x: functions.gammaincc(k, x) * functions.gamma(k),
    "scalar.math.GammaL": lambda k, x: functions.gammainc(k, x) * functions.gamma(k),
    "scalar.math.Owens_t": functions.owens_t,
}
"""Functions that have no op of their own here, by the address of PyTensor's scalar op."""

_FORMULAS: dict[type, Callable[..., Any]] = present(FORMULAS)


def _function_of(scalar_op: Any) -> Callable[..., Any] | None:
    """Return what computes a scalar op of PyTensor's on tensors; None if nothing does."""
    if isinstance(scalar_op, basic.Cast):
        return lambda x: at.cast(x, scalar_op.o_type.dtype)
    ours = OURS.get(type(scalar_op))
    return _FORMULAS.get(type(scalar_op)) if ours is None else OurElemwise(ours)


_ARITHMETIC = (
    *(basic.Add, basic.Sub, basic.Mul, basic.TrueDiv, basic.IntDiv, basic.Mod, basic.Pow),
    *(basic.Maximum, basic.Minimum, basic.LogicalComparison),
)


def _of_one_dtype(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs with integer constants beside floats as floats, which they become anyway.

    PyTensor gives a Python number the smallest integer dtype that holds it; laws are about terms of
    one dtype.
    """
    dtype = result_dtype(*[x.type.dtype for x in inputs])
    if is_discrete(dtype):
        return inputs
    return tuple([_as_float(x, dtype) for x in inputs])


def _as_float(x: Any, dtype: str) -> Any:
    if not isinstance(x, Constant) or not is_discrete(x.type.dtype):
        return x
    exact = converted_exactly(x.data, dtype)
    return x if exact is None else at.constant(exact)


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """Return what PyTensor gives for bounds that may be nan or out of order."""
    return at.switch(x < low, low, at.switch(x > high, high, x))


def _apply(scalar_op: Any, dtype: str, *inputs: Any) -> Any:
    """Return a scalar op of one output on tensors, or None if there is no such function."""
    function = _function_of(scalar_op)
    if function is None:
        return None
    if isinstance(scalar_op, basic.Clip) and not bounds_are_ordered(inputs[1:]):
        function = _clipped
    if isinstance(scalar_op, _ARITHMETIC):
        inputs = _of_one_dtype(inputs)
    return typed(at, function, dtype, *inputs)


def _of_scalars(scalar_op: Any, node: Any, inputs: Sequence[Any]) -> Any:
    """Return a scalar op on tensors; a composite is opened."""
    if not isinstance(scalar_op, basic.Composite):
        return _apply(scalar_op, node.outputs[0].type.dtype, *inputs)
    inner = scalar_op.fgraph
    nodes = toposort(inner.outputs, blockers=inner.inputs)
    return opened(at, nodes, inner.inputs, inner.outputs, inputs, _of_scalars)


def _graph_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reader for an op that PyTensor defines by a graph, as a function of its inputs."""
    return lambda reader, node, *inputs: typed(at, function, node.outputs[0].type.dtype, *inputs)


def log_sum_exp(reader: Any, node: Any, x: Any) -> Any:
    return typed(at, lambda x: at.logsumexp(x, node.op.axis), node.outputs[0].type.dtype, x)


def reduced(reader: Any, node: Any, x: Any) -> Any:
    """Read a reduction: the elements are cast to what they are accumulated in, as PyTensor does.

    A largest or smallest element that is a number where there are no elements is held, unless it is
    known that there are some.
    """
    op = node.op
    ours = OURS.get(type(op.scalar_op))
    if not isinstance(ours, FoldOp) or (getattr(op, "initial", False) and not _has_elements(node)):
        return None
    out = node.outputs[0].type.dtype
    accumulated = op.acc_dtype or out
    x = x if x.type.dtype == accumulated else at.cast(x, accumulated)
    return OurCAReduce(ours, op.axis)(x)


def _has_elements(node: Any) -> bool:
    """Return whether the axes that a node reduces are known not to be empty."""
    shape = node.inputs[0].type.shape
    axes = range(len(shape)) if node.op.axis is None else node.op.axis
    return all(shape[axis] for axis in axes)


def softmax(reader: Any, node: Any, x: Any) -> Any:
    op = LogSoftmax if isinstance(node.op, special.LogSoftmax) else Softmax
    return op(node.op.axis)(x)


def softmax_slope(reader: Any, node: Any, g: Any, values: Any) -> Any:
    """Read the slope of a softmax, whose values are given."""
    weighed = g * values
    return weighed - values * at.sum(weighed, axis=node.op.axis, keepdims=True)


def argmax(reader: Any, node: Any, x: Any) -> Any:
    axes = node.op.axis
    if axes is None or len(axes) == x.type.ndim:
        return Argmax(None)(x)
    return Argmax(axes[0])(x) if len(axes) == 1 else None


def cumulated(reader: Any, node: Any, x: Any) -> Any:
    function = at.cumsum if node.op.mode == "add" else at.cumprod
    return at.cast(function(x, node.op.axis), x.type.dtype)


def sorted_along(reader: Any, node: Any, *inputs: Any) -> Any:
    along, (x,) = axis_and_others(node.op, inputs, 1)
    if along is None or (isinstance(node.op, ArgSortOp) and node.op.kind not in _STABLE):
        return None
    return (ArgSort if isinstance(node.op, ArgSortOp) else Sort)(along)(x)


_STABLE = ("stable", "mergesort")


def dimshuffled(reader: Any, node: Any, x: Any) -> Any:
    """Read a DimShuffle; that of a constant is a constant, as it is where one is written here."""
    dropped = tuple(node.op.drop)
    if dropped:
        x = at.specify_shape(x, [1 if i in dropped else None for i in range(x.type.ndim)])
    made = x.dimshuffle(*node.op.new_order)
    return at.constant(evaluate([made])[0]) if isinstance(x, Constant) else made


def joined_axes(reader: Any, node: Any, x: Any) -> Any:
    first, count = node.op.start_axis, node.op.n_axes
    dims = lengths(x)
    here = dims[first : first + count]
    return at.reshape(x, (*dims[:first], product(here), *dims[first + count :]))


def split_axis(reader: Any, node: Any, x: Any, parts: Any) -> Any:
    n = node.outputs[0].type.ndim - x.type.ndim + 1
    axis, dims = node.op.axis, lengths(x)
    return at.reshape(x, (*dims[:axis], *[parts[i] for i in range(n)], *dims[axis + 1 :]))


def declared(reader: Any, node: Any, x: Any, *wanted: Any) -> Any:
    """Read a SpecifyShape; only lengths that are known can be declared here."""
    known = [static_int(n) if hasattr(n.type, "dtype") else None for n in wanted]
    if any(k is None and hasattr(n.type, "dtype") for k, n in zip(known, wanted, strict=True)):
        return None
    return at.specify_shape(x, known)


def joined(reader: Any, node: Any, *inputs: Any) -> Any:
    axis, tensors = axis_and_others(node.op, inputs, 0)
    return None if axis is None else Join(axis)(*tensors)


def parted(reader: Any, node: Any, *inputs: Any) -> Any:
    axis, (x, sizes) = axis_and_others(node.op, inputs, 1)
    if axis is None:
        return None
    return Split(node.op.len_splits, axis)(x, at.cast(sizes, "int64"), return_list=True)


def vector_of(reader: Any, node: Any, *numbers: Any) -> Any:
    dtype = node.op.dtype
    return MakeVector(dtype)(*[at.cast(n, dtype) for n in numbers])


def found_in(reader: Any, node: Any, x: Any, v: Any, sorter: Any = None) -> Any:
    return SearchSorted(node.op.side)(x if sorter is None else at.take(x, sorter, 0), v)


def _index(op: Any, x: Any, indices: Sequence[Any]) -> tuple[IndexList, list[Any]]:
    """Return the index of an op of PyTensor's as the ops here have it, and its inputs."""

    def entry(part: Any) -> Any:
        if not isinstance(part, slice):
            return indices[part]
        ends = (part.start, part.stop, part.step)
        return slice(*[None if end is None else indices[end] for end in ends])

    # older versions don't say it where the index is one vector
    idx_list = getattr(op, "idx_list", (0,))
    return parse_index(tuple(map(entry, idx_list)), x.type.ndim)


def part(reader: Any, node: Any, x: Any, *indices: Any) -> Any:
    entries, inputs = _index(node.op, x, indices)
    trace = reader.traces.get(node.inputs[0])
    of_loop = None if trace is None or not entries else trace.part(entries, inputs)
    if of_loop is not None:
        return of_loop
    return (AdvancedSubtensor if _has_array(entries) else Subtensor)(entries)(x, *inputs)


def changed(reader: Any, node: Any, x: Any, y: Any, *indices: Any) -> Any:
    """Read what sets or adds to a part; where repeated indices count once, it is held."""
    op = node.op
    entries, inputs = _index(op, x, indices)
    if getattr(op, "ignore_duplicates", False) and not op.set_instead_of_inc:
        return None
    kind = AdvancedIncSubtensor if _has_array(entries) else IncSubtensor
    y = at.cast(y, x.type.dtype)
    return kind(entries, False, op.set_instead_of_inc)(x, y, *inputs)


def _has_array(entries: IndexList) -> bool:
    return any(e is Placeholder.ARRAY for e in entries if not isinstance(e, Slice))


def drawn(reader: Any, node: Any, rng: Any, size: Any, *parameters: Any) -> Any:
    """Read a draw; one whose shape is a vector of unknown length is held."""
    op = node.op
    distribution = DISTRIBUTIONS[DISTRIBUTION_OF_CLASS[type(op)]]
    dtype = node.outputs[1].type.dtype
    sized = isinstance(size.type, TensorType)
    if sized and size.type.shape[0] is None:
        return None
    if dtype != ("int64" if distribution.is_discrete else "float64"):
        return None
    shape = [at.cast(size, "int64")] if sized else []
    made = RandomVariable(distribution, sized, dtype)
    return made(rng, *shape, *parameters, return_list=True)


def allocated(reader: Any, node: Any, value: Any, *dims: Any) -> Any:
    """Return an allocation with the lengths that PyTensor knows, or those that are computed."""
    known = node.outputs[0].type.shape
    return Alloc()(value, *[d if n is None else n for n, d in zip(known, dims, strict=True)])


_QR_MODES = {theirs: ours for ours, theirs in QR_MODES.items()}


def _solved(op: Any, b_ndim: int, a: Any, b: Any) -> Any:
    """Return the solutions for a stack of right sides of rank `b_ndim`."""
    if b_ndim == 2 or b.type.ndim == 1:
        return op(a, b)
    return op(a, at.expand_dims(b, -1))[..., 0]


def _general(op: Any, a: Any, b: Any) -> Any:
    if op.assume_a not in STRUCTURES:
        return None
    return _solved(Solve(op.assume_a, op.lower), op.b_ndim, a, b)


def _eigh(op: Any, a: Any, b: Any = None) -> Any:
    if b is not None:
        return None
    kind = Eigvalsh if isinstance(op, eigen.Eigvalsh) else Eigh
    return kind("L" if op.lower else "U")(a)


def _qr(op: Any, a: Any) -> Any:
    return None if op.pivoting or op.mode not in _QR_MODES else QR(_QR_MODES[op.mode])(a)


OF_STACKS: dict[str, Callable[..., Any]] = {
    "tensor.math.Dot": lambda op, a, b: MatMul()(a, b),
    "tensor.linalg.decomposition.cholesky.Cholesky": lambda op, a: CholeskyOrNan(op.lower)(a),
    "tensor.linalg.summary.Det": lambda op, a: Det()(a),
    "tensor.linalg.summary.SLogDet": lambda op, a: SLogDet()(a),
    "tensor.linalg.inverse.MatrixInverse": lambda op, a: Inverse()(a),
    "tensor.linalg.inverse.MatrixPinv": lambda op, a: PseudoInverse(None, op.hermitian)(a),
    "tensor.linalg.products.Expm": lambda op, a: Expm()(a),
    "tensor.linalg.solvers.general.Solve": _general,
    "tensor.linalg.solvers.triangular.SolveTriangular": lambda op, a, b: _solved(
        SolveTriangular(op.lower, op.unit_diagonal), op.b_ndim, a, b
    ),
    "tensor.linalg.solvers.psd.CholeskySolve": lambda op, c, b: _solved(
        CholeskySolve(op.lower), op.b_ndim, c, b
    ),
    "tensor.linalg.decomposition.eigen.Eigh": _eigh,
    "tensor.linalg.decomposition.eigen.Eigvalsh": _eigh,
    "tensor.linalg.decomposition.eigen.Eig": lambda op, a: Eig()(a),
    "tensor.linalg.decomposition.qr.QR": _qr,
    "tensor.linalg.decomposition.svd.SVD": lambda op, a: SVD(op.full_matrices, op.compute_uv)(a),
}
"""From the address of an op of PyTensor's on one matrix to a function of ``(op, *stacks)``."""

_OF_STACKS: dict[type, Callable[..., Any]] = present(OF_STACKS)


def _on_stacks(op: Any, node: Any, inputs: tuple[Any, ...]) -> Any:
    """Return an op on one matrix, applied to stacks; LAPACK has no float16."""
    function = next((_OF_STACKS[c] for c in type(op).__mro__ if c in _OF_STACKS), None)
    if function is None or any(out.type.dtype == "float16" for out in node.outputs):
        return None
    return function(op, *inputs)


def _blockwise(reader: Any, node: Any, *inputs: Any) -> Any:
    """Return an op applied to each matrix of a stack, or to a matrix that is in none."""
    made = _on_stacks(node.op.core_op, node, inputs)
    if made is None and node.op.batch_ndim(node) == 0:
        made = reader.made(node.op.core_op.make_node(*node.inputs), inputs)
        if any(v.owner is not None and isinstance(v.owner.op, HoldsOp) for v in made):
            return None
    return made


TABLE: dict[str, Callable[..., Any]] = {
    "tensor.elemwise.Elemwise": lambda reader, node, *xs: _of_scalars(node.op.scalar_op, node, xs),
    # outside of any Elemwise
    "scalar.basic.ScalarOp": lambda reader, node, *xs: _of_scalars(node.op, node, xs),
    "tensor.special.XLogY": _graph_of(functions.xlogy),
    "tensor.special.XLog1PY": _graph_of(functions.xlog1py),
    "tensor.special.LogAddExp": _graph_of(at.logaddexp),
    "tensor.special.LogSumExp": log_sum_exp,
    "tensor.elemwise.CAReduce": reduced,
    "tensor.math.Argmax": argmax,
    "tensor.special.Softmax": softmax,
    "tensor.special.LogSoftmax": softmax,
    "tensor.special.SoftmaxGrad": softmax_slope,
    "tensor.extra_ops.CumOp": cumulated,
    "tensor.sort.SortOp": sorted_along,
    "tensor.sort.ArgSortOp": sorted_along,
    # a scalar is a tensor of rank 0
    "tensor.basic.ScalarFromTensor": lambda reader, node, x: x,
    "tensor.basic.TensorFromScalar": lambda reader, node, x: x,
    "tensor.elemwise.DimShuffle": dimshuffled,
    "tensor.shape.Reshape": lambda reader, node, x, n: Reshape(node.op.ndim)(
        x, at.cast(n, "int64")
    ),
    "tensor.shape.Shape": lambda reader, node, x: Shape()(x),
    "tensor.shape.Shape_i": lambda reader, node, x: Shape_i(node.op.i)(x),
    "tensor.shape.SpecifyShape": declared,
    "tensor.reshape.JoinDims": joined_axes,
    "tensor.reshape.SplitDims": split_axis,
    "tensor.basic.Alloc": allocated,
    # its elements are any numbers
    "tensor.basic.AllocEmpty": lambda reader, node, *dims: allocated(
        reader, node, at.constant(0, node.op.dtype), *dims
    ),
    "tensor.basic.MakeVector": vector_of,
    "tensor.basic.Join": joined,
    "tensor.basic.Split": parted,
    "tensor.basic.ARange": lambda reader, node, *limits: ARange(node.op.dtype)(*limits),
    "tensor.basic.Eye": lambda reader, node, n, m, k: Eye(node.op.dtype)(n, m, k),
    "tensor.basic.ExtractDiag": lambda reader, node, x: at.diagonal(
        x, node.op.offset, node.op.axis1, node.op.axis2
    ),
    "tensor.basic.Nonzero": lambda reader, node, x: Nonzero(x.type.ndim)(x, return_list=True),
    "tensor.extra_ops.SearchsortedOp": found_in,
    "tensor.subtensor.Subtensor": part,
    "tensor.subtensor.IncSubtensor": changed,
    "tensor.subtensor.AdvancedSubtensor": part,
    "tensor.subtensor.AdvancedIncSubtensor": changed,
    "tensor.subtensor.AdvancedSubtensor1": part,
    "tensor.subtensor.AdvancedIncSubtensor1": changed,
    **dict.fromkeys(DISTRIBUTION_NAMES, drawn),
    **dict.fromkeys(OF_STACKS, lambda reader, node, *xs: _on_stacks(node.op, node, xs)),
    "tensor.math.Dot": lambda reader, node, x, y: Dot()(x, y),
    "tensor.blas.Dot22": lambda reader, node, x, y: Dot()(x, y),
    "tensor.blas.Dot22Scalar": lambda reader, node, x, y, a: a * Dot()(x, y),
    "tensor.blas.Gemm": lambda reader, node, z, a, x, y, b: b * z + a * Dot()(x, y),
    "tensor.blas.Gemv": lambda reader, node, y, a, x, v, b: b * y + a * Dot()(x, v),
    "tensor.blas.Ger": lambda reader, node, z, a, x, y: z + a * at.outer(x, y),
    "tensor.blas.BatchedDot": lambda reader, node, x, y: BatchedDot()(x, y),
    "tensor.blockwise.Blockwise": _blockwise,
}
