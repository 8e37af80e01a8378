"""`MatrixOp`, the base class of ops on stacks of matrices, and `Assume`.

As in NumPy, an op on matrices works on stacks of them: the last two axes are those of the matrices.
Two stacks broadcast along an axis only if its length is known to be 1 in one of them.

Of a matrix that holds nan or an infinity, the solution, the inverse, the determinant and the
Cholesky factor are nan throughout, whatever LAPACK would make of it. So equal expressions have
equal values on these too.

`assume` declares facts about matrices for the laws that ask. A declaration is an op of the graph
that returns its input: nothing is checked at run time, and where it is false a law may give wrong
values. `relations.kit.guards.matrices` infers what follows for other matrices.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.op import Variables
from relgraph.scalar.type import is_discrete, result_dtype
from relgraph.tensor.assembly import eye
from relgraph.tensor.basic import TensorOp
from relgraph.tensor.math import conjugated
from relgraph.tensor.memory import Array
from relgraph.tensor.reductions import sum_like
from relgraph.tensor.shapes import lesser, shape_i, swapaxes
from relgraph.tensor.signatures import Axis, met_lengths, parsed
from relgraph.tensor.type import TensorType

REAL_OF = {"complex64": "float32", "complex128": "float64"}
COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}


class MatrixOp(TensorOp):
    """Base class of ops on stacks of matrices; an integer dtype counts as float64.

    Attributes
    ----------
    overwritable
        The input that the op with ``inplace=True`` overwrites, if it is of the dtype of the result
        and no stack; None if there is no such op.
    cost_by_size
        Of an n×n matrix and k right sides, how many n³ operations and how many n²k it takes (Golub
        and Van Loan, Matrix Computations); None if it takes as many as there are numbers.
    """

    overwritable: int | None = None
    cost_by_size: ClassVar[tuple[float, float] | None] = None


def can_overwrite(node: Apply) -> bool:
    """Return whether LAPACK may be told to overwrite an input of the op of a node."""
    op = node.op
    if not isinstance(op, MatrixOp) or op.overwritable is None:
        return False
    first, last = node.inputs[0].type, node.inputs[-1].type
    overwritten = node.inputs[op.overwritable].type
    return bool(
        first.ndim == 2 and last.ndim <= 2 and overwritten.dtype == node.outputs[0].type.dtype
    )


def lapack_dtype(what: str, *dtypes: str) -> str:
    """Return the dtype in which LAPACK computes with inputs of some dtypes.

    Raises
    ------
    TypeError
        If it is none of float32, float64, complex64 and complex128.
    """
    found = result_dtype(*["float64" if is_discrete(d) else d for d in dtypes])
    if found not in REAL_OF and found not in COMPLEX_OF:
        raise TypeError(f"{what}: LAPACK has no {found}; cast to float32 or float64")
    return found


def check_matrix(what: str, t: TensorType, position: int = 0) -> None:
    """Raise a TypeError if a type is not that of a matrix or a stack of them."""
    if t.ndim < 2:
        raise TypeError(f"{what}: input {position} is a {t}, neither a matrix nor a stack of them")


def check_square(what: str, t: Any, position: int = 0) -> Any:
    """Return the length of the sides of square matrices, given by their type or value.

    Raises
    ------
    TypeError
        If they are no matrices.
    ValueError
        If their sides have different lengths.
    """
    check_matrix(what, t, position)
    n, m = t.shape[-2:]
    if n is not None and m is not None and n != m:
        raise ValueError(
            f"{what}: the matrices of input {position} are not square: "
            f"{n} rows and {m} columns (shape {tuple(t.shape)})"
        )
    return m if n is None else n


def has_finite_sum(a: Array) -> bool:
    """Return whether the sum of an array is finite; then every element is."""
    # the sum of a few numbers takes less time than to ask NumPy for it
    if a.size <= 32:
        return cmath.isfinite(sum(a.ravel().tolist()))
    return cmath.isfinite(np.add.reduce(a, axis=None))


def on_finite(function: Callable[[Array], Any], a: Array) -> Any:
    """Return what a function makes of a stack of square matrices, nan for those not finite.

    Parameters
    ----------
    function
        Takes a stack, and returns a stack of results.
    """
    if has_finite_sum(a):
        return function(a)
    finite: Any = np.isfinite(a).all(axis=(-2, -1))
    if finite.all():
        return function(a)
    identity = np.eye(a.shape[-1], dtype=a.dtype)
    result = np.array(function(np.where(finite[..., None, None], a, identity)))
    result[~finite] = np.nan
    return result


class LapackOp(MatrixOp):
    """Base class of ops on stacks of matrices in a dtype that LAPACK has.

    An axis ``min`` of an output is as long as the shorter of the axes ``m`` and ``n``.

    Attributes
    ----------
    kinds
        For each output whether it has the real or the complex dtype of the precision in which
        LAPACK computes, or int64; empty text for just the dtype in which it computes, which all
        have if there are no kinds.
    """

    kinds: tuple[str, ...] = ()

    def output_dtypes(self, *dtypes: str) -> Sequence[str]:
        dtype = lapack_dtype(self.name, *dtypes)
        by_kind = {
            "": dtype,
            "real": REAL_OF.get(dtype, dtype),
            "complex": COMPLEX_OF.get(dtype, dtype),
            "int64": "int64",
        }
        nout = self.nout or 1
        return [by_kind[kind] for kind in (self.kinds or ("",) * nout)[:nout]]

    def shapes_of_outputs(self, lengths: Mapping[Axis, Any]) -> list[tuple[Any, ...]]:
        if "min" in self.signature:
            lengths = {**lengths, "min": lesser(lengths["m"], lengths["n"])}
        return super().shapes_of_outputs(lengths)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        if "min" not in self.signature:
            return super().infer_shape(fgraph, node, shapes)
        static = [v.type.shape for v in node.inputs]
        cores = parsed(self.signature).inputs
        return self.shapes_of_outputs(met_lengths(static, shapes, cores))

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        dtype = lapack_dtype(self.name, *[v.type.dtype for v in node.inputs])
        found = self.of_arrays(*[np.asarray(x, dtype) for x in values])
        if self.nout == 1:
            return np.asarray(found, node.outputs[0].type.numpy_dtype)
        return of_types(node, found)

    def of_arrays(self, *arrays: Any, **kwargs: Any) -> Any:
        """Return the results for arrays of LAPACK's dtype."""
        raise NotImplementedError

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return what `input_gradients` returns, fitted to the inputs."""
        found = super().L_op(inputs, outputs, output_grads)
        return [fitted_gradient(g, x) for g, x in zip(found, inputs, strict=True)]


class SquareMatrixOp(LapackOp):
    """Base class of ops from stacks of square matrices to as many of the same size.

    Attributes
    ----------
    inplace
        Whether the result is written over the input: one matrix of the dtype of the result.
    """

    signature = "(n,n)->(n,n)"
    inplace = False
    keeps_shape = True

    def of_finite(self, a: Array) -> Array:
        """Return the results of a stack of finite matrices, which `inplace` allows to overwrite."""
        raise NotImplementedError

    def of_arrays(self, a: Array) -> Any:
        found = on_finite(self.of_finite, a)
        return written_to(a, found) if self.inplace else found


def written_to(target: Array, found: Array) -> Array:
    """Return a result in the storage of `target`, to which it is written unless it is there."""
    if not np.may_share_memory(target, found):
        target[...] = found
        return target
    return found


def of_types(node: Apply, found: Sequence[Any]) -> list[Any]:
    """Return results as arrays of the dtypes of the outputs of a node."""
    pairs = zip(found, node.outputs, strict=True)
    return [np.asarray(value, out.type.numpy_dtype) for value, out in pairs]


def eye_like(x: Any, dtype: str | None = None) -> Any:
    """Return the identity matrix of the size of the square matrices in a stack, and of their dtype
    unless another one is given."""
    return eye(shape_i(x, x.type.ndim - 1), dtype=x.type.dtype if dtype is None else dtype)


def columns(v: Any) -> Any:
    """Return the vectors in a stack as matrices of one column."""
    return v.dimshuffle(*range(v.type.ndim), "x")


def adjoint(x: Any) -> Any:
    """Return the conjugate transposes of the matrices in a stack, a variable."""
    return conjugated(swapaxes(x, -1, -2))


def fitted_gradient(g: Any, x: Any) -> Any:
    """Return the gradient `g`, summed over the leading axes along which the stack `x` broadcasts,
    as one that fits the dtype of `x`: the real part for a real one."""
    if g.type.dtype in REAL_OF and x.type.dtype not in REAL_OF:
        g = g.real
    return sum_like(g, x)


FACTS = (
    "diagonal",
    "lower triangular",
    "upper triangular",
    "symmetric",
    "positive definite",
    "orthogonal",
)
"""What can be declared. A complex ``symmetric`` matrix is one that equals its conjugate transpose,
an ``orthogonal`` one has its conjugate transpose for its inverse, and is square. A ``positive
definite`` one is symmetric, and has a Cholesky factor that can be computed."""


class Assume(MatrixOp):
    """Its input, matrices of which something is declared; the output is a view of it.

    Parameters
    ----------
    facts
        A sorted tuple of elements of `FACTS`.
    """

    __props__ = ("facts",)
    view_map = {0: [0]}
    is_identity = True
    keeps_shape = True
    name = "assume"

    def __init__(self, facts: tuple[str, ...]) -> None:
        for fact in facts:
            if fact not in FACTS:
                raise ValueError(f"assume: a fact is one of {', '.join(FACTS)}, not {fact!r}")
        self.facts = tuple(sorted(set(facts)))

    def __str__(self) -> str:
        return f"assume{{{', '.join(self.facts)}}}"

    def output_types(self, a: TensorType) -> list[TensorType]:
        if set(self.facts) - {"diagonal", "lower triangular", "upper triangular"}:
            check_square(self.name, a)
        check_matrix(self.name, a)
        return [a]

    def compute(self, node: Apply, x: Any) -> Any:
        return x

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g]


def assume(a: Any, *facts: str) -> Any:
    """Return matrices as they are, with a promise about their values that laws may rely on.

    Parameters
    ----------
    a
        Matrices, in a stack along leading axes.
    facts
        What they are: some of `FACTS`. It is not checked.

    Raises
    ------
    TypeError
        If `a` has rank 0 or 1.
    ValueError
        If there is no such fact, or it is one about square matrices and `a` is not square.

    Examples
    --------
    >>> import relgraph.tensor as at
    >>> K = at.linalg.assume(at.dmatrix("K"), "positive definite")
    """
    return Assume(tuple(facts))(a)
