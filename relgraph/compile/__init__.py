"""Compiles graphs to functions: modes, the database of optimizers, functions, shared variables."""

from relgraph import on_first_use
from relgraph.compile.builders import OpFromGraph as OpFromGraph
from relgraph.compile.builders import as_op as as_op
from relgraph.compile.compilation import function as function
from relgraph.compile.compiled_function import Function as Function
from relgraph.compile.compiled_function import FunctionMaker as FunctionMaker
from relgraph.compile.database import optdb as optdb
from relgraph.compile.io import In as In
from relgraph.compile.io import Out as Out
from relgraph.compile.io import UnusedInputError as UnusedInputError
from relgraph.compile.law_explanation import explain as explain
from relgraph.compile.law_explanation import laws_for as laws_for
from relgraph.compile.mode import Mode as Mode
from relgraph.compile.mode import MonitorMode as MonitorMode
from relgraph.compile.mode import NanGuardMode as NanGuardMode
from relgraph.compile.mode import NotFiniteError as NotFiniteError
from relgraph.compile.mode import get_default_mode as get_default_mode
from relgraph.compile.mode import get_mode as get_mode
from relgraph.compile.mode import predefined_modes as predefined_modes
from relgraph.compile.mode import predefined_optimizers as predefined_optimizers
from relgraph.compile.mode import register_mode as register_mode
from relgraph.compile.mode import register_optimizer as register_optimizer
from relgraph.compile.optimize import is_same_graph as is_same_graph
from relgraph.compile.optimize import optimize_graph as optimize_graph
from relgraph.compile.packs import PackError as PackError
from relgraph.compile.packs import installed_packs as installed_packs
from relgraph.compile.profiling import FunctionProfile as FunctionProfile
from relgraph.compile.registration import register_canonicalize as register_canonicalize
from relgraph.compile.registration import register_specialize as register_specialize
from relgraph.compile.registration import register_stabilize as register_stabilize
from relgraph.compile.registration import unregister as unregister
from relgraph.compile.sharedvalue import TensorSharedVariable as TensorSharedVariable
from relgraph.compile.sharedvalue import shared as shared
from relgraph.graph.shared_values import SharedVariable as SharedVariable

__all__ = on_first_use.public_names(globals())
