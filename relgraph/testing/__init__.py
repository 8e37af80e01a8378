"""Random types, values and graphs for tests, and what checks laws, optimizers and linkers.

The names below are loaded when they are first used: the law checker needs mpmath, which comes
with the extra ``check``; the strategies don't.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relgraph.testing.check import check_relation
    from relgraph.testing.draw.arrays import indices, values
    from relgraph.testing.draw.graphs import RandomGraph, expressions, graphs
    from relgraph.testing.draw.types import dtypes, lengths, shapes, tensor_types
    from relgraph.testing.linkers import LinkerCheck, check_linker
    from relgraph.testing.optimizers import OptimizerCheck, check_optimizer
    from relgraph.testing.pytest_form import law_tests
    from relgraph.testing.result import CheckResult
    from relgraph.testing.source.graphs import as_python

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
    "lengths",
    "shapes",
    "tensor_types",
    "values",
]

_HOME = {
    "CheckResult": "result",
    "LinkerCheck": "linkers",
    "OptimizerCheck": "optimizers",
    "RandomGraph": "draw.graphs",
    "as_python": "source.graphs",
    "check_linker": "linkers",
    "check_optimizer": "optimizers",
    "check_relation": "check",
    "dtypes": "draw.types",
    "expressions": "draw.graphs",
    "graphs": "draw.graphs",
    "indices": "draw.arrays",
    "law_tests": "pytest_form",
    "lengths": "draw.types",
    "shapes": "draw.types",
    "tensor_types": "draw.types",
    "values": "draw.arrays",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        module = import_module(f"relgraph.testing.{_HOME[name]}")
        found = globals()[name] = getattr(module, name)
        return found
    raise AttributeError(f"module 'relgraph.testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
