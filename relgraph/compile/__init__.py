"""Compiles graphs to functions: modes, the database of optimizers, functions, shared variables."""

from relgraph.compile.builders import OpFromGraph, as_op
from relgraph.compile.compilation import function
from relgraph.compile.compiled_function import Function, FunctionMaker
from relgraph.compile.database import optdb
from relgraph.compile.io import In, Out, UnusedInputError
from relgraph.compile.law_explanation import explain, laws_for
from relgraph.compile.mode import (
    Mode,
    MonitorMode,
    NanGuardMode,
    NotFiniteError,
    get_default_mode,
    get_mode,
    predefined_modes,
    predefined_optimizers,
    register_mode,
    register_optimizer,
)
from relgraph.compile.optimize import is_same_graph, optimize_graph
from relgraph.compile.packs import PackError, installed_packs
from relgraph.compile.profiling import FunctionProfile
from relgraph.compile.registration import (
    register_canonicalize,
    register_specialize,
    register_stabilize,
    unregister,
)
from relgraph.compile.sharedvalue import TensorSharedVariable, shared
from relgraph.graph.shared_values import SharedVariable

__all__ = [
    "Function",
    "FunctionMaker",
    "FunctionProfile",
    "In",
    "Mode",
    "MonitorMode",
    "NanGuardMode",
    "NotFiniteError",
    "OpFromGraph",
    "Out",
    "PackError",
    "SharedVariable",
    "TensorSharedVariable",
    "UnusedInputError",
    "as_op",
    "explain",
    "function",
    "get_default_mode",
    "get_mode",
    "installed_packs",
    "is_same_graph",
    "laws_for",
    "optdb",
    "optimize_graph",
    "predefined_modes",
    "predefined_optimizers",
    "register_canonicalize",
    "register_mode",
    "register_optimizer",
    "register_specialize",
    "register_stabilize",
    "shared",
    "unregister",
]
