"""Products, transpositions and what LAPACK computes as parts of compiled functions."""

import re
from collections import Counter
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


def systems(a, b):
    v = b[:, 0]
    outputs = [
        at.tanh(at.linalg.solve(a, b)),
        at.tanh(at.linalg.solve(a.T, v)),
        at.linalg.inv(a) + 1,
        at.tanh(at.linalg.inv(a.T)),
    ]
    if a.type.dtype == "float64":
        sign, logarithm = at.linalg.slogdet(a)
        outputs += [logarithm * 2 + sign, at.tanh(logarithm)]
    return outputs


def symmetric(a, b):
    """Of a matrix one triangle is read: the upper and the lower one are of two matrices."""
    ways = product((a, a.T), ("sym", "her"), (False, True), (b, b[:, 0]))
    return [
        at.tanh(at.linalg.solve(m, v, assume_a=kind, lower=lower)) for m, kind, lower, v in ways
    ]


def positive_definite(a, b):
    """Of a matrix one triangle is read: the other one holds other numbers."""
    linalg = at.linalg
    lower, upper = linalg.cholesky(a), linalg.cholesky(a.T, lower=False)
    return [
        at.tanh(lower),
        upper + 1,
        at.tanh(linalg.cho_solve((lower, True), b)),
        at.tanh(linalg.cho_solve((lower.T, False), b[:, 0])),
        at.tanh(linalg.cho_solve((upper, False), b.T[::-1].T)),
    ]


def shifted(draw, n):
    return draw(size=(n, n)) + 3 * np.eye(n) * np.sign(draw())


def definite(draw, n):
    half = draw(size=(n, n))
    return half @ half.T + np.eye(n) + np.triu(draw(size=(n, n)), 1)


MATRICES = {
    "any": (systems, shifted),
    "symmetric": (symmetric, shifted),
    "positive definite": (positive_definite, definite),
}
"""Functions of a kind of matrices and right sides, and how such a matrix is drawn."""


@pytest.fixture(scope="module", params=product(MATRICES, DTYPES), ids=", ".join)
def of_matrices(request):
    """A function in compiled code: of which kind, its dtype, it, and one that is not rewritten."""
    kind, dtype = request.param
    a, b = at.matrix("a", dtype=dtype), at.matrix("b", dtype=dtype)
    make = compiled if kind == "symmetric" else in_one_part
    return kind, dtype, *make([a, b], MATRICES[kind][0](a, b))


@pytest.mark.parametrize("size", [1, 2, 5, 40, 150])
def test_values(of_matrices, size, fallbacks):
    kind, dtype, made, reference = of_matrices
    draw = np.random.default_rng(seed_of("matrices", kind, str(size))).normal
    a = MATRICES[kind][1](draw, size)
    for columns in (1, 3, 70):
        values = [v.astype(dtype) for v in (a, draw(size=(size, columns)))]
        compare(made, reference, values, 1e3 * DTYPES[dtype])
    assert not fallbacks


def test_matrices_that_lapack_does_not_get(of_matrices, fallbacks):
    """One without elements, one with nan, and one that can't be factored are left to NumPy."""
    kind, dtype, made, reference = of_matrices
    compare(made, reference, [np.ones((0, 0), dtype), np.ones((0, 2), dtype)], DTYPES[dtype])
    a = np.eye(3, dtype=dtype)
    a[0, 1] = a[1, 1] = np.nan
    compare(made, reference, [a, np.ones((3, 2), dtype)], DTYPES[dtype])
    assert fallbacks
    message = "positive definite" if kind == "positive definite" else "singular"
    with pytest.raises(np.linalg.LinAlgError, match=message):
        made(np.zeros((3, 3), dtype), np.ones((3, 2), dtype))
    if kind == "symmetric":
        # the diagonal of its factor is zero, in a block of two rows
        fallbacks.clear()
        turned = np.array([[0, 1], [1, 0]], dtype)
        compare(made, reference, [turned, np.ones((2, 2), dtype)], DTYPES[dtype])
        assert not fallbacks


def calls_of_routines(inputs, outputs):
    """Return how often the code of a segment calls each routine of LAPACK, by name."""
    text = Segment(io_toposort(inputs, outputs), inputs, outputs, False, {}).code.text()
    return Counter(re.findall(r"call i1 @(\w+)_float64", text))


def test_a_matrix_is_factored_once():
    """For its systems, those of its transpose, its inverse and its determinant."""
    a, v = at.dmatrix("a"), at.dvector("v")
    outputs = [at.linalg.solve(a, v), at.linalg.solve(a.T, v), at.linalg.inv(a.T)]
    calls = calls_of_routines([a, v], [*outputs, *at.linalg.slogdet(a)])
    assert calls["lu"] and calls["solve"] == 2 * calls["lu"] and calls["inverse"] == calls["lu"]


def test_a_symmetric_matrix_is_factored_once_for_each_triangle():
    a, v = at.dmatrix("a"), at.dvector("v")
    ways = product((a, a.T), (False, True))
    outputs = [at.linalg.solve(m, v, assume_a="sym", lower=lower) for m, lower in ways]
    calls = calls_of_routines([a, v], outputs)
    assert calls["ldl"] and calls["symmetric_solve"] == 2 * calls["ldl"]


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


def test_a_singular_factor():
    c, b = at.dmatrix("c"), at.dvector("b")
    made, reference = in_one_part([c, b], [at.tanh(at.linalg.cho_solve((c, True), b))])
    for run in (made, reference):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            run(np.diag([1.0, 0.0, 2.0]), np.ones(3))
