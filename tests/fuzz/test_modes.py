"""Random programs: in every mode relgraph computes what NumPy does.

Each is run in one mode, which go in turn; by hand, more: ``python -m tests.fuzz``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from relgraph import config
from tests.fuzz.__main__ import main
from tests.fuzz.campaign import ASKED, TURN, Tally, campaign, examine, failing, in_tier, made_small
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Reference, Values, shifted_shares
from tests.fuzz.known import DECIDED, Known
from tests.fuzz.program import Program, program_of, quiet, source
from tests.fuzz.shrinking import shrunk
from tests.seeds import seed_of

GRAPHS = 50 * len(TURN)
# In so many programs of a mode may no value be compared.
MOST_UNSAID = 0.03


def test_graphs_compute_what_numpy_does() -> None:
    tally = Tally()
    with config.change_flags(check_costs=True):
        failures = [f for found in campaign(GRAPHS, seed_of("fuzz"), tally) for f in found]
    assert not failures, f"{len(failures)} fail; the first one:\n{made_small(failures[0])}"
    assert tally.programs == GRAPHS
    unsaid = tally.share_unsaid()
    assert set(unsaid) == set(TURN)
    assert max(unsaid.values()) <= MOST_UNSAID, tally.unsaid


@pytest.mark.parametrize("tier", ["compiled", "swapped"])
def test_compiled_code_computes_it_too(tier: str) -> None:
    tally = Tally()
    with in_tier(tier):
        failures = [f for found in campaign(24, seed_of("fuzz", tier), tally) for f in found]
    assert not failures, f"{len(failures)} fail; the first one:\n{failures[0]}"
    assert tally.tiers["compiled"] > 6


@pytest.mark.parametrize("asked", sorted(set(ASKED.values())))
def test_values_are_what_is_asked(asked: Values) -> None:
    first = seed_of("fuzz", asked)
    for seed in range(first, first + 40):
        program = draw_program(seed, lambda program, error: None, asked)
        reference = Reference(program)
        assert reference.unfit(asked) is None
        if asked in ("finite", "positive"):
            assert all(np.isfinite(v).all() for v in reference.values)


def test_a_program_that_any_value_would_do_for_is_counted() -> None:
    nothing_left = Reference(program_of("np.sin({0} + 1 - 1e17)", [1e17 + 3e3]))
    (expected,) = nothing_left.expected
    assert nothing_left.says_nothing([expected], "finite") is None
    assert nothing_left.says_nothing([expected / 2], "finite") == "any value would do"
    infinite = Reference(program_of("1 / {0}", [0.0, 1.0]))
    assert infinite.says_nothing(infinite.expected, "finite") == "not finite"
    assert infinite.says_nothing(infinite.expected, "in range") is None
    extreme = Reference(program_of("{0} * {0}", [1e-300]))
    assert extreme.says_nothing(extreme.expected, "in range") == "extreme"
    assert extreme.says_nothing(extreme.expected, "any") is None
    negative = Reference(program_of("np.log({0} * {0})", [-1.0]))
    assert negative.says_nothing(negative.expected, "positive") == "a logarithm"
    empty = Reference(program_of("{0} + 1", []))
    assert empty.says_nothing(empty.expected, "any") == "empty"


def test_a_seed_is_a_program() -> None:
    first, second = (draw_program(7, lambda program, error: None) for _ in range(2))
    assert first.steps == second.steps and first.outputs == second.outputs
    for a, b in zip(first.leaves, second.leaves, strict=True):
        assert a.value.tobytes() == b.value.tobytes()
        assert (a.kind, a.static, a.layout) == (b.kind, b.static, b.layout)


@pytest.mark.parametrize("off", [1e-3, 1e-12, 1e-15])
def test_what_is_off_by_more_than_rounding_is_seen(off: float) -> None:
    reference = Reference(program_of("np.sum(np.exp({0}) + 1)", [0.3, 1.7, -2.0]))
    assert reference.compare([np.array(reference.expected[0])]) is None
    problem = reference.compare([np.array(reference.expected[0] * (1 + off))])
    assert (problem is None) == (off == 1e-15)


def test_rounding_that_cancellation_shows_is_allowed() -> None:
    program = program_of("{0} + 1 - 1e8", [1e8 + 0.3])
    (expected,) = Reference(program).expected
    assert Reference(program).compare([expected + 1e-8]) is None
    problem = Reference(program).compare([expected + 1e-5])
    assert problem is not None and problem.kind == "value"


def test_what_is_nearer_the_truth_is_allowed() -> None:
    program = program_of("np.log(1 + np.exp({0})) - np.log(2)", [1e-12, 800.0])
    better = np.logaddexp(0, [1e-12, 800.0]) - np.log(2)
    assert Reference(program).compare([better]) is None
    assert Reference(program).compare([better * 1.001]) is not None


EXPONENTS = [0.0, -0.6148703163485555, 0.3, 157.9131404167254]
ALONE = program_of("np.exp({0}) / np.sum(np.exp({0}))", EXPONENTS)
exponential, total, share = ALONE.steps
again = exponential, replace(total, args=(2,)), replace(share, args=(1, 3))

SHARES = {
    "alone": ALONE,
    "weighed": program_of("{0} * np.exp({0}) / np.sum(np.exp({0}))", EXPONENTS),
    "computed twice": replace(ALONE, steps=(exponential, *again), outputs=(4,)),
}


@pytest.mark.parametrize("name", SHARES)
def test_what_a_softmax_rounds_is_allowed(name: str) -> None:
    """It is right for large exponents too, since it takes the largest from all, and rounds the
    differences: half a unit of 158 is 80 units of an exponential."""
    program = SHARES[name]
    assert examine(program, "'Stabilization'", Reference(program), Tally()) is None
    reference = Reference(program)
    (expected,) = reference.expected
    # from the largest exponent itself nothing is taken that could be rounded
    for place, off, allowed in ((1, 1e-13, True), (1, 1e-12, False), (3, 1e-13, False)):
        found = np.array(expected)
        found[place] *= 1 + off
        assert (reference.compare([found]) is None) == allowed, (place, off)


@pytest.mark.parametrize(
    "text",
    [
        "np.sum(np.exp({0}))",
        "np.exp({0}) / np.sum({0})",
        "np.exp({0}) - np.sum(np.exp({0}))",
    ],
)
def test_what_a_softmax_rounds_is_allowed_in_shares_alone(text: str) -> None:
    program = program_of(text, EXPONENTS)
    assert not shifted_shares(program, Reference(program).values)


def test_a_failure_is_made_small() -> None:
    program = program_of("np.abs(np.exp({0} * 3))[::-1]", [0.5, 2.0, -1.0])

    def fails(p: Program) -> bool:
        return any("exp" in step.numpy for step in p.steps)

    small = shrunk(program, fails)
    assert [step.numpy for step in small.steps] == ["np.exp({0})"]
    assert small.leaves[0].value.tolist() == [0.0]


def test_programs_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    first = seed_of("fuzz as text")
    for seed in range(first, first + 15):
        program = draw_program(seed, lambda program, error: None)
        with quiet():
            exec(compile(source(program, "None"), "<pasted>", "exec"), {})
    assert capsys.readouterr().out


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--graphs", "20", "--seed", "0"]) == 0
    assert "20 programs" in capsys.readouterr().out


# What is known is there: when one of these fails, its line in `known` can go.


@pytest.mark.parametrize("known", DECIDED, ids=lambda known: known.name)
def test_what_is_decided_makes_a_difference(known: Known) -> None:
    problem = failing(known.program, known.mode)
    assert problem is not None
    assert known.matches(known.program, problem)
