"""From graphs to functions: modes, the database of rewriters, functions and shared variables."""

from relgraph.compile.database import (
    optdb,
    register_canonicalize,
    register_specialize,
    register_stabilize,
)
from relgraph.compile.functions.arguments import In, Out
from relgraph.compile.functions.callable import Function, FunctionMaker
from relgraph.compile.functions.construct import function
from relgraph.compile.functions.specification import UnusedInputError
from relgraph.compile.mode import (
    Mode,
    get_default_mode,
    get_mode,
    predefined_modes,
    predefined_optimizers,
    register_mode,
    register_optimizer,
)
from relgraph.compile.optimize import is_same_graph, optimize_graph
from relgraph.compile.profiling import FunctionProfile
from relgraph.compile.sharedvalue import SharedVariable, TensorSharedVariable, shared

__all__ = [
    "Function",
    "FunctionMaker",
    "FunctionProfile",
    "In",
    "Mode",
    "Out",
    "SharedVariable",
    "TensorSharedVariable",
    "UnusedInputError",
    "function",
    "get_default_mode",
    "get_mode",
    "is_same_graph",
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
]
