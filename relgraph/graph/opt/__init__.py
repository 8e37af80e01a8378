"""Rewriters: global and local optimizers, and the optimizers that apply local ones."""

from relgraph.graph.opt.base import GlobalOptimizer, Heading, LocalOptimizer, Rewriter
from relgraph.graph.opt.decorators import (
    FromFunctionLocalOptimizer,
    FromFunctionOptimizer,
    inplace_optimizer,
    local_optimizer,
    optimizer,
)
from relgraph.graph.opt.derivation.recorder import Recorder
from relgraph.graph.opt.derivation.replay import Derivation
from relgraph.graph.opt.divergence import DivergenceError, DivergenceWarning
from relgraph.graph.opt.equilibrium.optimizer import EquilibriumOptimizer
from relgraph.graph.opt.merge.optimizer import MergeOptimizer
from relgraph.graph.opt.navigators.group import LocalOptGroup
from relgraph.graph.opt.navigators.navigator import (
    NavigatorOptimizer,
    OpKeyOptimizer,
    OptimizationWarning,
    TopoOptimizer,
    in2out,
    out2in,
    topogroup_optimizer,
)
from relgraph.graph.opt.navigators.sequence import SeqOptimizer, SequenceOptimizer
from relgraph.graph.opt.op_substitution import OpRemove, OpSub
from relgraph.graph.opt.pattern_substitution import PatternSub
from relgraph.graph.opt.profile.records import EquilibriumRecord, SequenceRecord
from relgraph.graph.opt.profile.report import ProfileRow, print_optimizer_profile, profile_rows
from relgraph.graph.opt.rewriter_tools import check_chain, copy_stack_trace

__all__ = [
    "Derivation",
    "DivergenceError",
    "DivergenceWarning",
    "EquilibriumOptimizer",
    "EquilibriumRecord",
    "FromFunctionLocalOptimizer",
    "FromFunctionOptimizer",
    "GlobalOptimizer",
    "Heading",
    "LocalOptGroup",
    "LocalOptimizer",
    "MergeOptimizer",
    "NavigatorOptimizer",
    "OpKeyOptimizer",
    "OpRemove",
    "OpSub",
    "OptimizationWarning",
    "PatternSub",
    "ProfileRow",
    "Recorder",
    "Rewriter",
    "SeqOptimizer",
    "SequenceOptimizer",
    "SequenceRecord",
    "TopoOptimizer",
    "check_chain",
    "copy_stack_trace",
    "in2out",
    "inplace_optimizer",
    "local_optimizer",
    "optimizer",
    "out2in",
    "print_optimizer_profile",
    "profile_rows",
    "topogroup_optimizer",
]
