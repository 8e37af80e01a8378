"""What laws about determinants ask."""

from __future__ import annotations

from typing import Any

from relgraph.tensor.linalg.systems.determinants import det, slogdet


def are_square(x: Any, y: Any) -> bool:
    """Return whether two factors of a product are known to be square matrices."""
    shapes = (x.type.shape, y.type.shape)
    if any(len(shape) != 2 for shape in shapes):
        return False
    return all(shape[0] is not None and shape[0] == shape[1] for shape in shapes)


def product_of_determinants(x: Any, y: Any) -> Any:
    """Return ``det(x) * det(y)``."""
    return det(x) * det(y)


def product_of_signs(x: Any, y: Any) -> Any:
    """Return the product of the signs of two determinants."""
    return slogdet(x)[0] * slogdet(y)[0]


def sum_of_logarithms(x: Any, y: Any) -> Any:
    """Return the sum of the logarithms of the absolute values of two determinants."""
    return slogdet(x)[1] + slogdet(y)[1]
