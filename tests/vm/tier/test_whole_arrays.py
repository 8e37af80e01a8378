"""Products, transpositions and what LAPACK computes as parts of compiled functions."""

from itertools import product

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import grad
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.linalg.blas import Gemm, GemvAdd, Ger
from relgraph.vm.tier.segments import Segment
from tests.seeds import seed_of
from tests.vm.tier.conftest import compare, compiled, needs_compiler

pytestmark = needs_compiler

DTYPES = {"float64": 1e-11, "float32": 2e-4}


@pytest.fixture
def fallbacks(monkeypatch):
    """A list of the parts that ran by NumPy; others may get copies of their arguments."""
    found = []
    plain = Segment.__dict__["_program"].func
    monkeypatch.setattr(Segment, "_program", property(lambda op: found.append(op) or plain(op)))
    return found


def in_one_part(inputs, outputs):
    """Return a compiled function of one segment, and one that is not rewritten."""
    made, reference = compiled(inputs, outputs, on_unused_input="ignore")
    assert len(made._run.record.segments) == 1, made._run.record
    return made, reference


SIZES = [(3, 4, 5), (1, 1, 1), (1, 7, 2), (7, 2, 1), (2, 0, 3), (0, 3, 2), (70, 40, 33)]


@pytest.fixture(scope="module", params=DTYPES)
def products(request):
    """Products of every kind, each followed by elementwise operations."""
    dtype = request.param
    a, b, c = (at.matrix(n, dtype=dtype) for n in "abc")
    v, w = at.vector("v", dtype=dtype), at.vector("w", dtype=dtype)
    outputs = [
        at.exp(-abs(a @ b)),
        at.tanh(b.T @ a.T),
        at.tanh(a @ v) + w,
        at.tanh(w @ a) * v,
        at.tanh(a.T @ w) * v,
        at.tanh(v @ v) * v,
        at.tanh(c - a @ b * 3),
        c + w[:, None] * (b.T @ v)[None, :],
        at.exp(-abs(a.T)) + at.tanh(at.tanh(a).T),
        Gemm()(c, np.asarray(-2.0, dtype), a, b, np.asarray(0.5, dtype)) * 2,
        GemvAdd()(w, np.asarray(1.0, dtype), a, v, np.asarray(0.0, dtype)) + w * 2,
        Gemm()(c, np.asarray(1.0, dtype), w[:, None], (v @ b)[None, :], np.asarray(1.0, dtype)) * 2,
        Ger()(c, np.asarray(2.0, dtype), w, v @ b) + 1,
    ]
    return dtype, *in_one_part([a, b, c, v, w], outputs)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_products(products, size, fallbacks):
    dtype, made, reference = products
    m, k, n = size
    draw = np.random.default_rng(seed_of("whole arrays", str(size))).normal
    values = [draw(size=s).astype(dtype) for s in ((m, k), (k, n), (m, n), k, m)]
    compare(made, reference, values, DTYPES[dtype])
    # by columns, backward, and every other row
    other = [np.asfortranarray(v)[::-1][::-1] if v.ndim == 2 else v for v in values]
    compare(made, reference, other, DTYPES[dtype])
    wide = [np.repeat(v, 2, axis=0)[::2] for v in values]
    compare(made, reference, wide, DTYPES[dtype])
    assert not fallbacks


def test_what_is_not_finite_spreads_as_in_numpy(products):
    dtype, made, reference = products
    draw = np.random.default_rng(seed_of("whole arrays", "not finite")).normal
    values = [draw(size=s).astype(dtype) for s in ((3, 4), (4, 5), (3, 5), 4, 3)]
    values[0][1, 2], values[1][0, 0], values[3][3] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        compare(made, reference, values, DTYPES[dtype])


def test_lengths_that_do_not_fit(products):
    _, made, reference = products
    values = [np.ones(s, made.maker.fgraph.inputs[0].type.dtype) for s in ((3, 4), (5, 2), (3, 2))]
    values += [np.ones(4, values[0].dtype), np.ones(3, values[0].dtype)]
    with pytest.raises(ValueError) as wanted:
        reference(*values)
    with pytest.raises(ValueError) as found:
        made(*values)
    assert type(found.value) is type(wanted.value)


