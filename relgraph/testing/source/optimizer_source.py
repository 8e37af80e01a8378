"""Python source that reproduces the failure of an optimizer, and the functions that it calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable, clone_replace
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.features.destroy_handler import MutableInputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import GlobalOptimizer
from relgraph.testing.discovery import CheckError, discover_laws
from relgraph.testing.judge.evaluation import evaluate_all
from relgraph.testing.source.failing_cases import Case
from relgraph.testing.source.graphs import as_python


def copy_for_optimizer(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> FunctionGraph:
    """Return a copy of a graph for an optimizer, which may not overwrite its inputs."""
    fgraph = FunctionGraph(inputs, outputs, clone=True)
    fgraph.attach_feature(MutableInputs([]))
    fgraph.attach_feature(ReplaceValidate())
    return fgraph


def optimize_copy(
    optimizer: GlobalOptimizer, inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> FunctionGraph:
    """Return a copy of a graph, optimized as `check_optimizer` does it."""
    fgraph = copy_for_optimizer(inputs, outputs)
    optimizer.optimize(fgraph)
    return fgraph


def evaluate_outputs(
    inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
) -> list[Any]:
    """Return the values of the outputs of a graph; no input is overwritten."""
    found = evaluate_all(inputs, outputs, values)
    return [found[v] for v in outputs]


def reproduction_source(
    case: Case, output: int | None, given: Any, optimizer: GlobalOptimizer, name: str
) -> str:
    """Return Python source that prints an output of a graph before and after an optimizer.

    If `given` is the name of a mode, or a law of the rule book, the source runs it. If not, the
    source makes both graphs; if the optimizer raises, it reads a variable ``optimizer``.

    Parameters
    ----------
    case
        The graph, and values of its inputs.
    output
        The position of the output that is wrong; None if the outputs can't be computed.
    given
        What `check_optimizer` was given.
    optimizer
        The optimizer that it stands for.
    name
        Its name in reports.
    """
    try:
        optimizer_lines = _optimizer_source(given)
        if optimizer_lines is None:
            both_graphs = _before_and_after_source(case, output, optimizer)
            if both_graphs is not None:
                return both_graphs
        text = as_python(case.inputs, case.outputs, case.values)
    except TypeError as error:
        return f"# {case.outputs}: {error}\n"
    index = "" if output is None else f"[{output}]"
    lines = optimizer_lines or [f"# optimizer is {name}", ""]
    return "\n".join(
        [
            *lines[:-1],
            "from relgraph.testing.source.optimizer_source import evaluate_outputs, optimize_copy",
            f"{text}{lines[-1]}fgraph = optimize_copy(optimizer, inputs, outputs)",
            f"print(evaluate_outputs(inputs, outputs, values){index})",
            f"print(evaluate_outputs(fgraph.inputs, fgraph.outputs, values){index})\n",
        ]
    )


def _optimizer_source(given: Any) -> list[str] | None:
    """Return the lines that import an optimizer and assign it; None if it can't be imported."""
    if isinstance(given, str):
        line = f"optimizer = get_mode({given!r}).optimizer\n"
        return ["from relgraph.compile.mode import get_mode", line]
    if isinstance(given, Relation) and _is_in_rule_book(given):
        imports = "from relgraph.graph.opt import EquilibriumOptimizer"
        line = f"optimizer = EquilibriumOptimizer([discover_laws()[{given.name!r}]])\n"
        return [imports, "from relgraph.testing.discovery import discover_laws", line]
    return None


def _is_in_rule_book(law: Relation) -> bool:
    try:
        return discover_laws().get(law.name) is law
    except CheckError:
        return False


def _before_and_after_source(
    case: Case, output: int | None, optimizer: GlobalOptimizer
) -> str | None:
    """Return source that makes a graph and the optimized one; None if there is no such source."""
    try:
        fgraph = optimize_copy(optimizer, case.inputs, case.outputs)
        back = dict(zip(fgraph.inputs, case.inputs, strict=True))
        after = clone_replace(list(fgraph.outputs), back)
        i = 0 if output is None else output
        text = as_python(case.inputs, [case.outputs[i], after[i]], case.values)
    except Exception:  # The optimizer may raise anything.
        return None
    return (
        "from relgraph.testing.source.optimizer_source import evaluate_outputs\n"
        f"{text}"
        "# the second output is what the optimizer makes of the first one\n"
        "for output in outputs:\n"
        "    print(evaluate_outputs(inputs, [output], values)[0])\n"
    )
