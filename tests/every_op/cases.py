"""An example of every op on tensors: the op, and what its inputs are."""

from dataclasses import dataclass

import numpy as np

import relgraph.tensor as at
from relgraph import scalar, scan
from relgraph.compile.builders import FromFunctionOp, OpFromGraph
from relgraph.compile.io import DeepCopyOp
from relgraph.gradient.barriers import GradientBarrier, GradientClip, GradientScale
from relgraph.printing import Print
from relgraph.tensor.along_axes import ArgSort, Cumulate, Recurrence, Sort
from relgraph.tensor.assembly import Alloc, ARange, Eye, Join, Split
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.elemwise import FusedElemwise
from relgraph.tensor.fft import DFT
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.functions.searching import Digitize, Nonzero, SearchSorted, Unique
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, GemvAdd, Ger
from relgraph.tensor.linalg.decompositions import QR, SVD, Cholesky, Eig, Eigh, Eigvals, Eigvalsh
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.functions import Cofactors, Det, Expm, SecondCofactors, SLogDet
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.tensor.linalg.products import BatchedDot, Kron, MatMul
from relgraph.tensor.linalg.systems import (
    CholeskySolve,
    Inverse,
    LeastSquares,
    PseudoInverse,
    Solve,
    SolveTriangular,
)
from relgraph.tensor.math import Dot
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import Permuted, RandomVariable
from relgraph.tensor.random.type import random_generator_type
from relgraph.tensor.reductions import Argmax, Argmin, CAReduce, FusedReduction
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.subtensor import WHOLE, IncSubtensor, Placeholder, Slice, Subtensor
from relgraph.tensor.type import TensorType

# In indices: an integer, an array, and a slice.
P, A, S = Placeholder.INTEGER, Placeholder.ARRAY, Slice


@dataclass(frozen=True)
class Tensor:
    """An input of some rank, the lengths of which are drawn."""

    ndim: int
    dtype: str = "float64"


@dataclass(frozen=True)
class Numbers:
    """A vector of so many numbers (None: of rank 0) between two bounds."""

    low: int
    high: int
    count: int | None = None
    dtype: str = "int64"


@dataclass(frozen=True)
class Generator:
    """A generator of random numbers."""


X, M, V, N = Tensor(3), Tensor(2), Tensor(1), Tensor(0)
INDEX = Tensor(1, "int64")
INDICES = Tensor(2, "int64")
MASK, MASK2 = Tensor(1, "bool"), Tensor(2, "bool")
LENGTH = Numbers(-1, 3)
END = Numbers(-4, 4)
STEP = Numbers(-2, 2)
BYTE = Numbers(0, 4, dtype="uint8")
BYTES = Tensor(1, "uint8")


def loop_over_rows():
    """Return a `Scan` that makes the exponential of each row."""
    out, _ = scan(at.exp, at.dmatrix())
    return out.owner.op


def fused_sum():
    """Return an op that adds up a product of two matrices and keeps the product too."""
    x, y = scalar.float64("x"), scalar.float64("y")
    product = x * y
    elemwise = at.Elemwise(scalar.Composite([x, y], [product, product]))
    return FusedReduction(elemwise, [None, CAReduce(scalar.add)])


def fused_exponential():
    x = scalar.float64("x")
    return FusedElemwise(scalar.Composite([x], [scalar.exp(x)]))


G = Generator()
NORMAL, DIRICHLET = DISTRIBUTIONS["normal"], DISTRIBUTIONS["dirichlet"]

_MATRIX = TensorType("float64", (None, None))
_square = _MATRIX("square")
SQUARED = OpFromGraph([_square], [_square**2])


def _doubled(x):
    return np.asarray(2 * x)


DOUBLED = FromFunctionOp(_doubled, [_MATRIX], [_MATRIX], lambda fgraph, node, shapes: shapes)


