"""Recurrences on vectors, whose steps share values: what one step computes, the next ones read.

The gradient of such a recurrence is a running product, one factor more at each step.
"""

from __future__ import annotations

from typing import Any


def exponential_recurrence(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    a, b = x, y
    for _ in range(size // 3):
        a, b = b, T.exp(-a) * b
    return [x, y], b


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


def newton_root(T: Any, size: int) -> tuple[list[Any], Any]:
    a = T.dvector("a")
    x = a
    for _ in range(size // 3):
        x = 0.5 * (x + a / x)
    return [a], x


def continued_fraction(T: Any, size: int) -> tuple[list[Any], Any]:
    x, a = T.dvector("x"), T.dvector("a")
    out = x
    for i in range(size // 3):
        out = a + (i + 1.0) / (x + out)
    return [x, a], out


def means_of_two(T: Any, size: int) -> tuple[list[Any], Any]:
    """Gauss's mean of the arithmetic and the geometric one."""
    x, y = T.dvector("x"), T.dvector("y")
    a, b = x, y
    for _ in range(size // 4):
        a, b = (a + b) / 2.0, T.sqrt(a * b)
    return [x, y], a


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
