"""Sigmoids and exponentials, the losses made of them, and activations by hand.

``m`` has the functions: those of `jax.numpy`, `jax.nn` and `jax.scipy`, or mpmath's in their place.
"""

from tests.bridges.jax.naive.formula import Naive, each

BOTH_ENDS = each(-1000.0, -40.0, -1e-9, 0.3, 37.0, 1000.0)
BOTH_ENDS_32 = each(-200.0, -20.0, -1e-5, 0.5, 18.0, 200.0)
ZERO_ONE = (([1.0, 0.0], [30.0, 2.0]), ([1.0, 0.0], [-1000.0, 40.0]), ([0.0, 1.0], [-800.0, 50.0]))
SIGNED = (([1.0, -1.0], [30.0, 2.0]), ([1.0, -1.0], [-1000.0, 1000.0]), ([1.0, 1.0], [800.0, 40.0]))
TWO_LOGITS = (([30.0], [2.0]), ([-40.0], [-30.0]), ([-800.0], [-900.0]), ([40.0], [45.0]))
ROWS = [[1.0, 2.0], [-30.0, 0.5], [400.0, -3.0]]


def sigmoid(m, x):
    return 1 / (1 + m.exp(-x))


def binary_cross_entropy(m, y, logits):
    p = m.sigmoid(logits)
    return -m.mean(y * m.log(p) + (1 - y) * m.log(1 - p))


def focal(m, y, logits):
    p_t = sigmoid(m, y * logits)
    return m.sum(-((1 - p_t) ** 2) * m.log(p_t))


def logistic_regression(m, y, x, w):
    margin = y * (x @ w)
    return m.mean(m.log(1.0 + m.exp(-margin))) + 0.01 * m.sum(w**2)


def bernoulli_kl(m, a, b):
    p, q = m.sigmoid(a), m.sigmoid(b)
    return m.sum(p * m.log(p / q) + (1 - p) * m.log((1 - p) / (1 - q)))


def log_odds(m, x):
    p = m.sigmoid(x)
    return m.sum(m.log(p / (1 - p)))


def binomial(m, x):
    p = sigmoid(m, x)
    return -m.sum(m.log(p**3 * (1 - p) ** 7))


def mish(m, x):
    return m.sum(x * m.tanh(m.log(1 + m.exp(x))))


FUNCTIONS = (
    Naive("sigmoid", lambda m, x: m.sum(sigmoid(m, x)), BOTH_ENDS),
    Naive("sigmoid as a quotient", lambda m, x: m.sum(m.exp(x) / (1 + m.exp(x))), BOTH_ENDS),
    Naive("log of a sigmoid", lambda m, x: m.sum(m.log(m.sigmoid(x))), BOTH_ENDS),
    Naive(
        "log of a sigmoid, single",
        lambda m, x: m.sum(m.log(sigmoid(m, x))),
        BOTH_ENDS_32,
        dtype="float32",
    ),
    Naive("log of one less a sigmoid", lambda m, x: m.sum(m.log(1 - m.sigmoid(x))), BOTH_ENDS),
    Naive("softplus", lambda m, x: m.sum(m.log(1 + m.exp(x))), BOTH_ENDS),
    Naive("binary cross-entropy", binary_cross_entropy, ZERO_ONE, fixed=1),
    Naive(
        "hinge of exponentials",
        lambda m, y, s: m.mean(m.log(1 + m.exp(1 - y * s))),
        SIGNED,
        fixed=1,
    ),
    Naive("focal loss", focal, SIGNED, fixed=1),
    Naive(
        "logistic regression",
        logistic_regression,
        (([1.0, -1.0, 1.0], ROWS, [0.5, -2.0]), ([1.0, -1.0, -1.0], ROWS, [3.0, 0.1])),
        fixed=2,
    ),
    Naive("divergence of two coins", bernoulli_kl, TWO_LOGITS),
    Naive("log odds of a sigmoid", log_odds, BOTH_ENDS),
    Naive("binomial likelihood", binomial, each(-800.0, -45.0, 0.3, 38.0, 800.0)),
    Naive("swish", lambda m, x: m.sum(x / (1 + m.exp(-x))), BOTH_ENDS),
    Naive("mish", mish, each(-700.0, -40.0, 0.3, 37.0, 1000.0)),
    Naive(
        "complementary log-log",
        lambda m, x: m.sum(-m.log(1 - m.exp(-m.exp(x)))),
        each(-50.0, -20.0, -1.0, 1.0),
    ),
)