CASES = [
    (loop_over_rows(), Numbers(0, 1), M),
    (fused_sum(), M, M),
    (fused_exponential(), M),
    (IfElse(1), Numbers(0, 2), M, M),
    (RandomVariable(NORMAL, False, "float64"), G, M, V),
    (RandomVariable(NORMAL, False, "float64"), G, N, X),
    (RandomVariable(NORMAL, True, "float64"), G, Numbers(0, 3, 2), M, V),
    (RandomVariable(DIRICHLET, False, "float64"), G, M),
    (RandomVariable(DIRICHLET, True, "float64"), G, Numbers(0, 3, 2), M),
    (Permuted(1), G, Tensor(2, "int64")),
    (at.exp, X),
    (at.add, M, M),
    (at.add, M, V),
    (at.add, M, M, M),
    (at.second, M, V),
    (at.switch, Tensor(2, "bool"), M, V),
    (at.clip, M, N, V),
    (at.CAReduce(scalar.add, None), M),
    (at.CAReduce(scalar.maximum, (0, 2)), X),
    (at.CAReduce(scalar.mul, (1,)), M),
    *((at.CAReduce(op, 0), Tensor(2, "int8")) for op in (scalar.xor, scalar.or_)),
    (at.DimShuffle(2, (1, "x", 0)), M),
    (at.DimShuffle(3, (2, 0)), X),
    (Argmax(None), M),
    (Argmin(1), X),
    (Alloc(), N, LENGTH, LENGTH),
    (Alloc(), M, LENGTH, LENGTH),
    (Alloc(), V, LENGTH, BYTE),
    (Eye("float64"), LENGTH, LENGTH, END),
    (ARange("int64"), END, END, STEP),
    (ARange("int64"), BYTE, BYTE, STEP),
    (ARange("float32"), END, Numbers(90, 99), Numbers(1, 1)),
    (ARange("float32"), Numbers(-4, 4, dtype="float32"), END, Numbers(-2, 2, dtype="float64")),
    (Join(0), M, M, M),
    (Join(1), M, M),
    (Split(2, 1), M, Numbers(0, 2, 2)),
    (Split(3, 0), X, Numbers(0, 1, 3)),
    (Shape(), X),
    (Shape_i(1), M),
    (MakeVector("int64"), LENGTH, BYTE),
    (Reshape(1), M, Numbers(-2, 2, 1)),
    (Reshape(2), X, Numbers(-1, 4, 2)),
    (Reshape(3), M, Numbers(-1, 3, 3)),
    (SpecifyShape((None, 2)), M),
    (SpecifyShape((1, None)), M),
    (at.Assert(""), M, Tensor(1, "bool")),
    (at.CheckAndRaise(AssertionError, ""), M, Tensor(1, "bool")),
    (SQUARED, M),
    (DOUBLED, M),
    (Cumulate(scalar.add, 1), M),
    (Recurrence(0), M, M),
    (Recurrence(0), V, V),
    (Recurrence(1), M, M),
    *((Cumulate(op, 0), M) for op in (scalar.mul, scalar.maximum, scalar.minimum)),
    (Convolve(), V, V),
    (DFT(1), M),
    (SearchSorted("right"), V, M),
    (Digitize("left"), Numbers(3, 1, 0), M),
    (Digitize("right"), Numbers(0, 1, 3), M),
    (Sort(0), M),
    (ArgSort(1), M),
    (MatMul(), X, M),
    (MatMul(), X, X),
    (MatMul(), Tensor(4), X),
    (Dot(), V, V),
    (Dot(), M, V),
    (Dot(), V, M),
    (Dot(), M, M),
    (Dot22(), M, M),
    (Gemv(), M, V),
    (Gemv(), V, M),
    (BatchedDot(), X, X),
    (Dot22Scalar(), M, M, N),
    (Gemm(), M, N, M, M, N),
    (GemvAdd(), V, N, M, V, N),
    (Ger(), M, N, V, V),
    *((op, x) for op in (Inverse(), PseudoInverse(), Det(), SLogDet(), Expm()) for x in (M, X)),
    *((op, x) for op in (Cholesky(), Cholesky(False), Cofactors()) for x in (M, X)),
    (SecondCofactors(), M, M),
    (SecondCofactors(), X, X),
    *((op, x) for op in (Eigh(), Eigh("U"), Eigvalsh("U"), Eig(), Eigvals()) for x in (M, X)),
    (Assume(("symmetric",)), M),
    (Kron(), M, M),
    *((ExtractDiag(k), x) for k in (0, 1, -2) for x in (M, X)),
    *((SetDiagonal(k), M, N) for k in (0, 1, -2)),
    *((SetDiagonal(), x, v) for x, v in ((M, V), (X, M))),
    *((QR(mode), X) for mode in ("reduced", "complete", "r")),
    *((SVD(*how), X) for how in ((True, True), (False, True), (False, False))),
    *((op, M, V) for op in (Solve(), SolveTriangular(), CholeskySolve(), LeastSquares())),
    *((op, X, M) for op in (Solve(), SolveTriangular(), CholeskySolve())),
    (Solve(), M, X),
    (Solve(), X, V),
    (LeastSquares(), M, M),
    (LeastSquares(), X, M),
    (LeastSquares(), X, V),
    *((op(1), M) for op in (Softmax, LogSoftmax)),
    *((op(axis), X) for op in (Softmax, LogSoftmax, LogSumExp) for axis in (None, (0, 2))),
    *((op(None), N) for op in (Softmax, LogSoftmax)),
    *((Norm(axis), X) for axis in (None, (0,), (0, 2))),
    *((op(axis), M, M) for op in (Cosine, Covariance) for axis in (None, (0,), (1,))),
    (Subtensor((S(1),)), M),
    (Subtensor((S(None, -1), -1)), M),
    (Subtensor((S(None, None, -1), S(None, None, 2))), M),
    (Subtensor((S(P, P, P),)), M, END, END, STEP),
    (Subtensor((S(P, P),)), M, BYTE, BYTE),
    (Subtensor((S(P, None, P), P)), M, BYTE, Numbers(-2, 2, dtype="int8"), END),
    (Subtensor((S(-2, P),)), M, Numbers(0, 4, dtype="uint64")),
    (Subtensor((S(None, None, P),)), M, Numbers(2**63 - 2, 2**63 - 1)),
    (Subtensor((S(None, None, P),)), M, Numbers(-(2**63), 1 - 2**63)),
    (IncSubtensor((S(P),), set_instead_of_inc=True), M, M, END),
    (IncSubtensor((S(1), 0)), M, V),
    (AdvancedSubtensor((A,)), M, INDEX),
    (AdvancedSubtensor((A, A)), M, INDEX, INDEX),
    (AdvancedSubtensor((A, A)), M, INDICES, INDEX),
    (AdvancedSubtensor((A, A)), M, MASK, INDEX),
    (AdvancedSubtensor((A, A)), M, MASK, MASK),
    (AdvancedSubtensor((A, A)), M, MASK, INDICES),
    (AdvancedSubtensor((A,)), M, MASK2),
    (AdvancedSubtensor((A, A)), X, MASK2, INDEX),
    (AdvancedSubtensor((A, WHOLE, A)), X, INDEX, BYTES),
    (AdvancedSubtensor((A, S(P), A)), X, INDEX, END, MASK),
    (AdvancedSubtensor((A, None, 0)), M, INDEX),
    (AdvancedSubtensor((S(1), A, P)), X, INDEX, END),
    (AdvancedIncSubtensor((A,)), M, M, INDEX),
    (AdvancedIncSubtensor((A, A)), M, V, INDEX, INDEX),
    (AdvancedIncSubtensor((A, A), set_instead_of_inc=True), M, N, MASK, INDEX),
]


