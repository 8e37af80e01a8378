"""The names in a generated program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable


@dataclass
class Names:
    """Names of values, and of the objects that the lines of a program refer to.

    Attributes
    ----------
    namespace
        What the names of objects stand for.
    scalars
        Variables of rank 0 whose value is a NumPy scalar rather than an array.
    owned
        Variables whose value is an array that nothing else shares: it may be written over when it
        is dead.
    defining_time
        Seconds spent on making functions of the lines.
    """

    namespace: dict[str, Any] = field(default_factory=lambda: {"asarray": np.asarray})
    of_variable: dict[Variable, str] = field(default_factory=dict)
    scalars: set[Variable] = field(default_factory=set)
    owned: set[Variable] = field(default_factory=set)
    defining_time: float = 0.0

    def value(self, var: Variable) -> str:
        """Return the name of a variable's value; that of a constant is bound to it already."""
        name = self.of_variable.get(var)
        if name is None:
            if isinstance(var, Constant):
                name = self.bind("c", var.data)
            else:
                name = f"v{len(self.of_variable)}"
            self.of_variable[var] = name
        return name

    def bind(self, prefix: str, thing: Any) -> str:
        """Return a new name for `thing`."""
        name = f"{prefix}_{len(self.namespace)}"
        self.namespace[name] = thing
        return name
