"""How many bits `improve` saves on the 28 formulas of Hamming's chapter on rounding.

By hand: ``python -m tests.search.accuracy.hamming --points 256``. The formulas, their points and
the measure are those of ``tests.relations.cancellation.hamming``.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import relgraph.tensor as at
from relgraph.search.accuracy import improve
from tests.relations.cancellation.hamming import PROBLEMS, Problem, bits, points

DOMAINS = {
    "not_zero": "{0} != 0",
    "not_negative": "{0} >= 0",
    "within_one": "-1 < {0} < 1",
    "has_roots": "{0} != 0 and {1} * {1} >= 4 * ({0} * {2})",
    "has_halved_roots": "{0} != 0 and {1} * {1} >= {0} * {2}",
    "no_pole": "{0} != -1 and {0} != 0 and {0} != 1",
}
"""The conditions by the names of the functions that state them."""

POSITIVE = ("example 3.8", "3.3.6")


def domain_of(problem: Problem, names: list[str]) -> str | None:
    """Return the condition on the inputs as a text."""
    if problem.where in POSITIVE:
        return f"{names[0]} > 0"
    known = DOMAINS.get(problem.given.__name__)
    if known is None:
        return None
    if problem.given.__name__ == "not_zero":
        return " and ".join(f"{n} != 0" for n in names)
    return known.format(*names)


def main() -> None:
    """Measure all, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = []
    for problem in PROBLEMS:
        columns, truths = points(problem, options.points, options.seed)
        names = [f"x{k}" for k in range(problem.count)]
        arguments = [at.dvector(n) for n in names]
        began = time.perf_counter()
        written = problem.formula(at, *arguments)
        found = improve(written, arguments, domain=domain_of(problem, names))
        taken = time.perf_counter() - began
        with np.errstate(all="ignore"):
            forms = (found.original, found.best)
            before, after = (bits(f(*columns), truths).mean() for f in forms)
        table.append((before, after, taken))
        print(
            f"{problem.where:14} {before:6.2f} {after:6.2f} {taken:5.1f} s  {str(found.best)[:90]}"
        )
    means = np.mean(table, axis=0)
    print(f"{'mean':14} {means[0]:6.2f} {means[1]:6.2f} {means[2]:5.1f} s")


if __name__ == "__main__":
    main()
