"""The families of `tests/families` on vectors: what they write as numbers is a vector too."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.families import FAMILIES, value_and_gradient

NODES = 70
"""About so many nodes has a graph without its gradient."""


class Vectors:
    """A tensor module whose scalars and vectors of doubles are vectors of a dtype, and whose
    matrices have it too."""

    def __init__(self, tensor: Any, dtype: str) -> None:
        self._tensor, self._dtype = tensor, dtype

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tensor, name)

    def dscalar(self, name: str) -> Any:
        return self._tensor.vector(name, dtype=self._dtype)

    dvector = dscalar

    def dmatrix(self, name: str) -> Any:
        return self._tensor.matrix(name, dtype=self._dtype)


def built(
    name: str, tensor: Any, grad: Any, dtype: str, gradient: bool
) -> tuple[list[Any], list[Any]]:
    """Return the inputs and the outputs of a family, of the library of `tensor` and `grad`."""
    family, tensors = FAMILIES[name], Vectors(tensor, dtype)
    if not gradient:
        inputs, out = family.build(tensors, NODES)
        return inputs, [out]
    inputs = []

    def kept(cost: Any, wrt: Sequence[Any]) -> Any:
        inputs[:] = wrt
        return grad(cost, wrt)

    return inputs, value_and_gradient(family, tensors, kept, NODES)


def drawn(name: str, inputs: Sequence[Any], elements: int, dtype: str) -> list[Any]:
    """Draw values for which the programs' own stay finite and normal.

    Those of matrices are smaller the larger these are, as weights of networks are when training
    begins: the slopes of saturated gates are subnormal, and any BLAS is ten times as slow on these.
    """
    rng = np.random.default_rng(0)
    # the states of this one grow like a tower of powers if they are positive
    low, high = (-0.9, -0.4) if name == "ladder" else (0.1, 0.6)
    side = max(1, math.isqrt(elements)) if any(v.type.ndim == 2 for v in inputs) else elements
    found = [rng.uniform(low, high, (side,) * v.type.ndim).astype(dtype) for v in inputs]
    found = [v / v.dtype.type(math.sqrt(side)) if v.ndim == 2 else v for v in found]
    if name != "cholesky":
        return found
    # the diagonal of the matrix, to make it positive definite
    on_diagonal = [len({*v.name[1:].split("_")}) == 1 for v in inputs]
    return [v + np.asarray(9 * there, v.dtype) for v, there in zip(found, on_diagonal, strict=True)]
