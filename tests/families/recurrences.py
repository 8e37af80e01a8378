"""Recurrences on vectors, whose steps share values: what one step computes, the next ones read.

The gradient of such a recurrence is a running product, one factor more at each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Builder = Callable[[Any, int], tuple[list[Any], Any]]


def _steps(
    names: str,
    nodes: int,
    step: Callable[..., Any],
    states: int = 1,
    result: Callable[..., Any] = lambda *state: state[-1],
) -> Builder:
    """Return a builder of a recurrence.

    Parameters
    ----------
    names
        The inputs, the first of which are the states at the start.
    nodes
        How many nodes a step has.
    step
        Makes the next states, or the only one, of a tensor module, the present ones and the inputs.
    states
        How many states there are.
    result
        What is read of the last ones, which is the last one alone by default.
    """

    def build(T: Any, size: int) -> tuple[list[Any], Any]:
        inputs = [T.dvector(name) for name in names.split()]
        state: Any = inputs[:states]
        for _ in range(size // nodes):
            made = step(T, *state, *inputs)
            state = [made] if states == 1 else made
        return inputs, result(*state)

    return build


diamonds = _steps("x", 2, lambda T, u, x: u + u * u)
doubling = _steps("x", 2, lambda T, u, x: T.sin(u + u))
reduced_products = _steps("x", 3, lambda T, u, x: T.sum(u) * x)
reversed_exponentials = _steps("x", 2, lambda T, u, x: T.exp(u)[::-1])
newton_root = _steps("a", 3, lambda T, x, a: 0.5 * (x + a / x))
recurrence_by_scalars = _steps("h s", 3, lambda T, u, h, s: T.tanh(0.5 * u + s))

# two states that read each other
ladder = _steps("x y", 2, lambda T, u, v, *_: (v, T.exp(u) * v), 2)
crossed_ladder = _steps(
    "x y", 4, lambda T, u, v, *_: (T.tanh(u + v), T.cos(u - v)), 2, lambda u, v: u * v
)
# sums of sums that are read twice
fibonacci_sums = _steps("x y", 1, lambda T, a, b, *_: (b, a + b), 2)
fibonacci_products = _steps("x y", 1, lambda T, a, b, *_: (b, a * b), 2)
exponential_recurrence = _steps("x y", 3, lambda T, a, b, *_: (b, T.exp(-a) * b), 2)
# Gauss's mean of the arithmetic and the geometric one
means_of_two = _steps(
    "x y", 4, lambda T, a, b, *_: ((a + b) / 2.0, T.sqrt(a * b)), 2, lambda a, b: a
)


def exponential_average(T: Any, size: int) -> tuple[list[Any], Any]:
    xs, rate = [T.dvector(f"x{i}") for i in range(size // 4)], T.dvector("rate")
    mean = 0.0 * rate
    for x in xs:
        mean = rate * mean + (1.0 - rate) * x
    return [*xs, rate], mean


def leaky_cell(T: Any, size: int) -> tuple[list[Any], Any]:
    x, leak, weight = T.dvector("x"), T.dvector("leak"), T.dvector("weight")
    h = x
    for _ in range(size // 7):
        h = (1.0 - leak) * h + leak * T.tanh(weight * h + x)
    return [x, leak, weight], h


def competing_species(T: Any, size: int) -> tuple[list[Any], Any]:
    """Lotka and Volterra's equations, with rates that are vectors too."""
    x, y, *rates = inputs = [T.dvector(name) for name in ("x", "y", "a", "b", "c", "d")]
    a, b, c, d = rates
    for _ in range(size // 12):
        x, y = x + 0.01 * (a * x - b * x * y), y + 0.01 * (c * x * y - d * y)
    return inputs, x + y


def power_series(T: Any, size: int) -> tuple[list[Any], Any]:
    """Each power made of the one before, and read by a sum of all."""
    x, c = T.dvector("x"), T.dvector("c")
    power, total = x, c
    for i in range(size // 4):
        total = total + power * (1.0 / (i + 1.0))
        power = power * x
    return [x, c], total


def taylor_series(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    term, total = x, 1.0 + x
    for i in range(size // 4):
        term = term * x / (i + 2.0)
        total = total + term
    return [x], total


def legendre_polynomials(T: Any, size: int) -> tuple[list[Any], Any]:
    x, c = T.dvector("x"), T.dvector("c")
    before, p = 0.0 * x + 1.0, x
    total = c
    for i in range(1, 1 + size // 8):
        before, p = p, ((2 * i + 1.0) * x * p - float(i) * before) / (i + 1.0)
        total = total + c * p
    return [x, c], total


def continued_fraction(T: Any, size: int) -> tuple[list[Any], Any]:
    x, a = T.dvector("x"), T.dvector("a")
    out = x
    for i in range(size // 3):
        out = a + (i + 1.0) / (x + out)
    return [x, a], out


def momentum(T: Any, size: int) -> tuple[list[Any], Any]:
    w, c, rate, decay = inputs = [T.dvector(name) for name in ("w", "c", "rate", "decay")]
    speed = 0.0 * w
    for _ in range(size // 8):
        speed = decay * speed - rate * 2.0 * (w - c) * w
        w = w + speed
    return inputs, w


def volatility(T: Any, size: int) -> tuple[list[Any], Any]:
    """The likelihood of returns whose variance is a recurrence."""
    returns = [T.dvector(f"r{i}") for i in range(size // 9)]
    base, a, b = T.dvector("base"), T.dvector("a"), T.dvector("b")
    v, total = base, 0.0
    for r in returns:
        total = total + T.log(v) + r * r / v
        v = base + a * r * r + b * v
    return [*returns, base, a, b], total


def scalar_filter(T: Any, size: int) -> tuple[list[Any], Any]:
    """Kalman's filter of a random walk."""
    seen = [T.dvector(f"z{i}") for i in range(size // 10)]
    noise, drift = T.dvector("noise"), T.dvector("drift")
    mean, var = 0.0 * noise, noise
    for z in seen:
        var = var + drift
        gain = var / (var + noise)
        mean, var = mean + gain * (z - mean), (1.0 - gain) * var
    return [*seen, noise, drift], mean


def oscillator(T: Any, size: int) -> tuple[list[Any], Any]:
    """Van der Pol's, step by step."""
    x, v, mu = T.dvector("x"), T.dvector("v"), T.dvector("mu")
    inputs = [x, v, mu]
    for _ in range(size // 9):
        x, v = x + 0.01 * v, v + 0.01 * (mu * (1.0 - x * x) * v - x)
    return inputs, x


def discounted_returns(T: Any, size: int) -> tuple[list[Any], Any]:
    rewards, g = [T.dvector(f"r{i}") for i in range(size // 4)], T.dvector("g")
    discount, total = g, rewards[0]
    for r in rewards[1:]:
        total = total + discount * r
        discount = discount * g
    return [*rewards, g], T.sqr(total)


def gated_sums(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    h = x
    for _ in range(size // 8):
        z = 1.0 / (1.0 + T.exp(-(h * y)))
        h = z * h + (1.0 - z) * x
    return [x, y], h
