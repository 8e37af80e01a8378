"""Random programs through the engine: what NumPy computes, but for rounding.

More by hand: ``python -m tests.engines.jax.test_fuzz 1000 2000`` for a thousand from seed 2000.
"""

from __future__ import annotations

import sys

from relgraph.testing import check_linker
from tests.fuzz.campaign import ASKED, Failure, Tally, campaign, made_small
from tests.fuzz.judge import Values
from tests.seeds import seed_of

# The first rounds nothing anew; the others apply laws, the last those that take numbers for finite.
MODES: dict[str, Values] = {
    "Mode('jax', None)": "in range",
    "Mode('jax', 'strict')": "in range",
    "Mode('jax')": "finite",
}
GRAPHS = 12

ASKED.update(MODES)


def failures(count: int, seed: int) -> list[Failure]:
    return [f for found in campaign(count, seed, Tally(), [*MODES]) for f in found]


def test_graphs_compute_what_numpy_does() -> None:
    found = failures(GRAPHS, seed_of("jax"))
    assert not found, f"{len(found)} fail; the first one:\n{made_small(found[0])}"


def test_random_graphs_with_gradients() -> None:
    assert check_linker("jax", examples=4, seed=seed_of("linker jax")).passed


if __name__ == "__main__":
    for failure in failures(int(sys.argv[1]), int(sys.argv[2])):
        print(made_small(failure), end="\n\n")
