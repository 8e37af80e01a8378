"""`Variable.eval`: the value of a variable, computed without compiling a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relgraph.compile.sharedvalue import SharedVariable
from relgraph.graph.basic import Constant, Variable, graph_inputs
from relgraph.graph.reference import evaluate


def evaluate_variable(variable: Variable, values: Mapping[Any, Any]) -> Any:
    """Return the value of a variable; its graph is not optimized.

    Parameters
    ----------
    variable
        The variable.
    values
        The values of the inputs, by variable or by name. Shared variables have their own.

    Raises
    ------
    KeyError
        If no input, or more than one, has one of the names.
    MissingInputError
        If an input has no value.
    """
    leaves = [v for v in graph_inputs([variable]) if not isinstance(v, Constant)]
    given: dict[Any, Any] = {v: v.get_value() for v in leaves if isinstance(v, SharedVariable)}
    for key, value in values.items():
        given[_input_named(key, variable, leaves) if isinstance(key, str) else key] = value
    return evaluate([variable], given)[0]


def _input_named(name: str, variable: Variable, leaves: list[Variable]) -> Variable:
    found = [v for v in leaves if v.name == name]
    if len(found) != 1:
        known = sorted({v.name for v in leaves if v.name is not None})
        raise KeyError(
            f"{len(found)} inputs of {variable} are called {name!r}; the names are {known}"
        )
    return found[0]
