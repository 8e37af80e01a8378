"""What phases make of a law's left side, in words; and `explain`, which says it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from relgraph.compile.database import PHASES, optdb, optimizer_up_to
from relgraph.compile.phase_form import left_side_after, still_matches
from relgraph.graph.kanren import Explanation, Law, Relation


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
        if after is None or str(after[0]) in known:
            continue
        found = after[0]
        known.add(str(found))
        if still_matches(law, found):
            consequence = (
                "after it the law matches in that form alone, which is tried as well if the law "
                f"is registered (register_{phase}), or given as custom_opt"
            )
        else:
            consequence = "after it the law never matches"
        notes.append(f"{phase} writes its left side as {found}: {consequence}")
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
    what was written in one way may no longer be there.

    Parameters
    ----------
    law
        A law or another relation.
    variable, direction
        As in `Relation.explain`, which raises the same.
    """
    explanation = law.explain(variable, direction)
    if explanation.matches or direction != "forward":
        return explanation
    notes = notes_on_phases(law)
    text = "\n".join([explanation.text, *(f"  {note}" for note in notes)])
    return replace(explanation, notes=tuple(notes), text=text)
