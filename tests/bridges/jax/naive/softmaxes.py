"""Softmaxes and log-sum-exps by hand, and the losses made of them.

``m`` has the functions: those of `jax.numpy`, `jax.nn` and `jax.scipy`, or mpmath's in their place.
"""

from tests.bridges.jax.naive.formula import Naive

SCORES = (
    ([1.0, 2.0, 3.0],),
    ([1000.0, 999.0, 0.0],),
    ([-1000.0, -1001.0, -1002.5],),
    ([800.0, -800.0, 1.0],),
)
SCORES_32 = (([1.0, 2.0, 3.0],), ([200.0, 199.0, 0.0],), ([-200.0, -201.0, -202.5],))
LABELLED = (
    ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]]),
    ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[1000.0, 2.0, 3.0], [-1.0, 800.0, -900.0]]),
)
BATCH = (
    ([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]],),
    ([[1000.0, 2.0, 3.0], [-1.0, 800.0, -900.0]],),
)


def softmax(m, x, axis=-1):
    e = m.exp(x)
    return e / m.sum(e, axis=axis, keepdims=True)


def cross_entropy(m, y, logits):
    p = softmax(m, logits)
    return -m.mean(m.sum(y * m.log(p), axis=-1))


def cross_entropy_of_labels(m, labels, logits):
    p = m.exp(logits) / m.exp(logits).sum(axis=-1, keepdims=True)
    return -m.mean(m.log(p[m.arange(2), labels]))


def entropy(m, x):
    p = softmax(m, x)
    return -m.sum(p * m.log(p))


def divergence(m, x, y):
    p, q = softmax(m, x), softmax(m, y)
    return m.sum(p * (m.log(p) - m.log(q)))


def attention(m, q, k, v):
    weights = softmax(m, q @ k.T / m.sqrt(2.0))
    return m.sum(weights @ v)


def contrastive(m, x, y):
    similar = m.exp(x @ y.T / 0.1)
    positive = m.exp(m.sum(x * y, axis=1) / 0.1)
    return -m.mean(m.log(positive / similar.sum(axis=1)))


FUNCTIONS = (
    Naive("log-sum-exp", lambda m, x: m.log(m.sum(m.exp(x))), SCORES),
    Naive("log-sum-exp, single", lambda m, x: m.log(m.sum(m.exp(x))), SCORES_32, dtype="float32"),
    Naive("log-mean-exp", lambda m, x: m.log(m.mean(m.exp(x))), SCORES),
    Naive(
        "log of two exponentials",
        lambda m, a, b: m.sum(m.log(m.exp(a) + m.exp(b))),
        (([1.0], [2.0]), ([1000.0], [990.0]), ([-1000.0], [-900.0])),
    ),
    Naive("cross-entropy of probabilities", cross_entropy, LABELLED, fixed=1),
    Naive("cross-entropy of labels", cross_entropy_of_labels, BATCH, given=([1, 0],)),
    Naive(
        "log of a softmax, single",
        lambda m, x: m.sum(m.log(softmax(m, x))),
        SCORES_32,
        dtype="float32",
    ),
    Naive("mean under a softmax", lambda m, x: m.sum(softmax(m, x) * m.arange(3)), SCORES),
    Naive("entropy of a softmax", entropy, SCORES),
    Naive(
        "divergence of two softmaxes",
        divergence,
        (
            ([1.0, 2.0, 3.0], [0.5, 0.0, -1.0]),
            ([1000.0, 2.0, 3.0], [-1.0, 800.0, -900.0]),
            ([1000.0, 999.0, 3.0], [999.0, 998.5, 0.0]),
        ),
    ),
    Naive(
        "attention",
        attention,
        (
            ([[1.0, 2.0]], [[0.5, 1.0], [2.0, -1.0]], [[1.0, -1.0], [0.5, 3.0]]),
            ([[30.0, 40.0]], [[15.0, 20.0], [20.0, 10.0]], [[1.0, -1.0], [0.5, 3.0]]),
        ),
    ),
    Naive(
        "contrastive loss",
        contrastive,
        (
            ([[1.0, 0.0], [0.6, 0.8]], [[0.8, 0.6], [0.0, 1.0]]),
            ([[10.0, 0.0], [6.0, 8.0]], [[8.0, 6.0], [0.0, 9.0]]),
        ),
    ),
)
