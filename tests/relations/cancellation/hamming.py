"""The 28 formulas that Hamming's chapter on rounding asks to rewrite, and their errors in bits.

R. W. Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3: its examples, its
problems, and both roots of a quadratic. The conditions on the arguments are those of FPBench
(fpbench.org, "hamming-ch3"), and so is the measure: arguments are uniform over the bit patterns of
float64 that fulfil them, an error is the logarithm of 1 and the number of floats between a result
and the true one.

By hand: ``python -m tests.relations.cancellation.hamming --points 256 --seed 1``.
"""

from __future__ import annotations

import argparse
import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.compile import function
from tests.relations.cancellation.accuracy import truth

MODES = ("None", "Stabilization", "o4")


Formula = Callable[..., Any]


@dataclass(frozen=True)
class Problem:
    """A formula that loses digits.

    Attributes
    ----------
    where
        Its place in the book.
    formula
        What is computed by the functions of a module from arguments.
    given
        Of which arguments it is asked.
    """

    where: str
    formula: Formula
    given: Callable[..., bool] = lambda *_: True

    @property
    def count(self) -> int:
        """How many arguments there are."""
        return self.formula.__code__.co_argcount - 1


def not_zero(*arguments: float) -> bool:
    return all(v != 0 for v in arguments)


def not_negative(x: float, *_: float) -> bool:
    return x >= 0


def within_one(x: float) -> bool:
    return -1 < x < 1


def has_roots(a: float, b: float, c: float) -> bool:
    return a != 0 and b * b >= 4 * (a * c)


def has_halved_roots(a: float, b: float, c: float) -> bool:
    return a != 0 and b * b >= a * c


def no_pole(x: float) -> bool:
    return x not in (-1, 0, 1)


def _upper_root(m: Any, a: Any, b: Any, c: Any) -> Any:
    return (-b + m.sqrt(b * b - 4 * (a * c))) / (2 * a)


def _lower_root(m: Any, a: Any, b: Any, c: Any) -> Any:
    return (-b - m.sqrt(b * b - 4 * (a * c))) / (2 * a)


PROBLEMS = (
    Problem("example 3.1", lambda m, x: m.sqrt(x + 1) - m.sqrt(x), not_negative),
    Problem("example 3.3", lambda m, x, e: m.sin(x + e) - m.sin(x)),
    Problem("example 3.4", lambda m, x: (1 - m.cos(x)) / m.sin(x), not_zero),
    Problem("example 3.5", lambda m, n: m.arctan(n + 1) - m.arctan(n)),
    Problem("example 3.6", lambda m, x: 1 / m.sqrt(x) - 1 / m.sqrt(x + 1), not_negative),
    Problem("example 3.7", lambda m, x: m.exp(x) - 1),
    Problem(
        "example 3.8", lambda m, n: ((n + 1) * m.log(n + 1) - n * m.log(n)) - 1, lambda n: n > 0
    ),
    Problem("example 3.9", lambda m, x: 1 / x - 1 / m.tan(x), not_zero),
    Problem("example 3.10", lambda m, x: m.log(1 - x) / m.log(1 + x), within_one),
    Problem("page 42, +", _upper_root, has_roots),
    Problem("page 42, -", _lower_root, has_roots),
    Problem("3.2.1, +", lambda m, a, b, c: (-b + m.sqrt(b * b - a * c)) / a, has_halved_roots),
    Problem("3.2.1, -", lambda m, a, b, c: (-b - m.sqrt(b * b - a * c)) / a, has_halved_roots),
    Problem("3.3.1", lambda m, x: 1 / (x + 1) - 1 / x, not_zero),
    Problem("3.3.2", lambda m, x, e: m.tan(x + e) - m.tan(x)),
    Problem("3.3.3", lambda m, x: (1 / (x + 1) - 2 / x) + 1 / (x - 1), no_pole),
    Problem("3.3.4", lambda m, x: m.cbrt(x + 1) - m.cbrt(x), not_negative),
    Problem("3.3.5", lambda m, x, e: m.cos(x + e) - m.cos(x)),
    Problem("3.3.6", lambda m, n: m.log(n + 1) - m.log(n), lambda n: n > 0),
    Problem("3.3.7", lambda m, x: (m.exp(x) - 2) + m.exp(-x)),
    Problem("3.4.1", lambda m, x: (1 - m.cos(x)) / (x * x), not_zero),
    Problem(
        "3.4.2",
        lambda m, a, b, e: (
            (e * (m.exp((a + b) * e) - 1)) / ((m.exp(a * e) - 1) * (m.exp(b * e) - 1))
        ),
        not_zero,
    ),
    Problem("3.4.3", lambda m, e: m.log((1 - e) / (1 + e)), within_one),
    Problem("3.4.4", lambda m, x: m.sqrt((m.exp(2 * x) - 1) / (m.exp(x) - 1)), not_zero),
    Problem("3.4.5", lambda m, x: (x - m.sin(x)) / (x - m.tan(x)), not_zero),
    Problem("3.4.6", lambda m, x, n: (x + 1) ** (1 / n) - x ** (1 / n), not_negative),
    Problem("section 3.5", lambda m, a, x: m.exp(a * x) - 1),
    Problem("section 3.11", lambda m, x: m.exp(x) / (m.exp(x) - 1), not_zero),
)


