"""How tests compare results with what was expected: several arrays at once."""

from __future__ import annotations

from collections.abc import Iterable
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
