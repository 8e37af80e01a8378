"""Functions as people write them for NumPy: called on variables, they give the graphs of what they
give on arrays."""

from typing import Any

import numpy as np
import pytest
from scipy import special

import relgraph.tensor as at
from relgraph import lvars
from relgraph.graph.reference import evaluate


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x: Any, eps: float = 1e-5) -> Any:
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps)


def logistic_loss(X: Any, w: Any) -> Any:
    z = X @ w
    y = np.where(np.arange(4) % 2 == 0, 1.0, 0.0).astype(z.dtype)
    return np.mean(np.logaddexp(0, z) - y * z)


def rbf_kernel(X: Any) -> Any:
    squares = np.sum(X**2, axis=1)
    distance = squares[:, None] + squares[None, :] - 2 * X @ X.T
    return np.exp(-0.5 * np.maximum(distance, 0))


def gp_log_likelihood(X: Any, y: Any) -> Any:
    K = rbf_kernel(X) + 0.1 * np.eye(4, dtype=str(X.dtype))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return -0.5 * np.dot(y, alpha) - np.sum(np.log(np.diag(L))) - 2 * np.log(2 * np.pi)


def pairwise_distances(X: Any) -> Any:
    return np.linalg.norm(X[:, np.newaxis, :] - X[np.newaxis, :, :], axis=-1)


def standardize(X: Any) -> Any:
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def cosine_similarity(X: Any) -> Any:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.einsum("ik,jk->ij", unit, unit)


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + special.erf(x / np.sqrt(2.0)))


def huber(x: Any, delta: float = 1.0) -> Any:
    small = np.abs(x) <= delta
    return np.where(small, 0.5 * np.square(x), delta * (np.abs(x) - 0.5 * delta))


def ridge(X: Any, y: Any) -> Any:
    return np.linalg.solve(np.dot(np.transpose(X), X) + 0.1 * np.identity(3), np.dot(X.T, y))


def log_sum_exp(x: Any) -> Any:
    shift = np.amax(x, axis=1)
    return shift + np.log(np.add.reduce(np.exp(x - np.expand_dims(shift, 1)), axis=1))


def moving_average(x: Any) -> Any:
    total = np.cumsum(x, axis=0)
    return np.concatenate([total[:2], total[2:] - total[:-2]], axis=0) / 2


def entropy(x: Any) -> Any:
    p = np.clip(softmax(x), 1e-12, 1.0)
    return -np.sum(p * np.log(p), axis=-1)


def features(x: Any) -> Any:
    columns = [np.ones_like(x[:, 0]), x[:, 0], x[:, 1] ** 2, np.sin(x[:, 2])]
    return np.stack(columns, axis=1)


def poisson_likelihood(x: Any) -> Any:
    k = np.arange(3.0).astype(x.dtype)
    return np.sum(special.xlogy(k, np.exp(x)) - np.exp(x) - special.gammaln(k + 1), axis=-1)


def attention(x: Any) -> Any:
    scores = np.matmul(x, x.T) / np.sqrt(x.shape[-1])
    hidden = np.triu(np.ones((4, 4), dtype=bool), k=1)
    return softmax(np.where(hidden, np.float32(-1e9), scores)) @ x


def ranks(x: Any) -> Any:
    return np.argsort(np.argsort(x, axis=0), axis=0)


def spread(x: Any) -> Any:
    low, middle, high = np.percentile(x, [25, 50, 75], axis=0)
    return (high - low) / np.abs(middle)


def haversine(x: Any) -> Any:
    rad = np.deg2rad(x)
    lat, lon = rad[:, 0], rad[:, 1]
    a = (
        np.sin(np.diff(lat) / 2) ** 2
        + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(lon) / 2) ** 2
    )
    return 2 * np.arcsin(np.sqrt(a))


OF_A_MATRIX = [
    *(softmax, layer_norm, rbf_kernel, pairwise_distances, standardize, cosine_similarity, gelu),
    *(huber, log_sum_exp, moving_average, entropy, features, poisson_likelihood, ranks, spread),
    haversine,
]
WITH_A_VECTOR = [logistic_loss, gp_log_likelihood, ridge]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", [*OF_A_MATRIX, *WITH_A_VECTOR, attention])
def test_a_function_for_arrays_is_traced_by_calling_it(function: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    values = [rng.normal(size=(4, 3)).astype(dtype)]
    variables = [at.tensor(dtype, (None, 3), "x")]
    if function in WITH_A_VECTOR:
        length = 3 if function is logistic_loss else 4
        values.append(rng.normal(size=length).astype(dtype))
        variables.append(at.vector("y", dtype=dtype))
    (found,) = evaluate([function(*variables)], dict(zip(variables, values, strict=True)))
    expected = np.asarray(function(*values))
    assert found.dtype == expected.dtype
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_in_laws_they_give_terms() -> None:
    a, b = lvars("a b")
    for numpys, ours in (
        (np.exp(a), at.exp(a)),
        (np.sum(a + b, axis=0), at.sum(a + b, axis=0)),
        (np.where(a, b, 1), at.where(a, b, 1)),
        (np.add.reduce(a), at.sum(a, axis=0)),
        (np.dot(a, b), at.dot(a, b)),
        (special.erf(a * b), at.erf(a * b)),
        (np.linalg.solve(a, b), at.linalg.solve(a, b)),
    ):
        assert str(numpys) == str(ours)
