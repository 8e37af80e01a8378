"""Hypothesis strategies for tensors and graphs, and checks of laws, optimizers and linkers.

The names below are loaded when they are first used: the check of laws needs python-flint, which the
extra ``check`` installs; the strategies don't.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.testing.check_result import CheckResult
    from relgraph.testing.draw.arrays import indices, values
    from relgraph.testing.draw.graphs import RandomGraph, expressions, graphs
    from relgraph.testing.draw.types import dtypes, lengths, shapes, tensor_types
    from relgraph.testing.law_check import check_relation
    from relgraph.testing.linker_check import LinkerCheck, check_linker
    from relgraph.testing.optimizer_check import OptimizerCheck, check_optimizer
    from relgraph.testing.pytest_support import law_tests
    from relgraph.testing.source.graphs import as_python
    from relgraph.testing.term_strategies import laws, terms

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
    "as_python": "source.graphs",
    "check_linker": "linker_check",
    "check_optimizer": "optimizer_check",
    "check_relation": "law_check",
    "dtypes": "draw.types",
    "expressions": "draw.graphs",
    "graphs": "draw.graphs",
    "indices": "draw.arrays",
    "law_tests": "pytest_support",
    "laws": "term_strategies",
    "lengths": "draw.types",
    "shapes": "draw.types",
    "tensor_types": "draw.types",
    "terms": "term_strategies",
    "values": "draw.arrays",
}


__getattr__, __dir__ = names_on_first_use(__name__, _MODULES)