def drawn(spec, draw, pool):
    """Return a value of what `spec` describes, and its type: some lengths of 1 are known."""
    if isinstance(spec, Generator):
        return np.random.default_rng(draw.randrange(2**32)), random_generator_type
    if isinstance(spec, Numbers):
        shape = () if spec.count is None else (spec.count,)
        n = 1 if spec.count is None else spec.count
        numbers = [draw.randint(spec.low, spec.high) for _ in range(n)]
        return np.array(numbers, spec.dtype).reshape(shape), TensorType(spec.dtype, shape)
    shape = tuple(draw.choice(pool) for _ in range(spec.ndim))
    generator = np.random.default_rng(draw.randrange(2**32))
    high = 1 if spec.dtype == "bool" or draw.random() < 0.7 else 3
    value = generator.integers(0, high, shape, endpoint=True).astype(spec.dtype)
    known = tuple(1 if n == 1 and draw.random() < 0.4 else None for n in shape)
    return value, TensorType(spec.dtype, known)


# Those whose shape depends on the values, or that hand their input on.
OTHERS = [
    (Nonzero(2), M),
    (Unique(), V),
    (Unique(False), V),
    (Print("value"), V),
    (GradientBarrier(True), M),
    (GradientClip(-1e9, 1e9), M),
    (GradientScale(1.0), M),
    (DeepCopyOp(), M),
]
