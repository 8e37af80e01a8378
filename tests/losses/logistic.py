"""Sigmoids, the losses made of them, and activations by hand.

``m`` is the module of the functions: `relgraph.tensor`, or JAX's or mpmath's in its place.
"""

import math

from tests.losses.loss import each, loss

BOTH_ENDS = each(-1000.0, -40.0, -1e-9, 0.3, 37.0, 1000.0)
BOTH_ENDS_32 = each(-200.0, -20.0, -1e-5, 0.5, 18.0, 200.0)
TWO_LOGITS = (([30.0], [2.0]), ([-40.0], [-30.0]), ([-800.0], [-900.0]), ([40.0], [45.0]))
# Signs of classes beside scores.
SIGNED = (([1.0, -1.0], [30.0, 2.0]), ([1.0, -1.0], [-1000.0, 1000.0]), ([1.0, 1.0], [800.0, 40.0]))
ZERO_ONE = (([1.0, 0.0], [30.0, 2.0]), ([1.0, 0.0], [-1000.0, 40.0]), ([0.0, 1.0], [-800.0, 50.0]))


def sigmoid(m, x):
    return 1 / (1 + m.exp(-x))


def binary_cross_entropy(m, y, z):
    p = sigmoid(m, z)
    return -m.mean(y * m.log(p) + (1 - y) * m.log(1 - p))


def cross_entropy_of_sigmoid(m, y, z):
    p = m.sigmoid(z)
    return -m.mean(y * m.log(p) + (1 - y) * m.log(1 - p))


def divergence(m, a, b):
    p, q = m.sigmoid(a), m.sigmoid(b)
    return m.sum(p * m.log(p / q) + (1 - p) * m.log((1 - p) / (1 - q)))


def log_odds(m, x):
    p = m.sigmoid(x)
    return m.sum(m.log(p / (1 - p)))


def binomial(m, x):
    p = sigmoid(m, x)
    return -m.sum(m.log(p**3 * (1 - p) ** 7))


def focal(m, y, z):
    p = sigmoid(m, y * z)
    return m.sum(-((1 - p) ** 2) * m.log(p))


def dice(m, y, z):
    p = sigmoid(m, z)
    return 1 - (2 * m.sum(p * y) + 1) / (m.sum(p) + m.sum(y) + 1)


def tanh_by_exps(m, x):
    return m.sum((m.exp(x) - m.exp(-x)) / (m.exp(x) + m.exp(-x)))


def gelu(m, x):
    return m.sum(0.5 * x * (1 + m.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


def logistic_regression(m, y, rows, w):
    margins = y * (rows @ w)
    return m.mean(m.log(1 + m.exp(-margins))) + 0.01 * m.sum(w**2)


LOSSES = (
    loss("sigmoid", lambda m, x: m.sum(sigmoid(m, x)), *BOTH_ENDS),
    loss("sigmoid as a quotient", lambda m, x: m.sum(m.exp(x) / (1 + m.exp(x))), *BOTH_ENDS),
    loss("softplus", lambda m, x: m.sum(m.log(1 + m.exp(x))), *BOTH_ENDS),
    loss("log sigmoid", lambda m, x: m.sum(m.log(sigmoid(m, x))), *BOTH_ENDS),
    loss("log of a sigmoid", lambda m, x: m.sum(m.log(m.sigmoid(x))), *BOTH_ENDS),
    loss(
        "log sigmoid, single",
        lambda m, x: m.sum(m.log(sigmoid(m, x))),
        *BOTH_ENDS_32,
        dtype="float32",
    ),
    loss("log of one less a sigmoid", lambda m, x: m.sum(m.log(1 - m.sigmoid(x))), *BOTH_ENDS),
    loss("log odds of a sigmoid", log_odds, *BOTH_ENDS),
    loss("divergence of two coins", divergence, *TWO_LOGITS),
    loss("binomial likelihood", binomial, *each(-800.0, -45.0, 0.3, 38.0, 800.0)),
    loss("swish", lambda m, x: m.sum(x / (1 + m.exp(-x))), *BOTH_ENDS),
    loss(
        "complementary log-log",
        lambda m, x: m.sum(-m.log(1 - m.exp(-m.exp(x)))),
        *each(-50.0, -20.0, -1.0, 1.0),
    ),
    loss("binary cross-entropy", binary_cross_entropy, *ZERO_ONE, fixed=1),
    loss("cross-entropy of a sigmoid", cross_entropy_of_sigmoid, *ZERO_ONE, fixed=1),
    loss("logistic loss", lambda m, y, s: m.mean(m.log(1 + m.exp(-y * s))), *SIGNED, fixed=1),
    loss("exponential hinge", lambda m, y, s: m.sum(m.log(1 + m.exp(1 - y * s))), *SIGNED, fixed=1),
    loss("focal", focal, *SIGNED, fixed=1),
    loss("dice", dice, *ZERO_ONE, fixed=1),
    loss("tanh by exponentials", tanh_by_exps, *BOTH_ENDS),
    loss(
        "log cosh by exponentials",
        lambda m, x: m.sum(m.log((m.exp(x) + m.exp(-x)) / 2)),
        *each(-1000.0, -3.0, 0.5, 20.0, 1000.0),
    ),
    loss("gelu by tanh", gelu, *each(-10.0, -4.0, -1e-9, 0.5, 10.0)),
    loss(
        "gelu by erf",
        lambda m, x: m.sum(0.5 * x * (1 + m.erf(x / math.sqrt(2)))),
        *each(-12.0, -5.0, -1e-9, 0.5, 10.0),
    ),
    loss("elu", lambda m, x: m.sum(m.where(x > 0, x, m.exp(x) - 1)), *BOTH_ENDS),
    loss("mish", lambda m, x: m.sum(x * m.tanh(m.log(1 + m.exp(x)))), *BOTH_ENDS),
    loss("log of 1 and x", lambda m, x: m.sum(m.log(1 + x)), *each(1e-300, -1e-12, 3.0, 1e300)),
    loss("exp less 1", lambda m, x: m.sum(m.exp(x) - 1), *each(-1000.0, -1e-12, 1e-300, 5.0)),
    loss(
        "exp less 1, over x", lambda m, x: m.sum((m.exp(x) - 1) / x), *each(1e-12, -3e-9, 1e-5, 0.5)
    ),
    loss("log cosh", lambda m, x: m.sum(m.log(m.cosh(x))), *each(-1000.0, -30.0, 1e-6, 0.5, 800.0)),
    loss(
        "log of one less exp",
        lambda m, x: m.sum(m.log(1 - m.exp(-x))),
        *each(1e-300, 1e-12, 0.5, 50.0, 800.0),
    ),
    loss(
        "logistic regression",
        logistic_regression,
        ([1.0, -1.0], [[1.0, 2.0], [0.5, -1.0]], [0.3, -0.2]),
        ([1.0, -1.0], [[1.0, 200.0], [-50.0, 30.0]], [-3.0, -20.0]),
        fixed=2,
    ),
)
