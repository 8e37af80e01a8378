"""Forms of an expression with less rounding error: `improve`.

The names below load python-flint when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.search.accuracy.derivation import Derivation, ReplayError, Step
    from relgraph.search.accuracy.expressions import NotSupported, to_graph
    from relgraph.search.accuracy.forms import Form, Improvement, error_plot
    from relgraph.search.accuracy.formulas import FormulaError, parsed
    from relgraph.search.accuracy.fpcore import Core, from_fpcore
    from relgraph.search.accuracy.improving import Problem, improve, problem_of
    from relgraph.search.accuracy.true_values import EmptyDomain

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
    "Core": "fpcore",
    "Derivation": "derivation",
    "EmptyDomain": "true_values",
    "Form": "forms",
    "FormulaError": "formulas",
    "Improvement": "forms",
    "NotSupported": "expressions",
    "Problem": "improving",
    "ReplayError": "derivation",
    "Step": "derivation",
    "error_plot": "forms",
    "from_fpcore": "fpcore",
    "improve": "improving",
    "parsed": "formulas",
    "problem_of": "improving",
    "to_graph": "expressions",
}

__getattr__, __dir__ = names_on_first_use(__name__, _HOME, extra="search")
