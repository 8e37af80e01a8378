"""Random programs on blocks cut at random, against NumPy: those of `tests.fuzz`."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import dask
import dask.array as da
import numpy as np

from relgraph.compile import Mode, function
from relgraph.engines.dask import DaskLinker
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Problem, Reference, Values
from tests.fuzz.program import Program, arguments, build, quiet

OPTIMIZERS: dict[str | None, Values] = {
    None: "in range",
    "fast_run": "finite",
    "strict": "in range",
}


def cut_at_random(x: np.ndarray, rng: Random) -> Any:
    """Return an array cut into blocks at random; blocks may be empty."""
    chunks = []
    for n in x.shape:
        cuts = sorted(rng.randint(0, n) for _ in range(rng.choice((0, 0, 1, 1, 2, 3))))
        chunks.append(tuple(b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True)))
    return da.from_array(x, chunks=tuple(chunks), name=False)


@quiet()
def problem_of(number: int, tally: Counter[str]) -> tuple[Program, Problem] | None:
    """Return a program and what is wrong with what Dask makes of it; None if nothing is."""
    rng = Random(number)
    optimizer = rng.choice(list(OPTIMIZERS))
    asked = OPTIMIZERS[optimizer]
    program = draw_program(number, lambda p, e: None, asked)
    reference = Reference(program)
    linker = DaskLinker(compute=rng.choice((None, True, False)), passes=rng.random() < 0.7)
    given = [cut_at_random(x, rng) if rng.random() < 0.8 else x for x in arguments(program)]
    tally["programs"] += 1
    try:
        inputs, outputs = build(program)
        run = function(inputs, outputs, mode=Mode(linker, optimizer), on_unused_input="ignore")
        with dask.config.set(scheduler="sync"):
            found = [np.asarray(x) for x in run(*given)]
    except Exception as error:
        return program, Problem("error", f"{linker}: {type(error).__name__}: {error}")
    for k, (value, fresh) in enumerate(zip(given, arguments(program), strict=True)):
        if np.asarray(value).tobytes() != fresh.tobytes():
            return program, Problem("input", f"argument {k} was written to")
    tally[reference.unfit(asked) or "compared"] += 1
    wrong = reference.judge(found, asked)
    return None if wrong is None else (program, wrong)
