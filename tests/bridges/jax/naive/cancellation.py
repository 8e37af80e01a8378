"""Differences of numbers that are nearly the same, and results whose parts overflow.

``m`` has the functions: those of `jax.numpy`, `jax.nn` and `jax.scipy`, or mpmath's in their place.
"""

from tests.bridges.jax.naive.formula import Naive, each

SMALL = each(1e-12, -3e-9, 1e-5, 0.5)
BIG_MATRIX = [[3e120, 1e120, 0.0], [1e120, 2e120, 1e119], [0.0, 1e119, 5e120]]
TINY_MATRIX = [[3e-120, 1e-120, 0.0], [1e-120, 2e-120, 1e-121], [0.0, 1e-121, 5e-120]]
MATRIX = [[3.0, 1.0, 0.5], [1.0, 2.0, -0.5], [0.5, -0.5, 4.0]]
ODD_MATRIX = [[0.0, 3e150, 1e150], [2e150, 1e150, 0.0], [1e150, 0.0, 4e150]]


def variance(m, x):
    return m.mean(x**2) - m.mean(x) ** 2


def deviation(m, x):
    return m.sqrt(m.mean(x * x) - m.mean(x) * m.mean(x))


def cosine_similarity(m, x, y):
    return m.sum(x * y) / (m.sqrt(m.sum(x**2)) * m.sqrt(m.sum(y**2)))


MATRICES = ((MATRIX,), (BIG_MATRIX,), (TINY_MATRIX,))

FUNCTIONS = (
    Naive("log of one more", lambda m, x: m.sum(m.log(1 + x)), SMALL),
    Naive("exp less one", lambda m, x: m.sum(m.exp(x) - 1), SMALL),
    Naive("exp less one, over x", lambda m, x: m.sum((m.exp(x) - 1) / x), SMALL),
    Naive(
        "log of a difference of exponentials",
        lambda m, a, b: m.sum(m.log(m.exp(a) - m.exp(b))),
        (([2.0], [1.0]), ([1000.0], [990.0]), ([-900.0], [-900.25]), ([1.0], [0.999999999])),
    ),
    Naive(
        "difference of roots",
        lambda m, x: m.sum(m.sqrt(x + 1) - m.sqrt(x)),
        each(0.5, 1e8, 1e15),
    ),
    Naive("one less cosine", lambda m, x: m.sum(1 - m.cos(x)), each(1e-9, 1e-4, 1.0)),
    Naive(
        "log cosh",
        lambda m, x: m.sum(m.log(m.cosh(x))),
        each(-1000.0, -30.0, 1e-6, 0.5, 800.0),
    ),
    Naive("Cauchy loss", lambda m, x: m.sum(m.log(1 + x**2)), each(1e-9, 0.5, 1e8, -1e200)),
    Naive(
        "variance by two moments",
        variance,
        (([1.0, 2.0, 4.0],), ([1e8, 1e8 + 1.0, 1e8 + 3.0],), ([-1e9, -1e9 + 2.0, -1e9 + 3.0],)),
    ),
    Naive(
        "deviation by two moments, single",
        deviation,
        (([1.0, 2.0, 4.0],), ([10000.0, 10001.0, 10003.0],)),
        dtype="float32",
    ),
    Naive(
        "norm, single",
        lambda m, x: m.sqrt(m.sum(x**2)),
        (([3.0, 4.0],), ([3e20, 4e20],), ([3e-25, 4e-25],)),
        dtype="float32",
    ),
    Naive(
        "cosine similarity",
        cosine_similarity,
        (
            ([1.0, 2.0], [2.0, -0.5]),
            ([1e200, 2e200], [3.0, 4.0]),
            ([1e-180, 2e-180], [3e-170, 4e-170]),
        ),
    ),
    Naive("log of a determinant", lambda m, a: m.log(m.linalg.det(a)), MATRICES),
    Naive(
        "log of a determinant's size",
        lambda m, a: m.log(m.abs(m.linalg.det(a))),
        ((MATRIX,), (ODD_MATRIX,)),
    ),
)
