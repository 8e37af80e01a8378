"""What the tests of the BLAS share: arrays of its dtypes, laid out in every way."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.arrays import LAYOUTS

_random = np.random.default_rng(0)


def values(dtype: str, *shape: int) -> Any:
    made = _random.normal(size=shape)
    return (made + 1j * _random.normal(size=shape) if dtype[0] == "c" else made).astype(dtype)


def layouts(a: Any) -> Iterator[Any]:
    """Yield copies of an array by rows, by columns, with gaps, and backward."""
    for name in ("rows", "columns", "with gaps", "backward"):
        yield LAYOUTS[name](a.copy())
