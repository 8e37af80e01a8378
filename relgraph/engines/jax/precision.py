"""JAX's flag for 64 bits, which is set while a graph is traced or called, and as it was after."""

from __future__ import annotations

from typing import Any

import jax
from jax import experimental

wide: Any = jax.enable_x64 if hasattr(jax, "enable_x64") else experimental.enable_x64
"""``wide(True)`` is a context in which JAX keeps dtypes of 64 bits, in this thread."""
