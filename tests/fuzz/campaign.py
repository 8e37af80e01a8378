"""Programs run in all modes, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from relgraph import config
from relgraph.compile import Mode, function
from relgraph.vm.tier.tiers import POLICIES, Policy
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Problem, Reference, Values, compare_bits
from tests.fuzz.known import known_as
from tests.fuzz.program import Program, arguments, build, quiet, source
from tests.fuzz.shrinking import shrunk

# The text of each mode is Python for it, and what it asks of the values that it is judged by.
# The first four keep every bit: `relgraph.compile.mode`. The next three round otherwise but take no
# number for finite; of the last three, rows of the documented table say what they take.
ASKED: dict[str, Values] = {
    **dict.fromkeys(("'strict'", "'fast_compile'", "'o2'", "None"), "any"),
    "'Stabilization'": "in range",
    "Mode(optimizer='o3').excluding('finite')": "in range",
    "Mode(optimizer='fast_run').excluding('finite')": "in range",
    "'o3'": "finite",
    "'fast_run'": "finite",
    "'unsafe'": "positive",
}
# How often a function is called once it is compiled.
CALLS_AFTER = 2
# In turn: the default and the strict one more often than the others.
TURN = (*ASKED, "'fast_run'", "'strict'")


@dataclass
class Failure:
    """A program that went wrong in a mode."""

    seed: int
    mode: str
    program: Program
    problem: Problem

    def __str__(self) -> str:
        return (
            f"seed {self.seed}, mode {self.mode}: {self.problem.kind}\n{self.problem.text}\n\n"
            f"{source(self.program, self.mode)}"
        )


@dataclass
class Tally:
    """What was run: programs, comparisons by mode and how far they went, and what tiers became."""

    programs: int = 0
    steps: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    unsaid: Counter[tuple[str, str]] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)

    def share_unsaid(self) -> dict[str, float]:
        """Return for each mode in how many of its programs no value was compared."""
        unsaid: Counter[str] = Counter()
        for (mode, _why), count in self.unsaid.items():
            unsaid[mode] += count
        return {mode: unsaid[mode] / count for mode, count in self.compared.items()}


def _mode(text: str) -> Any:
    return Mode("py", None) if text == "None" else eval(text, {"Mode": Mode})


@quiet()
def examine(program: Program, mode: str, reference: Reference, tally: Tally) -> Problem | None:
    """Return what is wrong with a program in a mode; None if nothing is."""
    try:
        inputs, outputs = build(program)
        if config.tier == "auto":
            # compiled after the first call or later, with or without a comparison of both tiers
            size = len(program.steps)
            POLICIES["auto"] = Policy(calls=1 + size % 2, seconds=0.0, rounds=size // 2 % 2)
        run = function(inputs, outputs, mode=_mode(mode), on_unused_input="ignore")
        given = arguments(program)
        record = getattr(run._run, "record", None)
        results = _results(run, given, record)
        tally.tiers.update([] if record is None else [record.state])
    except Exception as error:
        return Problem("error", f"{type(error).__name__}: {error}")
    for k, (value, fresh) in enumerate(zip(given, arguments(program), strict=True)):
        if value.tobytes() != fresh.tobytes():
            return Problem("input", f"argument {k} was written to")
    tally.compared[mode] += 1
    problems = (_problem(program, mode, reference, outputs, found, tally) for found in results)
    return next((problem for problem in problems if problem is not None), None)


def _problem(
    program: Program,
    mode: str,
    reference: Reference,
    outputs: list[Any],
    found: list[Any],
    tally: Tally,
) -> Problem | None:
    """Return what is wrong with the values that a call gave."""
    for k, (variable, out) in enumerate(zip(outputs, found, strict=True)):
        if any(n not in (None, m) for n, m in zip(variable.type.shape, out.shape, strict=True)):
            return Problem("shape", f"output {k}: {out.shape} of type {variable.type}")
    asked = ASKED[mode]
    if asked == "any":
        problem = _exact(program, mode, reference, found)
    else:
        problem = reference.judge(found, asked)
    if problem is None:
        why = reference.says_nothing(found, asked)
        tally.unsaid.update([] if why is None else [(mode, why)])
    return problem


def _results(run: Any, given: list[Any], record: Any) -> list[list[Any]]:
    """Return the values of a call; where compiled code is swapped in aside, of one call before it
    and of all that give other bits."""
    found = [run(*given)]
    if config.tier == "auto" and record is not None:
        seen, left = {_bits(found[0])}, CALLS_AFTER
        while left:
            left -= record.state in ("compiled", "failed")
            again = run(*given)
            if _bits(again) not in seen:
                seen.add(_bits(again))
                found.append(again)
    return found


def _bits(found: list[Any]) -> tuple[Any, ...]:
    return tuple((out.dtype, out.shape, out.tobytes()) for out in found)


@contextmanager
def in_tier(tier: str) -> Iterator[None]:
    """Run functions by NumPy ("vm"), compiled from the first call on ("compiled"), or by NumPy
    until what a thread compiles is swapped in ("swapped")."""
    usual = POLICIES["auto"]
    with config.change_flags(tier="auto" if tier == "swapped" else tier):
        try:
            yield
        finally:
            POLICIES["auto"] = usual


def _exact(program: Program, mode: str, reference: Reference, found: list[Any]) -> Problem | None:
    borrowed = any("softmax" in s.numpy or "logsumexp" in s.numpy for s in program.steps)
    problem = None
    if not borrowed:
        problem = compare_bits(found, reference.expected, "NumPy")
    if mode == "None" or (problem is None and not borrowed):
        return problem
    inputs, outputs = build(program)
    plain = function(inputs, outputs, mode=_mode("None"), on_unused_input="ignore")
    return compare_bits(found, plain(*arguments(program)), "unoptimized") or problem


def failing(program: Program, mode: str, tally: Tally | None = None) -> Problem | None:
    """Return what is wrong with a program in a mode."""
    try:
        reference = Reference(program)
    except Exception:
        return None
    return examine(program, mode, reference, Tally() if tally is None else tally)


def _stands(program: Program) -> bool:
    """Return whether a program can be run with nothing optimized."""
    problem = failing(program, "None")
    return problem is None or problem.kind != "error"


def made_small(failure: Failure) -> Failure:
    """Return a failure with a smaller program that fails in the same way."""
    kind, mode = failure.problem.kind, failure.mode
    kinds = ("error", "type") if kind == "refused" else (kind,)
    name = failure.problem.text.split(":")[0]
    # What fails as it stands does not show that a mode does.
    stands = _stands(failure.program)

    def fails(program: Program) -> bool:
        problem = failing(program, mode)
        if problem is None or problem.kind not in kinds or known_as(program, problem) is not None:
            return False
        if problem.kind != "error":
            return True
        return problem.text.startswith(name) and (_stands(program) or not stands)

    program = shrunk(failure.program, fails)
    problem = failing(program, mode)
    return failure if problem is None else Failure(failure.seed, mode, program, problem)


def campaign(
    graphs: int, seed: int, tally: Tally, turn: Sequence[str] = TURN
) -> Iterator[list[Failure]]:
    """Run programs, and yield for each what fails and is not known to.

    Parameters
    ----------
    graphs
        How many programs.
    seed
        That of the first; each has its own, and a mode.
    turn
        The modes, which go in turn.
    """
    for number in range(seed, seed + graphs):
        mode = turn[number % len(turn)]
        refusals: list[tuple[Program, Exception]] = []
        program = draw_program(number, lambda p, e, seen=refusals: seen.append((p, e)), ASKED[mode])
        tally.programs += 1
        tally.steps += len(program)
        found = [(p, "None", Problem("refused", f"{type(e).__name__}: {e}")) for p, e in refusals]
        problem = examine(program, mode, Reference(program), tally)
        if problem is not None:
            found.append((program, mode, problem))
        yield list(_unknown(number, found, tally))


def _unknown(
    number: int, found: list[tuple[Program, str, Problem]], tally: Tally
) -> Iterator[Failure]:
    for program, mode, problem in found:
        name = known_as(program, problem)
        if name is None:
            yield Failure(number, mode, program, problem)
        else:
            tally.known[name] += 1


def examined(tier: str, chunk: range) -> tuple[Tally, list[str]]:
    """Return what was run of some programs in a tier, and each that fails, made small."""
    tally = Tally()
    with in_tier(tier):
        found = [f for failures in campaign(len(chunk), chunk.start, tally) for f in failures]
        return tally, [str(made_small(failure)) for failure in found]
