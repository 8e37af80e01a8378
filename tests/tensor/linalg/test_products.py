"""Products of stacks of matrices, and their calls of the BLAS."""

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import In, Mode, Out, function
from relgraph.gradient import verify_grad
from relgraph.graph.reference import evaluate
from relgraph.printing import pprint
from relgraph.tensor import fortran
from relgraph.tensor.linalg.blas import (
    BLAS_DTYPES,
    Dot22Scalar,
    Gemm,
    GemvAdd,
    Ger,
    _dot22,
    _dot22scalar,
    _gemm,
    _gemv_add,
    _ger,
    fits_blas,
    fits_gemv,
)
from relgraph.tensor.linalg.products import _batched_dot
from tests.tensor.blas_arrays import layouts, values


@pytest.mark.parametrize("left", [(4, 2, 3), (4, 3)])
@pytest.mark.parametrize("right", [(4, 3, 5), (4, 3)])
def test_products_of_stacks(left, right):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=left), rng.normal(size=right)
    x = at.TensorType("float64", (None,) * a.ndim)("x")
    y = at.TensorType("float64", (None,) * b.ndim)("y")
    (found,) = evaluate([at.batched_dot(x, y)], {x: a, y: b})
    np.testing.assert_allclose(found, np.stack([p @ q for p, q in zip(a, b, strict=True)]))
    verify_grad(at.batched_dot, [a, b], rng=rng)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_batched_dot_in_every_layout(dtype: str) -> None:
    x, y = (at.TensorType(dtype, (None, None, None))(name) for name in "xy")
    f = function([x, y], at.batched_dot(x, y), "o3")
    assert [str(node.op) for node in f.maker.fgraph.toposort()] == ["batched_dot"]
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=shape).astype(dtype) for shape in ((5, 2, 3), (5, 3, 4)))
    turned = np.ascontiguousarray(b.transpose(0, 2, 1)).transpose(0, 2, 1)
    gaps = np.repeat(b, 2, axis=1)[:, ::2]
    for given in (b, turned, gaps, np.asfortranarray(b)):
        np.testing.assert_allclose(f(a, given), a @ b, rtol=1e-5)
    assert f(a[:0], b[:0]).shape == (0, 2, 4)
    assert f(a[:, :, :0], b[:, :0]).tolist() == np.zeros((5, 2, 4)).tolist()
    with pytest.raises(ValueError, match="batched_dot"):
        f(a, b[:, :2])
    integers = at.TensorType("int64", (None, None, None))("k")
    g = function([integers], at.batched_dot(integers, integers))
    assert [str(node.op) for node in g.maker.fgraph.toposort()] == ["matmul"]
    with pytest.raises(TypeError, match=r"batched_dot: input 0 is a .*all inputs"):
        _batched_dot(integers, integers)


# Products that are one call of the BLAS.


def test_what_it_takes() -> None:
    x = at.dmatrix("x")
    for other in (at.fmatrix(), at.dvector(), at.lmatrix()):
        assert not fits_blas(x, other)
        with pytest.raises(TypeError, match="dot22"):
            _dot22(x, other)
    known = at.TensorType("float64", (2, 3))("known")
    assert _dot22(known, x).type.shape == (2, None)
    assert Dot22Scalar()(known.T, known, 1.0).type.shape == (3, 3)
    with pytest.raises(ValueError, match="length 3"):
        _dot22(known, known)
    v = at.dvector("v")
    assert fits_gemv(x, v) and fits_gemv(v, x) and not fits_gemv(x, x)


# Ops that add products to a tensor: values for all layouts, dtypes and factors, and gradients.

PLAIN = Mode("py", None)


