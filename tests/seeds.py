"""The seed of everything that tests draw: what `seed.txt` says."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

SEED = int(Path(__file__).with_name("seed.txt").read_text())


class Samples:
    """Whether samples alone are made into tests; `conftest.py` sets it where no others will run."""

    alone = False


def seed_of(*names: object) -> int:
    """Return the seed of one use, by its names: another for each use, the same in each process."""
    return zlib.crc32(" ".join(str(name) for name in (SEED, *names)).encode())


def sampled(cases: Iterable[Any], count: int, *names: object) -> list[Any]:
    """Return the parameters of a test of a large space, of which the suite takes a sample.

    Parameters
    ----------
    cases
        All parameters: tuples where the test has several, or what `pytest.param` returns.
    count
        The size of the sample. The seed decides what is in it.
    names
        The names of the use, as in `seed_of`.

    Returns
    -------
    parameters
        All of them. Those outside of the sample run by ``pytest -m thorough``, and are left out
        here where no such test is asked for.
    """
    every = [one if isinstance(one, ParameterSet) else _parameter(one) for one in cases]
    taken = set(Random(seed_of(*names)).sample(range(len(every)), min(count, len(every))))
    if Samples.alone:
        return [every[i] for i in sorted(taken)]
    return [
        one if i in taken else one._replace(marks=(*one.marks, pytest.mark.thorough))
        for i, one in enumerate(every)
    ]


ParameterSet = type(pytest.param())


def _parameter(case: Any) -> Any:
    return pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)
