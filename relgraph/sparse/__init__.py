"""Sparse matrices: variables whose values are SciPy's arrays in the formats CSR and CSC.

``import relgraph.sparse as sparse``; ``sparse.csr_matrix("x")`` makes a variable, and ``x @ w`` a
graph. Values are `scipy.sparse.csr_array` and `csc_array`; of a `csr_matrix` or `csc_matrix` a
graph has the array of the same storage. See `SparseTensorType` for what is done with indices.

A gradient by a sparse matrix is sparse. Where it is *structured* it is that by the stored elements,
and stored where they are: what learning of sparse matrices wants. Where it is not, it is that of
all elements, and so stores nearly all: `dot` and `structured_dot` differ in this alone.

The names below are loaded when they are first used, so that whoever has no sparse matrices does not
load `scipy.sparse`.
"""

from __future__ import annotations

import sys
from typing import Any

from relgraph.on_first_use import names_on_first_use

_PREFIXES = ("", *"bwilfdcz")

_CONSTRUCTORS = [f"{fmt}_{prefix}matrix" for fmt in ("csr", "csc") for prefix in _PREFIXES]
ZERO_AT_ZERO = (
    *("abs", "cbrt", "ceil", "conj", "floor", "imag", "neg", "real", "round", "sign", "trunc"),
    *("arcsin", "arcsinh", "arctan", "arctanh", "sin", "sinh", "tan", "tanh"),
    *("deg2rad", "erf", "expm1", "log1p", "rad2deg", "sqr", "sqrt"),
)
"""Functions that are 0 at 0: of the stored elements, they are what they are of the matrix."""

OF_STORED = ("exp", "log", "sigmoid", "pow", "minimum", "maximum", "add", "softplus", "reciprocal")
"""Functions that are not 0 at 0, of the stored elements alone: ``structured_exp``, say."""

_STORED = (*ZERO_AT_ZERO, *(f"structured_{name}" for name in OF_STORED))
ALIASES = {
    "as_sparse": "as_sparse_variable",
    "conjugate": "conj",
    "multiply": "mul",
    "subtract": "sub",
    "sgn": "sign",
    "rint": "round",
}
"""Other names of functions."""

_FUNCTIONS = (
    *("CSC", "CSR", "clean", "col_scale", "csc_from_dense", "csm_data", "csm_indices"),
    *("csm_indptr", "csm_properties", "csm_shape", "csr_from_dense", "dense_from_sparse"),
    *("diag", "dot", "ensure_sorted_indices", "getitem", "hstack", "remove0", "row_scale"),
    *("sampling_dot", "sp_ones_like", "sp_sum", "sp_zeros_like", "square_diagonal"),
    *("structured_dot", "transpose", "true_dot", "vstack", "with_data", "is_matrix"),
    *("add", "cast", "eq", "ge", "gt", "le", "lt", "mul", "neq", "structured", "sub"),
    *("as_sparse_variable", "matrix", "shared_matrix", "true_div"),
    *("SparseConstant", "SparseSharedVariable", "SparseTensorType", "SparseVariable"),
)


def is_matrix(value: Any) -> bool:
    """Return whether a value is a sparse matrix or array of SciPy."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(value))


# all by the module that gives the variables their operators
__getattr__, __dir__ = names_on_first_use(
    __name__, {"functions": [*_FUNCTIONS, *_CONSTRUCTORS, *_STORED, *ALIASES]}
)
