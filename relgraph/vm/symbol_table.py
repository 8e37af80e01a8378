"""The symbol table of a generated program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable


@dataclass
class SymbolTable:
    """The names of the local variables of a program, and of the objects that it refers to.

    Attributes
    ----------
    namespace
        The objects by name: the globals of the program.
    of_variable
        The name of the local variable that holds the value of each graph variable.
    scalars
        The graph variables of rank 0 whose value is a NumPy scalar and not an array.
    unshared
        The graph variables whose value is an array that shares no storage: once it is dead, it may
        be overwritten.
    compile_time
        The time in seconds that Python took to compile the source and define the functions.
    """

    namespace: dict[str, Any] = field(default_factory=lambda: {"asarray": np.asarray})
    of_variable: dict[Variable, str] = field(default_factory=dict)
    scalars: set[Variable] = field(default_factory=set)
    unshared: set[Variable] = field(default_factory=set)
    compile_time: float = 0.0

    def name_of(self, var: Variable) -> str:
        """Return the name for the value of a graph variable; that of a constant is bound to it."""
        name = self.of_variable.get(var)
        if name is None:
            if isinstance(var, Constant):
                name = self.bind("c", var.data)
            else:
                name = f"v{len(self.of_variable)}"
            self.of_variable[var] = name
        return name

    def bind(self, prefix: str, value: Any) -> str:
        """Bind an object to a new name with a prefix, and return the name."""
        name = f"{prefix}_{len(self.namespace)}"
        self.namespace[name] = value
        return name