def drawn(random: Random) -> float:
    """Return a float64 of random bits."""
    (found,) = struct.unpack("d", random.getrandbits(64).to_bytes(8, "little"))
    return float(found)


def points(problem: Problem, count: int, seed: int) -> tuple[list[Any], Any]:
    """Return values for each argument, and the true ones of the formula."""
    random = Random(f"{problem.where} {seed}")
    arguments = [at.dvector(f"x{k}") for k in range(problem.count)]
    written = problem.formula(at, *arguments)
    known = np.empty((problem.count + 1, 0))
    while known.shape[1] < count:
        tried = [tuple(drawn(random) for _ in arguments) for _ in range(2 * count)]
        given = [v for v in tried if np.isfinite(v).all() and problem.given(*v)]
        columns = np.array(given).reshape(-1, problem.count).T
        truths = truth(written, {v.name: c for v, c in zip(arguments, columns, strict=True)})
        known = np.hstack([known, np.vstack([columns, truths])[:, np.isfinite(truths)]])
    *columns, truths = known[:, :count]
    return columns, truths


def bits(found: Any, truths: Any) -> Any:
    """Return the bits of error: the logarithm of 1 and the number of floats between; 64 for nan."""
    ordinals = [np.ascontiguousarray(v, np.float64).view(np.int64) for v in (found, truths)]
    places = [np.where(v < 0, -1 - (v & np.iinfo(np.int64).max), v) for v in ordinals]
    apart = np.abs(places[0].astype(np.float64) - places[1].astype(np.float64))
    near = np.abs(apart) < 2**52
    exact = np.where(near, np.abs(np.subtract(*places)), apart)
    return np.where(np.isnan(found), 64.0, np.log2(1 + exact))


def errors(problem: Problem, count: int, seed: int) -> dict[str, float]:
    """Return the mean bits of error in each mode."""
    columns, truths = points(problem, count, seed)
    arguments = [at.dvector(f"x{k}") for k in range(problem.count)]
    written = problem.formula(at, *arguments)
    computed = [function(arguments, written, mode=mode) for mode in MODES]
    return {
        mode: float(bits(compute(*columns), truths).mean())
        for mode, compute in zip(MODES, computed, strict=True)
    }


def main() -> None:
    """Measure all, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = {p.where: errors(p, options.points, options.seed) for p in PROBLEMS}
    for where, means in table.items():
        print(f"{where:14}", *[f"{means[mode]:6.2f}" for mode in MODES])
    print(f"{'mean':14}", *[f"{np.mean([m[mode] for m in table.values()]):6.2f}" for mode in MODES])


if __name__ == "__main__":
    main()
