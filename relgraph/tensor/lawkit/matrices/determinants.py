"""What laws about determinants ask."""

from __future__ import annotations

from typing import Any


def are_square(x: Any, y: Any) -> bool:
    """Return whether two factors of a product are known to be square matrices."""
    shapes = (x.type.shape, y.type.shape)
    if any(len(shape) != 2 for shape in shapes):
        return False
    return all(shape[0] is not None and shape[0] == shape[1] for shape in shapes)
