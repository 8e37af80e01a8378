"""Graphs in which every class of Ops occurs, with values: what the engine is compared on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import relgraph
import relgraph.tensor as at
from relgraph import OpFromGraph, as_op, scalar
from relgraph.gradient.barriers import GradientBarrier, grad_clip, grad_scale
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor import fft, linalg
from relgraph.tensor.along_axes import Cumulate, Recurrence
from relgraph.tensor.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, GemvAdd, Ger
from relgraph.tensor.linalg.functions import Cofactors, SecondCofactors
from relgraph.tensor.linalg.products import BatchedDot
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.reductions import CAReduce


@dataclass
class Graph:
    """Outputs of some inputs, and values of these."""

    inputs: list[Variable]
    values: list[Any]
    outputs: list[Variable]

    def compare(self, found: Sequence[Any]) -> None:
        """Assert that these are the values of the reference, but for rounding."""
        with np.errstate(all="ignore"):
            expected = evaluate(self.outputs, dict(zip(self.inputs, self.values, strict=True)))
        for v, a, b in zip(self.outputs, found, expected, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape, v.owner
            eps = np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0
            np.testing.assert_allclose(a, b, rtol=64 * eps, atol=64 * eps, err_msg=str(v.owner))


RNG = np.random.default_rng(0)
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, np.inf, -np.inf, np.nan, 1e-9, 20.0])
WHOLE = np.array([0, 1, -1, 2, -3, 7, -8, 127, -128], "int8")


def _matrix(n: int, m: int, dtype: str = "float64") -> Any:
    made = RNG.normal(size=(n, m))
    return (made + 1j * RNG.normal(size=(n, m)) if dtype[0] == "c" else made).astype(dtype)


def elementwise() -> Graph:
    """Elementwise ops of some kinds: each of them is compared in `test_scalar_ops`."""
    x, i = at.dvector("x"), at.bvector("i")
    outputs: list[Any] = [x * x + 1.0, x[::-1] >= x, at.clip(x, -1.0, x[0]), at.log1p(x)]
    outputs += [at.switch(x > 0.0, x, i.sum()), ~i, at.abs(i), -i, i * i, at.special.ndtr(x)]
    outputs += [at.cast(i, d) for d in ("bool", "uint8", "int64", "float32", "complex128")]
    return Graph([x, i], [EDGES, WHOLE], outputs)


def complexes() -> Graph:
    z, w = at.zmatrix("z"), at.zmatrix("w")
    outputs: list[Any] = [z * w, at.exp(z), at.real(z), at.conj(z), at.maximum(z, w)]
    outputs += [z.sum(0), z.prod(), z @ w, at.max(z), at.argmax(z, 0), at.argmin(z), at.cumsum(z)]
    outputs += [at.clip(z, 0.0, w), at.switch(z, w, 1.0), at.sort(z, 0), at.concatenate([z, w])]
    return Graph([z, w], [_matrix(3, 3, "complex128"), _matrix(3, 3, "complex128")], outputs)


def reductions() -> Graph:
    x, i, b, h = at.dmatrix("x"), at.bmatrix("i"), at.matrix("b", dtype="bool"), at.fmatrix("h")
    value = _matrix(4, 5)
    value[1, 2], value[0, 0], value[3, :] = np.nan, np.inf, 2.0
    values = [
        value,
        RNG.integers(-100, 100, (4, 5)).astype("int8"),
        value > 0,
        _matrix(1, 3, "float32"),
    ]
    outputs: list[Any] = []
    for name in ("sum", "prod", "max", "min"):
        for v in (x, i, b, h):
            outputs += [getattr(at, name)(v), getattr(at, name)(v, axis=1)]
    outputs += [at.any(b, axis=0), at.all(b), CAReduce(scalar.xor, 0)(i), CAReduce(scalar.or_)(i)]
    outputs += [CAReduce(scalar.logaddexp, 1)(h), at.mean(x, 0), at.var(h), at.std(h, 1)]
    for v in (x, i, b, h):
        outputs += [at.argmax(v), at.argmin(v, axis=0), at.argmax(v, axis=1), at.sort(v, 1)]
        outputs += [at.argsort(v, 0), at.cumsum(v, 1), at.cumprod(v, 0)]
    outputs += [
        Norm()(x[2:3]),
        Norm((0,))(h),
        Cosine((1,))(x, x * 2.0 + 1.0),
        Covariance()(h, h * h),
    ]
    outputs += [Norm((1,))(x * 1e200)]
    for v in (x, h):
        outputs += [at.softmax(v, 1), at.log_softmax(v, 0), at.logsumexp(v), at.logsumexp(v, 1)]
    for op in (Recurrence(1), Recurrence(0)):
        outputs += [op(x, x + 1.0), op(h, h)]
    for op in (scalar.maximum, scalar.minimum, scalar.logaddexp):
        outputs += [Cumulate(op, 0)(x), Cumulate(op, 1)(h)]
    return Graph([x, i, b, h], values, outputs)


def shapes() -> Graph:
    x, v, n, k = at.dmatrix("x"), at.dvector("v"), at.lscalar("n"), at.lscalar("k")
    outputs: list[Any] = [
        x.T,
        x.dimshuffle(0, "x", 1),
        at.shape(x),
        x.shape[1] * 2,
        x.reshape((-1,)),
    ]
    outputs += [
        x.reshape((x.shape[1], x.shape[0])),
        at.specify_shape(x, (4, None)),
        at.zeros((n, 2)),
    ]
    outputs += [
        at.alloc(v[0], n, x.shape[0]),
        at.eye(n, 3, 1),
        at.arange(n),
        at.arange(0.5, 4.0, 0.75),
    ]
    outputs += [at.arange(100) + v[0], at.concatenate([x, x[:2]], 0), *at.split(x, [1, 3], axis=0)]
    outputs += [at.stack([v[0], v[1]]), at.tile(x, (2, 1)), at.repeat(x, 2, 1), at.roll(x, 1, 0)]
    outputs += [x[k], x[k, :n], x[::-1, 1:], x[-1, -2], x[n:], x[:, k], at.tril(x), at.diag(v)]
    outputs += [at.diag(x), at.diag(x, 1), at.diag(v, -1)]
    outputs += [at.set_subtensor(x[k], 1.0), at.inc_subtensor(x[1:, ::2], v[0]), x[[0, 2, 0]]]
    outputs += [x[[0, 2], [1, 1]], x[at.arange(2), :, None], at.inc_subtensor(x[[0, 0, 1]], 2.0)]
    outputs += [at.set_subtensor(x[:, [0, 2]], v[:2]), at.flip(x, 0), at.broadcast_to(v, (2, 4))]
    outputs += [GradientBarrier(True)(x), relgraph.tensor.assert_(x, x.shape[0] > 1)]
    outputs += [grad_clip(x, -1, 1), grad_scale(x, 2), at.CheckAndRaise(ValueError, "")(x, n > 0)]
    twice = OpFromGraph([v], [v * 2 + 1])
    increased = as_op(v.type, v.type, lambda fgraph, node, shapes: shapes)(_increased)
    outputs += [twice(v), increased(v)]
    outputs += [at.searchsorted(at.sort(v), x[:, 0]), at.convolve(v, x[:, 1]), at.take(v, k)]
    outputs += [at.digitize(x, at.sort(v)), at.digitize(x, at.sort(v)[::-1], right=True)]
    return Graph([x, v, n, k], [_matrix(4, 3), _matrix(1, 4)[0], np.array(2), np.array(1)], outputs)


def products() -> Graph:
    a, b, v = at.dmatrix("a"), at.dmatrix("b"), at.dvector("v")
    s, i, q = at.dtensor3("s"), at.lmatrix("i"), at.matrix("q", dtype="bool")
    alpha, beta = at.constant(0.5), at.constant(2.0)
    values = [_matrix(3, 4), _matrix(4, 3), _matrix(1, 4)[0], RNG.normal(size=(2, 4, 3))]
    values += [RNG.integers(-9, 9, (3, 3)), RNG.random((3, 3)) > 0.5]
    c = a @ b
    outputs: list[Any] = [a @ b, a @ v, v @ b, at.dot(v, v), a @ s, i @ i, q @ q, Dot22()(a, b)]
    outputs += [Gemv()(a, v), BatchedDot()(s, at.stack([a, a])), Dot22Scalar()(a, b, alpha)]
    outputs += [Gemm()(c, alpha, a, b, beta), GemvAdd()(c[0], alpha, a, v, beta)]
    outputs += [
        Ger()(c, alpha, c[0], c[1]),
        linalg.einsum("ij,jk->ik", a, b),
        at.tensordot(a, b, 1),
    ]
    outputs += [fft.fft(v), fft.ifft(a, axis=0), fft.rfft(a), fft.irfft(fft.rfft(b)), fft.fft2(a)]
    outputs += [at.convolve(i[0], i[1]), at.convolve(q[0], q[1]), at.outer(v, v), linalg.kron(a, b)]
    return Graph([a, b, v, s, i, q], values, outputs)


def matrices() -> Graph:
    """Linear algebra; factors that are unique but for signs are compared by what they make."""
    a, c, r, v, z = (
        at.dmatrix("a"), at.dmatrix("c"), at.dmatrix("r"), at.dvector("v"), at.zmatrix("z")
    )  # fmt: skip
    square = _matrix(4, 4)
    hermitian = _matrix(4, 4, "complex128")
    values = [
        *(square, square @ square.T + np.eye(4), _matrix(5, 4), _matrix(1, 4)[0]),
        hermitian @ hermitian.conj().T + np.eye(4),
    ]
    half, chol = linalg.cholesky(c), linalg.cholesky(c, lower=False)
    outputs: list[Any] = [
        linalg.assume(c, "symmetric"),
        half,
        chol,
        linalg.cholesky(z),
        linalg.inv(a),
        linalg.det(a),
        Cofactors()(a),
        SecondCofactors()(a, c),
    ]
    outputs += [*linalg.slogdet(a), linalg.expm(a), linalg.pinv(r), linalg.solve(a, v)]
    outputs += [linalg.solve(a, r.T), linalg.solve(c, v, assume_a="pos"), linalg.solve(z, v)]
    outputs += [linalg.solve(c, v, assume_a="sym"), linalg.solve(z, v, assume_a="her")]
    outputs += [linalg.solve_triangular(half, v, lower=True), linalg.cho_solve((chol, False), v)]
    outputs += [linalg.eigvalsh(c), linalg.svdvals(r) if hasattr(linalg, "svdvals") else v]
    w, u = linalg.eigh(c)
    outputs += [w, (u * w) @ u.T, linalg.solve(a * np.nan, v), *linalg.lstsq(r, r[:, 0])]
    q, t = linalg.qr(r)
    outputs += [q @ t, at.abs(t), at.abs(linalg.qr(r, mode="r"))]
    left, s, right = linalg.svd(r, full_matrices=False)
    outputs += [s, (left * s) @ right]
    w, u = linalg.eig(a)
    outputs += [
        at.sort(at.abs(w)),
        u @ at.diag(w) @ linalg.inv(u),
        at.sort(at.abs(linalg.eigvals(a))),
    ]
    return Graph([a, c, r, v, z], values, outputs)


def loops() -> Graph:
    x, h, n = at.dmatrix("x"), at.dvector("h"), at.lscalar("n")
    states, _ = relgraph.scan(lambda row, s: at.tanh(row + s), sequences=[x], outputs_info=[h])
    loss = states[-1].sum()
    rows, _ = relgraph.scan(lambda row: row * 2.0, sequences=[x])
    powers, _ = relgraph.scan(lambda s: s * 2.0, outputs_info=[h], n_steps=n)
    outputs: list[Any] = [
        states,
        states[-1],
        states[-2:],
        *relgraph.grad(loss, [x, h]),
        rows,
        powers,
    ]
    outputs += [relgraph.ifelse(h.sum() > 0.0, h * 2.0, at.exp(h))]
    outputs += [relgraph.ifelse(h.sum() > 0.0, states[0], h - 1.0)]
    return Graph([x, h, n], [_matrix(5, 3), np.abs(_matrix(1, 3)[0]), np.array(3)], outputs)


GRAPHS: dict[str, Callable[[], Graph]] = {
    f.__name__: f for f in (elementwise, complexes, reductions, shapes, products, matrices, loops)
}


def _increased(x: Any) -> Any:
    return np.asarray(x) + 1