@pytest.fixture(params=["by the BLAS", "by NumPy"])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test run both ways."""
    if request.param == "by the BLAS":
        monkeypatch.setattr(fortran, "SMALL", 0)


def tolerance(dtype: str) -> float:
    return 1e-5 if dtype in ("float32", "complex64") else 1e-13


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("dtype", BLAS_DTYPES)
def test_gemm_on_every_layout(dtype: str, overwrite: bool) -> None:
    x, y, z = values(dtype, 3, 4), values(dtype, 4, 5), values(dtype, 3, 5)
    scalars = [np.dtype(dtype).type(s) for s in (0, 1, -2.5)]
    for alpha, beta in product(scalars, scalars):
        wanted = alpha * (x @ y) + beta * z
        for a, b, k in product(layouts(x), layouts(y), range(4)):
            c = list(layouts(z))[k]
            made = fortran.gemm(c, alpha, a, b, beta, overwrite)
            np.testing.assert_allclose(made, wanted, rtol=0, atol=10 * tolerance(dtype))
            assert (made is c) is overwrite and made.dtype == dtype
            if not overwrite:
                np.testing.assert_array_equal(c, z)
            np.testing.assert_array_equal(a, x)
            np.testing.assert_array_equal(b, y)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("dtype", BLAS_DTYPES)
def test_gemv_and_ger_on_every_layout(dtype: str, overwrite: bool) -> None:
    x, v, w, z = (values(dtype, *shape) for shape in ((3, 4), (4,), (3,), (3, 4)))
    scalars = [np.dtype(dtype).type(s) for s in (0, 1, -2.5)]
    for alpha, beta in product(scalars, scalars):
        for a, b, k in product(layouts(x), layouts(v), range(4)):
            c = list(layouts(w))[k]
            made = fortran.gemv(c, alpha, a, b, beta, overwrite)
            wanted = alpha * (x @ v) + beta * w
            np.testing.assert_allclose(made, wanted, rtol=0, atol=10 * tolerance(dtype))
            assert (made is c) is overwrite
    for alpha, p, q, k in product(scalars, layouts(w), layouts(v), range(4)):
        c = list(layouts(z))[k]
        made = fortran.ger(c, alpha, p, q, overwrite)
        wanted = z + alpha * np.multiply.outer(w, v)
        np.testing.assert_allclose(made, wanted, rtol=0, atol=10 * tolerance(dtype))
        assert (made is c) is overwrite


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("overwrite", [False, True])
def test_only_what_is_multiplied_by_a_beta_of_zero_is_not_read(overwrite: bool) -> None:
    x, y, z = values("float64", 3, 4), values("float64", 4, 5), np.full((3, 5), np.nan)
    np.testing.assert_allclose(fortran.gemm(z.copy(), 2.0, x, y, 0.0, overwrite), 2 * x @ y)
    np.testing.assert_allclose(
        fortran.gemv(z[:, 0].copy(), 2.0, x, y[:, 0], 0.0, overwrite), 2 * x @ y[:, 0]
    )
    z, bad = np.ones((3, 5)), np.full((3, 4), np.inf)
    with np.errstate(all="ignore"):
        assert np.isnan(fortran.gemm(z.copy(), 0.0, bad, y, 3.0, overwrite)).all()


@pytest.mark.usefixtures("small")
def test_empty_operands() -> None:
    for m, k, n in ((0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0)):
        x, y, z = np.ones((m, k)), np.ones((k, n)), np.full((m, n), 2.0)
        for overwrite in (False, True):
            made = fortran.gemm(z.copy(), 5.0, x, y, 3.0, overwrite)
            np.testing.assert_array_equal(made, 3 * z + 5 * x @ y)
        made = fortran.gemv(np.ones(m), 5.0, x, np.ones(k), 3.0, False)
        np.testing.assert_array_equal(made, 3 + 5 * x @ np.ones(k))
        assert fortran.ger(z, 1.0, np.ones(m), np.ones(n), False).shape == (m, n)


@pytest.mark.usefixtures("small")
def test_a_read_only_array_is_not_overwritten() -> None:
    z = np.zeros((3, 5))
    z.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fortran.gemm(z, 1.0, np.ones((3, 2)), np.ones((2, 5)), 1.0, True)
    assert not z.any()


def test_shapes_are_known_without_the_products() -> None:
    """The values and gradients of these ops: tests/every_op."""
    x, y, z = values("float64", 3, 4), values("float64", 4, 5), values("float64", 3, 5)
    a, b = np.array(2.0), np.array(-0.5)
    cases = [
        (_dot22, [x, y], x @ y),
        (_gemm, [z, a, x, y, b], b * z + a * (x @ y)),
        (_gemv_add, [z[:, 0], a, x, y[:, 1], b], b * z[:, 0] + a * (x @ y[:, 1])),
        (_ger, [z, a, x[:, 0], y[0]], z + a * np.multiply.outer(x[:, 0], y[0])),
        (_dot22scalar, [x, y, a], a * (x @ y)),
    ]
    for op, arguments, wanted in cases:
        inputs = [at.TensorType("float64", (None,) * v.ndim)() for v in arguments]
        out = op(*inputs)
        shape = function(inputs, out.shape)
        assert op not in [node.op for node in shape.maker.fgraph.toposort()]
        assert tuple(shape(*arguments)) == wanted.shape
        assert pickle.loads(pickle.dumps(op)) is op
        assert str(op) in pprint(out)


@pytest.mark.parametrize("kind", [Gemm, GemvAdd, Ger])
def test_in_place_it_is_an_op_of_its_own(kind: Any) -> None:
    op = kind(True)
    assert op is kind(True) and op is not kind() and op.destroy_map == {0: [0]}
    assert not kind().destroy_map and str(op) == f"{kind()}_inplace"
    assert pickle.loads(pickle.dumps(op)) is op


def test_the_storage_of_an_argument_is_overwritten() -> None:
    x, y, z = at.dmatrices("x", "y", "z")
    out = Gemm(True)(z, 1.0, x, y, 1.0)
    f = function([x, y, In(z, mutable=True)], Out(out, borrow=True), PLAIN, accept_inplace=True)
    value = np.ones((2, 2))
    assert f(np.eye(2), np.eye(2), value) is value
    np.testing.assert_array_equal(value, np.ones((2, 2)) + np.eye(2))
