"""SciPy's matrices as values of a graph, and what ops compute with them.

Every value is a `csr_array` or `csc_array` in canonical form: its indices are sorted and none
occurs twice, so that two matrices with the same elements have them in the same order. Indices are
int32 wherever they fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

Array = np.ndarray[Any, Any]

FORMATS = ("csr", "csc")
"""The formats that variables have: compressed by rows, and compressed by columns."""

OTHER_FORMAT = {"csr": "csc", "csc": "csr"}
"""The format that the transpose of a matrix has."""

CLASSES = {"csr": sp.csr_array, "csc": sp.csc_array}
"""The classes of matrices, by format."""

_MAX_INDEX = np.iinfo("int32").max


def assembled(fmt: str, data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    """Return the matrix of some parts that are in canonical form, with which it shares storage."""
    made = CLASSES[fmt]((data, indices, indptr), shape=tuple(int(n) for n in shape))
    made.has_canonical_format = True
    return made


def checked(fmt: str, data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    """Return the matrix of some parts in canonical form.

    It shares storage with them if they are in that form.

    Raises
    ------
    ValueError
        If there is no such matrix: an index is beyond the shape, say.
    """
    made = CLASSES[fmt]((data, indices, indptr), shape=tuple(int(n) for n in shape))
    made.check_format(full_check=True)
    return canonical(made)


def canonical(x: Any) -> Any:
    """Return a matrix of one of `FORMATS` as an array in canonical form.

    It shares storage with `x` where that is in this form, and never changes it.
    """
    fmt, count = x.format, int(x.indptr[-1])
    data, indices, indptr = x.data[:count], x.indices[:count], x.indptr
    if indices.dtype != np.int32 and max(count, *x.shape) <= _MAX_INDEX:
        indices, indptr = indices.astype("int32"), indptr.astype("int32")
    if x.has_canonical_format:
        if isinstance(x, sp.sparray) and indices.dtype == x.indices.dtype and count == len(x.data):
            return x
        return assembled(fmt, data, indices, indptr, x.shape)
    made = CLASSES[fmt]((data.copy(), indices.copy(), indptr.copy()), shape=x.shape)
    made.sum_duplicates()
    return made


def in_format(x: Any, fmt: str) -> Any:
    """Return a matrix in one of `FORMATS`; itself if that is its format."""
    return x if x.format == fmt else canonical(x.asformat(fmt))


def majors(indptr: Array) -> Array:
    """Return the row of each element of a CSR matrix, or the column of each of a CSC matrix."""
    counts: Any = np.diff(indptr)
    return np.repeat(np.arange(len(indptr) - 1, dtype="int64"), counts)


def places(x: Any) -> tuple[Array, Array]:
    """Return the rows and the columns of the stored elements of a matrix, in their order."""
    outer = majors(x.indptr)
    return (outer, x.indices) if x.format == "csr" else (x.indices, outer)


def _keys(x: Any) -> Array:
    """Return increasing numbers, one for the place of each stored element."""
    inner = x.shape[1] if x.format == "csr" else x.shape[0]
    return np.asarray(majors(x.indptr) * inner + x.indices)


def looked_up(xp: Any, x: Any, own: Any, keys: Any) -> Any:
    """Return the elements of a matrix at places given by their keys; zeros if not stored.

    Parameters
    ----------
    xp
        The functions of arrays: those of NumPy, or of a library like it.
    x
        The matrix.
    own, keys
        The keys of the stored elements, and those of what is looked for.
    """
    if not len(own):
        return xp.zeros(len(keys), x.dtype)
    position = xp.minimum(xp.searchsorted(own, keys), len(own) - 1)
    is_stored = xp.asarray(own)[position] == keys
    return xp.where(is_stored, xp.asarray(x.data)[position], xp.zeros((), x.dtype))


def _looked_up(x: Any, keys: Array) -> Array:
    return np.asarray(looked_up(np, x, _keys(x), keys))


def elements(x: Any, rows: Array, columns: Array) -> Array:
    """Return the elements of a matrix at some rows and columns, from 0 on."""
    outer, inner = (rows, columns) if x.format == "csr" else (columns, rows)
    length = x.shape[1] if x.format == "csr" else x.shape[0]
    return _looked_up(x, outer.astype("int64") * length + inner)


def same_structure(x: Any, y: Any) -> bool:
    """Return whether two matrices of one format store elements at the same places."""
    return (x.indices is y.indices and x.indptr is y.indptr) or (
        np.array_equal(x.indptr, y.indptr) and np.array_equal(x.indices, y.indices)
    )


def sampled(pattern: Any, x: Any) -> Array:
    """Return the elements of a matrix at the places that another one of its format stores."""
    if same_structure(pattern, x):
        return np.asarray(x.data)
    return _looked_up(x, _keys(pattern))


def share_storage(x: Any, y: Any) -> bool:
    """Return whether a change of one matrix, or array, may change another one."""
    return any(np.may_share_memory(a, b) for a in _buffers(x) for b in _buffers(y))


def _buffers(x: Any) -> list[Any]:
    if isinstance(x, np.ndarray):
        return [x]
    return [v for v in vars(x).values() if isinstance(v, np.ndarray)] if sp.issparse(x) else []


def aligned(x: Any, y: Any) -> tuple[Array, Array]:
    """Return the elements of two matrices of one format and shape, at all places where one of them
    stores an element."""
    keys = np.union1d(_keys(x), _keys(y))
    return _looked_up(x, keys), _looked_up(y, keys)


def frozen(x: Any) -> Any:
    """Return a matrix with read-only copies of the parts of `x`; `x` itself if they are read-only
    already."""
    if not any(part.flags.writeable for part in (x.data, x.indices, x.indptr)):
        return x
    data, indices, indptr = x.data.copy(), x.indices.copy(), x.indptr.copy()
    for part in (data, indices, indptr):
        part.flags.writeable = False
    return assembled(x.format, data, indices, indptr, x.shape)


def sums_along(x: Any, axis: int, dtype: Any) -> Array:
    """Return the sums of the elements of a matrix along an axis, computed in a dtype.

    A product with ones would make nan of complex infinities.
    """
    total = np.zeros(x.shape[1 - axis], dtype)
    if axis == (1 if x.format == "csr" else 0):
        starts = x.indptr[:-1]
        stored = starts < x.indptr[1:]
        if stored.any():
            total[stored] = np.add.reduceat(x.data, starts[stored], dtype=dtype)
    else:
        np.add.at(total, x.indices, x.data.astype(dtype, copy=False))
    return total
