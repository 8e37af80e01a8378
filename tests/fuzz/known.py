"""What the programs run into and is known: each with a program that shows it.

`DECIDED` is what relgraph computes otherwise than NumPy on purpose. `test_known` asks that each be
there still: when one is not, its line goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.judge import Problem
from tests.fuzz.program import Program, program_of


@dataclass(frozen=True, eq=False)
class Known:
    """A decision that is known.

    Attributes
    ----------
    name
        What it is called in reports.
    why
        What is decided.
    program, mode
        What shows it.
    matches
        Whether what went wrong with a program is this.
    """

    name: str
    why: str
    program: Program
    mode: str
    matches: Callable[[Program, Problem], bool]


def _has(kinds: str, *texts: str) -> Callable[[Program, Problem], bool]:
    """Whether a problem is of one of some kinds and one of the steps holds one of the texts."""

    def matches(program: Program, problem: Problem) -> bool:
        steps = " ".join(step.relgraph for step in program.steps)
        return problem.kind in kinds.split() and any(text in steps for text in texts)

    return matches


DECIDED = (
    Known(
        "power of twos",
        "exponents 2, 0.5, 1 and -1 in an array give a square and so on, as a number does in NumPy",
        # with the widest vectors of a processor, and without
        program_of(
            "np.power({0}, np.full_like({0}, 2))",
            [0.0, 0.813956618309021, 0.6770190000534058, 0.6763916015625, 0.19156880676746368],
            dtype="float32",
        ),
        "None",
        _has("bits", "**", "power("),
    ),
    Known(
        "clip of a zero by arrays",
        "clip(-0.0, [0.0], [1.0]) is 0.0 in NumPy, and -0.0 if the bounds are numbers, as here",
        program_of("np.clip({0}, {1}, {2})", [-0.0, -0.0], [0.0, 0.0], [1.0, 1.0]),
        "None",
        _has("bits", "clip("),
    ),
    Known(
        "variance of float16",
        "means and variances of float16 are computed in float32, and NumPy's variance is not",
        program_of("np.std({0})", [0.0, -0.50244140625, 1.0009765625, -1.0], dtype="float16"),
        "None",
        _has("bits", "std(", "var("),
    ),
)


def known_as(program: Program, problem: Problem) -> str | None:
    """Return the name of what is known and a problem shows; None if it is unknown."""
    return next((k.name for k in DECIDED if k.matches(program, problem)), None)
