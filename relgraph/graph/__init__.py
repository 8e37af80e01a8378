"""The graph and the machinery that rewrites it. Nothing in here knows any mathematics.

The modules are loaded when they are first used, as ``relgraph.graph.fg`` is, and so are the few
names that the package itself offers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.graph import unify as unify
from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.graph import basic as basic
    from relgraph.graph import destroyhandler as destroyhandler
    from relgraph.graph import features as features
    from relgraph.graph import fg as fg
    from relgraph.graph import kanren as kanren
    from relgraph.graph import op as op
    from relgraph.graph import opt as opt
    from relgraph.graph import opt_utils as opt_utils
    from relgraph.graph import optdb as optdb
    from relgraph.graph import type as type
    from relgraph.graph import utils as utils
    from relgraph.graph.basic import Apply as Apply
    from relgraph.graph.basic import Constant as Constant
    from relgraph.graph.basic import Variable as Variable
    from relgraph.graph.fg import FunctionGraph as FunctionGraph
    from relgraph.graph.op import Op as Op
    from relgraph.graph.opt import GlobalOptimizer as GlobalOptimizer
    from relgraph.graph.opt import LocalOptimizer as LocalOptimizer
    from relgraph.graph.opt import TopoOptimizer as TopoOptimizer
    from relgraph.graph.type import Type as Type

__getattr__, __dir__ = names_on_first_use(__name__)
