"""Random programs to PyTensor and back: there they have the same values, and after the return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pytensor.graph.fg import FunctionGraph

from relgraph.bridges.pytensor import from_pytensor, relational_rewriter, to_pytensor
from relgraph.graph.reference import evaluate
from tests.bridges.pytensor.running import carried_in, values_of
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Problem, Reference, Values, compare_bits, compare_types
from tests.fuzz.program import Program, arguments, build, quiet, source

# How often a rewriter may change a graph: what it writes is read again in another form.
MOST_ROUNDS = 3


def examine(program: Program, tally: Counter[str]) -> Iterator[str]:
    """Yield what is wrong with a program in PyTensor, and after the return."""
    inputs, outputs = build(program)
    given = arguments(program)
    plain = evaluate(outputs, dict(zip(inputs, given, strict=True)))
    their_inputs, theirs = to_pytensor(outputs, inputs)
    tally.update(f"carried: {name}" for name in carried_in(their_inputs, theirs))
    back_inputs, back = from_pytensor(theirs, their_inputs)
    if any(a is not b for a, b in zip(inputs, back_inputs, strict=True)):
        yield "the inputs that came back are others"
    returned = evaluate(back, dict(zip(back_inputs, given, strict=True)))
    yield from _judged(program, returned, plain, "back", tally)
    found = _run(their_inputs, theirs, given, tally)
    if found is not None:
        yield from _judged(program, found, plain, "there", tally)


def examine_rewriter(program: Program, tally: Counter[str]) -> Iterator[str]:
    """Yield what is wrong with a program whose graph PyTensor rewrites by this library's laws."""
    inputs, outputs = build(program)
    given = arguments(program)
    fgraph = FunctionGraph(*to_pytensor(outputs, inputs), clone=True)
    rewriter = relational_rewriter(include=("canonicalize", "stabilize"))
    kinds = [(v.type.dtype, v.type.ndim) for v in fgraph.outputs]
    rounds = 0
    while rewriter.rewrite(fgraph):
        rounds += 1
        if rounds > MOST_ROUNDS:
            yield f"it does not come to rest\n{source(program, 'None')}"
            return
    tally[f"rewriter: at rest after {rounds}"] += 1
    if kinds != [(v.type.dtype, v.type.ndim) for v in fgraph.outputs]:
        yield f"the rewriter changes a type\n{source(program, 'None')}"
    reference = Reference(program)
    if reference.unfit("finite") is None:
        found = _run(fgraph.inputs, fgraph.outputs, given, tally)
        if found is not None:
            yield from _judged(program, found, reference.expected, "rewritten", tally)


def _run(
    inputs: Sequence[Any], outputs: Sequence[Any], given: Sequence[Any], tally: Counter[str]
) -> list[Any] | None:
    """Return the values that PyTensor gives; None where it refuses to cast to integers what is out
    of range, as it does if Python runs it."""
    try:
        return values_of(outputs, dict(zip(inputs, given, strict=True)))
    except OverflowError:
        tally["refused by PyTensor's cast"] += 1
        return None


def _judged(
    program: Program, found: list[Any], plain: list[Any], where: str, tally: Counter[str]
) -> Iterator[str]:
    if compare_bits(found, plain, "unoptimized") is None:
        tally[f"{where}: to the bit"] += 1
        return
    pairs = enumerate(zip(found, plain, strict=True))
    typed = (p for k, (a, b) in pairs if (p := compare_types(k, a, b)) is not None)
    problem: Problem | None = next(typed, None) or Reference(program).compare(found)
    if problem is None:
        tally[f"{where}: but for rounding"] += 1
    else:
        yield f"{where}: {problem.kind}\n{problem.text}\n\n{source(program, 'None')}"


Examined = Callable[[Program, Counter[str]], Iterator[str]]


def campaign(
    graphs: int, seed: int, tally: Counter[str], examined: Examined = examine
) -> Iterator[str]:
    """Yield what is wrong with random programs.

    Parameters
    ----------
    graphs
        How many programs.
    seed
        That of the first; each has its own.
    examined
        Whether they are taken there and back (`examine`), or rewritten there.
    """
    for number in range(seed, seed + graphs):
        # laws take numbers for finite
        asked: Values = "finite" if examined is examine_rewriter else "any"
        program = draw_program(number, lambda program, error: None, asked)
        with quiet():
            problems = list(examined(program, tally))
        yield from [f"seed {number}: {problem}" for problem in problems]
