"""Results as HTML: derivations, explanations, checks and profiles; and what a notebook shows of
each kind of object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import islice
from typing import Any

from relgraph.display.drawing import MOST_NODES, cut, drawn, pictures_of, svg
from relgraph.display.formulas import latex, mathml
from relgraph.display.laws import LawTable, law_html
from relgraph.display.markup import SORT, code, fragment, number_cell, table, tag, whole_page
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.explanation import Explanation, GraphExplanation, taken_by
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import Derivation
from relgraph.graph.opt.derivation import HOLD, Step
from relgraph.graph.opt.profile import ProfileRow, profile_rows

MOST_FORMULAS = 40
"""Of how many steps the whole formula is shown; of the others what changed."""
_MOST_LETTERS = 600_000

_WALK = """
var steps=Array.from(root.querySelectorAll(".rg-step")),at=0,all=false;
var bar=root.querySelector(".rg-walk"),buttons=bar.querySelectorAll("button");
var count=bar.querySelector(".rg-count");bar.hidden=false;
function show(i){at=Math.max(0,Math.min(steps.length-1,i));
 steps.forEach(function(step,k){step.hidden=!all&&k!==at;});
 count.textContent=all?steps.length+" steps":(at+1)+" of "+steps.length;}
buttons[0].onclick=function(){all=false;show(at-1);};
buttons[1].onclick=function(){all=false;show(at+1);};
buttons[2].onclick=function(){all=!all;show(at);};show(0);
""".replace("\n", "")


def derivation_html(derivation: Derivation) -> str:
    """Return a derivation, with buttons to walk through it; without a script all is shown."""
    if not len(derivation):
        return fragment("<i>no steps</i>")
    formulas = list(_formulas(derivation))
    formulas += [_parts(step) for step in derivation[len(formulas) :]]
    steps = "".join(
        f'<div class="rg-step">{_title(step)}{formula}</div>'
        for step, formula in zip(derivation, formulas, strict=True)
    )
    walk = (
        '<div class="rg-walk" hidden><button>back</button><button>next</button>'
        '<button>all</button><span class="rg-count"></span></div>'
    )
    return fragment(walk + steps, _WALK)


def _title(step: Step) -> str:
    where = ", ".join(step.where[:3]) + (", …" if len(step.where) > 3 else "")
    sound = tag(step.sound, "rg-class") if step.sound else ""
    proof = tag(step.proof) if step.proof in HOLD else ""
    depends = "" if step.evidence is None else str(step.evidence)
    label = f"{step.number}. <b>{escape(step.label)}</b> {escape(depends)}"
    return f"<div>{label} {sound}{proof} {escape(where)}</div>"


def _parts(step: Step) -> str:
    if step.before == step.after:
        return f"<div><mark>{code(step.before)}</mark> is kept once</div>"
    return f"<div>{code(step.before)} → <mark>{code(step.after)}</mark></div>"


def _formulas(derivation: Derivation) -> list[str]:
    """Return the formulas of the whole graph before and after the first steps.

    There are none of a graph that is too large for one.
    """
    found: list[str] = []
    letters = 0
    for step, before, after in islice(derivation.walk(_formula), MOST_FORMULAS):
        if before is None or after is None:
            break
        letters += len(before) + len(after)
        if letters > _MOST_LETTERS:
            break
        kept = f'<div>{before}</div><div class="rg-to">→ {after}</div>'
        found.append(kept if step.built else _parts(step) + f"<div>{after}</div>")
    return found


def _formula(graph: Any, changed: Variable | None = None) -> str | None:
    """Return a graph as a formula; None if it is too large for one."""
    try:
        return mathml(graph, () if changed is None else (changed,))
    except ValueError:
        return None


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
            (f"<td>{code(name)}</td>", f"<td>{formula or code(str(value))}</td>")
            for name, value in explanation.bindings.items()
            for formula in (_formula(value) if isinstance(value, Variable) else None,)
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


_KINDS = {"passed": "rg-good", "failed": "rg-bad"}


def check_html(result: Any) -> str:
    """Return the result of the check of a law."""
    body = [
        f"<div><b>{escape(result.name)}</b> {tag(result.sound, 'rg-class')}"
        f"{tag(result.status, _KINDS.get(result.status, ''))}</div>",
        f"<div>{code(result.algebra)}</div>",
    ]
    said = str(replace(result, counterexample=None)).splitlines()
    body += [f"<div>{escape(line)}</div>" for line in said]
    if result.counterexample is not None:
        body.append(_counterexample(result.counterexample))
    return fragment("".join(body))


def _counterexample(found: Any) -> str:
    """Return a counterexample: both sides, their values, and the code that shows it."""
    body = [
        f"<div>{tag('counterexample', 'rg-bad')}{escape(found.direction)}: "
        f"{escape(found.why)}</div>"
    ]
    sides = [("before", found.old, found.old_value), ("after", found.new, found.new_value)]
    rows = [
        (
            f"<td>{name}</td>",
            f"<td>{_formula(side) or code(str(side))}</td>",
            f"<td>{code(_short(value))}</td>",
        )
        for name, side, value in sides
        if side is not None
    ]
    body.append(table(("", "side", "value"), rows))
    body.append(f"<pre>{escape(str(found))}</pre>")
    return "".join(body)


def _short(value: Any) -> str:
    text = "" if value is None else " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:199]}…"


_HEADS = ("name", "class", "time", "validate time", "nodes before", "nodes after", "times applied",
          "nodes created")  # fmt: skip
_LONGEST_NAME = 64  # of an op or a node: its times stay beside it


def profile_html(profile: Any) -> str:
    """Return the profile of a function: its times, and those of its optimizer if they were kept."""
    title = f"Function profiling: {profile.message or 'a function'}"
    entries = profile.entries()
    longest = max(value for _, value in entries if not isinstance(value, int))
    rows = [
        (
            f"<td>{escape(label.strip(' :'))}</td>",
            _count(value) if isinstance(value, int) else _seconds(value, longest),
        )
        for label, value in entries
    ]
    body = [table((), rows, caption=title)]
    if profile.tiers is not None:
        body.append(f"<p>{'<br>'.join(map(escape, profile.tiers.lines()))}</p>")
    if profile.optimizer_profile is not None:
        body.append(_optimizer(profile_rows(*profile.optimizer_profile)))
    if profile.node_times.calls:
        heads = ("op", "time", "a call", "calls", "nodes")
        body.append(_times("Ops by time", heads, profile.by_op()))
        body.append(_times("Nodes by time", ("node", *heads[1:-1]), profile.by_node()))
    return fragment("".join(body), SORT)


def _times(caption: str, heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> str:
    """Return a table of times; a row has a name, seconds, the number of calls and other counts."""
    longest = max((seconds for _, seconds, *_ in rows), default=0.0)
    cells = [
        (
            _name(name),
            _seconds(seconds, longest),
            _seconds(seconds / counts[0]),
            *map(_count, counts),
        )
        for name, seconds, *counts in rows
    ]
    return table(heads, cells, sortable=True, caption=caption)


def _name(text: str) -> str:
    """Return a cell with the beginning of what may be long; the pointer shows the rest."""
    return f'<td class="rg-whole" title="{escape(text)}">{code(cut(text, _LONGEST_NAME))}</td>'


def _optimizer(rows: list[ProfileRow]) -> str:
    longest = max((row.time or 0.0 for row in rows), default=0.0)
    most = max((row.applied or 0 for row in rows[1:]), default=0)
    cells = [
        (
            f'<td style="padding-left:{_depth(row.name) + 0.8:g}em">'
            f"{escape(row.name.strip())}</td>",
            f'<td class="rg-whole">{code(row.kind)}</td>',
            _seconds(row.time, longest),
            _seconds(row.validate_time),
            _count(row.nodes_before),
            _count(row.nodes_after),
            _count(row.applied, most),
            _count(row.created),
        )
        for row in rows
    ]
    return table(_HEADS, cells, sortable=True, caption="Optimizer Profile")


def _depth(name: str) -> int:
    return (len(name) - len(name.lstrip(" "))) // 2


def _seconds(value: float | None, longest: float | None = None) -> str:
    share = None if longest is None or value is None else value / longest if longest else 0.0
    return number_cell(value, "" if value is None else f"{1000 * value:.3f} ms", share)


def _count(value: int | None, most: int | None = None) -> str:
    share = None if most is None or value is None else min(value / most, 1.0) if most else 0.0
    return number_cell(value, "" if value is None else f"{value:,}", share)


_OPEN = """
var parts=root.querySelectorAll("details");
root.querySelectorAll("[data-part]").forEach(function(box){
 box.addEventListener("click",function(){
  var number=Number(box.dataset.part),part=number?parts[number-1]:root;
  if(number)part.open=true;part.scrollIntoView({block:"nearest"});});});
