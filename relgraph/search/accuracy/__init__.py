"""Forms of an expression with less rounding error: `improve`.

The names below load python-flint when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.search.accuracy.derivation import Derivation as Derivation
    from relgraph.search.accuracy.derivation import ReplayError as ReplayError
    from relgraph.search.accuracy.derivation import Step as Step
    from relgraph.search.accuracy.expressions import NotSupported as NotSupported
    from relgraph.search.accuracy.expressions import to_graph as to_graph
    from relgraph.search.accuracy.forms import Form as Form
    from relgraph.search.accuracy.forms import Improvement as Improvement
    from relgraph.search.accuracy.formulas import FormulaError as FormulaError
    from relgraph.search.accuracy.formulas import parsed as parsed
    from relgraph.search.accuracy.fpcore import Core as Core
    from relgraph.search.accuracy.fpcore import from_fpcore as from_fpcore
    from relgraph.search.accuracy.improving import Problem as Problem
    from relgraph.search.accuracy.improving import improve as improve
    from relgraph.search.accuracy.improving import problem_of as problem_of
    from relgraph.search.accuracy.report import error_plot as error_plot
    from relgraph.search.accuracy.report import page as page
    from relgraph.search.accuracy.sources import source as source
    from relgraph.search.accuracy.true_values import EmptyDomain as EmptyDomain

__getattr__, __dir__ = names_on_first_use(
    __name__,
    {
        "derivation": ["Derivation", "ReplayError", "Step"],
        "expressions": ["NotSupported", "to_graph"],
        "forms": ["Form", "Improvement"],
        "formulas": ["FormulaError", "parsed"],
        "fpcore": ["Core", "from_fpcore"],
        "improving": ["Problem", "improve", "problem_of"],
        "report": ["error_plot", "page"],
        "sources": ["source"],
        "true_values": ["EmptyDomain"],
    },
    extra="search",
)
