"""The functions that C's library, Python's `math` and FPCore call otherwise than NumPy."""

from __future__ import annotations

SCALAR_NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "fabs": "abs",
}
"""The scalar ops by those names."""
