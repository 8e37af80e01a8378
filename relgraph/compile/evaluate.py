"""The value of a variable, without the ceremony of a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relgraph.compile.sharedvalue import SharedVariable
from relgraph.graph.basic import Constant, Variable, graph_inputs
from relgraph.graph.reference import evaluate


def evaluate_variable(variable: Variable, values: Mapping[Any, Any]) -> Any:
    """Return the value of `variable`, computed as it stands: nothing is optimized.

    Parameters
    ----------
    values
        Values by variable, or by the name of one.

    Raises
    ------
    KeyError
        If a name is not that of one input.
    MissingInputError
        If an input has no value.
    """
    leaves = [v for v in graph_inputs([variable]) if not isinstance(v, Constant)]
    given: dict[Any, Any] = {v: v.get_value() for v in leaves if isinstance(v, SharedVariable)}
    for key, value in values.items():
        given[_named(key, variable, leaves) if isinstance(key, str) else key] = value
    return evaluate([variable], given)[0]


def _named(name: str, variable: Variable, leaves: list[Variable]) -> Variable:
    found = [v for v in leaves if v.name == name]
    if len(found) != 1:
        known = sorted({v.name for v in leaves if v.name is not None})
        raise KeyError(
            f"{len(found)} inputs of {variable} are called {name!r}; the names are {known}"
        )
    return found[0]
