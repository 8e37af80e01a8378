"""Rewriters: global and local optimizers, and the optimizers that apply local ones."""

from relgraph.graph.opt.base import (
    FromFunctionLocalOptimizer,
    FromFunctionOptimizer,
    GlobalOptimizer,
    Heading,
    LocalOptimizer,
    Rewriter,
    check_chain,
    copy_stack_trace,
    inplace_optimizer,
    local_optimizer,
    optimizer,
)
from relgraph.graph.opt.derivation import Derivation, Recorder
from relgraph.graph.opt.equilibrium import EquilibriumOptimizer
from relgraph.graph.opt.limits import DivergenceError, DivergenceWarning
from relgraph.graph.opt.merge import MergeOptimizer
from relgraph.graph.opt.navigators import (
    LocalOptGroup,
    NavigatorOptimizer,
    OpKeyOptimizer,
    OptimizationWarning,
    SeqOptimizer,
    SequenceOptimizer,
    TopoOptimizer,
    in2out,
    out2in,
    topogroup_optimizer,
)
from relgraph.graph.opt.profile import (
    EquilibriumRecord,
    ProfileRow,
    SequenceRecord,
    print_optimizer_profile,
    profile_rows,
)
from relgraph.graph.opt.substitution import OpRemove, OpSub, PatternSub

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
