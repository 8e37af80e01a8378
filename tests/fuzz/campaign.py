"""Programs run in all modes, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from relgraph.compile import Mode, function
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Problem, Reference, compare_bits, compare_types
from tests.fuzz.known import known_as
from tests.fuzz.program import Program, arguments, build, quiet, source
from tests.fuzz.shrinking import shrunk

# The text of each mode is Python for it. Those that keep every bit: `relgraph.compile.mode`.
EXACT = ("'strict'", "'fast_compile'", "'o2'", "None")
# Those that round otherwise but take no number for finite.
ROUNDING = (
    "'Stabilization'",
    "Mode(optimizer='o3').excluding('finite')",
    "Mode(optimizer='fast_run').excluding('finite')",
)
# Those that take every number for finite, as rows of the documented table say.
FINITE = ("'o3'", "'fast_run'", "'unsafe'")
# In turn: a third of all is strict.
TURN = ("'strict'", ROUNDING[0], "'fast_run'", "'strict'", ROUNDING[1], "'unsafe'", "'strict'")
TURN += (
    "'o3'",
    ROUNDING[2],
    "'strict'",
    "'fast_run'",
    "'fast_compile'",
    "'strict'",
    "'o2'",
    "None",
)


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
    """What was run: programs, and comparisons by mode and how far they went."""

    programs: int = 0
    steps: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    unsaid: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)


def _mode(text: str) -> Any:
    return Mode("py", None) if text == "None" else eval(text, {"Mode": Mode})


def says_nothing(program: Program, reference: Reference, mode: str) -> str | None:
    """Return why the values of a program say nothing about a mode that rounds; None if they do."""
    if mode in FINITE and not reference.finite:
        return "not finite"
    if mode == "'unsafe'" and any("log" in step.numpy for step in program.steps):
        return "a logarithm"
    return "extreme" if reference.extreme else None


@quiet()
def examine(program: Program, mode: str, reference: Reference, tally: Tally) -> Problem | None:
    """Return what is wrong with a program in a mode; None if nothing is."""
    try:
        inputs, outputs = build(program)
        run = function(inputs, outputs, mode=_mode(mode), on_unused_input="ignore")
        given = arguments(program)
        found = run(*given)
    except Exception as error:
        return Problem("error", f"{type(error).__name__}: {error}")
    for k, (value, fresh) in enumerate(zip(given, arguments(program), strict=True)):
        if value.tobytes() != fresh.tobytes():
            return Problem("input", f"argument {k} was written to")
    for k, (variable, out) in enumerate(zip(outputs, found, strict=True)):
        if any(n not in (None, m) for n, m in zip(variable.type.shape, out.shape, strict=True)):
            return Problem("shape", f"output {k}: {out.shape} of type {variable.type}")
    tally.compared[mode] += 1
    if mode in EXACT:
        return _exact(program, mode, reference, found)
    why = says_nothing(program, reference, mode)
    if why is None:
        return reference.compare(found)
    tally.unsaid[f"{mode}: {why}"] += 1
    pairs = enumerate(zip(found, reference.expected, strict=True))
    problems = (p for k, (a, b) in pairs if (p := compare_types(k, a, b)) is not None)
    # how many elements a mask takes is a value too
    return next((p for p in problems if why != "not finite" or p.kind != "shape"), None)


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


def campaign(graphs: int, seed: int, tally: Tally, each: int = 1) -> Iterator[list[Failure]]:
    """Run programs, and yield for each what fails and is not known to.

    Parameters
    ----------
    graphs
        How many programs.
    seed
        That of the first; each has its own.
    each
        In how many modes each is run; which, goes in turn.
    """
    for number in range(seed, seed + graphs):
        refusals: list[tuple[Program, Exception]] = []
        program = draw_program(number, lambda p, e, seen=refusals: seen.append((p, e)))
        tally.programs += 1
        tally.steps += len(program)
        found = [(p, "None", Problem("refused", f"{type(e).__name__}: {e}")) for p, e in refusals]
        reference = Reference(program)
        for k in range(each):
            mode = TURN[(number * each + k) % len(TURN)]
            problem = examine(program, mode, reference, tally)
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
