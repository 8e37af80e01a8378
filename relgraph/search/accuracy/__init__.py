"""Forms of an expression with less rounding error: `improve`.

The names below load python-flint when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.search.accuracy.derivation import Derivation, ReplayError, Step
    from relgraph.search.accuracy.expressions import NotSupported, to_graph
    from relgraph.search.accuracy.forms import Form, Improvement
    from relgraph.search.accuracy.improving import improve
    from relgraph.search.accuracy.notation.formulas import FormulaError, parsed
    from relgraph.search.accuracy.notation.fpcore import Core, from_fpcore
    from relgraph.search.accuracy.notation.problems import Problem, problem_of
    from relgraph.search.accuracy.plotting import error_plot
    from relgraph.search.accuracy.truth.sampling import EmptyDomain

__all__ = [
    "Core",
    "Derivation",
    "EmptyDomain",
    "Form",
    "FormulaError",
    "Improvement",
    "NotSupported",
    "Problem",
    "ReplayError",
    "Step",
    "error_plot",
    "from_fpcore",
    "improve",
    "parsed",
    "problem_of",
    "to_graph",
]

_HOME = {
    "Core": "notation.fpcore",
    "Derivation": "derivation",
    "EmptyDomain": "truth.sampling",
    "Form": "forms",
    "FormulaError": "notation.formulas",
    "Improvement": "forms",
    "NotSupported": "expressions",
    "Problem": "notation.problems",
    "ReplayError": "derivation",
    "Step": "derivation",
    "error_plot": "plotting",
    "from_fpcore": "notation.fpcore",
    "improve": "improving",
    "parsed": "notation.formulas",
    "problem_of": "notation.problems",
    "to_graph": "expressions",
}

__getattr__, __dir__ = names_on_first_use(__name__, _HOME, extra="search")
