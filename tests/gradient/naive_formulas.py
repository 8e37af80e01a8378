"""Formulas as people write them, that overflow or cancel where their values do not.

Each is a function of a library (`relgraph.tensor`, or of mpmath) and a point. Those of
``tests/losses`` are not said again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Formula = Callable[[Any, Any], Any]

Y = 0.3
LABELS, ROWS = np.array([0, 2, 1, 1]), np.arange(4)
WEIGHTS = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [1.0, 0.0, 0.0], [0.3, 0.3, 0.4]])
PRIOR = WEIGHTS + 0.1


def sigmoid(m: Any, x: Any) -> Any:
    return 1 / (1 + m.exp(-x))


def shares(m: Any, x: Any) -> Any:
    return m.exp(x) / m.sum(m.exp(x), axis=1, keepdims=True)


def safe_shares(m: Any, x: Any) -> Any:
    return shares(m, x - m.max(x, axis=1, keepdims=True))


def cross_entropy(m: Any, p: Any) -> Any:
    return -(Y * m.log(p) + (1 - Y) * m.log(1 - p))


def normal(m: Any, x: Any) -> Any:
    return 0.5 * (1 + m.erf(x / np.sqrt(2)))


def divergence(m: Any, p: Any) -> Any:
    return p * m.log(p / Y) + (1 - p) * m.log((1 - p) / (1 - Y))


OF_A_NUMBER: dict[str, Formula] = {
    "sigmoid as a rest": lambda m, x: 1 - 1 / (1 + m.exp(x)),
    "sigmoid as another rest": lambda m, x: 1 - m.exp(-x) / (1 + m.exp(-x)),
    "sigmoid by a power": lambda m, x: (1 + m.exp(-x)) ** -1,
    "sigmoid by tanh": lambda m, x: 0.5 * (1 + m.tanh(x / 2)),
    "sigmoid by a logarithm": lambda m, x: m.exp(-m.log(1 + m.exp(-x))),
    "sigmoid of a difference": lambda m, x: m.exp(x) / (m.exp(x) + m.exp(Y)),
    "growth": lambda m, x: 5 / (1 + 3 * m.exp(-x)),
    "tanh": lambda m, x: (m.exp(x) - m.exp(-x)) / (m.exp(x) + m.exp(-x)),
    "tanh by 2x": lambda m, x: (m.exp(2 * x) - 1) / (m.exp(2 * x) + 1),
    "tanh by -2x": lambda m, x: (1 - m.exp(-2 * x)) / (1 + m.exp(-2 * x)),
    "tanh by sigmoid": lambda m, x: 2 / (1 + m.exp(-2 * x)) - 1,
    "tanh by sinh": lambda m, x: m.sinh(x) / m.cosh(x),
    "half of tanh": lambda m, x: (m.exp(x) - 1) / (m.exp(x) + 1),
    "sech": lambda m, x: 2 / (m.exp(x) + m.exp(-x)),
    "sech, squared": lambda m, x: 1 / m.cosh(x) ** 2,
    "sech, cubed": lambda m, x: 3 / m.cosh(x) ** 3,
    "sech, scaled": lambda m, x: 1 / (2 * m.cosh(x)) + x / m.cosh(x),
    "log of a square of sech": lambda m, x: m.log(3 + 1 / m.cosh(x) ** 2),
    "Gudermann's function": lambda m, x: m.arccos(1 / m.cosh(x - 3)),
    "sigmoid, cubed": lambda m, x: 1 / (1 + m.exp(x)) ** 3,
    "sigmoid to a power": lambda m, x: (1 + m.exp(-x)) ** -2.5,
    "root of a sigmoid": lambda m, x: 1 / m.sqrt(1 + m.exp(2 * x)),
    "type I logistic density": lambda m, x: 2.5 * m.exp(-x) / (1 + m.exp(-x)) ** 3.5,
    "deviation of a label": lambda m, x: m.sqrt(sigmoid(m, x) * (1 - sigmoid(m, x))),
    "Hellinger distance": lambda m, x: (
        1 - m.sqrt(0.3 * sigmoid(m, x / 2)) - m.sqrt(0.7 * (1 - sigmoid(m, x / 2)))
    ),
    "Pareto tail": lambda m, x: (1 + m.exp(x) / 2) ** -3.0,
    "growth, squared": lambda m, x: 5 / (1 + 3 * m.exp(-x)) ** 2,
    "Student density of an exponential": lambda m, x: (1 + m.exp(x) ** 2 / 3) ** -1.5,
    "TanhExp": lambda m, x: x * m.tanh(m.exp(x)),
    "sigmoid of an exponential": lambda m, x: m.sigmoid(m.exp(x)),
    "sech of an exponential": lambda m, x: 1 / m.cosh(m.exp(x)),
    "Gumbel density": lambda m, x: m.exp(-x - m.exp(-x)),
    "Gumbel density by a sum": lambda m, x: m.exp(-(x + m.exp(-x))),
    "Gumbel density by a product": lambda m, x: m.exp(-x) * m.exp(-m.exp(-x)),
    "Gompertz density": lambda m, x: 0.3 * m.exp(x) * m.exp(-0.3 * (m.exp(x) - 1)),
    "Rayleigh density of an exponential": lambda m, x: m.exp(2 * x) * m.exp(-m.exp(2 * x) / 2),
    "Poisson probability": lambda m, x: m.exp(-m.exp(x)) * m.exp(x) ** 3 / 6,
    "Bose's occupation": lambda m, x: 1 / (m.exp(x - 3) - 1),
    "likelihood of a probit": lambda m, x: (
        Y * m.log(normal(m, x / 20)) + (1 - Y) * m.log(1 - normal(m, x / 20))
    ),
    "arctangent of an exponential": lambda m, x: 2 * m.arctan(m.exp(x)),
    "log of two": lambda m, x: m.log(m.exp(x) + m.exp(-x)),
    "log of three": lambda m, x: m.log(1 + m.exp(x) + m.exp(-x)),
    "softplus by log1p": lambda m, x: m.log1p(m.exp(x)),
    "softplus by parts": lambda m, x: m.maximum(x, 0) + m.log1p(m.exp(-m.abs(x))),
    "softplus less x": lambda m, x: m.log(m.exp(x) + 1) - x,
    "log sigmoid by exp": lambda m, x: m.log(m.exp(x) / (1 + m.exp(x))),
    "log of the rest by exp": lambda m, x: m.log(1 - sigmoid(m, x)),
    "logit of sigmoid": lambda m, x: m.log(sigmoid(m, x) / (1 - sigmoid(m, x))),
    "cross entropy": lambda m, x: cross_entropy(m, sigmoid(m, x)),
    "cross entropy of sigmoid": lambda m, x: cross_entropy(m, m.sigmoid(x)),
    "cross entropy by exp": lambda m, x: cross_entropy(m, m.exp(x) / (1 + m.exp(x))),
    "cross entropy of logits": lambda m, x: m.maximum(x, 0) - x * Y + m.log(1 + m.exp(-m.abs(x))),
    "entropy": lambda m, x: (
        -(sigmoid(m, x) * m.log(sigmoid(m, x)) + (1 - sigmoid(m, x)) * m.log(1 - sigmoid(m, x)))
    ),
    "divergence": lambda m, x: divergence(m, sigmoid(m, x)),
    "logistic density": lambda m, x: m.exp(-x) / (1 + m.exp(-x)) ** 2,
    "log logistic density": lambda m, x: m.log(m.exp(-x) / (1 + m.exp(-x)) ** 2),
    "Gumbel distribution": lambda m, x: m.exp(-m.exp(-x)),
    "Gompertz curve": lambda m, x: m.exp(-3 * m.exp(-2 * x)),
    "complementary log-log": lambda m, x: 1 - m.exp(-m.exp(x)),
    "log density": lambda m, x: m.log(m.exp(-((x - Y) ** 2) / 2) / m.sqrt(2 * np.pi)),
    "log density, scaled": lambda m, x: m.log(
        1 / (1.7 * m.sqrt(2 * np.pi)) * m.exp(-0.5 * ((x - Y) / 1.7) ** 2)
    ),
    "log of a mixture": lambda m, x: m.log(
        0.2 * m.exp(-((x - 1) ** 2) / 2) + 0.5 * m.exp(-((x + 1) ** 2) / 2)
    ),
}

OF_A_MATRIX: dict[str, Formula] = {
    "softmax": lambda m, x: WEIGHTS * shares(m, x),
    "softmax, shifted": lambda m, x: WEIGHTS * safe_shares(m, x),
    "softmax of -x": lambda m, x: WEIGHTS * shares(m, -x),
    "softmax squared": lambda m, x: shares(m, x) ** 2,
    "log softmax": lambda m, x: WEIGHTS * m.log(shares(m, x)),
    "log softmax, shifted": lambda m, x: WEIGHTS * m.log(safe_shares(m, x)),
    "log of softmax": lambda m, x: WEIGHTS * m.log(m.softmax(x, axis=1)),
    "log softmax by log-sum-exp": lambda m, x: (
        WEIGHTS * (x - m.log(m.sum(m.exp(x), axis=1, keepdims=True)))
    ),
    "likelihood, shifted": lambda m, x: -m.mean(m.log(safe_shares(m, x)[ROWS, LABELS])),
    "likelihood of softmax": lambda m, x: -m.mean(m.log(m.softmax(x, axis=1)[ROWS, LABELS])),
    "likelihood, taken first": lambda m, x: (
        -m.mean(m.log(m.exp(x)[ROWS, LABELS] / m.sum(m.exp(x), axis=1)))
    ),
    "likelihood of a column": lambda m, x: -m.sum(m.log(shares(m, x)[:, 1])),
    "likelihood of an element": lambda m, x: -m.log(shares(m, x)[1, 2]),
    "log-sum-exp of all": lambda m, x: m.log(m.sum(m.exp(x))),
    "log-sum-exp, weighed": lambda m, x: m.log(m.sum(m.exp(x) * PRIOR, axis=1)),
    "log-sum-exp, shifted": lambda m, x: (
        m.log(m.sum(m.exp(x - m.max(x, axis=1, keepdims=True)), axis=1)) + m.max(x, axis=1)
    ),
    "log-sum-exp by temperature": lambda m, x: 0.5 * m.log(m.sum(m.exp(2 * x), axis=1)),
    "log of a mixture": lambda m, x: m.log(m.sum(0.25 * m.exp(-(x**2) / 2), axis=1)),
    "divergence": lambda m, x: m.sum(shares(m, x) * m.log(shares(m, x) / PRIOR), axis=1),
    "reverse divergence": lambda m, x: m.sum(PRIOR * m.log(PRIOR / shares(m, x)), axis=1),
    "attention": lambda m, x: m.dot(shares(m, x), np.array([1.0, -2.0, 0.5])),
    "weighed mean": lambda m, x: m.sum(m.exp(x) * WEIGHTS, axis=1) / m.sum(m.exp(x), axis=1),
    "mean of itself": lambda m, x: m.sum(shares(m, x) * x, axis=1),
}

NUMBERS = np.array([1000.0, -1000.0, 40.0, -40.0, 1e-8, -1e-8, 0.0, 1.5])
MATRICES = (
    np.array([[1000.0, -1000, 0], [40, -40, 1e-8], [1000, 999, 998], [-1e-8, 0, 1e-8]]),
    np.array([[-1000.0, -1001, -1002], [1.5, 0.3, 0], [0, 0, 0], [1000, 0, -1e-8]]),
)
