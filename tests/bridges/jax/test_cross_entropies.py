"""Every usual way to write a cross-entropy is right in value and gradient, in four dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from relgraph.bridges import rewrite

CLASSES = 3
LABELS = np.array([0, 2, 1, 1])
ROWS = len(LABELS)
SCALES = (1.0, 800.0)
# Units of rounding of the dtype.
_MOST = 40


def _softmax(x: Any) -> Any:
    return jnp.exp(x) / jnp.sum(jnp.exp(x), axis=-1, keepdims=True)


def _hot(x: Any, y: Any) -> Any:
    return jax.nn.one_hot(y, CLASSES, dtype=x.dtype)


def _ignored(x: Any, y: Any) -> Any:
    y = y.at[0].set(-1)
    kept = y != -1
    picked = jnp.log(_softmax(x))[jnp.arange(ROWS), jnp.where(kept, y, 0)]
    return -jnp.sum(jnp.where(kept, picked, 0)) / jnp.sum(kept)


def _smoothed(x: Any, y: Any) -> Any:
    target = 0.9 * _hot(x, y) + 0.1 / CLASSES
    return -jnp.mean(jnp.sum(target * jnp.log(_softmax(x)), axis=1))


def _by_row(of_row: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: -jnp.mean(jax.vmap(of_row)(x, y))


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "take_along_axis": lambda x, y: (
        -jnp.mean(jnp.log(jnp.take_along_axis(_softmax(x), y[:, None], axis=1)))
    ),
    "p[arange, y]": lambda x, y: -jnp.mean(jnp.log(_softmax(x)[jnp.arange(ROWS), y])),
    "log(p)[arange, y]": lambda x, y: -jnp.mean(jnp.log(_softmax(x))[jnp.arange(ROWS), y]),
    "one_hot * log(p)": lambda x, y: -jnp.mean(jnp.sum(_hot(x, y) * jnp.log(_softmax(x)), axis=1)),
    "log(sum(one_hot * p))": lambda x, y: (
        -jnp.mean(jnp.log(jnp.sum(_hot(x, y) * _softmax(x), axis=1)))
    ),
    "flags * log(p)": lambda x, y: (
        -jnp.mean(jnp.sum((y[:, None] == jnp.arange(CLASSES)) * jnp.log(_softmax(x)), axis=1))
    ),
    "eye[y]": lambda x, y: (
        -jnp.mean(jnp.sum(jnp.eye(CLASSES, dtype=x.dtype)[y] * jnp.log(_softmax(x)), axis=1))
    ),
    "einsum": lambda x, y: -jnp.einsum("nk,nk->", _hot(x, y), jnp.log(_softmax(x))) / ROWS,
    "vmap": _by_row(lambda row, label: jnp.log((jnp.exp(row) / jnp.sum(jnp.exp(row)))[label])),
    "vmap of jax.nn.softmax": _by_row(lambda row, label: jnp.log(jax.nn.softmax(row)[label])),
    "jax.nn.softmax": lambda x, y: -jnp.mean(jnp.log(jax.nn.softmax(x)[jnp.arange(ROWS), y])),
    "x - log(sum(exp(x)))": lambda x, y: (
        -jnp.mean((x - jnp.log(jnp.sum(jnp.exp(x), -1, keepdims=True)))[jnp.arange(ROWS), y])
    ),
    "exp(x[y]) / sum(exp(x))": lambda x, y: (
        -jnp.mean(jnp.log(jnp.exp(x[jnp.arange(ROWS), y]) / jnp.exp(x).sum(1)))
    ),
    "where": lambda x, y: (
        -jnp.mean(jnp.sum(jnp.where(_hot(x, y) != 0, jnp.log(_softmax(x)), 0), axis=1))
    ),
    "labels of floats": lambda x, y: (
        -jnp.mean(jnp.log(_softmax(x))[jnp.arange(ROWS), y.astype("float32").astype("int32")])
    ),
    "a label that is known": lambda x, y: -jnp.log(_softmax(x[1])[2]),
    "a column": lambda x, y: -jnp.mean(jnp.log(_softmax(x)[:, 1])),
    "ignored": _ignored,
    "smoothed": _smoothed,
}

NARROW = ["float32", "float16", "bfloat16"]
# Each way in float64, and in one of the others: what these change is the same for all.
CASES = [(way, dtype) for i, way in enumerate(WAYS) for dtype in ("float64", NARROW[i % 3])]


def _weights(way: str) -> Any:
    """Return the weight of each logarithm of a share in the loss."""
    hot = np.eye(CLASSES)[LABELS]
    if way == "smoothed":
        hot = 0.9 * hot + 0.1 / CLASSES
    if way == "ignored":
        return np.vstack([0 * hot[:1], hot[1:]]) / (ROWS - 1)
    if way == "a label that is known":
        return _only(1, 2)
    if way == "a column":
        hot = np.tile(np.arange(CLASSES) == 1, (ROWS, 1))
    return hot / ROWS


def _only(row: int, column: int) -> Any:
    weights = np.zeros((ROWS, CLASSES))
    weights[row, column] = 1
    return weights


def _truth(way: str, x: Any) -> tuple[float, Any]:
    logs = x - np.logaddexp.reduce(x, axis=1, keepdims=True)
    weights = _weights(way)
    value = -(weights * np.where(weights > 0, logs, 0)).sum()
    return value, weights.sum(1, keepdims=True) * np.exp(logs) - weights


@pytest.mark.parametrize(("way", "dtype"), CASES)
def test_value_and_gradient_are_right(way: str, dtype: str) -> None:
    with jax.enable_x64(dtype == "float64"):
        run = jax.jit(jax.value_and_grad(rewrite(WAYS[way])))
        eps = float(jnp.finfo(dtype).eps)
        for scale in SCALES if dtype == "float64" else SCALES[1:]:
            x = jnp.asarray(np.random.default_rng(1).normal(size=(ROWS, CLASSES)) * scale, dtype)
            found, slopes = run(x, LABELS)
            value, true_slopes = _truth(way, np.asarray(x, np.float64))
            assert found.dtype == slopes.dtype == dtype
            assert abs(float(found) - value) <= _MOST * eps * (abs(value) + 1e-3 * scale)
            error = np.abs(np.asarray(slopes, np.float64) - true_slopes)
            assert error.max() <= _MOST * eps
