"""Rewriters: global and local optimizers, and the optimizers that apply local ones."""

from relgraph import on_first_use
from relgraph.graph.opt.base import FromFunctionLocalOptimizer as FromFunctionLocalOptimizer
from relgraph.graph.opt.base import FromFunctionOptimizer as FromFunctionOptimizer
from relgraph.graph.opt.base import GlobalOptimizer as GlobalOptimizer
from relgraph.graph.opt.base import Heading as Heading
from relgraph.graph.opt.base import LocalOptimizer as LocalOptimizer
from relgraph.graph.opt.base import Rewriter as Rewriter
from relgraph.graph.opt.base import check_chain as check_chain
from relgraph.graph.opt.base import copy_stack_trace as copy_stack_trace
from relgraph.graph.opt.base import inplace_optimizer as inplace_optimizer
from relgraph.graph.opt.base import local_optimizer as local_optimizer
from relgraph.graph.opt.base import optimizer as optimizer
from relgraph.graph.opt.derivation import Derivation as Derivation
from relgraph.graph.opt.derivation import Recorder as Recorder
from relgraph.graph.opt.equilibrium import EquilibriumOptimizer as EquilibriumOptimizer
from relgraph.graph.opt.limits import DivergenceError as DivergenceError
from relgraph.graph.opt.limits import DivergenceWarning as DivergenceWarning
from relgraph.graph.opt.merge import MergeOptimizer as MergeOptimizer
from relgraph.graph.opt.navigators import LocalOptGroup as LocalOptGroup
from relgraph.graph.opt.navigators import NavigatorOptimizer as NavigatorOptimizer
from relgraph.graph.opt.navigators import OpKeyOptimizer as OpKeyOptimizer
from relgraph.graph.opt.navigators import OptimizationWarning as OptimizationWarning
from relgraph.graph.opt.navigators import SeqOptimizer as SeqOptimizer
from relgraph.graph.opt.navigators import SequenceOptimizer as SequenceOptimizer
from relgraph.graph.opt.navigators import TopoOptimizer as TopoOptimizer
from relgraph.graph.opt.navigators import in2out as in2out
from relgraph.graph.opt.navigators import out2in as out2in
from relgraph.graph.opt.navigators import topogroup_optimizer as topogroup_optimizer
from relgraph.graph.opt.profile import EquilibriumRecord as EquilibriumRecord
from relgraph.graph.opt.profile import ProfileRow as ProfileRow
from relgraph.graph.opt.profile import SequenceRecord as SequenceRecord
from relgraph.graph.opt.profile import print_optimizer_profile as print_optimizer_profile
from relgraph.graph.opt.profile import profile_rows as profile_rows
from relgraph.graph.opt.substitution import OpRemove as OpRemove
from relgraph.graph.opt.substitution import OpSub as OpSub
from relgraph.graph.opt.substitution import PatternSub as PatternSub

__all__ = on_first_use.public_names(globals())
