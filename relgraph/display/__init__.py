"""Graphs, laws and results as pictures, mathematics and pages.

`svg` and `dot` draw a graph, `latex` and `mathml` write a graph or a law as mathematics, and `page`
makes a page of anything that can be shown. A notebook shows them by itself, by the
methods of `relgraph.introspection.Displayed`. Nothing of this is imported before it is used, and
nothing needs a network.
"""

from relgraph import on_first_use
from relgraph.display.drawing import dot as dot
from relgraph.display.drawing import svg as svg
from relgraph.display.formulas import latex as latex
from relgraph.display.formulas import mathml as mathml
from relgraph.display.laws import LawTable as LawTable
from relgraph.display.laws import law_book as law_book
from relgraph.display.markup import whole_page as whole_page
from relgraph.display.reports import page as page
from relgraph.display.reports import shown_as_html as shown_as_html
from relgraph.display.reports import shown_as_latex as shown_as_latex
from relgraph.display.reports import shown_as_svg as shown_as_svg

__all__ = on_first_use.public_names(globals())
