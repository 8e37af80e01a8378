"""How many floating-point operations an op takes for a number, or for a matrix of a size."""

from __future__ import annotations

from functools import cache
from typing import Any

from relgraph.tensor.assertion import Assert
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.relative_dimshuffle import RelativeDimShuffle
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.linalg.assumptions import Assume
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import Shape, Shape_i

VIEWS = (
    Assert,
    Assume,
    DimShuffle,
    RelativeDimShuffle,
    Reshape,
    Shape,
    Shape_i,
    SpecifyShape,
    Subtensor,
)
"""Ops that give what is there in another shape, or only look at it."""

_CHEAP = (
    "add sub mul neg abs sqr sign maximum minimum switch and_ or_ xor invert eq neq lt le gt ge"
)
_ROOTS = "true_div reciprocal sqrt int_div mod floor ceil trunc round hypot"
_FREE = "second identity real imag"

_WEIGHTS = {
    **dict.fromkeys(_FREE.split(), 0.0),
    **dict.fromkeys([*_CHEAP.split(), "isnan", "isinf", "clip", "cast"], 1.0),
    **dict.fromkeys(_ROOTS.split(), 4.0),
    "pow": 40.0,
    "float_power": 40.0,
}
_FUNCTION = 20.0
"""The weight of an exponential, a logarithm, a sine, and every function that is not listed."""

ONE_A_NUMBER = {
    # one number, or what is there, seen in another shape
    "Alloc": 0.0,
    "Softmax": 25.0,
    "LogSoftmax": 25.0,
    "LogSumExp": 25.0,
    "Sort": 10.0,
    "ArgSort": 10.0,
}
"""What ops take for each number, if that is not 1."""

MATRIX_WEIGHTS = {
    "Inverse": (2.0, 0.0),
    "PseudoInverse": (22.0, 0.0),
    "Det": (2 / 3, 0.0),
    "SLogDet": (2 / 3, 0.0),
    "Cofactors": (8 / 3, 0.0),
    "SecondCofactors": (22.0, 0.0),
    "Cholesky": (1 / 3, 0.0),
    "CholeskySolve": (0.0, 2.0),
    "Solve": (2 / 3, 2.0),
    "SolveTriangular": (0.0, 1.0),
    "LeastSquares": (4.0, 2.0),
    "QR": (4 / 3, 0.0),
    "SVD": (22.0, 0.0),
    "Eigh": (9.0, 0.0),
    "Eigvalsh": (4 / 3, 0.0),
    "Eig": (25.0, 0.0),
    "Eigvals": (10.0, 0.0),
    "Expm": (20.0, 0.0),
}
"""For an n×n matrix and k right sides: how often n³, and how often n²k (Golub and Van Loan)."""


@cache
def weight_of(scalar_op: Any) -> float:
    """Return how many operations a scalar op takes; for a sum of three, each of the two."""
    name = str(scalar_op).split("{")[0]
    if type(scalar_op).__name__ == "Cast":
        return _WEIGHTS["cast"]
    return _WEIGHTS.get(name, _FUNCTION)


LARGEST_WRITTEN_OUT = 16
"""Up to this exponent, powers are written out as products."""

_WITH_ROOTS = {0.0: 0.0, 1.0: 0.0, 0.5: 4.0, 1.5: 5.0, -0.5: 8.0, -1.0: 4.0, -2.0: 5.0}
"""What other powers take by the laws that write them out."""


def products_of_power(exponent: Any) -> int | None:
    """Return how many products a power is written out as, by squares; None if it is not."""
    if isinstance(exponent, complex) or exponent is None or exponent != exponent // 1:
        return None
    if not 2 <= exponent <= LARGEST_WRITTEN_OUT:
        return None
    whole = int(exponent)
    return whole.bit_length() + whole.bit_count() - 2


def weight_of_power(exponent: Any) -> float:
    """Return how many operations a power takes whose exponent is a number, or None if that is not
    known."""
    products = products_of_power(exponent)
    if products is not None:
        return float(products)
    return _WITH_ROOTS.get(exponent, _WEIGHTS["pow"])
