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


def is_matrix(value: Any) -> bool:
    """Return whether a value is a sparse matrix or array of SciPy."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(value))


# all by the module that gives the variables their operators
__getattr__, __dir__ = names_on_first_use(__name__, "functions.NAMES")
