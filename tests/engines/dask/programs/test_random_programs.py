"""Random programs on blocks cut at random; more: ``python -m tests.engines.dask.programs``."""

from __future__ import annotations

from collections import Counter

from tests.engines.dask.programs.campaign import problem_of
from tests.fuzz.program import source
from tests.seeds import seed_of

PROGRAMS = 40


def test_programs_compute_what_numpy_does() -> None:
    tally: Counter[str] = Counter()
    first = seed_of("dask")
    for number in range(first, first + PROGRAMS):
        found = problem_of(number, tally)
        if found is not None:
            program, problem = found
            raise AssertionError(f"seed {number}: {problem}\n{source(program, repr('dask'))}")
    assert tally["compared"] == tally["programs"] == PROGRAMS
