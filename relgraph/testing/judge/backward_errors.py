"""How far the rounding inside an op on matrices can move its result.

The algorithms of LAPACK are backward stable: what they return is the true result for matrices that
differ from the given ones by a few units in the last place of their largest element (N. Higham,
Accuracy and Stability of Numerical Algorithms, 2002, 9.3, 10.1). So the inputs are moved that far,
at random, and the change of the result is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply

Array = np.ndarray[Any, Any]

_MOVES = 4
_SEED = 1961


def backward_error(node: Apply, inputs: Sequence[Array], index: int, eps: float) -> float:
    """Return how far an output of an op on matrices may be off.

    Parameters
    ----------
    node, inputs
        The node, and the values of its inputs.
    index
        Which output.
    eps
        The relative error of a number.

    Returns
    -------
    error
        An infinity if the op refuses a matrix near by, which is singular, say.
    """
    random = np.random.default_rng(_SEED)
    results = []
    for moved in (False, *[True] * _MOVES):
        given = [_moved(x, eps, random) if moved else np.asarray(x) for x in inputs]
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        try:
            node.op.perform(node, given, storage)
        except ValueError:
            return np.inf
        results.append(np.asarray(storage[index][0]))
    first, *others = results
    wide = np.dtype("complex128" if first.dtype.kind == "c" else "float64")
    changes = [np.abs(other.astype(wide) - first.astype(wide)) for other in others]
    # fmax leaves out nan: where both results are nan, nothing has moved
    return 4 * max(float(np.fmax.reduce(c, axis=None, initial=0.0)) for c in changes)


def size_of_logarithms(a: Array) -> Array:
    """Return for each matrix of a stack the sum of the sizes of the logarithms of its pivots.

    NumPy makes a determinant as the exponential of the sum of these. They are taken from the
    diagonal of R of a QR decomposition, whose product has the same size.
    """
    if not np.isfinite(a).all():
        return np.zeros(a.shape[:-2])
    wide = np.asarray(a, "complex128" if a.dtype.kind == "c" else "float64")
    r = np.linalg.qr(wide, mode="r")
    pivots = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    return np.asarray(np.sum(np.abs(np.log(np.where(pivots == 0, 1, pivots))), axis=-1))


def _moved(x: Array, eps: float, random: np.random.Generator) -> Array:
    x = np.asarray(x)
    if x.dtype.kind not in "fc":
        x = x.astype("float64")
    size = np.abs(x[np.isfinite(x)])
    largest = float(size.max()) if size.size else 0.0
    return (x + eps * largest * random.uniform(-1, 1, x.shape)).astype(x.dtype)
