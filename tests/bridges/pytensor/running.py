"""Graphs of PyTensor's, run as they stand: by Python, nothing optimized, no compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytensor
from pytensor.compile.mode import Mode

PLAIN = Mode(linker="py", optimizer=None)


def values_of(outputs: Sequence[Any], given: dict[Any, Any], mode: Any = PLAIN) -> list[Any]:
    """Return the values that PyTensor gives, as arrays."""
    compiled = pytensor.function(list(given), list(outputs), mode=mode, on_unused_input="ignore")
    return [np.asarray(v) for v in compiled(*[np.array(v) for v in given.values()])]
