"""Matrices of a known structure, as graphs: for laws that ask what a matrix is; and sparse ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.guards.matrices import facts_about
from relgraph.tensor.linalg.assumptions import FACTS, assume
from relgraph.tensor.linalg.factors.cholesky import Cholesky
from relgraph.tensor.linalg.factors.qr import QR
from relgraph.tensor.linalg.functions.arrangements import matrix_transpose
from relgraph.tensor.linalg.stacks import eye_like


def _bounded(x: Any) -> Any:
    """Return `x` with its numbers moved into the unit circle."""
    return x / (1 + at.abs(x))


def _regular(x: Any) -> Any:
    """Return a matrix with large numbers on its diagonal, which is far from singular."""
    bounded = _bounded(x)
    large = bounded + at.constant(np.asarray(20, x.type.dtype))
    return at.where(
        at.neq(eye_like(x), 0), large, bounded
    )  # the sum with a zero loses the sign of another


def _adjoint(x: Any) -> Any:
    """Return the conjugate transpose, which stays one when the graph is made complex."""
    return at.conj(matrix_transpose(x))


def _positive(x: Any) -> Any:
    regular = _regular(x)
    return regular + _adjoint(regular)


def _diagonal(x: Any) -> Any:
    return _regular(x) * eye_like(x)


def _of_vector(x: Any) -> Any:
    """Return the diagonal matrix of the first column of a matrix."""
    return at.diag(_bounded(x[:, 0]) + at.constant(np.asarray(20, x.type.dtype)))


_OF_LAPACK = ("float32", "float64", "complex64", "complex128")

STRUCTURES: dict[str, Callable[[Any], Any]] = {
    "regular": _regular,
    "positive": _positive,
    "declared positive": lambda x: assume(_positive(x), "positive definite"),
    "symmetric": lambda x: assume(x + _adjoint(x), "symmetric"),
    "lower": lambda x: assume(at.tril(_regular(x)), "lower triangular"),
    "upper": lambda x: assume(at.triu(_regular(x)), "upper triangular"),
    "lower of any": lambda x: assume(at.tril(x), "lower triangular"),
    "upper of any": lambda x: assume(at.triu(x), "upper triangular"),
    "factor": lambda x: Cholesky(True)(_positive(x)),
    "diagonal": lambda x: assume(_diagonal(x), "diagonal"),
    "diagonal of vector": _of_vector,
    "orthogonal": lambda x: assume(QR("complete")(x)[0], "orthogonal"),
    "identity": lambda x: at.constant(np.eye(x.type.shape[-1], dtype=x.type.dtype)),
}
"""By their names, functions that make such matrices of a square input."""


def structured(kind: str, x: Any) -> Any:
    """Return a matrix of a kind of `STRUCTURES`, made of a variable.

    It is the variable itself if that is no square matrix of a dtype that LAPACK has.
    """
    shape = x.type.shape
    square = len(shape) > 1 and (shape[-1] == shape[-2] or None in shape[-2:])
    if not square or x.type.dtype not in _OF_LAPACK:
        return x
    if len(shape) > 2 and kind in ("diagonal of vector", "identity"):
        return x
    try:
        return STRUCTURES[kind](x)
    except (TypeError, ValueError, IndexError):
        return x


def declared(kind: str, x: Any) -> Any:
    """Return an input that is declared to be what is known of `structured` of it."""
    facts = facts_about(structured(kind, x)).intersection(FACTS)
    return assume(x, *facts) if facts else x


def structured_values(kind: str, values: Any) -> Any:
    """Return the value of `structured` for the value of an input, in its dtype."""
    dtype = values.dtype
    if dtype.kind in "biu" and kind == "orthogonal":
        return np.broadcast_to(np.eye(values.shape[-1], dtype=dtype), values.shape)
    wide = dtype if dtype.name in _OF_LAPACK else np.dtype("float64")
    x, made = _graph_of(kind, wide.name, values.shape)
    with np.errstate(all="ignore"):
        return evaluate([made], {x: values.astype(wide)})[0].astype(dtype)


@cache
def _graph_of(kind: str, dtype: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    x: Any = at.TensorType(dtype, shape)()
    return x, structured(kind, x)


def sparse_matrix(format: str, data: Any, places: Sequence[int], shape: Sequence[int]) -> Any:
    """Return the sparse matrix of a vector of elements.

    Parameters
    ----------
    format
        Its format: ``csr`` or ``csc``.
    data
        The elements, a variable.
    places
        Where they are: for each a number, in the order of the rows of a CSR matrix, or of the
        columns of a CSC matrix. They increase.
    shape
        The two lengths.
    """
    outer, inner = shape if format == "csr" else shape[::-1]
    majors = [place // max(inner, 1) for place in places]
    indptr = np.searchsorted(majors, range(outer + 1))
    indices = np.array([place % inner for place in places], "int32")
    compressed = sparse.CSR if format == "csr" else sparse.CSC
    return compressed(data, indices, indptr.astype("int32"), tuple(shape))
