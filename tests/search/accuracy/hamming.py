"""How many bits `improve` saves on the 28 formulas of Hamming's chapter on rounding.

By hand: ``python -m tests.search.accuracy.hamming --points 256``. The formulas, their points and
the measure are those of ``tests.relations.cancellation.hamming``.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import relgraph.tensor as at
from relgraph.formulas.true_values import bits_of_error
from relgraph.search.accuracy import improve
from tests.relations.cancellation.hamming import PROBLEMS, points


def main() -> None:
    """Measure all, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = []
    for problem in PROBLEMS:
        columns, truths = points(problem, options.points, options.seed)
        arguments = problem.arguments
        began = time.perf_counter()
        written = problem.formula(at, *arguments)
        found = improve(written, arguments, domain=problem.domain)
        taken = time.perf_counter() - began
        with np.errstate(all="ignore"):
            forms = (found.original, found.best)
            before, after = (bits_of_error(f(*columns), truths).mean() for f in forms)
        table.append((before, after, taken))
        print(
            f"{problem.where:14} {before:6.2f} {after:6.2f} {taken:5.1f} s  {str(found.best)[:90]}"
        )
    means = np.mean(table, axis=0)
    print(f"{'mean':14} {means[0]:6.2f} {means[1]:6.2f} {means[2]:5.1f} s")


if __name__ == "__main__":
    main()
