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


KNOWN = (
    Known(
        "power of twos",
        "x ** full_like(x, 2) becomes a square in strict, and NumPy's power rounds otherwise",
        _steps("float32", [[0.0, 0.813956618309021]], "np.power({0}, np.full_like({0}, 2))"),
        "'strict'",
        _has("bits", "power"),
    ),
    Known(
        "clip of minus zero",
        "clip(-0.0, -1, 0) is 0.0: its bounds are arrays, and with numbers NumPy gives -0.0",
        _steps("float64", [-0.0], "np.clip({0}, -1, 0)"),
        "None",
        _has("bits", "clip"),
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
        "number into unsigned",
        "set_subtensor(v[0], 3) of unsigned integers raises: the number is taken for an int64",
        _steps("uint8", [1, 2], ("set_({0}, np.s_[0], 3)", "at.set_subtensor({0}[0], 3)")),
        "None",
        _last("refused", "int64 values don't fit into a tensor of uint"),
    ),
    Known(
        "unsigned by a negative number",
        "x / -1 and clip(x, -1, 3) of unsigned integers raise, and in NumPy they have a value",
        _steps("uint8", [1, 2], "{0} / -1"),
        "None",
        lambda program, problem: (
            problem.kind in ("refused", "error")
            and "out of the range of uint" in problem.text
            and ("true_div" in problem.text or "clip" in problem.text)
        ),
    ),
    Known(
        "clip of a zero at a bound",
        "clip(-0.0, -1, 0) is -0.0 in NumPy if the bounds are no arrays; here it is 0.0",
        _steps("float64", [0.0, -0.0], "np.clip({0}, -1, 0)"),
        "'fast_compile'",
        _has("bits", "clip("),
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
