"""Searches for a graph with values for which a check fails, and shrinks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from relgraph.graph.basic import Variable, clone_replace, io_toposort
from relgraph.testing.judge.evaluation import evaluate_all


@dataclass(frozen=True, eq=False)
class Case:
    """A graph, and values of its inputs."""

    inputs: list[Variable]
    outputs: list[Variable]
    values: list[Any]


class _Failed(Exception):
    """Tells Hypothesis that a case fails."""


def find_failing_case(
    draw: Callable[[Callable[[Any], Any]], Case],
    fails: Callable[[Case], bool],
    examples: int,
    seed: int,
    shrink: bool = True,
) -> Case | None:
    """Return the simplest failing case that is found, or None.

    Parameters
    ----------
    draw
        Draws a case; its argument is Hypothesis' function that draws from a strategy.
    fails
        Returns whether a case fails.
    examples
        How many cases to draw.
    seed
        The seed of Hypothesis.
    shrink
        Whether to shrink the failing case.
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
            raise _Failed

    try:
        examine()
    except (_Failed, Flaky):
        if not found:
            raise
        return shrink_case(found[-1], fails) if shrink else found[-1]
    return None


def shrink_case(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a smaller case that fails too; `case` itself if none is found.

    Its only output is an output of `case` or an intermediate variable, if one alone fails.
    Intermediate variables are replaced by inputs that have their values.
    """
    case = _first_failing([*_intermediate_cases(case), *_output_cases(case)], fails) or case
    while True:
        variables = [v for v in reversed(_computed_variables(case)) if v not in case.outputs]
        found = _first_failing((_replaced_by_input(case, v) for v in variables), fails)
        if found is None:
            return _without_unused_inputs(case)
        case = found


def _first_failing(cases: Iterable[Case], fails: Callable[[Case], bool]) -> Case | None:
    return next((case for case in cases if _fails_safely(case, fails)), None)


def _fails_safely(case: Case, fails: Callable[[Case], bool]) -> bool:
    """Return whether a case fails; False if the check raises an error."""
    try:
        return fails(case)
    except Exception:
        return False


def _computed_variables(case: Case) -> list[Variable]:
    """Return the variables that nodes of the graph compute, in order."""
    return [v for node in io_toposort(case.inputs, case.outputs) for v in node.outputs]


def _output_cases(case: Case) -> list[Case]:
    return [Case(case.inputs, [v], case.values) for v in case.outputs]


def _intermediate_cases(case: Case) -> list[Case]:
    """Return a case for each intermediate variable, the shorter first."""
    inner = [v for v in _computed_variables(case) if v not in case.outputs]
    return [Case(case.inputs, [v], case.values) for v in inner]


def _replaced_by_input(case: Case, v: Any) -> Case:
    """Return the case with a new input, which has the value of `v`, in its place."""
    value = evaluate_all(case.inputs, [v], case.values)[v]
    new = v.type(f"x{len(case.inputs)}")
    outputs = clone_replace(list(case.outputs), {v: new})
    return Case([*case.inputs, new], outputs, [*case.values, value])


def _without_unused_inputs(case: Case) -> Case:
    """Return the case without the inputs that the graph does not read."""
    read = {v for node in io_toposort(case.inputs, case.outputs) for v in node.inputs}
    read.update(case.outputs)
    kept = [i for i, v in enumerate(case.inputs) if v in read]
    return Case([case.inputs[i] for i in kept], case.outputs, [case.values[i] for i in kept])
