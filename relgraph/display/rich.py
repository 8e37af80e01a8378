"""How each kind of object is shown by a notebook."""

from __future__ import annotations

from typing import Any

from relgraph.display.drawing.picture import MOST_NODES, pictures_of
from relgraph.display.drawing.svg import drawn, svg
from relgraph.display.formulas.writer import latex, mathml
from relgraph.display.markup import fragment, whole_page
from relgraph.display.reports.checks import check_html, counterexample_html
from relgraph.display.reports.derivations import derivation_html
from relgraph.display.reports.explanations import explanation_html, graph_explanation_html
from relgraph.display.reports.laws import LawTable, law_html
from relgraph.display.reports.profiles import profile_html
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.explanation import Explanation, GraphExplanation
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import Derivation

_OPEN = """
var parts=root.querySelectorAll("details");
root.querySelectorAll("[data-part]").forEach(function(box){
 box.addEventListener("click",function(){
  var number=Number(box.dataset.part),part=number?parts[number-1]:root;
  if(number)part.open=true;part.scrollIntoView({block:"nearest"});});});
""".replace("\n", "")
"""A script that opens the part that a box stands for."""


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
        return explanation_html(thing)
    if isinstance(thing, GraphExplanation):
        return graph_explanation_html(thing)
    # these stand on higher layers, and are told by what they have
    if hasattr(thing, "optimizer_profile"):
        return profile_html(thing)
    if hasattr(thing, "counterexample") and hasattr(thing, "algebra"):
        return check_html(thing)
    if hasattr(thing, "old_value"):
        return counterexample_html(thing)
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
    try:
        return fragment(f"<details><summary>as a formula</summary>{mathml(graph)}</details>")
    except ValueError:
        return ""


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
