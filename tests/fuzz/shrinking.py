"""A smaller program that fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tests.fuzz.program import Leaf, Program, Step, run

Fails = Callable[[Program], bool]
MOST_TRIES = 600


def shrunk(program: Program, fails: Fails) -> Program:
    """Return a program with fewer and simpler parts for which `fails` holds still."""
    tries, changed = 0, True
    while changed and tries < MOST_TRIES:
        changed = False
        for smaller in _candidates(program):
            tries += 1
            if tries > MOST_TRIES:
                break
            if _holds(fails, smaller):
                program, changed = smaller, True
                break
    return program


def _holds(fails: Fails, program: Program) -> bool:
    try:
        return fails(program)
    except Exception:
        return False


def _candidates(program: Program) -> Iterator[Program]:
    if len(program.outputs) > 1:
        for output in program.outputs:
            yield without_unused(replace(program, outputs=(output,)))
    slim = without_unused(program)
    if len(slim.steps) + len(slim.leaves) < len(program.steps) + len(program.leaves):
        yield slim
    yield from _with_a_step_less(program)
    yield from _with_plainer_leaves(program)


def without_unused(program: Program) -> Program:
    """Return a program without the leaves and steps that no output needs."""
    first = len(program.leaves)
    needed = set(program.outputs)
    for k in reversed(range(len(program.steps))):
        if first + k in needed:
            needed.update(program.steps[k].args)
    kept = sorted(needed)
    place = {old: new for new, old in enumerate(kept)}
    leaves = tuple(program.leaves[i] for i in kept if i < first)
    steps = tuple(
        replace(step, args=tuple(place[i] for i in step.args))
        for step in (program.steps[i - first] for i in kept if i >= first)
    )
    return Program(leaves, steps, tuple(place[i] for i in program.outputs))


def _with_a_step_less(program: Program) -> Iterator[Program]:
    first = len(program.leaves)
    values = run(program)
    for k in range(len(program.steps)):
        number = first + k
        # an argument in its place
        for i in program.steps[k].args:
            if values[i].shape == values[number].shape:
                yield without_unused(_redirected(program, number, i))
        # its value, as an input
        yield without_unused(_cut(program, k, values[number]))


def _redirected(program: Program, old: int, new: int) -> Program:
    def place(i: int) -> int:
        return new if i == old else i

    steps = tuple(replace(s, args=tuple(map(place, s.args))) for s in program.steps)
    return replace(program, steps=steps, outputs=tuple(map(place, program.outputs)))


def _cut(program: Program, k: int, value: np.ndarray) -> Program:
    """Return a program in which step `k` is a leaf."""
    first = len(program.leaves)
    static = tuple(1 if n == 1 else None for n in value.shape)
    leaf = Leaf(np.array(value), "input", static)

    def place(i: int) -> int:
        if i < first:
            return i
        return first if i == first + k else i + 1 if i < first + k else i

    steps: list[Step] = [
        replace(s, args=tuple(map(place, s.args))) for j, s in enumerate(program.steps) if j != k
    ]
    return Program((*program.leaves, leaf), tuple(steps), tuple(map(place, program.outputs)))


def _with_plainer_leaves(program: Program) -> Iterator[Program]:
    for i, leaf in enumerate(program.leaves):
        for plainer in _plainer(leaf):
            leaves = (*program.leaves[:i], plainer, *program.leaves[i + 1 :])
            yield replace(program, leaves=leaves)


def _plainer(leaf: Leaf) -> Iterator[Leaf]:
    value = leaf.value
    if leaf.layout != "C":
        yield replace(leaf, layout="C")
    if leaf.kind == "array":
        yield replace(leaf, kind="constant")
    if any(n not in (None, 1) for n in leaf.static):
        yield replace(leaf, static=tuple(1 if n == 1 else None for n in leaf.static))
    for axis, n in enumerate(value.shape):
        if n > 1 and leaf.layout != "broadcast":
            for cut in (value.take(range(1), axis), value.take(range(n - 1), axis)):
                static = list(leaf.static)
                if static:
                    static[axis] = 1 if cut.shape[axis] == 1 and static[axis] == 1 else None
                yield replace(leaf, value=cut, static=tuple(static))
    simple: list[complex] = [0, 1, 2]
    for place in np.ndindex(value.shape):
        old = value[place]
        for number in simple:
            if old == number:
                break
            changed = value.copy()
            changed[place] = number
            yield replace(leaf, value=changed)
