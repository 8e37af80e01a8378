"""Arrays made of nothing, and arrays joined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.gradient import grad
from relgraph.graph.basic import Constant
from relgraph.graph.reference import evaluate
from relgraph.settings import config
from relgraph.tensor.assembly import Join


def test_lengths_that_are_variables(against_numpy):
    n = np.array(3)
    against_numpy(lambda n: at.zeros((n, 2)), lambda n: np.zeros((int(n), 2)), n)
    against_numpy(lambda n: at.ones(n), lambda n: np.ones(int(n)), n)
    against_numpy(lambda v: at.zeros(v.shape), np.zeros_like, np.ones((2, 3)))
    assert at.zeros((at.lscalar(), 2)).type.shape == (None, 2)


def test_a_likeness_of_a_scalar_is_a_constant():
    assert isinstance(at.ones_like(at.dscalar()), Constant)


def test_alloc_owns_its_storage():
    x = at.dvector()
    a = np.ones(3)
    (found,) = evaluate([at.alloc(x, 3)], {x: a})
    assert not np.shares_memory(found, a)
    assert found.flags.writeable


@given(st.integers(-4, 4), st.integers(-4, 4), st.integers(-3, 3).filter(bool))
def test_arange_of_integers(start, stop, step):
    expected = np.arange(start, stop, step)
    out = at.arange(start, stop, step)
    assert out.type.shape == expected.shape
    np.testing.assert_array_equal(evaluate([out])[0], expected)
    a, b, c = at.lscalars(3)
    out = at.arange(a, b, c)
    givens = dict(zip((a, b, c), map(np.array, (start, stop, step)), strict=True))
    (shape,) = out.owner.op.infer_shape(None, out.owner, [(), (), ()])
    found, length = evaluate([out, shape[0]], givens)
    np.testing.assert_array_equal(found, expected)
    assert length == len(expected)


def test_arange_of_floats(against_numpy):
    args = [np.array(v) for v in (0.5, 3.0, 0.75)]
    against_numpy(at.arange, lambda *a: np.arange(*[v.item() for v in a]), *args)
    assert at.arange(2.5).type.shape == (3,)
    assert at.arange(4, dtype="float32").type.dtype == "float32"
    start, step = at.dscalar(), at.dscalar()
    out = at.sum(at.sqr(at.arange(start, 3.25, step)))
    found = evaluate(grad(out, [start, step]), {start: np.array(0.5), step: np.array(1.0)})
    np.testing.assert_allclose(found, [2 * (0.5 + 1.5 + 2.5), 2 * (1.5 + 2 * 2.5)])


def test_default_dtypes():
    makers = [at.zeros, at.ones, at.eye, at.tri]
    assert [make(2).type.dtype for make in makers] == ["float64"] * 4
    with config.change_flags(floatX="float32"):
        assert [make(2).type.dtype for make in makers] == ["float32"] * 4
        assert [make(2, dtype=None).type.dtype for make in makers] == ["float32"] * 4
        values = [(1.5, "float32"), (1, "int64"), (True, "bool"), (np.float64(1), "float64")]
        for value, dtype in values:
            assert at.full(2, value).type.dtype == dtype


# Putting tensors side by side, and taking them apart.


def count(*shape):
    return np.arange(np.prod(shape), dtype="float64").reshape(shape)


def test_join_along_an_axis_that_is_a_variable():
    x, y, axis = at.dtensor3("x"), at.dtensor3("y"), at.lscalar("axis")
    joined = at.join(axis, x, y)
    slopes = grad(at.sum(joined**2), [x, y])
    for k, lengths in ((0, (4, 3, 2)), (1, (2, 5, 2)), (-1, (2, 3, 1))):
        a, b = count(2, 3, 2), count(*lengths) + 1
        found = evaluate([joined, *slopes], {x: a, y: b, axis: k})
        np.testing.assert_array_equal(found[0], np.concatenate([a, b], k))
        np.testing.assert_array_equal(found[1], 2 * a)
        np.testing.assert_array_equal(found[2], 2 * b)
    assert at.join(at.constant(1), x, y).owner.op is Join(1)


def test_mixed_dtypes(as_numpy):
    xs = [count(2), np.array([1, 2], "int8"), np.array([True])]
    as_numpy(lambda m, *v: m.concatenate(v), *xs)
    x, i = at.dvector(), at.bvector()
    g = grad(at.sum(at.join(0, x, i) ** 2), x)
    np.testing.assert_array_equal(evaluate([g], {x: count(3), i: np.ones(2, "int8")})[0], [0, 2, 4])


def test_what_is_known_of_a_join():
    x, y = at.tensor("float64", (2, None)), at.tensor("float64", (3, 4))
    assert at.join(0, x, y).type.shape == (5, 4)
    assert at.join(1, x, at.dmatrix()).type.shape == (2, None)


def test_split_by_variables():
    x, sizes = at.dvector("x"), at.lvector("sizes")
    parts = at.split(x, sizes, n_splits=2)
    found = evaluate(parts, {x: count(5), sizes: np.array([1, 4])})
    np.testing.assert_array_equal(found[1], [1, 2, 3, 4])
    assert parts[0].owner.op.view_map == {0: [0], 1: [0]}
