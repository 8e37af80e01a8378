"""True values of graphs, with many digits; those of ops on matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import io_toposort
from relgraph.graph.reference import evaluate
from relgraph.scalar import error_free
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.linalg.decompositions import QR, Cholesky
from relgraph.tensor.linalg.functions import Det, SLogDet
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, Solve, SolveTriangular
from relgraph.tensor.special import log_ndtr, ndtr
from relgraph.truth.balls import (
    UNKNOWN,
    NoTrueValue,
    arb,
    has_value,
    is_infinite,
    is_none,
    precision,
)
from relgraph.truth.graphs import as_balls, node_values, true_values
from tests.tensor.linalg.matrices import positive, some

v, w = at.dvector("v"), at.dvector("w")
POINTS = np.array([0.25, 0.5, 0.75, -0.5])


def truth(out, givens):
    nodes = io_toposort(list(givens), [out])
    known = {u: u.data for node in nodes for u in node.inputs if hasattr(u, "data")}
    return true_values(nodes, {**known, **givens}, out)


def floats(out, givens):
    """Return the true values of the elements of an output as the floats that are nearest."""
    return np.vectorize(float)(truth(out, givens)).tolist()


OPS = {o.name: o for m in (scalar, error_free) for o in vars(m).values() if isinstance(o, ScalarOp)}


# those of tables are compared in tests/scalar/named
@pytest.mark.parametrize("name", [name for name, op in OPS.items() if has_value(op)])
def test_each_scalar_op_agrees_with_its_ufunc(name):
    op = OPS[name]
    count = op.nin if op.nin > 0 else 2
    points = POINTS
    if name == "arccosh":
        points = POINTS + 2
    if name in ("and_", "or_", "invert"):
        points = points > 0
    if name == "polygamma":
        inputs = [np.array([0, 1, 2, 1]), np.abs(points)]
    elif name == "clip":
        inputs = [points, points * 0 - 0.3, points * 0 + 0.6]
    else:
        inputs = [points, points[::-1] * 1, points * points, points - 1][:count]
    variables = [at.TensorType(x.dtype, x.shape)() for x in inputs]
    if name == "log1mexp":
        inputs = [-np.abs(points)]
    out = at.Elemwise(op)(*variables)
    givens = dict(zip(variables, inputs, strict=True))
    (expected,) = evaluate([out], givens)
    found = truth(out, givens)
    for a, b in zip(found, expected, strict=True):
        none = isinstance(a, arb) and is_none(a)
        assert (none and np.isnan(b)) or complex(a) == pytest.approx(complex(b), rel=1e-12)


m = at.dmatrix("m")
MATRIX = np.array([[1e300, 1.0, -1e300], [0.5, 0.25, 2.0]])
VECTORS = {v: np.array([0.5, 1.0, 2.0]), w: np.array([3.0])}
VALUES = {
    "a sum": (at.sum(m, axis=1), {m: MATRIX}, [1.0, 2.75]),
    "a product": (at.prod(m[1:], axis=1), {m: MATRIX}, [0.25]),
    "a maximum": (at.max(m, axis=0), {m: MATRIX}, [1e300, 1.0, 2.0]),
    "a dot product": (at.dot(v, v), {v: np.array([3.0, 4.0])}, 25.0),
    "moved elements": (m.T[::-1, 1], {m: MATRIX}, [2.0, 0.25, 0.5]),
    "a length": (at.shape(v)[0] * w, VECTORS, [9.0]),
    "positions": (v[at.arange(at.shape(v)[0])[::-1]], VECTORS, [2.0, 1.0, 0.5]),
    "a vector of elements": (at.stack([v[2], w[0]]), VECTORS, [2.0, 3.0]),
    "a part of a split": (at.split(v, [1, 2], 2)[1], VECTORS, [1.0, 2.0]),
    "a small logarithm": (at.log(1 + v), {v: np.array([1e-30])}, [1e-30]),
    "a quotient of infinities": (at.exp(v) / (1 + at.exp(v)), {v: np.array([1000.0])}, [1.0]),
    "the logarithm of an infinity": (at.log(at.exp(v)), {v: np.array([800.0])}, [800.0]),
    "the least number": (1 + v - 1, {v: np.array([5e-324])}, [5e-324]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    out, givens, expected = VALUES[name]
    assert floats(out, givens) == expected


def test_where_nothing_is_reduced_there_are_no_values():
    x = at.TensorType("float64", (None, None))("x")
    nothing, no_rows = np.empty((0, 0)), np.empty((0, 3))
    assert truth(at.sum(x, axis=1), {x: nothing}).shape == (0,)
    assert truth(at.argmax(x, axis=1), {x: no_rows}).shape == (0,)
    assert list(truth(at.sum(x, axis=0), {x: no_rows})) == [0, 0, 0]


def test_an_integer_is_the_float_that_it_becomes():
    n = at.TensorType("uint64", (None,))("n")
    odd = np.array([2**64 - 1], "uint64")  # as a float it is even
    for exponent in (n, at.cast(n, "float64")):
        (power,) = truth(v**exponent, {v: np.array([-2.0]), n: odd})
        assert power > 0
    assert truth(at.eq(v, n), {v: np.array([2.0**64]), n: odd}).all()
    assert (truth(n - 1, {n: odd}) == odd - 1).all()


@pytest.mark.parametrize(
    ("out", "value"),
    [(at.log(v), -1.0), (at.sqrt(v), -1.0), (1 / v, 0.0), (v - v, np.inf), (at.arcsin(v), 2.0)],
)
def test_what_is_not_defined_is_nan(out, value):
    assert is_none(truth(out, {v: np.array([value])})[0])


def test_an_op_that_is_not_known_is_named():
    with pytest.raises(NoTrueValue, match="no true value of sort"):
        truth(at.exp(at.sort(v * w)[0] * v), {v: POINTS, w: POINTS})


@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_a_number_is_a_condition_too(dtype):
    c = at.TensorType(dtype, (None,))("c")
    values = {c: np.array([1, 0], dtype), v: np.array([2.0, 3.0]), w: np.array([4.0, 5.0])}
    assert floats(at.switch(c, v, w), values) == [2.0, 5.0]


def test_what_no_precision_tells_is_unknown():
    (found,) = truth(at.tan(at.arctan(v)), {v: np.array([np.inf])})
    assert found is UNKNOWN


def test_an_element_that_is_not_asked_for_need_not_be_known():
    values = {v: np.array([np.inf, 1.0])}
    out = at.tan(at.arctan(v))
    nodes = io_toposort([v], [out])
    assert float(true_values(nodes, values, out, [(1,)])[1]) == 1.0


def test_huge_exponents_come_to_an_end():
    (found,) = truth(at.exp(at.exp(at.exp(v))), {v: np.array([700.0])})
    assert is_infinite(found)
    for function in (at.sin, at.cos, at.tan):
        (found,) = truth(function(at.exp(v)), {v: np.array([1e9])})
        assert found is UNKNOWN
    assert scipy.special.erfc(300.0) == float(truth(at.erfc(v), {v: np.array([300.0])})[0])


@pytest.mark.parametrize("tail", [at.erfc(v), ndtr(-v), log_ndtr(-v)])
@pytest.mark.parametrize("far", [2.7e154, 1e300])
def test_tails_are_ordered_however_far_out(tail, far):
    (value,) = truth(tail, {v: np.array([far])})
    assert not is_none(value)
    assert truth(at.argmax(tail), {v: np.array([far, 1e13])}).item() == 1
    assert truth(at.argmin(tail), {v: np.array([far, 1e13])}).item() == 0


# The true values of ops on matrices: those of NumPy, and exact where NumPy rounds.


def computed(op, *values):
    with precision(120), np.errstate(invalid="ignore"):
        found = node_values(op.make_node(*values), [as_balls(v) for v in values])
    return [np.asarray(v).astype("complex128") for v in found]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_they_are_those_of_numpy(dtype, batch):
    a, b = positive(*batch, 3, 3, dtype=dtype), some(*batch, 3, 2, dtype=dtype)
    c = np.linalg.cholesky(a)
    for op, values, expected in (
        (Solve(), (a, b), [np.linalg.solve(a, b)]),
        (Solve("pos"), (a, b), [np.linalg.solve(a, b)]),
        (Inverse(), (a,), [np.linalg.inv(a)]),
        (Det(), (a,), [np.linalg.det(a)]),
        (SLogDet(), (a,), np.linalg.slogdet(a)),
        (Cholesky(), (a,), [c]),
        (Cholesky(False), (a,), [np.swapaxes(c, -1, -2).conj()]),
        (CholeskySolve(True), (c, b), [np.linalg.solve(a, b)]),
        (SolveTriangular(True), (a, b), [np.linalg.solve(np.tril(a), b)]),
    ):
        for found, want in zip(computed(op, *values), expected, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-12)


def test_vectors_and_unit_diagonals():
    a, b = positive(3, 3), some(3)
    (found,) = computed(SolveTriangular(False, True), a, b)
    expected = scipy.linalg.solve_triangular(a, b, unit_diagonal=True)
    np.testing.assert_allclose(found, expected)


def test_it_is_exact_where_numpy_rounds():
    """The determinant of the Hilbert matrix of size 8, 1 / 365356847125734485878112256000000."""
    with precision(400):
        matrix = np.array([[1 / arb(i + j + 1) for j in range(8)] for i in range(8)])
        (found,) = node_values(Det().make_node(np.eye(8)), [matrix])
        assert (1 / found[()]).contains(365356847125734485878112256000000)
        assert found[()].rel_accuracy_bits() > 200


def test_what_is_not_finite_or_singular():
    for value in (np.array([[np.nan, 0], [0, 1]]), np.array([[np.inf, 0], [0, 1]])):
        assert np.isnan(computed(Det(), value)[0])
        assert np.isnan(computed(Solve(), value, np.ones(2))[0]).all()
    sign, logarithm = computed(SLogDet(), np.zeros((2, 2)))
    assert sign == 0 and logarithm == -np.inf
    with pytest.raises(NoTrueValue, match="qr"):
        node_values(QR().make_node(np.eye(2)), [as_balls(np.eye(2))])
