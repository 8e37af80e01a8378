"""The symbol table of a generated program."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.tensor.elemwise.new_arrays import KeptStorage
from relgraph.tensor.memory_layout import in_order, laid_out
from relgraph.vm.lines.equal_lengths import EqualLengths

_BUILTINS = {
    "asarray": np.asarray,
    "float64": np.float64,
    "in_order": in_order,
    "laid_out": laid_out,
}


@dataclass
class SymbolTable:
    """The names of the local variables of a program, and what is known of the values they hold.

    Attributes
    ----------
    namespace
        The objects by name: the globals of the program.
    of_variable
        The name of the local variable that holds the value of each graph variable.
    scalars
        The graph variables of rank 0 whose value is a NumPy scalar and not an array.
    floats
        Those whose value is a Python float: float64, on which Python's operators give the bits that
        NumPy gives, and never warn.
    unshared
        The graph variables whose value is an array that shares no storage: once it is dead, it may
        be overwritten.
    forward
        Those whose value is an array of which all axes run forward in memory.
    ordered
        Those whose value is an array in C order.
    lengths
        What is known about lengths.
    may_warn
        Whether a line may raise a warning of NumPy.
    raised_by_perform
        For the nodes whose line raises another error than their `perform`: what computes them.
    kept
        Where large arrays take memory from; None for new memory.
    storage
        Where large arrays take memory from; None for new memory.
    compile_time
        The time in seconds that Python took to compile the source and define the functions.
    """

    namespace: dict[str, Any] = field(default_factory=lambda: dict(_BUILTINS))
    of_variable: dict[Variable, str] = field(default_factory=dict)
    scalars: set[Variable] = field(default_factory=set)
    floats: set[Variable] = field(default_factory=set)
    unshared: set[Variable] = field(default_factory=set)
    forward: set[Variable] = field(default_factory=set)
    ordered: set[Variable] = field(default_factory=set)
    lengths: EqualLengths = field(default_factory=EqualLengths)
    may_warn: bool = False
    raised_by_perform: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    storage: KeptStorage | None = None
    compile_time: float = 0.0
    # by identity: the namespace keeps the objects alive
    _shared: dict[int, str] = field(default_factory=dict)

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

    def shared_name(self, prefix: str, value: Any) -> str:
        """Return the name for an object that many lines refer to: it has one."""
        name = self._shared.get(id(value))
        if name is None:
            name = self._shared[id(value)] = self.bind(prefix, value)
        return name

    def array_name(self, var: Variable) -> str:
        """Return an expression for a value as an array, which `perform` takes whatever its rank."""
        name = self.name_of(var)
        return f"asarray({name})" if var in self.scalars or var in self.floats else name

    def float_name(self, var: Variable, statements: list[str]) -> str:
        """Return an expression for a float64 value of rank 0 as a Python float.

        What converts it is added to `statements`, once for a variable.
        """
        if isinstance(var, Constant):
            value = float(var.data)
            return f"({value!r})" if math.isfinite(value) else self.bind("c", value)
        name = self.name_of(var)
        if var not in self.floats:
            statements.append(f"{name} = float({name})")
            self.floats.add(var)
            self.scalars.discard(var)
        return name

    def scalar_name(self, var: Variable, statements: list[str]) -> str:
        """Return an expression for a value of rank 0 as a NumPy scalar; see `float_name`."""
        if isinstance(var, Constant):
            return self.bind("c", var.data[()])
        name = self.name_of(var)
        if var in self.floats:
            return f"float64({name})"
        if var not in self.scalars:
            statements.append(f"{name} = {name}[()]")
            self.scalars.add(var)
        return name

    def define_rank_zero(self, var: Variable, expression: str) -> str:
        """Return the statement for a value of rank 0 that an expression gives as a NumPy scalar."""
        name = self.name_of(var)
        if var.type.dtype == "float64":
            self.floats.add(var)
            return f"{name} = float({expression})"
        self.scalars.add(var)
        return f"{name} = {expression}"

    def define_fresh(self, var: Variable, ordered: bool) -> None:
        """Note that the value of a variable is an array that has just been made."""
        self.unshared.add(var)
        self.forward.add(var)
        if ordered or var.type.ndim <= 1:
            self.ordered.add(var)

    def define_overwritten(self, var: Variable, target: Variable) -> None:
        """Note that the value of a variable is the array of another one, written over."""
        for known in (self.unshared, self.forward, self.ordered):
            if target in known:
                known.add(var)
