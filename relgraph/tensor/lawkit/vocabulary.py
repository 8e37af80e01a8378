"""The vocabulary of laws about tensors: `lvars`, `law`, `any_dtype_law` and `relation`."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren.laws import Law, law
from relgraph.graph.kanren.relations import Relation, relation
from relgraph.graph.kanren.terms.term import LogicVariable, logic_variables
from relgraph.tensor.variable import TensorVariable

__all__ = ["Law", "Relation", "any_dtype_law", "law", "lvars", "relation"]


def lvars(names: str) -> list[LogicVariable]:
    """Return logic variables on which Python's operators mean the tensor ops.

    Parameters
    ----------
    names
        Names separated by blanks or commas.

    Examples
    --------
    >>> from relgraph.tensor.lawkit.vocabulary import law, lvars
    >>> x, y = lvars("x y")
    >>> law("mul-div-cancel", x * y / y, x, sound="finite")
    <Law mul-div-cancel: x * y / y → x>
    """
    return logic_variables(names, TensorVariable._ops)


def any_dtype_law(name: str, lhs: Any, rhs: Any, *conditions: Any, **options: Any) -> Law:
    """Return a law for tensors of any dtype, and of several; see `law`."""
    return law(name, lhs, rhs, *conditions, mixed=True, complex=True, **options)
