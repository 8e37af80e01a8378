"""Expressions of PyTensor's: what is read as ops of this library, and what is held.

Names in an expression: `x`, `y` vectors of 4 numbers, `p` of numbers between 0 and 1, `i`, `j` of
integers, `b` of booleans; `A`, `B` 4 by 4 matrices, `S` positive definite, `T` a 2 by 3 by 4
tensor, `M` a stack of two positive definite 3 by 3 matrices, `W` a stack of two vectors of 3; `s` a
number, `n` an integer; `pt` and `ptl`, `special`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.compile.builders import OpFromGraph
from pytensor.raise_op import Assert
from pytensor.tensor import blas, linalg, special
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.math import Max

from relgraph.bridges.pytensor.counterparts import IfElse, named

RNG = np.random.default_rng(1)


def _definite(*shape: int) -> Any:
    a = RNG.normal(size=shape)
    return a @ np.swapaxes(a, -1, -2) + 3 * np.eye(shape[-1])


VALUES: dict[str, Any] = {
    "x": np.array([0.5, -1.25, 2.0, 0.75]),
    "y": np.array([1.5, 0.25, -0.5, 3.0]),
    "p": np.array([0.1, 0.5, 0.9, 0.25]),
    "i": np.array([0, 3, 1, 1], "int64"),
    "j": np.array([-2, 5, 7, 1], "int8"),
    "b": np.array([True, False, True, True]),
    "f": np.array([0.5, -1.25, 2.0, 0.75], "float32"),
    "A": RNG.normal(size=(4, 4)),
    "B": RNG.normal(size=(4, 4)),
    "S": _definite(4, 4),
    "T": RNG.normal(size=(2, 3, 4)),
    "M": _definite(2, 3, 3),
    "W": RNG.normal(size=(2, 3)),
    "s": np.array(0.75),
    "n": np.array(2, "int64"),
}

READ = (
    # elementwise
    *("x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x**3", "abs(x)**y", "-x", "abs(x)"),
    *("pt.sign(x)", "pt.sqr(x)", "pt.sqrt(p)", "1 / x", "pt.maximum(x, y)", "pt.minimum(x, s)"),
    *("pt.exp(x)", "pt.exp2(x)", "pt.expm1(x)", "pt.log(p)", "pt.log2(p)", "pt.log10(p)"),
    *("pt.log1p(p)", "pt.sin(x)", "pt.cos(x)", "pt.tan(x)", "pt.arcsin(p)", "pt.arccos(p)"),
    *("pt.arctan(x)", "pt.arctan2(x, y)", "pt.sinh(x)", "pt.cosh(x)", "pt.tanh(x)"),
    *("pt.arcsinh(x)", "pt.arccosh(p + 1)", "pt.arctanh(p)", "pt.ceil(x)", "pt.floor(x)"),
    *("pt.trunc(x)", "pt.round(x)", "pt.round(x, mode='half_away_from_zero')", "x < y", "x <= y"),
    *("x > y", "x >= s", "pt.eq(x, y)", "pt.neq(i, j)", "pt.isnan(x)", "pt.isinf(x)"),
    *("b & (x > 0)", "b | (x > 0)", "b ^ (x > 0)", "~b", "i & j", "~j"),
    *("pt.switch(b, x, y)", "pt.clip(x, 0, 1)", "pt.clip(x, y, s)", "pt.second(x, s)"),
    *("pt.cast(x, 'float32')", "pt.cast(x, 'int8')", "pt.cast(i, 'float64')", "i + j", "j / 2"),
    *("pt.exp(j)", "pt.exp(i)", "f * x", "pt.log1p(f)", "j * f", "pt.sqrt(pt.cast(b, 'int8'))"),
    *("pt.erf(x)", "pt.erfc(x)", "pt.erfinv(p)", "pt.erfcx(x)", "pt.erfcinv(p)"),
    *("pt.gamma(p)", "pt.gammaln(p)", "pt.psi(p)", "pt.polygamma(2, p)", "pt.tri_gamma(p)"),
    *("pt.gammainc(p, p)", "pt.gammaincc(p, p)", "pt.gammaincinv(p, p)", "pt.gammal(p, p)"),
    *("pt.gammau(p, p)", "pt.betainc(p, p, p)", "pt.betaincinv(p, p, p)", "pt.hyp2f1(p, p, p, p)"),
    *(
        "pt.jv(1, x)",
        "pt.j0(x)",
        "pt.j1(x)",
        "pt.i0(x)",
        "pt.i1(x)",
        "pt.ive(1, p)",
        "pt.kve(1, p)",
    ),
    *("pt.owens_t(x, y)", "pt.sigmoid(x)", "pt.softplus(x)", "pt.log1mexp(-p)", "pt.log1pexp(x)"),
    *("pt.deg2rad(x)", "pt.rad2deg(x)"),
    *("pt.logaddexp(x, y)", "pt.logsumexp(A, axis=1)", "special.logit(p)", "special.betaln(p, p)"),
    *("pt.real(x + 1j * y)", "pt.imag(x + 1j * y)", "pt.conj(x + 1j * y)", "pt.angle(x + 1j * y)"),
    *("pt.where(b, x, 0)", "pt.isclose(x, y)"),
    # reductions, and along axes
    *("A.sum()", "A.sum(axis=0)", "T.sum(axis=(0, 2))", "f.sum()", "j.sum()", "b.sum()"),
    *("pt.sum(f, acc_dtype='float64')", "pt.sum(j, dtype='int8')", "pt.sum(f, dtype='float64')"),
    *("A.prod(axis=1)", "A.max()", "A.max(axis=1)", "A.min(axis=0)", "b.all()", "b.any()"),
    *("A.mean(axis=0)", "A.var(axis=1)", "A.std()", "pt.argmax(A, axis=1)", "pt.argmax(A)"),
    *("pt.argmin(A, axis=0)", "pt.cumsum(A, axis=1)", "pt.cumprod(x)", "pt.sort(A, axis=0)"),
    *("pt.argsort(x, kind='stable')", "special.softmax(A, axis=1)", "special.softmax(x)"),
    *("special.log_softmax(A, axis=0)", "pt.diff(x)", "A.norm(2)", "pt.ptp(A, axis=1)"),
    # layout
    *(
        "A.T",
        "T.dimshuffle(1, 'x', 0, 2)",
        "T.reshape((6, 4))",
        "T.reshape((n, -1))",
        "T.flatten()",
    ),
    *("T.flatten(2)", "pt.expand_dims(x, 0)", "A[:1].squeeze(0)", "pt.shape(T)", "T.shape[1]"),
    *("pt.specify_shape(x, 4)", "pt.alloc(s, n, 3)", "pt.zeros((n, 2))", "pt.ones_like(A)"),
    *("pt.join(0, x, y)", "pt.concatenate([A, B], axis=1)", "pt.stack([x, y], axis=1)"),
    *(
        "pt.stack([s, s * 2])",
        "pt.split(x, [1, 3], n_splits=2)",
        "pt.arange(n)",
        "pt.arange(0.5, 3)",
    ),
    *("pt.eye(n, 3)", "pt.tri(3)", "pt.tril(A)", "pt.triu(A, 1)", "pt.diag(A)", "pt.diagonal(T)"),
    *("pt.set_subtensor(pt.empty((n, 4))[:], x)", "pt.set_subtensor(pt.empty(4)[:], x)"),
    # of an op on numbers, and of one that is a graph
    "Blockwise(pt.basic.ARange('int64'), signature='(),(),()->(m)')(0, n, 1)",
    "Blockwise(pt.diag(x).owner.op, signature='(m)->(m,m)')(x)",
    *("pt.diag(x)", "pt.trace(A)", "pt.tile(x, (2, 1))", "pt.repeat(x, 2)", "pt.roll(x, 1)"),
    *("pt.moveaxis(T, 0, 2)", "pt.swapaxes(T, 0, 1)", "pt.nonzero(x > 0)", "x[::-1]"),
    *("pt.searchsorted(pt.sort(x), y)", "pt.broadcast_to(x, (n, 4))", "pt.atleast_2d(x)"),
    "pt.pad(x, 2, mode='reflect')",
    *("pt.join_dims(T, start_axis=1, n_axes=2)", "pt.split_dims(x, axis=0, shape=(2, 2))"),
    # parts
    *("x[1]", "x[n]", "x[-1]", "A[1:3, ::2]", "A[n:, 0]", "T[..., 0]", "T[0, :, 1:]", "x[i]"),
    *("A[i, i]", "A[i]", "A[:, i]", "x[b]", "A[b]", "T[:, [0, 2], 1:]", "A[i[:, None], i]"),
    *("pt.set_subtensor(x[1], s)", "pt.inc_subtensor(A[1:, 0], 1.0)", "x[1:].set(y[1:])"),
    *("pt.set_subtensor(A[:, n], x)", "pt.inc_subtensor(x[i], y)", "pt.set_subtensor(x[b], 0)"),
    *("pt.inc_subtensor(A[i, i], y)", "A[i].inc(1.0)", "pt.take(A, i, axis=0)", "A[0].set(s)"),
    *("pt.take_along_axis(A, pt.argsort(A, axis=1, kind='stable'), axis=1)",),
    # products and linear algebra
    *(
        "pt.dot(A, B)",
        "pt.dot(A, x)",
        "pt.dot(x, y)",
        "A @ B",
        "x @ A",
        "pt.matmul(M, W[..., None])",
    ),
    *("pt.outer(x, y)", "pt.tensordot(T, A, axes=1)", "pt.einsum('ij,kj->ik', A, B)"),
    *("blas._batched_dot(M, M)", "linalg.kron(A, B)", "linalg.cholesky(S)", "linalg.cholesky(M)"),
    *("linalg.cholesky(S, lower=False)", "linalg.det(A)", "linalg.det(M)", "linalg.slogdet(S)"),
    *(
        "linalg.inv(A)",
        "linalg.pinv(A)",
        "linalg.expm(A)",
        "linalg.solve(A, B)",
        "linalg.solve(A, x)",
    ),
    *("linalg.solve(S, x, assume_a='pos')", "linalg.solve(M, W, b_ndim=1)"),
    *("linalg.solve_triangular(S, x, lower=True)", "linalg.solve_triangular(M, W, b_ndim=1)"),
    *("linalg.cho_solve((linalg.cholesky(S), True), x)", "linalg.eigh(S)[0]"),
    *("linalg.eigvalsh(S, lower=True)", "linalg.svd(A, compute_uv=False)", "abs(linalg.qr(A)[1])"),
    *("linalg.matrix_power(A, 3)", "blas.gemm_no_inplace(A, s, A, B, s)", "blas._dot22(A, B)"),
    *("blas.gemv_no_inplace(x, s, A, y, s)", "blas._dot22scalar(A, B, s)"),
    # branches, checks, graphs in graphs
    *("ifelse(s > 0, x, y)", "ifelse(n < 0, (x, y), (y, x))[1]", "Assert('no')(x, b.any())"),
    *("double(x)", "pytensor.gradient.disconnected_grad(x)", "pytensor.gradient.zero_grad(x)"),
    *("pytensor.gradient.grad((pt.log1p(pt.exp(A)) * B).sum(), A)",),
    *("pytensor.gradient.grad(linalg.slogdet(S)[1], S)", "composite(x, y)"),
    "pytensor.gradient.grad(special.softmax(A, axis=1)[0, 0], A)",
    *[
        expression
        for address, expression in {
            "tensor.blas.ger": "blas.ger(A, s, x, y)",
            "tensor.special.xlog1py": "special.xlog1py(x, p)",
            "tensor.special.xlogy": "special.xlogy(x, p)",
        }.items()
        if named(address) is not None
    ],
)
"""What has no held op when it is read; of functions that not all versions have, those there are."""

HELD = {
    "pt.unique(i)": "Unique",
    "linalg.block_diag(A, B)": "BlockDiagonal",
    "linalg.lu(A)[2]": "LU",
    "pt.fill_diagonal(A, s)": "FillDiagonal",
    "pt.ravel_multi_index((i, i), (4, 4))": "RavelMultiIndex",
    "pt.signal.convolve1d(x, y)": "",
    "linalg.lstsq(A, x, 0.1)[0]": "Lstsq",
    **({"pt.max(A[:0], initial=-np.inf)": "Max"} if "initial" in Max.__props__ else {}),
}
"""What is held in part, and the name of an op that is."""


def _double(x: Any) -> Any:
    v = pt.vector()
    return OpFromGraph([v], [v * 2 + 1])(x)


def _composite(x: Any, y: Any) -> Any:
    """Return what fusion makes of an expression."""
    given = [pt.vector("a"), pt.vector("b")]
    fused = pytensor.graph.rewriting.utils.rewrite_graph(
        pt.exp(given[0] * 2) + given[1], include=("canonicalize", "specialize", "fusion")
    )
    return pytensor.graph.replace.clone_replace(fused, dict(zip(given, [x, y], strict=True)))


def _branches(condition: Any, then: Any, otherwise: Any) -> Any:
    several = isinstance(then, tuple)
    values = [*then, *otherwise] if several else [then, otherwise]
    made = IfElse(len(values) // 2)(condition, *values, return_list=True)
    return made if several else made[0]


NAMES: dict[str, Any] = {
    "Assert": Assert,
    "Blockwise": Blockwise,
    "blas": blas,
    "composite": _composite,
    "double": _double,
    "ifelse": _branches,
    "linalg": linalg,
    "np": np,
    "pt": pt,
    "pytensor": pytensor,
    "special": special,
}


def inputs() -> dict[str, Any]:
    """Return an input of PyTensor's for each name."""
    return {
        name: pt.tensor(name, dtype=value.dtype.name, shape=(None,) * value.ndim)
        for name, value in VALUES.items()
    }
