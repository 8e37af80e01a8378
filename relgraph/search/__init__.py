"""Search: the laws of rewriting as equality saturation, the best form by a cost or by its errors.

The names below are loaded when they are first used. `improve` needs python-flint:
``pip install 'relgraph[search]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.search.accuracy.forms import Improvement
    from relgraph.search.accuracy.improving import improve
    from relgraph.search.laws import book, report
    from relgraph.search.optimizer import Best, Forms, SaturationOptimizer, best, forms
    from relgraph.tensor.costs import Measured, bytes_moved, calls, cost_of, flops

__all__ = [
    "Best",
    "Forms",
    "Improvement",
    "Measured",
    "SaturationOptimizer",
    "best",
    "book",
    "bytes_moved",
    "calls",
    "cost_of",
    "flops",
    "forms",
    "improve",
    "report",
]

_MODULES = {
    "Best": "optimizer",
    "Forms": "optimizer",
    "Improvement": "accuracy.forms",
    "Measured": "relgraph.tensor.costs",
    "SaturationOptimizer": "optimizer",
    "best": "optimizer",
    "book": "laws",
    "bytes_moved": "relgraph.tensor.costs",
    "calls": "relgraph.tensor.costs",
    "cost_of": "relgraph.tensor.costs",
    "flops": "relgraph.tensor.costs",
    "forms": "optimizer",
    "improve": "accuracy.improving",
    "report": "laws",
}


__getattr__, __dir__ = names_on_first_use(__name__, _MODULES, extra="search")
