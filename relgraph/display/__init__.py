"""Graphs, laws and results as pictures, mathematics and pages.

`svg` and `dot` draw a graph, `latex` and `mathml` write a graph or a law as mathematics, and `page`
makes a page of anything that can be shown. A notebook shows them by itself (`relgraph.displayed`).
Nothing of this is imported before it is used, and nothing needs a network.
"""

from relgraph.display.drawing.dot import dot
from relgraph.display.drawing.svg import svg
from relgraph.display.formulas.writer import latex, mathml
from relgraph.display.markup import whole_page
from relgraph.display.reports.law_book import law_book
from relgraph.display.reports.laws import LawTable
from relgraph.display.rich import page, shown_as_html, shown_as_latex, shown_as_svg

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
