"""What a sparse type takes as values, and what it makes of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import relgraph.sparse as sparse
from relgraph.sparse.type import SparseTensorType

from .conftest import Matrices, unsorted


def test_equal_types_are_one_object() -> None:
    kind = SparseTensorType("csr", "float64")
    assert kind is SparseTensorType("csr", np.dtype("float64"), (None, None))
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert (
        str(kind.clone(format="csc", shape=(3, None))) == "SparseTensorType(csc, float64, (3, ?))"
    )


def test_narrower_types() -> None:
    kind = SparseTensorType("csr", "float64")
    assert kind.is_super(kind.clone(shape=(3, 4)))
    assert not kind.clone(shape=(3, None)).is_super(kind)
    assert not kind.is_super(kind.clone(format="csc"))
    assert not kind.is_super(kind.clone(dtype="float32"))


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_arrays_and_matrices_share_their_storage(make: Any, matrices: Matrices) -> None:
    x = make(matrices.sparse((5, 4)))
    kind = SparseTensorType("csr", "float64")
    value = kind.filter(x, strict=True)
    assert type(value) is sp.csr_array
    assert kind.may_share_memory(value, x)
    assert not kind.may_share_memory(value, x.copy())


def test_unsorted_and_repeated_indices_are_copied(matrices: Matrices) -> None:
    x = unsorted(matrices.sparse((5, 4)))
    data, indices = x.data.copy(), x.indices.copy()
    value = SparseTensorType("csr", "float64").filter(x)
    assert value.has_canonical_format
    np.testing.assert_array_equal(value.toarray(), x.toarray())
    np.testing.assert_array_equal(x.data, data)
    np.testing.assert_array_equal(x.indices, indices)


def test_room_beyond_the_stored_elements() -> None:
    """SciPy allows longer parts than the index pointers need."""
    x = sp.csr_array((np.arange(5.0), np.array([0, 1, 0, 1, 1]), np.array([0, 1, 3])), shape=(2, 2))
    x.indptr = np.array([0, 1, 2])
    value = SparseTensorType("csr", "float64").filter(x)
    assert len(value.data) == 2
    np.testing.assert_array_equal(value.toarray(), [[0, 0], [0, 1]])


def test_wide_indices_become_narrow(matrices: Matrices) -> None:
    x = matrices.sparse((5, 4))
    wide = sp.csr_array(
        (x.data, x.indices.astype("int64"), x.indptr.astype("int64")), shape=x.shape
    )
    assert SparseTensorType("csr", "float64").filter(wide).indices.dtype == np.int32


def test_conversions(matrices: Matrices) -> None:
    x = matrices.sparse((5, 4), "float32", "csc")
    value = SparseTensorType("csr", "float64").filter(x)
    assert value.format == "csr" and value.dtype == np.float64
    np.testing.assert_array_equal(value.toarray(), x.toarray())
    narrow = SparseTensorType("csr", "float32").filter(value, allow_downcast=True)
    assert narrow.dtype == np.float32


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (np.eye(3), "csr_array"),
        (sp.csr_array(np.eye(3, dtype="complex128")), "lose precision"),
        (sp.csr_array(np.eye(4)), r"shape \(4, 4\)"),
        (sp.coo_array(np.ones(3)), "csr_array"),
        (None, "NoneType"),
    ],
)
def test_what_is_no_value(value: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        SparseTensorType("csr", "float64", (3, None)).filter(value)


def test_strict_takes_no_other_format(matrices: Matrices) -> None:
    with pytest.raises(TypeError, match="strictly"):
        SparseTensorType("csr", "float64").filter(matrices.sparse((2, 2), fmt="csc"), strict=True)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("coo", "float64"), ValueError, "csr and csc"),
        (("csr", "float16"), TypeError, "float16"),
        (("csr", "float64", (3,)), TypeError, "two lengths"),
        (("csr", "float64", (3, -1)), ValueError, "negative"),
    ],
)
def test_what_is_no_type(arguments: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        SparseTensorType(*arguments)


def test_equality_of_values() -> None:
    """What is not stored is zero; nan equals nan."""
    kind = SparseTensorType("csr", "float64")
    x = sp.csr_array((np.array([0.0, np.nan]), np.array([0, 1]), np.array([0, 2])), shape=(1, 3))
    y = sp.csr_array(np.array([[0.0, np.nan, 0.0]]))
    assert x.nnz != y.nnz
    assert kind.values_eq(x, y) and kind.values_eq_approx(x, y)
    assert not kind.values_eq(x, sp.csr_array(np.array([[0.0, 1.0, 0.0]])))
    assert not kind.values_eq(x, y.tocsc())
    z = sp.csr_array(np.array([[1.0, 0.0]]))
    assert kind.values_eq_approx(z, z * (1 + 1e-12)) and not kind.values_eq(z, z * (1 + 1e-12))
    assert kind.all_finite(z) and not kind.all_finite(x)


def test_makers() -> None:
    x = sparse.csr_fmatrix("x")
    assert (x.type, x.name) == (SparseTensorType("csr", "float32"), "x")
    assert sparse.csc_matrix(shape=(2, None)).type == SparseTensorType("csc", "float64", (2, None))
    assert sparse.matrix("csc", dtype="int8").type == SparseTensorType("csc", "int8")
    with pytest.raises(TypeError, match="csr_dmatrix makes variables of dtype float64"):
        sparse.csr_dmatrix("x", dtype="int8")
