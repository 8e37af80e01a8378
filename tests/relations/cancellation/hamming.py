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
from relgraph.formulas.true_values import bits_of_error
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
    domain
        Of which arguments it is asked, as Python; None for all.
    """

    where: str
    formula: Formula
    domain: str | None = None

    @property
    def arguments(self) -> list[Any]:
        """Variables of the names that the formula has for its arguments."""
        code = self.formula.__code__
        return [at.dvector(name) for name in code.co_varnames[1 : code.co_argcount]]


def _upper_root(m: Any, a: Any, b: Any, c: Any) -> Any:
    return (-b + m.sqrt(b * b - 4 * (a * c))) / (2 * a)


def _lower_root(m: Any, a: Any, b: Any, c: Any) -> Any:
    return (-b - m.sqrt(b * b - 4 * (a * c))) / (2 * a)


ROOTS = "a != 0 and b * b >= 4 * (a * c)"
HALVED_ROOTS = "a != 0 and b * b >= a * c"

PROBLEMS = (
    Problem("example 3.1", lambda m, x: m.sqrt(x + 1) - m.sqrt(x), "x >= 0"),
    Problem("example 3.3", lambda m, x, e: m.sin(x + e) - m.sin(x)),
    Problem("example 3.4", lambda m, x: (1 - m.cos(x)) / m.sin(x), "x != 0"),
    Problem("example 3.5", lambda m, n: m.arctan(n + 1) - m.arctan(n)),
    Problem("example 3.6", lambda m, x: 1 / m.sqrt(x) - 1 / m.sqrt(x + 1), "x >= 0"),
    Problem("example 3.7", lambda m, x: m.exp(x) - 1),
    Problem("example 3.8", lambda m, n: ((n + 1) * m.log(n + 1) - n * m.log(n)) - 1, "n > 0"),
    Problem("example 3.9", lambda m, x: 1 / x - 1 / m.tan(x), "x != 0"),
    Problem("example 3.10", lambda m, x: m.log(1 - x) / m.log(1 + x), "-1 < x < 1"),
    Problem("page 42, +", _upper_root, ROOTS),
    Problem("page 42, -", _lower_root, ROOTS),
    Problem("3.2.1, +", lambda m, a, b, c: (-b + m.sqrt(b * b - a * c)) / a, HALVED_ROOTS),
    Problem("3.2.1, -", lambda m, a, b, c: (-b - m.sqrt(b * b - a * c)) / a, HALVED_ROOTS),
    Problem("3.3.1", lambda m, x: 1 / (x + 1) - 1 / x, "x != 0"),
    Problem("3.3.2", lambda m, x, e: m.tan(x + e) - m.tan(x)),
    Problem("3.3.3", lambda m, x: (1 / (x + 1) - 2 / x) + 1 / (x - 1), "x != 0 and abs(x) != 1"),
    Problem("3.3.4", lambda m, x: m.cbrt(x + 1) - m.cbrt(x), "x >= 0"),
    Problem("3.3.5", lambda m, x, e: m.cos(x + e) - m.cos(x)),
    Problem("3.3.6", lambda m, n: m.log(n + 1) - m.log(n), "n > 0"),
    Problem("3.3.7", lambda m, x: (m.exp(x) - 2) + m.exp(-x)),
    Problem("3.4.1", lambda m, x: (1 - m.cos(x)) / (x * x), "x != 0"),
    Problem(
        "3.4.2",
        lambda m, a, b, e: (
            (e * (m.exp((a + b) * e) - 1)) / ((m.exp(a * e) - 1) * (m.exp(b * e) - 1))
        ),
        "a != 0 and b != 0 and e != 0",
    ),
    Problem("3.4.3", lambda m, e: m.log((1 - e) / (1 + e)), "-1 < e < 1"),
    Problem("3.4.4", lambda m, x: m.sqrt((m.exp(2 * x) - 1) / (m.exp(x) - 1)), "x != 0"),
    Problem("3.4.5", lambda m, x: (x - m.sin(x)) / (x - m.tan(x)), "x != 0"),
    Problem("3.4.6", lambda m, x, n: (x + 1) ** (1 / n) - x ** (1 / n), "x >= 0"),
    Problem("section 3.5", lambda m, a, x: m.exp(a * x) - 1),
    Problem("section 3.11", lambda m, x: m.exp(x) / (m.exp(x) - 1), "x != 0"),
)


def drawn(random: Random) -> float:
    """Return a float64 of random bits."""
    (found,) = struct.unpack("d", random.getrandbits(64).to_bytes(8, "little"))
    return float(found)


def points(problem: Problem, count: int, seed: int) -> tuple[list[Any], Any]:
    """Return values for each argument, and the true ones of the formula."""
    random = Random(f"{problem.where} {seed}")
    arguments = problem.arguments
    written = problem.formula(at, *arguments)
    names = [v.name for v in arguments]
    is_given = eval(f"lambda {', '.join(names)}: {problem.domain or True}")  # data above
    known = np.empty((len(arguments) + 1, 0))
    while known.shape[1] < count:
        tried = [tuple(drawn(random) for _ in arguments) for _ in range(2 * count)]
        given = [v for v in tried if np.isfinite(v).all() and is_given(*v)]
        columns = np.array(given).reshape(-1, len(arguments)).T
        truths = truth(written, {v.name: c for v, c in zip(arguments, columns, strict=True)})
        known = np.hstack([known, np.vstack([columns, truths])[:, np.isfinite(truths)]])
    *columns, truths = known[:, :count]
    return columns, truths


def errors(problem: Problem, count: int, seed: int) -> dict[str, float]:
    """Return the mean bits of error in each mode."""
    columns, truths = points(problem, count, seed)
    arguments = problem.arguments
    written = problem.formula(at, *arguments)
    computed = [function(arguments, written, mode=mode) for mode in MODES]
    return {
        mode: float(bits_of_error(compute(*columns), truths).mean())
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
