"""Shared variables whose value is a sparse matrix."""

from __future__ import annotations

from typing import Any

from relgraph.graph.shared_values import Container, SharedVariable
from relgraph.sparse.op import sparse_type_of
from relgraph.sparse.variable import SparseVariable


class SparseSharedVariable(SharedVariable, SparseVariable):
    """A shared variable whose value is a sparse matrix."""

    __slots__ = ()


def shared_matrix(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
) -> SparseSharedVariable:
    """Return a shared variable with a copy of a matrix of SciPy; see `relgraph.shared`.

    Its format is csc if that is the format of the matrix, else csr.
    """
    kind = sparse_type_of(value)
    container = Container(kind, value, name, False, allow_downcast, borrow)
    container.strict = strict
    return SparseSharedVariable(kind, container, name)
