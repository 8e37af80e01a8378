"""Random programs of `tests.fuzz` on blocks cut at random: what NumPy computes, but for rounding.

More by hand: ``python -m tests.engines.dask.test_fuzz 3000 0`` for three thousand from seed 0.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import dask
import dask.array as da
import numpy as np

from relgraph.compile import Mode, function
from relgraph.engines.dask import DaskLinker
from tests.fuzz.campaign import Failure
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Problem, Reference, Values
from tests.fuzz.program import Program, arguments, build, quiet
from tests.seeds import seed_of

OPTIMIZERS: dict[str | None, Values] = {
    None: "in range",
    "fast_run": "finite",
    "strict": "in range",
}
PROGRAMS = 40


def cut_at_random(x: np.ndarray, rng: Random) -> Any:
    """Return an array cut into blocks at random; blocks may be empty."""
    chunks = []
    for n in x.shape:
        cuts = sorted(rng.randint(0, n) for _ in range(rng.choice((0, 0, 1, 1, 2, 3))))
        chunks.append(tuple(b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True)))
    return da.from_array(x, chunks=tuple(chunks), name=False)


def failures(count: int, seed: int, tally: Counter[str]) -> Iterator[Failure]:
    """Yield programs of which Dask makes something else, and count what was compared."""
    for number in range(seed, seed + count):
        rng = Random(number)
        optimizer = rng.choice(list(OPTIMIZERS))
        program = draw_program(number, lambda program, error: None, OPTIMIZERS[optimizer])
        linker = DaskLinker(compute=rng.choice((None, True, False)), passes=rng.random() < 0.7)
        with quiet():
            problem = _problem(program, Mode(linker, optimizer), OPTIMIZERS[optimizer], rng, tally)
        if problem is not None:
            yield Failure(number, f"Mode({linker}, {optimizer!r})", program, problem)


def _problem(
    program: Program, mode: Mode, asked: Values, rng: Random, tally: Counter[str]
) -> Problem | None:
    given = [cut_at_random(x, rng) if rng.random() < 0.8 else x for x in arguments(program)]
    try:
        run = function(*build(program), mode=mode, on_unused_input="ignore")
        with dask.config.set(scheduler="sync"):
            found = [np.asarray(x) for x in run(*given)]
    except Exception as error:
        return Problem("error", f"{type(error).__name__}: {error}")
    for k, (value, fresh) in enumerate(zip(given, arguments(program), strict=True)):
        if np.asarray(value).tobytes() != fresh.tobytes():
            return Problem("input", f"argument {k} was written to")
    reference = Reference(program)
    tally[reference.unfit(asked) or "compared"] += 1
    return reference.judge(found, asked)


def test_programs_compute_what_numpy_does() -> None:
    tally: Counter[str] = Counter()
    for failure in failures(PROGRAMS, seed_of("dask"), tally):
        raise AssertionError(str(failure))
    assert tally == {"compared": PROGRAMS}


if __name__ == "__main__":
    tally: Counter[str] = Counter()
    for failure in failures(int(sys.argv[1]), int(sys.argv[2]), tally):
        print(failure, end="\n\n", flush=True)
    print(dict(tally))
