"""How tests compare several arrays at once, and lay arrays out in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def assert_close(
    found: Iterable[Any], expected: Iterable[Any], rtol: float = 0.0, atol: float = 0.0
) -> None:
    """Assert that there are as many arrays, of the same dtypes, shapes, and values.

    Values may differ by a part `rtol` of the expected ones and by `atol`; nan is equal to nan.
    """
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), f"array {i}"
        np.testing.assert_allclose(a, b, rtol, atol, err_msg=f"array {i}")


def backward(x: Any) -> Any:
    """Return an array that is read from its end, along each axis."""
    reverse = tuple(slice(None, None, -1) for _ in x.shape)
    return np.ascontiguousarray(x[reverse])[reverse]


def _backward_with_gaps(x: Any) -> Any:
    wide = np.zeros([2 * length for length in x.shape], x.dtype)
    part = wide[tuple(slice(None, None, -2) for _ in x.shape)]
    part[...] = x
    return part


def _across(x: Any) -> Any:
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0)


def _not_aligned(x: Any) -> Any:
    return np.frombuffer(b"x" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "backward": backward,
    "backward with gaps": _backward_with_gaps,
    "with gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "rows left out": lambda x: np.repeat(x, 2, axis=0)[::2],
    "axes across": _across,
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "standing still": lambda x: np.broadcast_to(x[..., :1], x.shape),
    "not aligned": _not_aligned,
}
"""How an array of rank 1 or more may lie in memory; two of them repeat a part of it."""
