"""Expressions headed by a function that is no op: ``etuple(at.softmax, x)``.

They mean what the function makes of logic variables. Importing this module registers that with
`graph.unify`.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from etuples.core import ExpressionTuple
from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.terms.building import as_call
from relgraph.graph.kanren.terms.term import LogicVariable, Term, has_calls, logic_variables
from relgraph.graph.op import Op
from relgraph.graph.unify import meaning


@meaning.register(FunctionType)
def _meaning_of_call(
    function: Any, expression: ExpressionTuple, beside: Variable | type[Variable]
) -> ExpressionTuple | Any:
    """Return what a call of a function means, as an expression.

    Parameters
    ----------
    function
        The head of `expression`.
    beside
        A variable of the kind that the expression is to match, or its class: its operators are
        those in the function.

    Raises
    ------
    TypeError
        If the function can't be called on logic variables.
    """
    places: dict[Any, LogicVariable] = {}
    arguments = [
        _stand_in(part, places, getattr(beside, "_ops", None)) for part in expression._tuple[1:]
    ]
    try:
        meant = function(*arguments)
    except Exception as error:
        raise TypeError(
            f"{as_call(expression)} calls a function that is no op, and can't be matched: {error}"
        ) from error
    if has_calls(meant):
        raise TypeError(
            f"{as_call(expression)} calls a function that is no op, and can't be matched: what it "
            "makes depends on a shape, of which only a law states the rank"
        )
    names = {stand_in: part for part, stand_in in places.items()}
    if isinstance(meant, Term):
        return meant.rename(names).etuple
    return names.get(meant, meant) if isinstance(meant, LogicVariable) else meant


def _stand_in(part: Any, places: dict[Any, LogicVariable], ops: Any) -> Any:
    """Return what a function may be called on in the place of a part of an expression."""
    if isvar(part) and not isinstance(part, LogicVariable):
        if part not in places:
            places[part] = logic_variables("v", ops)[0].fresh()
        return places[part]
    if not isinstance(part, ExpressionTuple) or not part._tuple:
        return part
    head, *arguments = (_stand_in(item, places, ops) for item in part._tuple)
    return head(*arguments) if isinstance(head, Op | FunctionType) else Term(head, arguments, ops)
