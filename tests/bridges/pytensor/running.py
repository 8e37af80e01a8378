"""Graphs of PyTensor's, run as they stand: by Python, nothing optimized, no compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytensor
from pytensor.compile.mode import Mode

from tests.arrays import assert_close

PLAIN = Mode(linker="py", optimizer=None)


def values_of(outputs: Sequence[Any], given: dict[Any, Any], mode: Any = PLAIN) -> list[Any]:
    """Return the values that PyTensor gives, as arrays."""
    compiled = pytensor.function(list(given), list(outputs), mode=mode, on_unused_input="ignore")
    return [np.asarray(v) for v in compiled(*[np.array(v) for v in given.values()])]


def assert_same(found: Sequence[Any], expected: Sequence[Any], digits: float = 1e-12) -> None:
    """Assert that results equal those of PyTensor up to rounding, float32 ones to 1e-6."""
    for a, b in zip(found, expected, strict=True):
        assert_close([a], [b], rtol=1e-6 if b.dtype == "float32" else digits)
