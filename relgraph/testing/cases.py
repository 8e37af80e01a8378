"""Cases that are searched for a failure: a graph, values, and how a failing one is made smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure

from relgraph.graph.basic import Variable, clone_replace, io_toposort
from relgraph.testing.judge.sensitivity import native


@dataclass(frozen=True, eq=False)
class Case:
    """A graph and values of its inputs."""

    inputs: list[Variable]
    outputs: list[Variable]
    values: list[Any]


class _Found(Exception):
    pass


def search(
    draw: Callable[[Callable[[Any], Any]], Case],
    fails: Callable[[Case], bool],
    examples: int,
    seed: int,
    shrink: bool = True,
) -> Case | None:
    """Return the simplest case found for which something fails; None if there is none.

    Parameters
    ----------
    draw
        Draws a case: it is passed what draws from a strategy.
    fails
        Says whether a case fails.
    examples
        How many cases to draw.
    seed
        The same seed gives the same cases.
    shrink
        Whether to look for a simpler case when one has been found.
    """
    found: list[Case] = []

    @seeded(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        report_multiple_bugs=False,
        print_blob=False,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def examine(data: st.DataObject) -> None:
        case = draw(data.draw)
        if fails(case):
            found.append(case)
            raise _Found

    try:
        examine()
    except (_Found, FlakyFailure):
        return smaller(found[-1], fails) if shrink else found[-1]
    return None


def smaller(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a smaller case that fails as well, if there is one.

    Its graph has one output of the other one's or what that is computed from; parts of it are
    replaced by inputs with the values that they have.
    """
    case = _first([*_inner(case), *_single(case)], fails) or case
    while True:
        cuts = (_cut(case, v) for v in reversed(_variables(case)) if v not in case.outputs)
        found = _first(cuts, fails)
        if found is None:
            return _used(case)
        case = found


def _first(cases: Iterable[Case], fails: Callable[[Case], bool]) -> Case | None:
    return next((case for case in cases if _safely(case, fails)), None)


def _safely(case: Case, fails: Callable[[Case], bool]) -> bool:
    """Return whether a case fails; a case that can't be computed does not."""
    try:
        return fails(case)
    except Exception:
        return False


def _variables(case: Case) -> list[Variable]:
    """Return what is computed on the way, in order."""
    return [v for node in io_toposort(case.inputs, case.outputs) for v in node.outputs]


def _single(case: Case) -> list[Case]:
    return [Case(case.inputs, [v], case.values) for v in case.outputs]


def _inner(case: Case) -> list[Case]:
    """Return cases of what is computed on the way, the shorter first."""
    inner = [v for v in _variables(case) if v not in case.outputs]
    return [Case(case.inputs, [v], case.values) for v in inner]


def _cut(case: Case, v: Any) -> Case:
    """Return the case with an input in the place of `v`."""
    value = native(case.inputs, [v], case.values)[v]
    new = v.type(f"x{len(case.inputs)}")
    outputs = clone_replace(list(case.outputs), {v: new})
    return Case([*case.inputs, new], outputs, [*case.values, value])


def _used(case: Case) -> Case:
    """Return the case without the inputs that make no difference to the graph."""
    read = {v for node in io_toposort(case.inputs, case.outputs) for v in node.inputs}
    read.update(case.outputs)
    kept = [i for i, v in enumerate(case.inputs) if v in read]
    return Case([case.inputs[i] for i in kept], case.outputs, [case.values[i] for i in kept])