""".replace("\n", "")
"""A script that opens the part that a box represents."""


def shown_as_html(thing: Any) -> str | None:
    """Return what a notebook shows as HTML; None if it shows none."""
    if _is_graph(thing):
        return _drawing(thing, MOST_NODES) + _formula_below(thing)
    if isinstance(thing, Relation):
        return law_html(thing)
    if isinstance(thing, LawTable):
        return thing.html()
    if isinstance(thing, Derivation):
        return derivation_html(thing)
    if isinstance(thing, Explanation):
        return fragment(_one_place(thing, *thing.text.split("\n")[1:]))
    if isinstance(thing, GraphExplanation):
        return graph_explanation_html(thing)
    # these stand on higher layers, and are told by what they have
    if hasattr(thing, "optimizer_profile"):
        return profile_html(thing)
    if hasattr(thing, "counterexample") and hasattr(thing, "algebra"):
        return check_html(thing)
    if hasattr(thing, "old_value"):
        return fragment(_counterexample(thing))
    return None


def _drawing(graph: Any, most_nodes: int) -> str:
    pictures = pictures_of(graph, most_nodes)
    # what is wide is moved sideways, and stays as large as can be read
    first, *parts = [f'<div style="overflow-x:auto">{drawn(picture)}</div>' for picture in pictures]
    if not parts:
        return first
    counts = [sum(box.kind == "op" for box in picture.boxes) for picture in pictures[1:]]
    heads = [f"part {i}: {n} node{'s' if n > 1 else ''}" for i, n in enumerate(counts, 1)]
    closed = "".join(
        f"<details><summary>{head}</summary>{part}</details>"
        for head, part in zip(heads, parts, strict=True)
    )
    return fragment(first + closed, _OPEN)


def _formula_below(graph: Any) -> str:
    formula = _formula(graph)
    shown = f"<details><summary>as a formula</summary>{formula}</details>"
    return "" if formula is None else fragment(shown)


def _is_graph(thing: Any) -> bool:
    return isinstance(thing, Variable | FunctionGraph) or hasattr(thing, "maker")


def shown_as_svg(thing: Any) -> str | None:
    """Return a variable, graph or compiled function as SVG; None for the rest."""
    return svg(thing) if _is_graph(thing) else None


def shown_as_latex(thing: Any) -> str | None:
    """Return a variable, graph, compiled function or law as LaTeX between dollar signs.

    None for the rest, and for a graph that is too large for a formula.
    """
    if not _is_graph(thing) and not (isinstance(thing, Relation) and hasattr(thing, "lhs")):
        return None
    try:
        return f"$\\displaystyle {latex(thing)}$"
    except ValueError:
        return None


def page(thing: Any, title: str = "relgraph", most_nodes: int = MOST_NODES) -> str:
    """Return anything that can be shown as a page by itself, which needs no network.

    Raises
    ------
    TypeError
        If it can't be shown.
    """
    body = None if _is_graph(thing) else shown_as_html(thing)
    if body is None:
        body = _drawing(thing, most_nodes) + _formula_below(thing)
    return whole_page(title, body)
