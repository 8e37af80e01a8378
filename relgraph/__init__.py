"""relgraph: a relational rewrite engine for tensor graphs.

The names below are loaded when they are first used, so that importing a part of the library does
not load the whole.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from relgraph.on_first_use import loaded

if TYPE_CHECKING:
    from relgraph import (
        compile,
        display,
        gradient,
        graph,
        printing,
        scalar,
        search,
        sparse,
        tensor,
        testing,
    )
    from relgraph.bridges.tracing import trace
    from relgraph.compile import In, Mode, Out, explain, function, laws_for, optimize_graph, shared
    from relgraph.gradient import grad
    from relgraph.graph.kanren import build
    from relgraph.printing import dprint, pprint
    from relgraph.search.enumeration import forms
    from relgraph.settings import config
    from relgraph.tensor.conditional import ifelse
    from relgraph.tensor.lawkit.vocabulary import law, lvars, relation
    from relgraph.tensor.loops.scan import foldl, foldr, map, reduce, scan, scan_checkpoints, until

__version__ = "0.1.0"

__all__ = [
    "In",
    "Mode",
    "Out",
    "build",
    "compile",
    "config",
    "display",
    "dprint",
    "explain",
    "foldl",
    "foldr",
    "forms",
    "function",
    "grad",
    "gradient",
    "graph",
    "ifelse",
    "law",
    "laws_for",
    "lvars",
    "map",
    "optimize_graph",
    "pprint",
    "printing",
    "reduce",
    "relation",
    "scalar",
    "scan",
    "scan_checkpoints",
    "search",
    "shared",
    "sparse",
    "tensor",
    "testing",
    "trace",
    "until",
]

_HOME = {
    "In": "relgraph.compile",
    "Mode": "relgraph.compile",
    "Out": "relgraph.compile",
    "build": "relgraph.graph.kanren",
    "config": "relgraph.settings",
    "dprint": "relgraph.printing",
    "explain": "relgraph.compile",
    "foldl": "relgraph.tensor.loops.scan",
    "foldr": "relgraph.tensor.loops.scan",
    "forms": "relgraph.search.enumeration",
    "function": "relgraph.compile",
    "grad": "relgraph.gradient",
    "ifelse": "relgraph.tensor.conditional",
    "law": "relgraph.tensor.lawkit.vocabulary",
    "laws_for": "relgraph.compile",
    "lvars": "relgraph.tensor.lawkit.vocabulary",
    "map": "relgraph.tensor.loops.scan",
    "optimize_graph": "relgraph.compile",
    "pprint": "relgraph.printing",
    "reduce": "relgraph.tensor.loops.scan",
    "relation": "relgraph.tensor.lawkit.vocabulary",
    "scan": "relgraph.tensor.loops.scan",
    "scan_checkpoints": "relgraph.tensor.loops.scan",
    "shared": "relgraph.compile",
    "trace": "relgraph.bridges.tracing",
    "until": "relgraph.tensor.loops.scan",
}
_PACKAGES = frozenset(__all__) - frozenset(_HOME)
_MANY_OBJECTS = 10_000


def __getattr__(name: str) -> Any:
    if name not in _PACKAGES and name not in _HOME:
        raise AttributeError(f"module 'relgraph' has no attribute {name!r}")
    # Nearly all that is made while modules are loaded stays: it is looked through for what can be
    # collected once, and not again with each generation, which takes a tenth of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        if name in _PACKAGES:
            return loaded(f"relgraph.{name}")
        found = globals()[name] = loaded(_HOME[name], name)
        return found
    finally:
        if was_on:
            gc.enable()
            if gc.get_count()[0] > _MANY_OBJECTS:
                gc.collect(1)


def __dir__() -> list[str]:
    return sorted(__all__)
