"""Nine programs with their gradients, for what rewriting takes and what a call takes.

Each takes the library and its tensors, and gives the inputs, the outputs, and values of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = tuple[list[Any], list[Any], list[Any]]
RNG = np.random.default_rng(0)


def _with_gradient(
    library: Any, cost: Any, inputs: list[Any], wrt: list[Any], values: Any
) -> Program:
    return inputs, [cost, *library.grad(cost, wrt)], list(values)


def rnn(library: Any, tensor: Any, steps: int = 20) -> Program:
    """A recurrent net, unrolled, with a mean squared error."""
    x, w, u = tensor.dmatrix("x"), tensor.dmatrix("w"), tensor.dmatrix("u")
    h = tensor.zeros((8,))
    for t in range(steps):
        h = tensor.tanh(tensor.dot(x[t], w) + tensor.dot(h, u))
    cost = (h**2).mean()
    values = RNG.normal(size=(steps, 5)), RNG.normal(size=(5, 8)) / 3, RNG.normal(size=(8, 8)) / 4
    return _with_gradient(library, cost, [x, w, u], [w, u], values)


def black_scholes(library: Any, tensor: Any) -> Program:
    """Prices of options, and how they change with the price, the time and the volatility."""
    names = ["spot", "strike", "time", "rate", "volatility"]
    spot, strike, time, rate, volatility = inputs = [tensor.dvector(name) for name in names]
    deviation = volatility * tensor.sqrt(time)
    first = (tensor.log(spot / strike) + (rate + volatility**2 / 2) * time) / deviation
    second = first - deviation

    def below(z: Any) -> Any:
        return (1 + tensor.erf(z / np.sqrt(2.0))) / 2

    discounted = strike * tensor.exp(-rate * time)
    call = spot * below(first) - discounted * below(second)
    put = call - spot + discounted
    slopes = library.grad((call + put).sum(), [spot, time, volatility])
    count = 1000
    values = [
        RNG.uniform(80, 120, count), RNG.uniform(80, 120, count), RNG.uniform(0.1, 2, count),
        RNG.uniform(0, 0.05, count), RNG.uniform(0.1, 0.5, count),
    ]  # fmt: skip
    return inputs, [call, put, *slopes], values


def mixture(library: Any, tensor: Any) -> Program:
    """The log likelihood of a mixture of three normal distributions."""
    x, mean, scale, weight = (tensor.dvector(n) for n in ("x", "mean", "scale", "weight"))
    z = (x[:, None] - mean[None, :]) / scale[None, :]
    density = tensor.exp(-(z**2) / 2) / (scale * np.sqrt(2 * np.pi))[None, :]
    shares = tensor.exp(weight) / tensor.exp(weight).sum()
    cost = -tensor.log((density * shares[None, :]).sum(axis=1)).sum()
    values = RNG.normal(size=500), np.array([-1.0, 0, 1]), np.array([1.0, 0.5, 2]), np.zeros(3)
    return _with_gradient(library, cost, [x, mean, scale, weight], [mean, scale, weight], values)


def kalman(library: Any, tensor: Any, steps: int = 15) -> Program:
    """The log likelihood of a level that walks at random, by a Kalman filter, unrolled."""
    y, drift, noise = tensor.dvector("y"), tensor.dscalar("drift"), tensor.dscalar("noise")
    level, variance, cost = 0.0 * drift, 1.0 + 0.0 * drift, 0.0
    for t in range(steps):
        variance = variance + tensor.exp(drift)
        of_error = variance + tensor.exp(noise)
        error = y[t] - level
        gain = variance / of_error
        level, variance = level + gain * error, (1 - gain) * variance
        cost = cost + (tensor.log(2 * np.pi * of_error) + error**2 / of_error) / 2
    values = RNG.normal(size=steps), np.float64(-1.0), np.float64(0.0)
    return _with_gradient(library, cost, [y, drift, noise], [drift, noise], values)


def lstm(library: Any, tensor: Any, steps: int = 8) -> Program:
    """A long short-term memory, unrolled, with a mean squared error."""
    x, w, u = tensor.dtensor3("x"), tensor.dmatrix("w"), tensor.dmatrix("u")
    size = 6
    h, c = tensor.zeros((4, size)), tensor.zeros((4, size))
    for t in range(steps):
        gates = tensor.dot(x[t], w) + tensor.dot(h, u)
        i, f, o, g = (gates[:, k * size : (k + 1) * size] for k in range(4))
        c = tensor.sigmoid(f) * c + tensor.sigmoid(i) * tensor.tanh(g)
        h = tensor.sigmoid(o) * tensor.tanh(c)
    cost = (h**2).mean()
    shapes = (steps, 4, 3), (3, 4 * size), (size, 4 * size)
    return _with_gradient(
        library, cost, [x, w, u], [w, u], [RNG.normal(size=s) / 2 for s in shapes]
    )


def attention(library: Any, tensor: Any) -> Program:
    """Attention written by hand, and a cross-entropy written by hand."""
    x, q, k, v, out = (tensor.dmatrix(n) for n in ("x", "q", "k", "v", "out"))
    scores = tensor.dot(tensor.dot(x, q), tensor.dot(x, k).T) / np.sqrt(8.0)
    weights = tensor.exp(scores) / tensor.exp(scores).sum(axis=1, keepdims=True)
    logits = tensor.dot(tensor.dot(weights, tensor.dot(x, v)), out)
    p = tensor.exp(logits) / tensor.exp(logits).sum(axis=1, keepdims=True)
    labels = np.arange(16) % 5
    cost = -tensor.log(p)[np.arange(16), labels].mean()
    shapes = (16, 8), (8, 8), (8, 8), (8, 8), (8, 5)
    values = [RNG.normal(size=s) / 2 for s in shapes]
    return _with_gradient(library, cost, [x, q, k, v, out], [q, k, v, out], values)


def ode_step(library: Any, tensor: Any, steps: int = 5) -> Program:
    """Steps of Runge and Kutta for predators and prey, and how the end depends on the rates."""
    state, rates = tensor.dvector("state"), tensor.dvector("rates")

    def change(prey: Any, predators: Any) -> tuple[Any, Any]:
        meetings = prey * predators
        return rates[0] * prey - rates[1] * meetings, rates[2] * meetings - rates[3] * predators

    a, b, h = state[0], state[1], 0.05
    for _ in range(steps):
        k1 = change(a, b)
        k2 = change(a + h / 2 * k1[0], b + h / 2 * k1[1])
        k3 = change(a + h / 2 * k2[0], b + h / 2 * k2[1])
        k4 = change(a + h * k3[0], b + h * k3[1])
        a = a + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        b = b + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    cost = (a - 1) ** 2 + (b - 1) ** 2
    values = np.array([1.0, 0.5]), np.array([0.7, 0.4, 0.3, 0.5])
    return _with_gradient(library, cost, [state, rates], [state, rates], values)


def gaussian_process(library: Any, tensor: Any) -> Program:
    """The log marginal likelihood of a Gaussian process of 60 points."""
    x, y, log_scale = tensor.dvector("x"), tensor.dvector("y"), tensor.dscalar("log_scale")
    distance = (x[:, None] - x[None, :]) / tensor.exp(log_scale)
    covariance = tensor.exp(-(distance**2) / 2) + 0.1 * tensor.eye(60)
    linalg = tensor.linalg
    weights = linalg.solve(covariance, y)
    cost = (tensor.dot(y, weights) + tensor.log(linalg.det(covariance))) / 2
    values = np.linspace(0, 3, 60), RNG.normal(size=60), np.float64(0.0)
    return _with_gradient(library, cost, [x, y, log_scale], [log_scale], values)


def adam(library: Any, tensor: Any, layers: int = 4) -> Program:
    """A step of Adam on a net with several layers: the new weights and moments."""
    x, y = tensor.dmatrix("x"), tensor.dvector("y")
    weights = [tensor.dmatrix(f"w{i}") for i in range(layers)]
    firsts, seconds = ([tensor.dmatrix(f"{n}{i}") for i in range(layers)] for n in "mv")
    h = x
    for w in weights[:-1]:
        h = tensor.tanh(tensor.dot(h, w))
    cost = tensor.log(1 + tensor.exp(-y * tensor.dot(h, weights[-1])[:, 0])).mean()
    outputs = [cost]
    slopes = library.grad(cost, weights)
    for w, g, m, v in zip(weights, slopes, firsts, seconds, strict=True):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        step = 0.01 * (m / (1 - 0.9)) / (tensor.sqrt(v / (1 - 0.999)) + 1e-8)
        outputs += [w - step, m, v]
    sizes = [(10, 10)] * (layers - 1) + [(10, 1)]
    values = [RNG.normal(size=(32, 10)), np.sign(RNG.normal(size=32))]
    values += [RNG.normal(size=s) / 3 for s in sizes]
    values += [np.zeros(s) for s in sizes] + [np.ones(s) for s in sizes]
    return [x, y, *weights, *firsts, *seconds], outputs, values


PROGRAMS: dict[str, Callable[..., Program]] = {
    f.__name__: f
    for f in (
        *(rnn, black_scholes, mixture, kalman, lstm),
        *(attention, ode_step, gaussian_process, adam),
    )
}
