"""Defects that the programs run into and that are known: each with a program that shows it.

`test_known` asks that each be there still: when one is mended, its line goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.fuzz.judge import Problem
from tests.fuzz.program import Leaf, Program, Step


@dataclass(frozen=True, eq=False)
class Known:
    """A defect that is known.

    Attributes
    ----------
    name
        What it is called in reports.
    why
        What is wrong.
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


def _input(value: object, dtype: str) -> Leaf:
    array = np.array(value, dtype)
    return Leaf(array, "input", (None,) * array.ndim)


def _last(*texts: str) -> Callable[[Program, Problem], bool]:
    """Whether a problem says all this, of the last step or in its text."""

    def matches(program: Program, problem: Problem) -> bool:
        said = f"{problem.kind} {problem.text} {program.steps[-1].relgraph}"
        return all(text in said for text in texts)

    return matches


def _has(kinds: str, *texts: str) -> Callable[[Program, Problem], bool]:
    """Whether a problem is of one of some kinds and one of the steps holds one of the texts."""

    def matches(program: Program, problem: Problem) -> bool:
        steps = " ".join(step.relgraph for step in program.steps)
        return problem.kind in kinds.split() and any(text in steps for text in texts)

    return matches


# Indices that take all of what they index.
_WHOLE = ("[:]", "[::1]", "[...]", "[..., :]", "[:, :]", "[:, ...]", "[:, :, :]")
_WHOLE_PARTS = tuple(f"subtensor({{0}}{index}" for index in _WHOLE)


def _steps(dtype: str, value: object, *texts: str | tuple[str, str]) -> Program:
    """Return a program of steps one after the other."""
    pairs = [(t, t.replace("np.", "at.")) if isinstance(t, str) else t for t in texts]
    steps = tuple(Step(*pair, (k,)) for k, pair in enumerate(pairs))
    return Program((_input(value, dtype),), steps, (len(steps),))


def _steps_of_log1p() -> Program:
    texts = [("1 + {0}", (0,)), ("np.log({0})", (1,)), ("{0} - 1", (1,)), ("{0} / {1}", (2, 3))]
    steps = tuple(Step(t, t.replace("np.", "at."), args) for t, args in texts)
    return Program((_input([2.2090496998585445e-05], "float64"),), steps, (4,))


def _clip_by_arrays() -> Program:
    leaves = (_input([-0.0, -0.0], "float64"), _input([0.0, 0.0], "float64"))
    leaves = (*leaves, _input([1.0, 1.0], "float64"))
    step = Step("np.clip({0}, {1}, {2})", "at.clip({0}, {1}, {2})", (0, 1, 2))
    return Program(leaves, (step,), (3,))


KNOWN = (
    Known(
        "power of twos",
        "x ** full_like(x, 2) becomes a square in strict, and NumPy's power rounds otherwise",
        _steps("float32", [[0.0, 0.813956618309021]], "np.power({0}, np.full_like({0}, 2))"),
        "'strict'",
        _has("bits", "power"),
    ),
    Known(
        "log1p by hand",
        "log(1 + x) / ((1 + x) - 1) is exact to rounding, and log1p(x) / ((1 + x) - 1) is not",
        _steps_of_log1p(),
        "'Stabilization'",
        lambda program, problem: (
            problem.kind in ("value", "worse")
            and any("log" in step.numpy for step in program.steps)
            and any("- 1" in step.numpy for step in program.steps)
            and any("1 +" in step.numpy for step in program.steps)
        ),
    ),
    Known(
        "clip of a zero by arrays",
        "clip(-0.0, [0.0], [1.0]) is 0.0 in NumPy, and -0.0 if the bounds are numbers, as here",
        _clip_by_arrays(),
        "'fast_compile'",
        _has("bits", "clip({0}, {1}, {2})"),
    ),
    Known(
        "complex products commute",
        "x * y - y * x of complex numbers is one product in strict, and NumPy rounds the two apart",
        Program(
            (
                _input(complex(0.5025168645296851, 0.6238224730902562), "complex128"),
                _input([[0] * 4] * 3 + [[0, 0, 0, -1.49748313 + 0.62382247j]], "complex128"),
            ),
            (Step("{0} * {1} - {1} * {0}", "{0} * {1} - {1} * {0}", (0, 1)),),
            (2,),
        ),
        "'strict'",
        lambda program, problem: problem.kind == "bits" and "complex" in problem.text,
    ),
    Known(
        "variance of float16",
        "std rounds the variance to float16 before it takes the root, and var has other bits",
        _steps("float16", [0.0, -0.50244140625, 1.0009765625, -1.0], "np.std({0})"),
        "None",
        _has("bits", "std(", "var("),
    ),
)


def known_as(program: Program, problem: Problem) -> str | None:
    """Return the name of the known defect that a problem is; None if it is none."""
    return next((k.name for k in KNOWN if k.matches(program, problem)), None)
