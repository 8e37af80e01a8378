"""Distances, moments and fits."""

from tests.losses.loss import each, loss

NORMS = (([3.0, 4.0],), ([1e200, 1e-3],), ([1e-200, 2e-200],), ([1e10, 1.0],))
SAMPLES = (
    ([1.0, 2.0, 4.0],),
    ([1e8 + 1.0, 1e8 + 2.0, 1e8 + 4.0],),
    ([1e-5 + 7.0, 7.0, 7.0 - 2e-5],),
)
MATRIX = [[3.0, 1.0, 0.5], [1.0, 2.0, -0.5], [0.5, -0.5, 4.0]]
BIG_MATRIX = [[3e120, 1e120, 0.0], [1e120, 2e120, 1e119], [0.0, 1e119, 5e120]]
TINY_MATRIX = [[3e-120, 1e-120, 0.0], [1e-120, 2e-120, 1e-121], [0.0, 1e-121, 5e-120]]
ODD_MATRIX = [[0.0, 3e150, 1e150], [2e150, 1e150, 0.0], [1e150, 0.0, 4e150]]


def norm(m, x):
    return m.sqrt(m.sum(x**2))


def cosine(m, a, b):
    return m.sum(a * b) / (m.sqrt(m.sum(a**2)) * m.sqrt(m.sum(b**2)))


def squared_distances(m, a, b):
    squares = m.sum(a**2, axis=1)[:, None] + m.sum(b**2, axis=1)[None, :] - 2 * (a @ b.T)
    return m.sum(squares)


def variance(m, x):
    return m.mean(x**2) - m.mean(x) ** 2


def deviation(m, x):
    return m.sqrt(m.mean(x * x) - m.mean(x) * m.mean(x))


def standardized(m, x):
    z = (x - m.mean(x)) / m.sqrt(m.mean((x - m.mean(x)) ** 2))
    return m.sum(z**3)


def correlation(m, a, b):
    top = m.mean(a * b) - m.mean(a) * m.mean(b)
    return top / m.sqrt(variance(m, a) * variance(m, b))


def huber(m, x, y):
    r = x - y
    return m.sum(m.where(m.abs(r) < 1.0, r**2 / 2, m.abs(r) - 0.5))


def pseudo_huber(m, x, y):
    return m.sum(m.sqrt(1 + (x - y) ** 2) - 1)


def quantile(m, x, y):
    r = y - x
    return m.mean(m.maximum(0.9 * r, -0.1 * r))


def log_determinant(m, a):
    return m.log(a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])


def log_determinant_of_diagonal(m, d):
    return m.log(m.prod(d**2))


def ridge(m, rows, y, w):
    return m.sum((rows @ w - y) ** 2) + 0.1 * m.sum(w**2)


def explained(m, rows, w):
    centred = rows - m.mean(rows, axis=0, keepdims=True)
    return m.sum((centred @ w) ** 2) / m.sum(w**2)


LOSSES = (
    loss("norm", norm, *NORMS),
    loss("norm, single", norm, ([3.0, 4.0],), ([3e20, 4e20],), ([3e-25, 4e-25],), dtype="float32"),
    loss(
        "cosine similarity",
        cosine,
        ([1.0, 2.0], [0.5, -3.0]),
        ([1e200, 2e200], [1e-200, 3e-200]),
        ([1e-170, 2e-170], [1.0, 1.0]),
    ),
    loss(
        "matrix of squared distances",
        squared_distances,
        ([[1.0, 2.0], [0.5, 0.1]], [[0.3, 0.4]]),
        ([[1e6 + 1.0, 1e6], [1e6, 1e6]], [[1e6, 1e6 + 0.5]]),
    ),
    loss("variance by two moments", variance, *SAMPLES),
    loss(
        "deviation by two moments, single",
        deviation,
        ([1.0, 2.0, 4.0],),
        ([10000.0, 10001.0, 10003.0],),
        dtype="float32",
    ),
    loss("skewness of the standardized", standardized, *SAMPLES),
    loss(
        "correlation by moments",
        correlation,
        ([1.0, 2.0, 4.0], [0.3, 0.1, 0.9]),
        ([1e6 + 1.0, 1e6 + 2.0, 1e6 + 4.0], [0.3, 0.1, 0.9]),
    ),
    loss("Huber", huber, ([0.3, 5.0], [0.1, 1.0]), ([1e200, 1e-200], [1.0, 0.0])),
    loss("pseudo-Huber", pseudo_huber, ([0.3, 5.0], [0.1, 1.0]), ([1e-9], [0.0]), ([1e200], [1.0])),
    loss("Cauchy", lambda m, x: m.sum(m.log(1 + x**2)), *each(1e-9, 0.5, 1e8, -1e200)),
    loss("one less cosine", lambda m, x: m.sum(1 - m.cos(x)), *each(1e-9, 1e-4, 1.0)),
    loss(
        "difference of roots", lambda m, x: m.sum(m.sqrt(x + 1) - m.sqrt(x)), *each(0.5, 1e8, 1e15)
    ),
    loss(
        "log of a difference of exponentials",
        lambda m, a, b: m.sum(m.log(m.exp(a) - m.exp(b))),
        ([2.0], [1.0]),
        ([1000.0], [990.0]),
        ([-900.0], [-900.25]),
        ([1.0], [0.999999999]),
    ),
    loss("quantile", quantile, ([0.3, 5.0], [0.1, 7.0]), ([1e300, -1e300], [1.0, 3.0])),
    loss(
        "log-determinant of two by two",
        log_determinant,
        ([[2.0, 0.5], [0.3, 1.0]],),
        ([[1e200, 1.0], [2.0, 1e180]],),
    ),
    loss(
        "log-determinant",
        lambda m, a: m.log(m.linalg.det(a)),
        (MATRIX,),
        (BIG_MATRIX,),
        (TINY_MATRIX,),
    ),
    loss(
        "log of a determinant's size",
        lambda m, a: m.log(m.abs(m.linalg.det(a))),
        (MATRIX,),
        (ODD_MATRIX,),
    ),
    loss(
        "log-determinant of a diagonal",
        log_determinant_of_diagonal,
        ([2.0, 0.5],),
        ([1e-120, 3e-150],),
    ),
    loss(
        "ridge regression",
        ridge,
        ([[1.0, 2.0], [0.5, -1.0]], [1.0, 2.0], [0.3, -0.2]),
        ([[1e5, 2.0], [0.5, -1e5]], [1.0, 2e8], [3e4, -0.2]),
        fixed=2,
    ),
    loss(
        "explained variance of a direction",
        explained,
        ([[1.0, 2.0], [0.5, -1.0], [0.2, 0.1]], [0.3, -0.2]),
        ([[1e3, 2.0], [0.5, -1e3], [0.2, 0.1]], [1e-170, 3e-170]),
        fixed=1,
    ),
)
