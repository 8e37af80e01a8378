"""Arrays that workers read, and that say who has read them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np


class SlowFile:
    """An array each part of which takes a while to read; a file for each says which process did."""

    def __init__(self, value: np.ndarray, folder: Path, seconds: float = 0.03) -> None:
        self.value, self.folder, self.seconds = value, folder, seconds
        self.shape, self.dtype, self.ndim = value.shape, value.dtype, value.ndim

    def __getitem__(self, index: Any) -> Any:
        (self.folder / f"{os.getpid()}-{index[0].start}.read").touch()
        time.sleep(self.seconds)
        return self.value[index]
