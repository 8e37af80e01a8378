"""Two thousand random programs: in every mode relgraph computes what NumPy does.

Each is run in two modes, which go in turn; by hand, more: ``python -m tests.fuzz``.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz.__main__ import main
from tests.fuzz.campaign import EXACT, FINITE, ROUNDING, TURN, Tally, campaign, made_small
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Reference
from tests.fuzz.program import Leaf, Program, Step, quiet, source
from tests.fuzz.shrinking import shrunk

GRAPHS = 2000
CHUNK = 100
EACH = 2


@pytest.mark.parametrize("first", range(0, GRAPHS, CHUNK))
def test_graphs_compute_what_numpy_does(first: int) -> None:
    tally = Tally()
    failures = [f for found in campaign(CHUNK, first, tally, EACH) for f in found]
    assert tally.programs == CHUNK
    assert not failures, f"{len(failures)} fail; the first one:\n{made_small(failures[0])}"


def test_every_mode_has_its_turn() -> None:
    assert {*EXACT, *ROUNDING, *FINITE} == set(TURN)


def test_a_seed_is_a_program() -> None:
    first, second = (draw_program(7, lambda program, error: None) for _ in range(2))
    assert first.steps == second.steps and first.outputs == second.outputs
    for a, b in zip(first.leaves, second.leaves, strict=True):
        assert a.value.tobytes() == b.value.tobytes()
        assert (a.kind, a.static, a.layout) == (b.kind, b.static, b.layout)


def _program(value: list[float], *texts: str, dtype: str = "float64") -> Program:
    steps = tuple(Step(t, t.replace("np.", "at."), (k,)) for k, t in enumerate(texts))
    return Program((Leaf(np.array(value, dtype), "input", (None,)),), steps, (len(steps),))


@pytest.mark.parametrize("off", [1e-3, 1e-12, 1e-15])
def test_what_is_off_by_more_than_rounding_is_seen(off: float) -> None:
    reference = Reference(_program([0.3, 1.7, -2.0], "np.exp({0})", "{0} + 1", "np.sum({0})"))
    assert reference.compare([np.array(reference.expected[0])]) is None
    problem = reference.compare([np.array(reference.expected[0] * (1 + off))])
    assert (problem is None) == (off == 1e-15)


def test_rounding_that_cancellation_shows_is_allowed() -> None:
    program = _program([1e8 + 0.3], "{0} + 1", "{0} - 1e8")
    (expected,) = Reference(program).expected
    assert Reference(program).compare([expected + 1e-8]) is None
    problem = Reference(program).compare([expected + 1e-5])
    assert problem is not None and problem.kind == "value"


def test_what_is_nearer_the_truth_is_allowed() -> None:
    program = _program([1e-12, 800.0], "np.exp({0})", "1 + {0}", "np.log({0})", "{0} - np.log(2)")
    better = np.logaddexp(0, [1e-12, 800.0]) - np.log(2)
    assert Reference(program).compare([better]) is None
    assert Reference(program).compare([better * 1.001]) is not None


def test_a_failure_is_made_small() -> None:
    program = _program([0.5, 2.0, -1.0], "{0} * 3", "np.exp({0})", "np.abs({0})", "{0}[::-1]")

    def fails(p: Program) -> bool:
        return any("exp" in step.numpy for step in p.steps)

    small = shrunk(program, fails)
    assert [step.numpy for step in small.steps] == ["np.exp({0})"]
    assert small.leaves[0].value.tolist() == [0.0]


def test_programs_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(30):
        program = draw_program(seed, lambda program, error: None)
        with quiet():
            exec(compile(source(program, "None"), "<pasted>", "exec"), {})
    assert capsys.readouterr().out


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--graphs", "20", "--each", "1"]) == 0
    assert "20 programs" in capsys.readouterr().out
