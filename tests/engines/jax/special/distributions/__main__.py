"""All distribution functions on the ordinary range, the wide one, and the edges.

``python -m tests.engines.jax.special.distributions [NAMES]`` compiles each and prints its largest
errors, with where they are. Those at which SciPy is wrong are named in `cases.SCIPY_IS_WRONG`.
"""

from __future__ import annotations

import sys
import time

import jax
import numpy as np

from relgraph.engines.jax.precision import wide
from relgraph.engines.jax.special.distributions import DISTRIBUTIONS
from tests.engines.jax.special.distributions.cases import KINDS, arguments, edges, errors


def report(name: str, count: int = 1000) -> None:
    """Print the errors of a function, and its time beside SciPy's."""
    run = jax.jit(DISTRIBUTIONS[name])
    for title in ("ordinary", "wide", "edges"):
        values = edges(name) if title == "edges" else arguments(name, count, title == "wide")
        start = time.perf_counter()
        found = np.asarray(run(*values))
        seconds = time.perf_counter() - start
        error = errors(name, found, values)
        worst = np.argsort(-error)[:3]
        print(f"{name:14} {title:9} {error.max():8.1e}  {seconds:6.2f} s ", end="")
        print(f"{(error > 1e-9).sum()} of {error.size} above 1e-9", flush=True)
        for i in worst[error[worst] > (1e-12 if title == "ordinary" else 1e-9)]:
            print(f"    {error[i]:8.1e} {[float(v[i]) for v in values]} {found[i]}", flush=True)


if __name__ == "__main__":
    with wide(True):
        for name in sys.argv[1:] or KINDS:
            report(name)
