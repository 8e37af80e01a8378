"""Expressions as people write them, and what they cost before and after."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.compile import optimize_graph
from relgraph.tensor.linalg import assume
from tests.relations.applied import inputs_of
from tests.relations.matrices.cost.flops import flops_of

N, K = 40, 4
"""The sides of the large matrices, and the number of columns of the thin ones."""

EXECUTION = ("elemwise_fusion", "gemm", "inplace")
INCLUDES = {
    "o4": ["fast_run"],
    "all": ["fast_run", "linear_algebra"],
    "unsafe": ["fast_run", "linear_algebra", "unsafe"],
}
"""The laws that are asked for: those of ``o4``, those about matrices of the class ``finite`` too,
and those that hold for what is far from singular."""


def matrix(name, *shape):
    return at.TensorType("float64", shape)(name)


def made(text):
    """Return the variable that a text of the table represents."""
    return eval(text, {**vars(at.linalg), **globals()})


a, b, c = (matrix(name, N, N) for name in "abc")
p = assume(matrix("p", N, N), "positive definite")
lower = assume(matrix("lower", N, N), "lower triangular")
q = assume(matrix("q", N, N), "orthogonal")
u, x = matrix("u", N, K), matrix("x", N, K)
t, y = matrix("t", K, N), matrix("y", N)
v, w, d = matrix("v", N), matrix("w", N), matrix("d", N)
f, g = matrix("f", N // 8, N // 8), matrix("g", 8, 8)
eye = at.eye(N)
log_2_pi = float(np.log(2 * np.pi))
scale = at.exp(matrix("s"))


def value_of_input(v):
    """Return a value that keeps what is declared, and is far from singular."""
    random = np.random.default_rng(sum(map(ord, v.name)))
    made = random.normal(size=v.type.shape)
    if v.name == "p":
        return made @ made.T / N + np.eye(N)
    if v.name == "lower":
        return np.tril(made) / N + np.eye(N)
    if v.name == "q":
        return np.linalg.qr(made)[0]
    if v.name == "d":
        return np.abs(made) + 1
    return made / np.sqrt(N) + 2 * np.eye(N) if v.type.shape == (N, N) else made / np.sqrt(N)


noisy = assume(scale * p + 0.1 * eye, "positive definite")

# what is written, which laws are asked for, and the operations before and after
TABLE = [
    ("inverse times vector", "inv(a) @ v", "o4", 131_200, 45_867),
    ("vector times inverse", "v @ inv(a)", "o4", 131_200, 45_867),
    ("inverse times matrix", "inv(a) @ u", "o4", 140_800, 55_467),
    ("matrix times inverse", "t @ inv(a)", "o4", 140_800, 55_467),
    ("two inverses", "inv(a) @ inv(b) @ v", "all", 387_200, 91_733),
    ("inverse of inverse", "inv(inv(a)) @ v", "all", 259_200, 3_200),
    ("quadratic form", "v @ inv(p) @ v", "o4", 131_280, 24_613),
    ("Mahalanobis distance", "at.sqrt((v - w) @ inv(p) @ (v - w))", "o4", 131_361, 24_654),
    ("Mahalanobis distances", "at.sum(t @ inv(p) * t, axis=1)", "o4", 141_120, 34_453),
    ("log det", "at.log(det(a))", "o4", 42_668, 42_669),
    ("log abs det", "at.log(at.abs(det(a)))", "o4", 42_669, 42_667),
    ("log det of a covariance", "at.log(det(p))", "o4", 42_668, 21_414),
    ("log det of a product", "at.log(at.abs(det(a @ b)))", "o4", 170_669, 85_334),
    ("det of an inverse", "det(inv(a))", "o4", 170_667, 42_668),
    ("trace of a product", "at.trace(a @ b)", "o4", 128_040, 3_200),
    ("trace of a thin product", "trace(u @ t @ a)", "all", 140_840, 13_120),
    ("diagonal of a product", "at.diagonal(a @ b)", "o4", 128_000, 3_200),
    ("chain from the right", "a @ b @ c @ v", "all", 259_200, 9_600),
    ("chain of thin matrices", "a @ u @ t @ b @ v", "all", 156_800, 7_040),
    ("power times vector", "matrix_power(a, 4) @ v", "all", 259_200, 12_800),
    ("triangular system", "solve(lower, v)", "o4", 45_867, 1_600),
    ("orthogonal system", "solve(q, v)", "all", 45_867, 3_200),
    ("diagonal system", "solve(at.diag(d), v)", "all", 45_867, 40),
    ("product with a diagonal matrix", "inv(at.diag(d)) @ a", "all", 256_000, 1_600),
    (
        "Cholesky factor, twice",
        "solve(cholesky(p).T, solve(cholesky(p), v))",
        "o4",
        134_400,
        24_533,
    ),
    (
        "Gaussian process marginal likelihood",
        "-0.5 * (v @ inv(noisy) @ v) - 0.5 * at.log(det(noisy)) - 0.5 * N * log_2_pi",
        "o4",
        178_753,
        27_897,
    ),
    (
        "multivariate normal log density",
        "at.log(at.exp(-0.5 * (v - w) @ inv(p) @ (v - w)) / at.sqrt((2 * np.pi) ** N * det(p)))",
        "o4",
        174_072,
        24_777,
    ),
    ("ridge regression", "inv(x.T @ x + 0.1 * at.eye(K)) @ x.T @ y", "all", 3_040, 1_669),
    ("normal equations of all columns", "inv(a.T @ a) @ a.T @ v", "all", 387_200, 155_733),
    ("Woodbury", "inv(at.diag(d) + u @ t) @ v", "unsafe", 145_600, 2_251),
    ("Woodbury, quadratic form", "v @ inv(at.diag(d) + u @ u.T) @ v", "unsafe", 145_680, 2_331),
    ("determinant lemma", "at.log(at.abs(det(at.diag(d) + u @ t)))", "unsafe", 57_069, 1_620),
    ("det of identity and product", "det(eye + u @ t)", "all", 57_067, 1_339),
    ("push-through", "inv(eye + u @ t) @ u", "unsafe", 155_200, 2_619),
    ("Kronecker product times vector", "kron(f, g) @ y", "all", 4_800, 1_040),
    ("Kronecker system", "solve(kron(f, g), y)", "all", 47_467, 1_465),
    ("log det of a Kronecker product", "at.log(at.abs(det(kron(f, g))))", "all", 44_269, 428),
]


def cost(output, values):
    inputs = inputs_of(output)
    return flops_of(inputs, output, [values[v.name] for v in inputs])


def rewritten(written, laws):
    """Return an expression as the laws that are asked for leave it."""
    return optimize_graph(written, include=INCLUDES[laws], exclude=EXECUTION, clone=True)
