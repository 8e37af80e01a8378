"""What an open relation can be told not to look at.

A relation with recursion has no finite list of rules, but most nodes are none of its business, and
that shows without them: it is run on the most general node of a structure, a stand-in whose op and
inputs' ops are known and nothing else. If it fails there, it fails on every node of that structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cons import cons
from unification import var

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.solutions import isolated
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError
from relgraph.graph.op import Op

STEPS = 5_000
SECONDS = 0.5


def stand_in(node: Apply) -> Variable:
    """Return the most general variable with the op of `node` and the ops of its inputs.

    Its node's inputs are logic variables, or pairs of an op and a logic variable.
    """
    copy = Apply(node.op, [], [])
    copy.inputs = [_general(v) for v in node.inputs]
    out = Variable(node.outputs[0].type, copy, 0)
    copy.outputs = [out]
    return out


def _general(v: Variable) -> Any:
    # a number in a term looks through an op that repeats, so the head of that tells nothing
    known = isinstance(v.head, Op) and v.head.repeats is None
    alone = v.owner is not None and len(v.owner.outputs) == 1
    return cons(v.head, var()) if known and alone else var()


def rules_out(relation: Callable[[Any, Any], Any], node: Apply) -> bool:
    """Return whether `relation` fails finitely on every node of the structure of `node`.

    A goal that looks at the state instead of unifying may take a stand-in for something it is
    not, so the relation is run on `node` itself as well.

    Raises
    ------
    NotStaged
        If it has an answer there nonetheless: the relation is not to be staged.
    """
    return _fails(relation, stand_in(node)) and fails_on(relation, node)


def fails_on(relation: Callable[[Any, Any], Any], node: Apply) -> bool:
    """Return True if `relation` has no answer for `node`, as was concluded without it.

    Raises
    ------
    NotStaged
        If it has one.
    """
    if not _fails(relation, node.outputs[0]):
        raise NotStaged
    return True


class NotStaged(Exception):
    """A relation looks at more than it unifies, so that a stand-in can't speak for a node."""


def _fails(relation: Callable[[Any, Any], Any], seen: Variable) -> bool:
    q = var()
    try:
        goal = relation(seen, q)
        state = GuardedState(budget=Budget("a stand-in", STEPS, SECONDS))
        return next(isolated(goal)(state), None) is None
    except SearchBudgetError:
        return False
    except Exception:
        # whatever a relation does with a stand-in, a node of its own will tell
        return False
