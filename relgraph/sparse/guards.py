"""Conditions of laws about sparse matrices."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.contraction import BLAS_DTYPES


def is_format_of(format: str, x: Any) -> bool:
    """Return whether a format is that of the sparse variable `x`."""
    return bool(x.type.format == format)


def have_one_format(x: Any, y: Any) -> bool:
    """Return whether two sparse variables have one format."""
    return bool(x.type.format == y.type.format)


def have_one_blas_dtype(x: Any, y: Any) -> bool:
    """Return whether two variables, sparse or dense, have one dtype, which the BLAS has."""
    return bool(x.type.dtype == y.type.dtype) and x.type.dtype in BLAS_DTYPES


def have_no_single_row(x: Any, y: Any) -> bool:
    """Return whether neither of two matrices is known to have one row."""
    return bool(x.type.shape[0] != 1 != y.type.shape[0])
