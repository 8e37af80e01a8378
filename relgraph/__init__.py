"""relgraph: a relational rewrite engine for tensor graphs.

The names below are loaded when they are first used, so that importing a part of the library does
not load the whole.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relations.kit.vocabulary import law as law
    from relations.kit.vocabulary import lvars as lvars
    from relations.kit.vocabulary import relation as relation
    from relgraph import compile as compile
    from relgraph import display as display
    from relgraph import gradient as gradient
    from relgraph import graph as graph
    from relgraph import printing as printing
    from relgraph import scalar as scalar
    from relgraph import search as search
    from relgraph import sparse as sparse
    from relgraph import tensor as tensor
    from relgraph import testing as testing
    from relgraph.bridges.tracing import trace as trace
    from relgraph.compile import In as In
    from relgraph.compile import Mode as Mode
    from relgraph.compile import OpFromGraph as OpFromGraph
    from relgraph.compile import Out as Out
    from relgraph.compile import as_op as as_op
    from relgraph.compile import explain as explain
    from relgraph.compile import function as function
    from relgraph.compile import laws_for as laws_for
    from relgraph.compile import optimize_graph as optimize_graph
    from relgraph.compile import shared as shared
    from relgraph.gradient import Lop as Lop
    from relgraph.gradient import Rop as Rop
    from relgraph.gradient import grad as grad
    from relgraph.gradient import hessian as hessian
    from relgraph.gradient import jacobian as jacobian
    from relgraph.gradient import subgraph_grad as subgraph_grad
    from relgraph.graph.kanren import build as build
    from relgraph.printing import dprint as dprint
    from relgraph.printing import pprint as pprint
    from relgraph.search.enumeration import forms as forms
    from relgraph.settings import config as config
    from relgraph.tensor.conditional import ifelse as ifelse
    from relgraph.tensor.loops.scan import foldl as foldl
    from relgraph.tensor.loops.scan import foldr as foldr
    from relgraph.tensor.loops.scan import map as map
    from relgraph.tensor.loops.scan import reduce as reduce
    from relgraph.tensor.loops.scan import scan as scan
    from relgraph.tensor.loops.scan import scan_checkpoints as scan_checkpoints
    from relgraph.tensor.loops.scan import until as until

__version__ = "0.1.0"

_found, __dir__ = names_on_first_use(__name__)
_MANY_OBJECTS = 10_000


def __getattr__(name: str) -> Any:
    # Nearly all that is made while modules are loaded stays: it is looked through for what can be
    # collected once, and not again with each generation, which takes a tenth of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        return _found(name)
    finally:
        if was_on:
            gc.enable()
            if gc.get_count()[0] > _MANY_OBJECTS:
                gc.collect(1)
