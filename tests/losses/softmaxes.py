"""Softmax and sums of exponentials, by hand."""

import math

from tests.losses.loss import loss

SCORES = (
    ([[1.0, 2.0, 0.5], [0.1, -0.3, 0.2]],),
    ([[1000.0, 0.0, -1000.0], [-800.0, -801.0, -790.0]],),
    ([[40.0, 0.0, 1.0], [0.0, 1e-9, 500.0]],),
)
VECTORS = (([1.0, 2.0, 0.5],), ([1000.0, 999.0, -1000.0],), ([-800.0, -802.0, -3000.0],))
PAIRS = (
    ([1.0, 2.0, 0.5], [0.3, 0.1, -1.0]),
    ([1000.0, 999.0, -1000.0], [0.0, -700.0, 3.0]),
    ([-800.0, -802.0, -805.0], [800.0, 30.0, 790.0]),
)
VECTORS_32 = (([1.0, 2.0, 3.0],), ([200.0, 199.0, 0.0],), ([-200.0, -201.0, -202.5],))
EXPONENTS = (([1.0], [2.0]), ([1000.0], [990.0]), ([-1000.0], [-900.0]))
LABELS = ([2, 0],)


def softmax(m, z):
    return m.exp(z) / m.sum(m.exp(z), axis=-1, keepdims=True)


def log_sum_exp(m, z, axis=-1):
    return m.log(m.sum(m.exp(z), axis=axis))


def cross_entropy(m, labels, z):
    return -m.mean(m.log(softmax(m, z))[m.arange(2), labels])


def cross_entropy_of_probabilities(m, y, z):
    return -m.mean(m.sum(y * m.log(softmax(m, z)), axis=-1))


def cross_entropy_of_picked(m, labels, z):
    return -m.mean(m.log(softmax(m, z)[m.arange(2), labels]))


def cross_entropy_by_sums(m, labels, z):
    return m.mean(log_sum_exp(m, z) - z[m.arange(2), labels])


def smoothed(m, labels, z):
    logs = m.log(softmax(m, z))
    return -m.mean(0.9 * logs[m.arange(2), labels] + 0.1 * m.mean(logs, axis=1))


def entropy(m, z):
    p = softmax(m, z)
    return -m.sum(p * m.log(p))


def divergence(m, z, w):
    p, q = softmax(m, z), softmax(m, w)
    return m.sum(p * m.log(p / q))


def divergence_of_logarithms(m, z, w):
    p, q = softmax(m, z), softmax(m, w)
    return m.sum(p * (m.log(p) - m.log(q)))


def jensen_shannon(m, z, w):
    p, q = softmax(m, z), softmax(m, w)
    mid = (p + q) / 2
    return m.sum(p * m.log(p / mid) + q * m.log(q / mid)) / 2


def attention(m, queries, keys, values):
    scores = queries @ keys.T / math.sqrt(2)
    return m.sum(softmax(m, scores) @ values)


def contrastive(m, a, b):
    similar = m.exp(a @ b.T / 0.05)
    return -m.mean(m.log(similar[m.arange(2), m.arange(2)] / m.sum(similar, axis=1)))


def contrastive_by_sums(m, x, y):
    similar = m.exp(x @ y.T / 0.1)
    positive = m.exp(m.sum(x * y, axis=1) / 0.1)
    return -m.mean(m.log(positive / similar.sum(axis=1)))


def mixture(m, x, means):
    z = x[:, None] - means[None, :]
    densities = m.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return -m.sum(m.log(m.sum(densities * 0.5, axis=1)))


def forward_step(m, start, moves, scores):
    """One step of a conditional random field's forward pass, and the sum at its end."""
    alpha = m.log(m.sum(m.exp(start[:, None] + moves), axis=0)) + scores
    return m.log(m.sum(m.exp(alpha)))


def soft_minimum(m, x):
    return m.sum(x * m.exp(-x)) / m.sum(m.exp(-x))


LOSSES = (
    loss("softmax's first", lambda m, z: m.sum(softmax(m, z)[:, 0]), *SCORES),
    loss("cross-entropy", cross_entropy, *SCORES, given=LABELS),
    loss("cross-entropy of what is picked", cross_entropy_of_picked, *SCORES, given=LABELS),
    loss("cross-entropy by log-sum-exp", cross_entropy_by_sums, *SCORES, given=LABELS),
    loss("cross-entropy with smoothed labels", smoothed, *SCORES, given=LABELS),
    loss(
        "cross-entropy of probabilities",
        cross_entropy_of_probabilities,
        ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]]),
        ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[1000.0, 2.0, 3.0], [-1.0, 800.0, -900.0]]),
        fixed=1,
    ),
    loss("log-sum-exp", log_sum_exp, *VECTORS),
    loss("log-sum-exp, single", log_sum_exp, *VECTORS_32, dtype="float32"),
    loss("log of two exponentials", lambda m, a, b: m.sum(m.log(m.exp(a) + m.exp(b))), *EXPONENTS),
    loss(
        "log of a softmax, single",
        lambda m, x: m.sum(m.log(softmax(m, x))),
        *VECTORS_32,
        dtype="float32",
    ),
    loss("mean under a softmax", lambda m, x: m.sum(softmax(m, x) * m.arange(3)), *VECTORS),
    loss("log-mean-exp", lambda m, z: m.log(m.mean(m.exp(z))), *VECTORS),
    loss("entropy of a softmax", entropy, *VECTORS),
    loss("perplexity", lambda m, z: m.exp(entropy(m, z)), *VECTORS),
    loss("KL of two softmaxes", divergence, *PAIRS),
    loss("KL by logarithms", divergence_of_logarithms, *PAIRS),
    loss("Jensen-Shannon", jensen_shannon, *PAIRS),
    loss("soft minimum", soft_minimum, *VECTORS),
    loss(
        "attention",
        attention,
        ([[0.5, 1.0]], [[1.0, 0.2], [0.3, -0.4]], [[1.0], [3.0]]),
        ([[50.0, 10.0]], [[30.0, 2.0], [-30.0, 4.0]], [[1.0], [3.0]]),
    ),
    loss(
        "contrastive",
        contrastive,
        ([[0.5, 1.0], [0.2, 0.1]], [[1.0, 0.2], [0.3, -0.4]]),
        ([[5.0, 10.0], [-8.0, 1.0]], [[6.0, 9.0], [-7.0, 3.0]]),
    ),
    loss(
        "contrastive by sums",
        contrastive_by_sums,
        ([[1.0, 0.0], [0.6, 0.8]], [[0.8, 0.6], [0.0, 1.0]]),
        ([[10.0, 0.0], [6.0, 8.0]], [[8.0, 6.0], [0.0, 9.0]]),
    ),
    loss(
        "mixture of Gaussians",
        mixture,
        ([0.1, 2.0], [0.0, 1.0]),
        ([100.0, -60.0], [0.5, 3.0]),
        fixed=1,
    ),
    loss(
        "step of a conditional random field",
        forward_step,
        ([0.1, 0.2], [[1.0, 0.5], [0.3, 0.1]], [0.7, -0.2]),
        ([900.0, 0.2], [[100.0, -900.0], [3.0, 5.0]], [-50.0, 800.0]),
    ),
)
