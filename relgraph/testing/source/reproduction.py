"""An optimizer's failure as Python that shows it when it is pasted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable, clone_replace
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.features.destroy_handler import MutableInputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import GlobalOptimizer
from relgraph.testing.book import BookError, book
from relgraph.testing.cases import Case
from relgraph.testing.judge.sensitivity import native
from relgraph.testing.source.graphs import as_python


def unoptimized(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> FunctionGraph:
    """Return a copy of a graph that an optimizer may change, without overwriting its inputs."""
    fgraph = FunctionGraph(inputs, outputs, clone=True)
    fgraph.attach_feature(MutableInputs([]))
    fgraph.attach_feature(ReplaceValidate())
    return fgraph


def optimized(
    optimizer: GlobalOptimizer, inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> FunctionGraph:
    """Return a graph after an optimizer has been run on it, as `check_optimizer` does."""
    fgraph = unoptimized(inputs, outputs)
    optimizer.optimize(fgraph)
    return fgraph


def computed(
    inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
) -> list[Any]:
    """Return the values of `outputs`, one `perform` at a time; ops that overwrite get copies."""
    found = native(inputs, outputs, values)
    return [found[v] for v in outputs]


def source_of(
    case: Case, output: int | None, given: Any, optimizer: GlobalOptimizer, known: str
) -> str:
    """Return Python source that prints a value of a graph before and after an optimizer.

    Parameters
    ----------
    case
        The graph, and values of its inputs.
    output
        Which of the outputs is wrong; None if they can't be computed.
    given
        What was checked.
    optimizer
        What was made of it.
    known
        What `given` is called in reports.

    Where `given` has a name, the source runs it; else it spells out what it made of the graph. An
    optimizer without a name that raises is only referred to, as ``optimizer``.
    """
    try:
        made = _made_by(given)
        if made is None:
            spelled = _both(case, output, optimizer)
            if spelled is not None:
                return spelled
        text = as_python(case.inputs, case.outputs, case.values)
    except TypeError as error:
        return f"# {case.outputs}: {error}\n"
    place = "" if output is None else f"[{output}]"
    lines = made or [f"# optimizer is {known}", ""]
    return "\n".join(
        [
            *lines[:-1],
            "from relgraph.testing.source.reproduction import computed, optimized",
            f"{text}{lines[-1]}fgraph = optimized(optimizer, inputs, outputs)",
            f"print(computed(inputs, outputs, values){place})",
            f"print(computed(fgraph.inputs, fgraph.outputs, values){place})\n",
        ]
    )


def _made_by(given: Any) -> list[str] | None:
    """Return the lines that import and make an optimizer; None if it has no name."""
    if isinstance(given, str):
        line = f"optimizer = get_mode({given!r}).optimizer\n"
        return ["from relgraph.compile.mode import get_mode", line]
    if isinstance(given, Relation) and _in_the_book(given):
        imports = "from relgraph.graph.opt import EquilibriumOptimizer"
        line = f"optimizer = EquilibriumOptimizer([book()[{given.name!r}]])\n"
        return [imports, "from relgraph.testing.book import book", line]
    return None


def _in_the_book(law: Relation) -> bool:
    try:
        return book().get(law.name) is law
    except BookError:
        return False


def _both(case: Case, output: int | None, optimizer: GlobalOptimizer) -> str | None:
    """Return source that spells out a graph before and after; None if there is nothing to spell."""
    try:
        fgraph = optimized(optimizer, case.inputs, case.outputs)
        back = dict(zip(fgraph.inputs, case.inputs, strict=True))
        after = clone_replace(list(fgraph.outputs), back)
        place = 0 if output is None else output
        text = as_python(case.inputs, [case.outputs[place], after[place]], case.values)
    except Exception:  # whatever the optimizer that is being shown raises
        return None
    return (
        "from relgraph.testing.source.reproduction import computed\n"
        f"{text}"
        "# the second is what the optimizer makes of the first\n"
        "for output in outputs:\n"
        "    print(computed(inputs, [output], values)[0])\n"
    )
