"""What phases make of a law's left side, in words; and `explain`, which says it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from relgraph.compile.database import PHASES, optdb, optimizer_up_to
from relgraph.compile.phase_form import left_side_after
from relgraph.graph.basic import Variable
from relgraph.graph.kanren import Explanation, Law, Relation
from relgraph.tensor.loops.scan_op import Scan


def notes_on_phases(law: Any) -> list[str]:
    """Return what phases make of a law's left side, one sentence for each other form.

    Parameters
    ----------
    law
        Any relation. Nothing is said of a law that a phase has already: of the rule book's, and of
        those that were registered with all their forms.
    """
    if not isinstance(law, Law) or _is_registered(law):
        return []
    notes: list[str] = []
    known = {str(law.lhs)}
    for phase in PHASES:
        after = left_side_after(law, optimizer_up_to(phase))
        if after is None or str(after.term) in known:
            continue
        known.add(str(after.term))
        if after.can_be_matched:
            consequence = f"only that form matches after it; register_{phase} and custom_opt try it"
        else:
            consequence = "the law never matches after it"
        of_rank = "" if after.rank is None else f" of tensors of rank {after.rank}"
        notes.append(f"{phase} writes its left side{of_rank} as {after.term}: {consequence}")
    return notes


def _is_registered(law: Law) -> bool:
    return any(
        getattr(db[name], "law", db[name]) is law
        for db in (optdb[phase] for phase in PHASES)
        for name in db
    )


def explain(law: Relation, variable: Any, direction: str = "forward") -> Explanation:
    """Return why a law does not match a variable, or how it does; see `Relation.explain`.

    If it does not, the explanation also says in which form a phase leaves the left side of the law:
    what was written in one way may no longer be there. Of an output of a loop the explanation is
    that of what computes it in a step, where the law is tried too.

    Parameters
    ----------
    law
        A law or another relation.
    variable, direction
        As in `Relation.explain`, which raises the same.
    """
    in_step = _value_in_step(variable)
    if in_step is not None:
        found = explain(law, in_step, direction)
        return replace(found, text=f"in a step of {variable.owner.op}:\n{found.text}")
    explanation = law.explain(variable, direction)
    if explanation.matches or direction != "forward":
        return explanation
    notes = notes_on_phases(law)
    text = "\n".join([explanation.text, *(f"  {note}" for note in notes)])
    return replace(explanation, notes=tuple(notes), text=text)


def _value_in_step(variable: Any) -> Variable | None:
    """Return what a loop computes in a step for an output of it; None of any other variable."""
    node = getattr(variable, "owner", None)
    if node is None or not isinstance(node.op, Scan):
        return None
    results = [*node.op.results.states, *node.op.results.rows]
    value = results[variable.index] if variable.index < len(results) else None
    return None if value is None or value.owner is None else value
