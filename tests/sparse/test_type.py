"""Sparse types, variables and constants: values, methods, errors, copies, shared values."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.graph.basic import equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import MergeOptimizer
from relgraph.sparse.type import SparseConstant, SparseTensorType, SparseVariable
from tests.refusals import check_refused

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


def test_strict_takes_no_other_format(matrices: Matrices) -> None:
    with pytest.raises(TypeError, match="strictly"):
        SparseTensorType("csr", "float64").filter(matrices.sparse((2, 2), fmt="csc"), strict=True)


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


# Sparse variables and constants in graphs: methods, errors, copies, functions, shared values.


def test_conversion_to_variables(matrices: Matrices) -> None:
    assert sparse.as_sparse is sparse.as_sparse_variable
    value = matrices.sparse((3, 2), fmt="csc")
    made = sparse.as_sparse_variable(value, name="c")
    assert isinstance(made, SparseConstant) and made.name == "c" and made.format == "csc"
    assert made.type.shape == (3, 2)
    assert sparse.as_sparse_variable(sp.coo_matrix(value)).format == "csr"
    assert sparse.as_sparse_variable(made) is made


def test_constants_have_their_own_storage(matrices: Matrices) -> None:
    value = matrices.sparse((3, 2))
    constant = sparse.as_sparse_variable(value)
    before = value.toarray()
    value.data[...] = 9
    np.testing.assert_array_equal(constant.data.toarray(), before)
    with pytest.raises(ValueError, match="read-only"):
        constant.data.data[0] = 1.0
    for twin in (
        copy.copy(constant),
        copy.deepcopy(constant),
        pickle.loads(pickle.dumps(constant)),
    ):
        assert twin.equals(constant) and not twin.data.data.flags.writeable
    other = before.copy()
    other[0, 0] += 1
    assert not sparse.as_sparse_variable(sp.csr_array(other)).equals(constant)
    assert str(constant) == f"csr(3x2, {constant.data.nnz} stored)"


OF_THREE_ROWS = SparseTensorType("csr", "float64", (3, None))
x, d = sparse.csr_matrix("x"), at.dmatrix("d")
REFUSED = {
    "TypeError: not a matrix of dtype .*csr_array": lambda: OF_THREE_ROWS.filter(np.eye(3)),
    "TypeError: lose precision": lambda: OF_THREE_ROWS.filter(
        sp.csr_array(np.eye(3, dtype="complex128"))
    ),
    r"TypeError: shape \(4, 4\)": lambda: OF_THREE_ROWS.filter(sp.csr_array(np.eye(4))),
    "TypeError: not a coo_array of scipy .*csr_array": lambda: OF_THREE_ROWS.filter(
        sp.coo_array(np.ones(3))
    ),
    "TypeError: NoneType": lambda: OF_THREE_ROWS.filter(None),
    "ValueError: csr and csc": lambda: SparseTensorType("coo", "float64"),
    "TypeError: no matrices of float16": lambda: SparseTensorType("csr", "float16"),
    "TypeError: two lengths": lambda: SparseTensorType("csr", "float64", (3,)),
    "ValueError: negative": lambda: SparseTensorType("csr", "float64", (3, -1)),
    "TypeError: x is sparse; x.toarray": lambda: at.exp(x),
    "TypeError: no %": lambda: x % 2,
    "TypeError: no //": lambda: 2 // x,
    "TypeError: true_div: x is sparse, .*by zero": lambda: x / x,
    "TypeError: by zero": lambda: d / x,
    "TypeError: x is symbolic and has no len": lambda: len(x),
    "TypeError: iterated": lambda: list(x),
    "TypeError: is symbolic, no array": lambda: np.asarray(x),
    "TypeError: numpy.exp takes arrays, and x is symbolic": lambda: np.exp(x),
    "TypeError: a slice from it": lambda: x[0],
    "TypeError: dot.*neither d nor d is sparse": lambda: sparse.dot(d, d),
    "TypeError: add.*neither d nor d is sparse": lambda: sparse.add(d, d),
    "TypeError: truth value": lambda: bool(x),
    "TypeError: float16": lambda: sparse.csr_bmatrix("b") * at.vector("v", "float16"),
    "IndexError: two axes": lambda: x[0, 1, 2],
    r"ValueError: axis 1 of input 0 \(.*\) has length 3": lambda: (
        sparse.csr_matrix("a", shape=(2, 3)) @ at.tensor("float64", (4, 2))
    ),
    "ValueError: sp_sum: axis 2": lambda: x.sum(axis=2),
    "TypeError: csr_dmatrix makes variables of dtype float64": lambda: sparse.csr_dmatrix(
        "x", dtype="int8"
    ),
    "TypeError: d is a TensorType.*csr_from_dense": lambda: sparse.as_sparse_variable(d),
    "TypeError: is a ndarray.*csr_from_dense": lambda: sparse.as_sparse_variable(np.eye(3)),
}


@pytest.mark.parametrize("error", REFUSED)
def test_what_is_wrong_is_named(error: str) -> None:
    check_refused(error, REFUSED[error])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda x, d: x @ d, "length 4"),
        (
            lambda x, d: x * d,
            r"sampled_dense: axis 0 of input 0 \(x\) has length 5, .* has length 3",
        ),
        (lambda x, d: sparse.hstack([x, sparse.csr_from_dense(d)]), "shapes"),
        (lambda x, d: x + sparse.csr_from_dense(d), r"add: axis 0 of input 0 \(x\) has length 5"),
        (lambda x, d: x[7, 0], "index"),
        (lambda x, d: x[[0, 9]], "out of bounds"),
        (lambda x, d: sparse.with_data(x, d[0]), "elements for"),
    ],
)
def test_lengths_that_do_not_fit_at_run_time(make: Any, says: str, matrices: Matrices) -> None:
    x, d = sparse.csr_matrix("x"), at.dmatrix("d")
    for mode in ("fast_compile", "fast_run"):
        function = relgraph.function([x, d], make(x, d), mode=mode, on_unused_input="ignore")
        with pytest.raises((ValueError, IndexError), match=says):
            function(matrices.sparse((5, 4)), matrices.dense((3, 2)))


def test_indices_beyond_the_shape() -> None:
    data = at.dvector("data")
    function = relgraph.function([data], sparse.CSR(data, [0, 3], [0, 1, 2], (2, 2)))
    with pytest.raises(ValueError, match="indices"):
        function([1.0, 2.0])


def test_equal_nodes_and_constants_are_merged(matrices: Matrices) -> None:
    value, v = matrices.sparse((3, 2)), at.dvector("v")
    one, two = (sparse.as_sparse_variable(value) @ v for _ in range(2))
    assert equal_computations([one], [two])
    fgraph = FunctionGraph([v], [one, two])
    MergeOptimizer().optimize(fgraph)
    assert len(fgraph.apply_nodes) == 1


def test_constants_are_folded(matrices: Matrices) -> None:
    value, v = matrices.sparse((3, 2)), at.dvector("v")
    out = sparse.structured_exp(sparse.as_sparse_variable(value).T) @ v
    function = relgraph.function([v], out)
    (node,) = function.maker.fgraph.apply_nodes
    assert isinstance(node.inputs[0], SparseConstant)
    stored = value.copy()
    stored.data = np.exp(stored.data)
    np.testing.assert_allclose(function([1.0, 2.0, 3.0]), stored.T @ [1.0, 2.0, 3.0])


def test_copies_and_pickles_of_functions(matrices: Matrices) -> None:
    x, v = sparse.csr_matrix("x"), at.dvector("v")
    function = relgraph.function([x, v], [x @ v, sparse.sin(x)])
    value, vector = matrices.sparse((5, 4)), matrices.dense(4)
    for twin in (copy.copy(function), pickle.loads(pickle.dumps(function))):
        np.testing.assert_allclose(twin(value, vector)[0], value @ vector)
    for cloned in (copy.deepcopy(x @ v), pickle.loads(pickle.dumps(x @ v))):
        assert isinstance(cloned.owner.inputs[0], SparseVariable)


def test_printing(capsys: Any) -> None:
    x = sparse.csr_matrix("x")
    relgraph.dprint(sparse.structured_exp(x).T @ at.dvector("v"))
    printed = capsys.readouterr().out
    for name in ("structured_dot", "transpose", "with_stored", "exp", "stored", "|x"):
        assert name in printed
    assert "with_stored" in relgraph.pprint(x * 2)


def test_shared_matrices(matrices: Matrices) -> None:
    """A shared matrix is a copy, and is updated by functions."""
    value = sp.csr_matrix(matrices.sparse((5, 4)))
    w = relgraph.shared(value, name="w")
    assert w.type == sparse.SparseTensorType("csr", "float64")
    before = value.toarray()
    value.data[...] = 0
    np.testing.assert_array_equal(w.get_value().toarray(), before)
    step = relgraph.function([], w.sum(), updates={w: w * 2})
    np.testing.assert_allclose(step(), before.sum())
    np.testing.assert_allclose(w.get_value().toarray(), 2 * before)
    w.get_value().data[...] = 5
    np.testing.assert_allclose(w.get_value().toarray(), 2 * before)
    w.set_value(sp.csr_array(np.eye(2)))
    assert step() == 2.0
    with pytest.raises(TypeError, match="the value of w: expected SparseTensorType"):
        w.set_value(np.eye(2))
    borrowed = relgraph.shared(matrices.sparse((2, 2)), borrow=True)
    assert borrowed.get_value(borrow=True) is borrowed.get_value(borrow=True)
    assert pickle.loads(pickle.dumps(w)).get_value().toarray().tolist() == [[2, 0], [0, 2]]


def test_views_are_declared(matrices: Matrices) -> None:
    """A result that a user borrows may share storage; any other never does."""
    x = sparse.csr_matrix("x")
    value = matrices.sparse((5, 4))
    views = [x.T, x.data, sparse.with_data(x, x.data * 1), x.indices, x]
    for out in relgraph.function([x], views)(value):
        parts = (out.data, out.indices, out.indptr) if sp.issparse(out) else (out,)
        for part in parts:
            for own in (value.data, value.indices, value.indptr):
                assert not np.shares_memory(part, own)
    borrowed = relgraph.function([relgraph.In(x, borrow=True)], relgraph.Out(x.T, borrow=True))
    assert np.shares_memory(borrowed(value).data, value.data)


def test_eval() -> None:
    x, c = sparse.csr_matrix("x"), at.lscalar("c")
    assert (x * 3).eval({x: sp.csr_array(np.eye(2))}).toarray().tolist() == [[3, 0], [0, 3]]
    with pytest.raises(TypeError, match="is sparse"):
        relgraph.ifelse(c, x, x)
