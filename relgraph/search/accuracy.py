"""Forms of an expression with less rounding error: `improve`.

The names below load python-flint when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.formulas.expressions import NotSupported as NotSupported
    from relgraph.formulas.expressions import to_graph as to_graph
    from relgraph.formulas.fpcore import Core as Core
    from relgraph.formulas.fpcore import from_fpcore as from_fpcore
    from relgraph.formulas.parsing import FormulaError as FormulaError
    from relgraph.formulas.parsing import parsed as parsed
    from relgraph.formulas.problems import Problem as Problem
    from relgraph.formulas.problems import problem_of as problem_of
    from relgraph.formulas.sources import source as source
    from relgraph.formulas.true_values import EmptyDomain as EmptyDomain
    from relgraph.search.derivation import Instance as Instance
    from relgraph.search.derivation import ReplayError as ReplayError
    from relgraph.search.improvement import Form as Form
    from relgraph.search.improvement import Improvement as Improvement
    from relgraph.search.improvement import error_plot as error_plot
    from relgraph.search.improvement import page as page
    from relgraph.search.improving import improve as improve

__getattr__, __dir__ = names_on_first_use(__name__, extra="search")
