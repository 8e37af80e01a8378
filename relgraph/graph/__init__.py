"""The graph and the machinery that rewrites it. Nothing in here knows any mathematics.

The modules are loaded when they are first used, as ``relgraph.graph.fg`` is, and so are the few
names that the package itself offers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relgraph.graph import unify as unify
from relgraph.on_first_use import loaded

if TYPE_CHECKING:
    from relgraph.graph import (
        basic,
        destroyhandler,
        features,
        fg,
        kanren,
        op,
        opt,
        opt_utils,
        optdb,
        type,
        utils,
    )
    from relgraph.graph.basic import Apply, Constant, Variable
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.op import Op
    from relgraph.graph.opt import GlobalOptimizer, LocalOptimizer, TopoOptimizer
    from relgraph.graph.type import Type

__all__ = [
    "Apply",
    "Constant",
    "FunctionGraph",
    "GlobalOptimizer",
    "LocalOptimizer",
    "Op",
    "TopoOptimizer",
    "Type",
    "Variable",
    "basic",
    "destroyhandler",
    "features",
    "fg",
    "kanren",
    "op",
    "opt",
    "opt_utils",
    "optdb",
    "type",
    "unify",
    "utils",
]

_HOME = {
    "Apply": "relgraph.graph.basic",
    "Constant": "relgraph.graph.basic",
    "FunctionGraph": "relgraph.graph.fg",
    "GlobalOptimizer": "relgraph.graph.opt",
    "LocalOptimizer": "relgraph.graph.opt",
    "Op": "relgraph.graph.op",
    "TopoOptimizer": "relgraph.graph.opt",
    "Type": "relgraph.graph.type",
    "Variable": "relgraph.graph.basic",
}
_MODULES = frozenset(__all__) - frozenset(_HOME)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return loaded(f"relgraph.graph.{name}")
    if name in _HOME:
        found = globals()[name] = loaded(_HOME[name], name)
        return found
    raise AttributeError(f"module 'relgraph.graph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
