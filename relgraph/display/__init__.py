"""Graphs, laws and results as pictures, mathematics and pages.

`svg` and `dot` draw a graph, `latex` and `mathml` write a graph or a law as mathematics, and `page`
makes a page of anything that can be shown. A notebook shows them by itself, by the
methods of `relgraph.introspection.Displayed`. Nothing of this is imported before it is used, and
nothing needs a network.
"""

from relgraph.display.drawing import dot, svg
from relgraph.display.formulas import latex, mathml
from relgraph.display.laws import LawTable, law_book
from relgraph.display.markup import whole_page
from relgraph.display.reports import page, shown_as_html, shown_as_latex, shown_as_svg

__all__ = [
    "LawTable",
    "dot",
    "latex",
    "law_book",
    "mathml",
    "page",
    "shown_as_html",
    "shown_as_latex",
    "shown_as_svg",
    "svg",
    "whole_page",
]
