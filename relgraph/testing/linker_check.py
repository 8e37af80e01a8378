"""Checks a linker: its results, and that it neither modifies nor shares the caller's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from relgraph.compile import function
from relgraph.compile.mode import Mode, get_mode
from relgraph.graph.basic import io_toposort
from relgraph.scalar.type import COMPLEXES
from relgraph.testing.judge.evaluation import evaluate_all, same_bits
from relgraph.testing.judge.graph_comparison import ReferenceGraph
from relgraph.testing.optimizer_check import (
    EXAMPLES,
    Case,
    GraphCheck,
    draw_case,
    evaluate_outputs,
)
from relgraph.testing.random_graphs import RandomGraph
from relgraph.testing.random_graphs import graphs as random_graphs


@dataclass
class LinkerCheck(GraphCheck):
    """The result of the check of a linker.

    Attributes
    ----------
    problem
        What is wrong, with Python source that reproduces it; None if nothing is.
    """

    problem: str | None = None

    @property
    def passed(self) -> bool:
        """Whether graphs were run and nothing was wrong."""
        return self.problem is None and self.graphs > 0

    def __str__(self) -> str:
        text = (
            f"{self.name}: {'passed' if self.passed else 'failed'} ({self.graphs} graphs, "
            f"{len(self.ops)} ops, {self.seconds:.1f} s)"
        )
        return text if self.problem is None else f"{text}\n{self.problem}"

    __repr__ = __str__


def check_linker(
    linker: str = "vm",
    optimizer: Any = None,
    graphs: st.SearchStrategy[RandomGraph] | None = None,
    examples: int = EXAMPLES,
    gradients: bool = True,
    seed: int = 0,
) -> LinkerCheck:
    """Check on random graphs that a linker gives the results of the reference, bit for bit.

    The reference is the `perform` of each node of the optimized graph in turn. Results with complex
    numbers may differ by rounding: NumPy rounds a complex product differently where it is written
    over one of its factors. So may all results of a linker that says `rounds`; values that it is
    given are not subnormal if it says `flushes`.

    Each function is called for two sets of values, and for the first set again after its results
    have been overwritten. It must not modify its arguments, and its results must not share storage
    with them or with the results of another call.

    Parameters
    ----------
    linker
        The name of the linker.
    optimizer
        The optimizer of the graphs: an argument of `Mode`, a `Mode`, or the name of one.
    graphs, examples, gradients, seed
        As for `check_optimizer`.
    """
    of_mode = get_mode(optimizer) if isinstance(optimizer, str) else optimizer
    mode = Mode(linker, of_mode.optimizer if isinstance(of_mode, Mode) else of_mode)
    found = LinkerCheck(linker if optimizer is None else f"{linker} ({optimizer})")
    strategy = random_graphs() if graphs is None else graphs

    def draw(from_: Any) -> Case:
        case = draw_case(from_, strategy, gradients)
        if getattr(mode.linker, "flushes", False):
            return replace(case, values=[_flushed(value) for value in case.values])
        return case

    problem = partial(_problem, mode, found)
    failing = found.failing(draw, problem, examples, seed)
    if failing is not None:
        found.problem = f"{problem(failing)}\n\n{_source(failing, linker, optimizer)}"
    return found


def _problem(mode: Mode, found: LinkerCheck, case: Case) -> str | None:
    """Return what is wrong with a case; None if nothing is. Graphs and ops are counted in `found`
    until one fails."""
    others = [_reversed(v) for v in case.values]
    # A wrong linker may overwrite its arguments.
    originals = [np.array(v) for v in case.values]
    try:
        for values in (case.values, others):
            evaluate_all(case.inputs, case.outputs, values)
    except (ValueError, IndexError, AssertionError):
        # An op is not defined for these values.
        return None
    try:
        run = function(case.inputs, case.outputs, mode=mode, on_unused_input="ignore")
        graph = run.maker.fgraph
        if not found.has_failed:
            found.count(graph.inputs, graph.outputs)
        rounds = getattr(mode.linker, "rounds", False)
        return _find_misbehaviour(run, graph, case.values, others, rounds)
    except Exception as error:
        return f"it raises {type(error).__name__}: {error}"
    finally:
        for value, copy in zip(case.values, originals, strict=True):
            if value.flags.writeable:
                value[...] = copy


def _flushed(value: Any) -> Any:
    """Return an array with zeros in the place of subnormal numbers."""
    if value.dtype.kind != "f":
        return value
    with np.errstate(invalid="ignore"):
        subnormal = np.abs(value) < np.finfo(value.dtype).tiny
    return np.where(subnormal, np.zeros_like(value), value) if subnormal.any() else value


def _reversed(value: Any) -> Any:
    """Return an array reversed along all axes: other values, which are valid indices too."""
    return np.array(value[(slice(None, None, -1),) * value.ndim])


def _find_misbehaviour(
    run: Any, graph: Any, values: Sequence[Any], others: Sequence[Any], rounds: bool = False
) -> str | None:
    """Return what is wrong with a function; None if nothing is.

    Parameters
    ----------
    run
        The function that the linker made.
    graph
        The graph that it computes.
    values, others
        Two sets of values of its inputs.
    rounds
        Whether results may differ from the reference by rounding.
    """
    may_round = rounds or _has_complex_numbers(graph)
    before = [np.array(v) for v in values]
    first = run(*values)
    kept = [np.array(r) for r in first]
    wrong = _wrong(graph, before, first, "the first call", may_round)
    if wrong is not None:
        return wrong
    for i, (value, copy) in enumerate(zip(values, before, strict=True)):
        if not bool(np.all(same_bits(np.asarray(value), copy))):
            return f"argument {i} is modified"
        for k, result in enumerate(first):
            if np.shares_memory(result, value):
                return f"result {k} shares storage with argument {i}"
    second = run(*(np.array(v) for v in others))
    wrong = _wrong(graph, others, second, "a call with other values", may_round)
    if wrong is not None:
        return wrong
    changed = _difference(first, kept, "the first call, after the second one,")
    if changed is not None:
        return changed
    for result in (*first, *second):
        if result.flags.writeable:
            result.fill(1)
    return _difference(run(*values), kept, "a call after the results were overwritten")


def _wrong(
    graph: Any, values: Sequence[Any], found: Sequence[Any], when: str, may_round: bool
) -> str | None:
    """Return how results differ from the reference; None if they don't, or by rounding that is
    allowed."""
    wrong = _difference(found, evaluate_outputs(graph.inputs, graph.outputs, values), when)
    if wrong is None or not may_round:
        return wrong
    reference = ReferenceGraph(graph.inputs, graph.outputs, values)
    return None if reference.accepts(found) else wrong


def _has_complex_numbers(graph: Any) -> bool:
    nodes = io_toposort(graph.inputs, graph.outputs)
    return any(out.type.dtype in COMPLEXES for node in nodes for out in node.outputs)


def _difference(found: Sequence[Any], expected: Sequence[Any], when: str) -> str | None:
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if not isinstance(a, np.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
            return f"output {i} of {when} is {a!r}, which is no array like {b!r}"
        if not bool(np.all(same_bits(a, b))):
            return f"output {i} of {when} differs\nexpected: {b!r}\nfound:    {a!r}"
    return None


def _source(case: Case, linker: str, optimizer: Any) -> str:
    by_name = f"get_mode({optimizer!r}).optimizer" if isinstance(optimizer, str) else "optimizer"
    expression = "None" if optimizer is None else by_name
    return case.source(
        "from relgraph.compile import Mode, function\n"
        "from relgraph.compile.mode import get_mode\n"
        "from relgraph.graph.reference import evaluate\n",
        f"mode = Mode({linker!r}, {expression})\n"
        "f = function(inputs, outputs, mode=mode, on_unused_input='ignore')\n"
        "print(evaluate(outputs, dict(zip(inputs, values))))\n"
        "print(f(*values))\n",
    )
