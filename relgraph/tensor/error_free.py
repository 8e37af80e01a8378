"""Sums and products with their errors, and rounded once, elementwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.scalar.error_free import ScaledProduct
from relgraph.scalar.error_free import add_error as add_error_of_scalars
from relgraph.scalar.error_free import fma as fma_of_scalars
from relgraph.scalar.error_free import mul_error as mul_error_of_scalars
from relgraph.tensor.elemwise import Elemwise

fma = Elemwise(fma_of_scalars)
add_error = Elemwise(add_error_of_scalars)
mul_error = Elemwise(mul_error_of_scalars)


def scaled_product(factors: Sequence[Any], divisors: Sequence[Any] = ()) -> Any:
    """Return the product of some tensors divided by others, elementwise.

    Neither over- nor underflows on the way, other than the result itself.

    Parameters
    ----------
    factors, divisors
        Tensors of real numbers; one of them at least.
    """
    return Elemwise(ScaledProduct(len(factors), len(divisors)))(*factors, *divisors)