@pytest.fixture(scope="module", params=DTYPES)
def systems(request):
    dtype = request.param
    a, b, v = at.matrix("a", dtype=dtype), at.matrix("b", dtype=dtype), at.vector("v", dtype=dtype)
    linalg = at.linalg
    outputs = [
        at.tanh(linalg.solve(a, b)),
        at.tanh(linalg.solve(a.T, v)),
        linalg.inv(a) + 1,
        at.tanh(linalg.inv(a.T)),
    ]
    if dtype == "float64":
        sign, logarithm = linalg.slogdet(a)
        outputs += [logarithm * 2 + sign, at.tanh(logarithm)]
    return dtype, *in_one_part([a, b, v], outputs)


@pytest.mark.parametrize("size", [1, 2, 5, 40, 150])
def test_systems(systems, size, fallbacks):
    dtype, made, reference = systems
    draw = np.random.default_rng(seed_of("whole arrays", str(size))).normal
    for columns in (1, 3, 70):
        values = [draw(size=s).astype(dtype) for s in ((size, size), (size, columns), size)]
        values[0] += 3 * np.eye(size, dtype=dtype) * np.sign(draw())
        compare(made, reference, values, 1e3 * DTYPES[dtype])
    assert not fallbacks


def test_a_matrix_is_factored_once():
    """For its systems, those of its transpose, its inverse and its determinant."""
    a, v = at.dmatrix("a"), at.dvector("v")
    outputs = [at.linalg.solve(a, v), at.linalg.solve(a.T, v), at.linalg.inv(a.T)]
    outputs += at.linalg.slogdet(a)
    segment = Segment(io_toposort([a, v], outputs), [a, v], outputs, False, {})
    text = segment.code.text()
    lu, solve, inverse = (
        text.count(f"call i1 @{name}_float64") for name in ("lu", "solve", "inverse")
    )
    assert lu and solve == 2 * lu and inverse == lu


def test_systems_that_lapack_does_not_get(systems, fallbacks):
    """One without elements, one with nan and a singular one are left to NumPy."""
    dtype, made, reference = systems
    compare(made, reference, [np.ones(s, dtype) for s in ((0, 0), (0, 2), 0)], 1e-4)
    a = np.eye(3, dtype=dtype)
    a[0, 1] = np.nan
    with np.errstate(all="ignore"):
        compare(made, reference, [a, np.ones((3, 2), dtype), np.ones(3, dtype)], 1e-4)
    assert len(fallbacks) == 2
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        made(np.ones((3, 3), dtype), np.ones((3, 2), dtype), np.ones(3, dtype))


def test_determinant_of_a_singular_matrix():
    a = at.dmatrix("a")
    sign, logarithm = at.linalg.slogdet(a)
    made, reference = in_one_part([a], [sign * 2, logarithm + 1])
    for values in (np.ones((2, 2)), np.diag([1.0, -2.0, 3.0]), np.eye(3)[[1, 0, 2]]):
        compare(made, reference, [values], 1e-14)


def test_a_chain_keeps_its_scratch_apart(fallbacks):
    """What is handed on between products takes one place after another, and no output is lost."""
    a, x = at.dmatrix("a"), at.dmatrix("x")
    layers = [x]
    for _ in range(12):
        layers.append(at.tanh(a @ layers[-1]))
    loss = at.sum(layers[-1] * layers[5])
    made, reference = in_one_part([a, x], [loss, *layers[1::3], *grad(loss, [a, x])])
    draw = np.random.default_rng(seed_of("whole arrays", "chain")).normal
    for n in (1, 9, 64):
        compare(made, reference, [draw(size=(n, n)) / n, draw(size=(n, n))], 1e-11)
    assert not fallbacks


@pytest.fixture(scope="module", params=DTYPES)
def symmetric(request):
    dtype = request.param
    a, b = at.matrix("a", dtype=dtype), at.matrix("b", dtype=dtype)
    ways = product((a, a.T), ("sym", "her"), (False, True), (b, b[:, 0]))
    outputs = [
        at.tanh(at.linalg.solve(m, v, assume_a=kind, lower=lower)) for m, kind, lower, v in ways
    ]
    return dtype, *compiled([a, b], outputs)


