"""Numerical methods written out step by step."""

from __future__ import annotations

import cmath
from typing import Any


def predator_and_prey(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dscalar("x"), T.dscalar("y")
    p, q = x, y
    for _ in range(size // 7):
        p, q = p + 0.01 * (p - p * q), q + 0.01 * (p * q - q)
    return [x, y], p


def pendulum(T: Any, size: int) -> tuple[list[Any], Any]:
    angle, speed, length = T.dscalar("angle"), T.dscalar("speed"), T.dscalar("length")
    a, v = angle, speed
    for _ in range(size // 7):
        v = v - 0.01 * (9.81 / length) * T.sin(a)
        a = a + 0.01 * v
    return [angle, speed, length], a


def runge_kutta(T: Any, size: int) -> tuple[list[Any], Any]:
    x, k = T.dvector("x"), T.dscalar("k")
    u, h = x, 0.05

    def slope(v: Any) -> Any:
        return k * v * (1.0 - v)

    for _ in range(size // 30):
        k1 = slope(u)
        k2 = slope(u + h / 2 * k1)
        k3 = slope(u + h / 2 * k2)
        k4 = slope(u + h * k3)
        u = u + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return [x, k], u


def logistic_map(T: Any, size: int) -> tuple[list[Any], Any]:
    x, r = T.dscalar("x"), T.dscalar("r")
    u = x
    for _ in range(size // 3):
        u = r * u * (1.0 - u)
    return [x, r], u


def horner(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    coefficients = [T.dscalar(f"c{i}") for i in range(size // 2)]
    out = 0.0 * x
    for c in coefficients:
        out = out * x + c
    return [x, *coefficients], out


def clenshaw(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    coefficients = [T.dscalar(f"c{i}") for i in range(size // 4)]
    b1 = b2 = 0.0 * x
    for c in reversed(coefficients):
        b1, b2 = 2.0 * x * b1 - b2 + c, b1
    return [x, *coefficients], x * b1 - b2


def finite_differences(T: Any, size: int) -> tuple[list[Any], Any]:
    """Heat that spreads along a rod of five places."""
    places = [T.dscalar(f"u{i}") for i in range(5)]
    u, r = places, 0.1
    for _ in range(size // 17):
        inner = [u[i] + r * (u[i - 1] - 2.0 * u[i] + u[i + 1]) for i in range(1, 4)]
        u = [u[0], *inner, u[4]]
    return places, T.add(*[v * v for v in u])


def edit_distance(T: Any, size: int) -> tuple[list[Any], Any]:
    """Soft costs: that of a change is an input."""
    change, gap = T.dscalar("change"), T.dscalar("gap")
    side = max(2, int((size / 6) ** 0.5))
    above = [gap * float(j) for j in range(side + 1)]
    for i in range(1, side + 1):
        row = [gap * float(i)]
        for j in range(1, side + 1):
            cost = change if (i * j) % 3 else 0.5 * change
            row.append(T.minimum(T.minimum(above[j] + gap, row[j - 1] + gap), above[j - 1] + cost))
        above = row
    return [change, gap], above[-1]


def forward_algorithm(T: Any, size: int) -> tuple[list[Any], Any]:
    """The likelihood of a hidden Markov model of two states, in logarithms."""
    stay, leave = T.dscalar("stay"), T.dscalar("leave")
    seen = [T.dscalar(f"e{i}") for i in range(2)]
    a, b = seen

    def log_sum(u: Any, v: Any) -> Any:
        return T.log(T.exp(u) + T.exp(v))

    for i in range(size // 16):
        a, b = (
            log_sum(a + stay, b + leave) + seen[i % 2],
            log_sum(a + leave, b + stay) + seen[1 - i % 2],
        )
    return [stay, leave, *seen], log_sum(a, b)


def fourier_transform(T: Any, size: int) -> tuple[list[Any], Any]:
    """The power of a Fourier transform by halves, with real and imaginary parts apart."""
    n = 2
    while 10 * n * n.bit_length() < 2 * size:
        n *= 2
    points = [T.dscalar(f"x{i}") for i in range(n)]
    zero = 0.0 * points[0]

    def halves(values: list[Any]) -> list[Any]:
        if len(values) == 1:
            return values
        even, odd = halves(values[::2]), halves(values[1::2])
        turned = []
        for k, (re, im) in enumerate(odd):
            w = cmath.exp(-2j * cmath.pi * k / len(values))
            turned.append((re * w.real - im * w.imag, re * w.imag + im * w.real))
        pairs = list(zip(even, turned, strict=True))
        return [(a + c, b + d) for (a, b), (c, d) in pairs] + [
            (a - c, b - d) for (a, b), (c, d) in pairs
        ]

    found = halves([(p, zero) for p in points])
    return points, T.add(*[T.sqrt(re * re + im * im) for re, im in found])


def cholesky(T: Any, size: int) -> tuple[list[Any], Any]:
    """Half the logarithm of a determinant."""
    n = max(2, int((3 * size) ** (1 / 3)))
    a = [[T.dscalar(f"a{i}_{j}") for j in range(i + 1)] for i in range(n)]
    low: list[list[Any]] = []
    for i in range(n):
        low.append([])
        for j in range(i + 1):
            rest = a[i][j]
            for k in range(j):
                rest = rest - low[i][k] * low[j][k]
            low[i].append(T.sqrt(rest) if i == j else rest / low[j][j])
    return [v for row in a for v in row], T.add(*[T.log(low[i][i]) for i in range(n)])
