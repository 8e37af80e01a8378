"""Explanations, with the places marked where a law and a graph part."""

from __future__ import annotations

from html import escape

from relgraph.display.formulas.writer import mathml
from relgraph.display.markup import code, fragment, table, tag
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.explanation import Explanation, GraphExplanation, taken_by


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation: its sentences, and the formula with the place of the mismatch."""
    return fragment(_one_place(explanation, *explanation.text.split("\n")[1:]))


def graph_explanation_html(explanation: GraphExplanation) -> str:
    """Return the places of an explanation, what the default mode does, and what there is to say."""
    head = [f"<div><b>{escape(explanation.heading)}</b></div>"]
    body = [_one_place(place) for place in explanation.places]
    body += [_one_place(place, place.why) for place in explanation.nearest]
    said = [taken_by(step) for step in explanation.taken.values()]
    if explanation.applied:
        said.append(f"{explanation.times_applied}:")
        said += [f"{step.before} → {step.after}" for step in explanation.applied]
    said += explanation.notes
    return fragment("".join([*head, *body, *(f"<div>{escape(line)}</div>" for line in said)]))


def _one_place(explanation: Explanation, *sentences: str) -> str:
    """Return the formula of a place; and sentences, if the law does not match there."""
    matches = explanation.matches
    head = tag("matches", "rg-good") if matches else tag("does not match", "rg-bad")
    body = [f"<div><b>{escape(explanation.law)}</b> {escape(explanation.direction)} {head}</div>"]
    place = () if matches else (place_of(explanation),)
    try:
        body.append(f"<div>{mathml(explanation.variable, place)}</div>")
        if explanation.result is not None:
            body.append(f'<div class="rg-to">→ {mathml(explanation.result)}</div>')
    except ValueError:
        pass  # the sentences have the part that matters
    if explanation.bindings:
        rows = [
            (f"<td>{code(name)}</td>", _bound(value))
            for name, value in explanation.bindings.items()
        ]
        body.append(table(("variable", "is"), rows))
    body += [f"<div>{escape(sentence.strip())}</div>" for sentence in sentences if not matches]
    return "".join(body)


def place_of(explanation: Explanation) -> Variable:
    """Return the variable at the place of a mismatch; the last one before it where there is none.

    The arguments of nested sums count as those of one, and then have no place of their own.
    """
    var = explanation.variable
    for i in explanation.path:
        if var.owner is None or i >= len(var.owner.inputs):
            break
        var = var.owner.inputs[i]
    return var


def _bound(value: object) -> str:
    if isinstance(value, Variable):
        try:
            return f"<td>{mathml(value)}</td>"
        except ValueError:
            pass
    return f"<td>{code(str(value))}</td>"