@pytest.mark.parametrize("size", [1, 2, 5, 40, 150])
def test_symmetric_systems(symmetric, size, fallbacks):
    """Of a matrix one triangle is read: the upper and the lower one are of two matrices."""
    dtype, made, reference = symmetric
    draw = np.random.default_rng(seed_of("symmetric", str(size))).normal
    a = draw(size=(size, size)) + 3 * np.eye(size) * draw()
    for columns in (1, 3, 70):
        values = [v.astype(dtype) for v in (a, draw(size=(size, columns)))]
        compare(made, reference, values, 1e4 * DTYPES[dtype])
    assert not fallbacks


def test_symmetric_systems_that_lapack_does_not_get(symmetric, fallbacks):
    dtype, made, reference = symmetric
    # the diagonal of its factor is zero, in a block of two rows
    turned = np.array([[0, 1], [1, 0]], dtype)
    compare(made, reference, [turned, np.ones((2, 2), dtype)], DTYPES[dtype])
    assert not fallbacks
    compare(made, reference, [np.ones((0, 0), dtype), np.ones((0, 2), dtype)], DTYPES[dtype])
    with np.errstate(all="ignore"):
        compare(made, reference, [turned * np.nan, np.ones((2, 2), dtype)], DTYPES[dtype])
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        made(np.zeros((3, 3), dtype), np.ones((3, 2), dtype))


def test_a_symmetric_matrix_is_factored_once_for_each_triangle():
    a, v = at.dmatrix("a"), at.dvector("v")
    ways = product((a, a.T), (False, True))
    outputs = [at.linalg.solve(m, v, assume_a="sym", lower=lower) for m, lower in ways]
    text = Segment(io_toposort([a, v], outputs), [a, v], outputs, False, {}).code.text()
    counts = [text.count(f"call i1 @{name}_float64") for name in ("ldl", "symmetric_solve")]
    assert counts[0] and counts[1] == 2 * counts[0]


@pytest.fixture(scope="module", params=DTYPES)
def positive(request):
    dtype = request.param
    a, b = at.matrix("a", dtype=dtype), at.matrix("b", dtype=dtype)
    linalg = at.linalg
    lower, upper = linalg.cholesky(a), linalg.cholesky(a.T, lower=False)
    outputs = [
        at.tanh(lower),
        upper + 1,
        at.tanh(linalg.cho_solve((lower, True), b)),
        at.tanh(linalg.cho_solve((lower.T, False), b[:, 0])),
        at.tanh(linalg.cho_solve((upper, False), b.T[::-1].T)),
    ]
    return dtype, *in_one_part([a, b], outputs)


@pytest.mark.parametrize("size", [1, 2, 5, 40, 150])
def test_positive_definite_matrices(positive, size, fallbacks):
    """Of a matrix one triangle is read: the other one holds other numbers."""
    dtype, made, reference = positive
    draw = np.random.default_rng(seed_of("positive definite", str(size))).normal
    half = draw(size=(size, size))
    a = half @ half.T + np.eye(size) + np.triu(draw(size=(size, size)), 1)
    for columns in (1, 3):
        values = [v.astype(dtype) for v in (a, draw(size=(size, columns)))]
        compare(made, reference, values, 1e3 * DTYPES[dtype])
    assert not fallbacks


def test_matrices_without_a_cholesky_factor(positive):
    dtype, made, reference = positive
    compare(made, reference, [np.ones((0, 0), dtype), np.ones((0, 2), dtype)], 1e-4)
    a = np.eye(3, dtype=dtype)
    a[1, 1] = np.nan
    with np.errstate(all="ignore"):
        compare(made, reference, [a, np.ones((3, 2), dtype)], 1e-4)
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        made(-np.eye(3, dtype=dtype), np.ones((3, 2), dtype))


def test_a_singular_factor():
    c, b = at.dmatrix("c"), at.dvector("b")
    made, reference = in_one_part([c, b], [at.tanh(at.linalg.cho_solve((c, True), b))])
    for run in (made, reference):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            run(np.diag([1.0, 0.0, 2.0]), np.ones(3))
