"""Hypothesis strategies for tensors and graphs, and checks of laws, optimizers and linkers.

The names below are loaded when they are first used: the check of laws needs python-flint, which the
extra ``check`` installs; the strategies don't.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.testing.check_result import CheckResult
    from relgraph.testing.draw.arrays import dtypes, indices, lengths, shapes, tensor_types, values
    from relgraph.testing.draw.graphs import RandomGraph, expressions, graphs
    from relgraph.testing.draw.terms import laws, terms
    from relgraph.testing.law_check import check_relation
    from relgraph.testing.linker_check import LinkerCheck, check_linker
    from relgraph.testing.optimizer_check import OptimizerCheck, check_optimizer
    from relgraph.testing.pytest_support import law_tests
    from relgraph.testing.source import as_python

__all__ = [
    "CheckResult",
    "LinkerCheck",
    "OptimizerCheck",
    "RandomGraph",
    "as_python",
    "check_linker",
    "check_optimizer",
    "check_relation",
    "dtypes",
    "expressions",
    "graphs",
    "indices",
    "law_tests",
    "laws",
    "lengths",
    "shapes",
    "tensor_types",
    "terms",
    "values",
]

_MODULES = {
    "CheckResult": "check_result",
    "LinkerCheck": "linker_check",
    "OptimizerCheck": "optimizer_check",
    "RandomGraph": "draw.graphs",
    "as_python": "source",
    "check_linker": "linker_check",
    "check_optimizer": "optimizer_check",
    "check_relation": "law_check",
    "dtypes": "draw.arrays",
    "expressions": "draw.graphs",
    "graphs": "draw.graphs",
    "indices": "draw.arrays",
    "law_tests": "pytest_support",
    "laws": "draw.terms",
    "lengths": "draw.arrays",
    "shapes": "draw.arrays",
    "tensor_types": "draw.arrays",
    "terms": "draw.terms",
    "values": "draw.arrays",
}


__getattr__, __dir__ = names_on_first_use(__name__, _MODULES)
