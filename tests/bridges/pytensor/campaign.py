"""Random programs to PyTensor and back: there they have the same values, and after the return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pytensor.graph.traversal import applys_between

from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.bridges.pytensor.writing.writer import CarriedOp
from relgraph.graph.reference import evaluate
from tests.bridges.pytensor.running import values_of
from tests.fuzz.generator import draw_program
from tests.fuzz.judge import Problem, Reference, compare_bits, compare_types
from tests.fuzz.program import Program, arguments, build, quiet, source


@quiet()
def examine(program: Program, tally: Counter[str]) -> Iterator[str]:
    """Yield what is wrong with a program in PyTensor, and after the return."""
    inputs, outputs = build(program)
    given = arguments(program)
    plain = evaluate(outputs, dict(zip(inputs, given, strict=True)))
    their_inputs, theirs = to_pytensor(outputs, inputs)
    tally.update(_carried(their_inputs, theirs))
    back_inputs, back = from_pytensor(theirs, their_inputs)
    if any(a is not b for a, b in zip(inputs, back_inputs, strict=True)):
        yield "the inputs that came back are others"
    returned = evaluate(back, dict(zip(back_inputs, given, strict=True)))
    yield from _judged(program, returned, plain, "back", tally)
    try:
        found = values_of(theirs, dict(zip(their_inputs, given, strict=True)))
    except OverflowError:
        # run by Python, PyTensor refuses to cast to integers what is out of range
        tally["refused by PyTensor's cast"] += 1
    else:
        yield from _judged(program, found, plain, "there", tally)


def _carried(inputs: Sequence[Any], outputs: Sequence[Any]) -> Iterator[str]:
    for node in applys_between(inputs, outputs):
        if isinstance(node.op, CarriedOp):
            yield f"carried: {node.op.op}"


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


def campaign(graphs: int, seed: int, tally: Counter[str]) -> Iterator[str]:
    """Yield what is wrong with random programs.

    Parameters
    ----------
    graphs
        How many programs.
    seed
        That of the first; each has its own.
    """
    for number in range(seed, seed + graphs):
        program = draw_program(number, lambda program, error: None)
        for problem in examine(program, tally):
            yield f"seed {number}: {problem}"
