"""Random programs through the engine: what NumPy computes, but for rounding.

More by hand: ``python -m tests.engines.jax.test_fuzz 1000 2000`` for a thousand from seed 2000.
"""

from __future__ import annotations

import sys

import pytest

from relgraph.testing import check_linker
from tests.fuzz import campaign
from tests.fuzz.campaign import Failure, Tally, examine, made_small
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Reference

# The first rounds nothing anew; the others apply laws, the last those that take numbers for finite.
MODES = ("Mode('jax', None)", "Mode('jax', 'strict')", "Mode('jax')")
GRAPHS = 12


def failures(count: int, seed: int) -> list[Failure]:
    found = []
    for number in range(seed, seed + count):
        program = draw_program(number, lambda program, error: None)
        try:
            reference = Reference(program)
        except Exception:
            continue  # NumPy refuses it
        mode = MODES[number % len(MODES)]
        problem = examine(program, mode, reference, Tally())
        if problem is not None:
            found.append(Failure(number, mode, program, problem))
    return found


@pytest.fixture(autouse=True)
def finite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "FINITE", (*campaign.FINITE, MODES[-1]))


def test_graphs_compute_what_numpy_does() -> None:
    found = failures(GRAPHS, 0)
    assert not found, f"{len(found)} fail; the first one:\n{made_small(found[0])}"


def test_random_graphs_with_gradients() -> None:
    assert check_linker("jax", examples=4).passed


if __name__ == "__main__":
    campaign.FINITE = (*campaign.FINITE, MODES[-1])
    for failure in failures(int(sys.argv[1]), int(sys.argv[2])):
        print(made_small(failure), end="\n\n")
