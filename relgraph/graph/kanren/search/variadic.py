"""Goals for ops with any number of arguments: `argumentso` and `eacho`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cons import cons
from etuples.core import ExpressionTuple
from kanren.core import eq
from kanren.graph import mapo
from unification import var
from unification.core import unify
from unification.utils import transitive_get

_mapo: Any = mapo


def argumentso(term_lv: Any, op: Any, args_lv: Any) -> Any:
    """Construct the goal that `term_lv` is `op` applied to the arguments `args_lv`.

    It works in both directions: from a variable of a graph to its arguments, an etuple; and from
    arguments (an etuple, or a list such as kanren's `mapo` makes) to the term. `whereo` and
    `computo` may be given all arguments at once::

        @relation("add-same", sound="rounding")
        def add_same(in_lv, out_lv):
            x, n, args = lvars("x n args")
            return lall(
                argumentso(in_lv, at.add, args),
                whereo(all_the_same, args),
                computo(x, first, args),
                computo(n, len, args),
                eq(out_lv, n * x),
            )

    and `eacho` relates them one by one. kanren's `applyo` is the same relation, but evaluates a
    term whose op and arguments are known, which fails if there are logic variables in them.

    Parameters
    ----------
    term_lv
        A variable of a graph, a term, or a logic variable.
    op
        An `Op`, a term or etuple for ops of one class (``etuple(Elemwise, scalar_op, pattern)``),
        or a logic variable.
    args_lv
        The arguments, or a logic variable; ``cons(x, rest)`` to tell the first from the others.
    """
    return eq(cons(op, args_lv), term_lv)


class Each:
    """The goal that a relation holds between the items of two lists; see `eacho`."""

    def __init__(self, relation: Callable[[Any, Any], Any], items: Any, others: Any) -> None:
        self.relation = relation
        self.items = items
        self.others = others

    def with_relation(self, relation: Callable[[Any, Any], Any]) -> Each:
        """Return the same goal for another relation."""
        return Each(relation, self.items, self.others)

    def __call__(self, s: Any) -> Iterator[Any]:
        left, right = (transitive_get(x, s) for x in (self.items, self.others))
        known = next((x for x in (left, right) if type(x) in (list, tuple, ExpressionTuple)), None)
        if known is None:
            yield from _mapo(self.relation, left, right)(s)
            return
        left_items = known if left is known else _fresh_like(known)
        right_items = known if right is known else _fresh_like(known)
        start = unify([left_items, right_items], [left, right], s)
        # a list of states for each item, since streams within streams would nest too deep
        states = [] if start is False else [start]
        for a, b in zip(left_items, right_items, strict=True):
            states = [after for state in states for after in self.relation(a, b)(state)]
        yield from states


def _fresh_like(known: Sequence[Any]) -> Any:
    kind: Any = type(known)
    return kind([var() for _ in known])


def eacho(relation: Callable[[Any, Any], Any], items_lv: Any, others_lv: Any) -> Each:
    """Construct the goal that `relation` holds between the items of two lists, place by place.

    This is kanren's `mapo` if one list is known, with two differences: it does not recurse, so
    that lists may be long; and the other list has the type of the known one. The answers of the
    last pair vary fastest.

    Parameters
    ----------
    relation
        Takes an item of each list, which may be logic variables (kanren's own, so that an op on
        one is written ``etuple(op, x)``), and gives a goal.
    items_lv, others_lv
        Lists, tuples or etuples, or logic variables. If both are unbound, it is `mapo`.
    """
    return Each(relation, items_lv, others_lv)
