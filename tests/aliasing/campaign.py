"""Runs random programs in every mode, and says what is wrong with the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from relgraph.compile import Mode, function
from relgraph.graph.reference import evaluate
from relgraph.tensor.memory import KeptStorage
from relgraph.vm import VMLinker
from tests.aliasing.programs import N, Program, random_program, small_values


def keeping() -> Mode:
    """Return a mode that keeps the memory of all arrays for the next ones."""
    linker = VMLinker(allow_gc=False)
    linker.storage = KeptStorage(least_bytes=1)
    return Mode(linker)


MODES: dict[str, Any] = {
    name: name for name in ("None", "o1", "o2", "o3", "o4", "Stabilization", "unsafe", "strict")
}
MODES["keeping"] = keeping()

_CALLS = 2

_LARGEST = 1e6


def laid_out(values: Any, r: Random) -> Any:
    """Return an array with the same values in some layout; now and then one that is read-only."""
    wide = np.zeros((2 * N, 3 * N), values.dtype)
    wide[::2, 1::3] = values
    made = r.choice(
        (
            values.copy(),
            np.asfortranarray(values),
            wide[::2, 1::3],
            values[::-1].copy()[::-1],
            values.T.copy().T,
        )
    )
    return made


class Mismatch(Exception):
    """What is wrong with a function of a program."""


def problems(program: Program) -> Iterator[str]:
    """Yield for each mode in which the function of a program does something wrong what that is."""
    start = [v.get_value() for v in program.shared]
    for name, mode in MODES.items():
        for var, value in zip(program.shared, start, strict=True):
            var.set_value(value)
        try:
            _run(program, mode)
        except Mismatch as wrong:
            yield f"seed {program.seed}, mode {name}: {wrong}"
        except Exception as error:
            yield f"seed {program.seed}, mode {name}: {type(error).__name__}: {error}"


def _run(program: Program, mode: Any) -> None:
    r = Random(program.seed)
    rng = np.random.default_rng(program.seed)
    inputs, outputs = program.specification()
    f = function(inputs, outputs, mode, updates=program.updates, on_unused_input="ignore")
    for _ in range(_CALLS):
        arguments = [laid_out(small_values(rng, v.type.dtype), r) for v in program.inputs]
        given = [a.copy() for a in arguments]
        for i, a in enumerate(arguments):
            a.flags.writeable = i in program.mutable or r.random() < 0.7
        before = [v.get_value() for v in program.shared]
        known = dict(zip([*program.inputs, *program.shared], [*given, *before], strict=True))
        targets = [*program.outputs, *program.updates.values()]
        expected = [np.array(v) for v in evaluate(targets, known)]
        if any(v.size and not np.all(np.abs(v) < _LARGEST) for v in expected):
            return  # sums in another order would show
        results = f(*arguments)
        _check_values(program, results, expected, before)
        _check_arguments(program, arguments, given)
        _check_sharing(program, results, arguments)
        for i, result in enumerate(results):
            if i not in program.borrowed:
                result[...] = 77  # the user's own: nothing else may change by it
        _check_shared(program, expected[len(program.outputs) :], before)


def _check_values(
    program: Program, results: Sequence[Any], expected: Sequence[Any], before: Sequence[Any]
) -> None:
    for i, (found, wanted) in enumerate(zip(results, expected, strict=False)):
        _compare(f"result {i}", found, wanted)
    _check_shared(program, expected[len(program.outputs) :], before)


def _check_shared(program: Program, updates: Sequence[Any], before: Sequence[Any]) -> None:
    new = dict(zip(program.updates, updates, strict=True))
    for var, old in zip(program.shared, before, strict=True):
        _compare(f"the value of {var}", var.get_value(), new.get(var, old))


def _compare(what: str, found: Any, wanted: Any) -> None:
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        raise Mismatch(f"{what} is {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}")
    if found.size and not np.allclose(found, wanted, rtol=1e-4, atol=0, equal_nan=True):
        raise Mismatch(f"{what} is {found.tolist()}, not {wanted.tolist()}")


def _check_arguments(program: Program, arguments: Sequence[Any], given: Sequence[Any]) -> None:
    for i, (now, then) in enumerate(zip(arguments, given, strict=True)):
        if i not in program.mutable and not np.array_equal(now, then):
            raise Mismatch(f"argument {i} was changed")


def _check_sharing(program: Program, results: Sequence[Any], arguments: Sequence[Any]) -> None:
    owners = [
        *((f"argument {i}", a, i in program.mutable) for i, a in enumerate(arguments)),
        *((str(v), v.get_value(borrow=True), True) for v in program.shared),
    ]
    for i, result in enumerate(results):
        borrows = i in program.borrowed
        for what, other, lends in owners:
            if not (borrows and lends) and np.may_share_memory(result, other):
                raise Mismatch(f"result {i} shares storage with {what}")
        owners.append((f"result {i}", result, borrows))


def campaign(first: int, count: int) -> Iterator[str]:
    """Yield what is wrong with the programs of `count` seeds from the first one on."""
    for seed in range(first, first + count):
        yield from problems(random_program(seed))
