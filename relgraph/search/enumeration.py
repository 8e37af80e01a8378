"""Enumeration: the forms of an expression, one after another, by plain kanren."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from kanren.core import lany
from unification import var as logic_variable
from unification.core import reify

from relgraph.graph.basic import Variable, clone_replace, io_toposort
from relgraph.graph.kanren.explanation import NoSuchDirection
from relgraph.graph.kanren.goals import solutions
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.state import GuardedState
from relgraph.graph.kanren.terms import OpenAnswerError, build
from relgraph.graph.opt.base import LocalOptimizer
from relgraph.search.variables import VariableEGraph
from relgraph.tensor.costs import Cost, cost_of

AT_ONCE = 16
"""How many answers are taken from one form before it is the turn of the next."""

RelationLike = Callable[[Any, Any], Any]


def forms(
    expression: Variable,
    laws: RelationLike | Iterable[Any],
    limit: int | None = None,
    cost: Cost | None = None,
) -> Iterator[Variable]:
    """Yield an expression and its forms, each once, the smaller ones first.

    A form is one step from another if a relation relates a part of the one to what stands in its
    place in the other. A part that is read twice is replaced in both places. The search is lazy:
    the next form is the least of those that are a step from the forms that have been given. A form
    that has infinitely many neighbours does not keep the others waiting.

    Parameters
    ----------
    expression
        The expression, which is not changed.
    laws
        A relation ``(in, out) -> goal``; or laws and relations, each in the directions that it has,
        and single directions, such as ``law.forward``.
    limit
        How many forms to give at most; all of them if None, which may be infinitely many.
    cost
        The cost of a node, by which forms are compared; by default the forms with the fewest nodes
        come first, equal ones counted once.

    Raises
    ------
    TypeError
        If `expression` is no variable, or `laws` no relations.

    Examples
    --------
    >>> import relgraph.tensor as at
    >>> from relgraph import forms, law, lvars, pprint
    >>> a, b, c = lvars("a b c")
    >>> x, y, z = at.dvectors("x", "y", "z")
    >>> factor = law("factor", a * b + a * c, a * (b + c), sound="finite")
    >>> [pprint(form) for form in forms(x * (y + z), [factor])]
    ['(x * (y + z))', '((x * y) + (x * z))']
    """
    if not isinstance(expression, Variable):
        raise TypeError(f"forms wants a variable of a graph, not {expression!r}")
    return itertools.islice(_forms(expression, _one_relation(laws), cost), limit)


def _forms(expression: Variable, related: RelationLike, cost: Cost | None) -> Iterator[Variable]:
    # nothing is united in it but what is the same in another order: it tells which are equal
    known = VariableEGraph(regroups=False)
    seen: set[Any] = set()
    waiting: list[tuple[float, int, Variable]] = []
    growing: deque[Iterator[Variable]] = deque()

    def meet(form: Variable) -> None:
        found = known.add(form)
        if found not in seen:
            seen.add(found)
            heapq.heappush(waiting, (_size(form, cost), len(seen), form))

    meet(expression)
    while waiting or growing:
        if waiting:
            form = heapq.heappop(waiting)[-1]
            yield form
            growing.append(_neighbours(form, related))
        for _ in range(len(growing)):
            stream = growing.popleft()
            answers = list(itertools.islice(stream, AT_ONCE))
            for answer in answers:
                meet(answer)
            if len(answers) == AT_ONCE:
                growing.append(stream)


def _size(form: Variable, cost: Cost | None) -> float:
    return cost_of(form, cost or (lambda node: 1.0))


def _neighbours(form: Variable, related: RelationLike) -> Iterator[Variable]:
    """Yield the forms that are one step away, from the root to the leaves."""
    nodes = list(io_toposort([], [form]))[::-1]
    streams = deque((node.outputs[0], _related(node.outputs[0], related)) for node in nodes)
    while streams:
        part, stream = streams.popleft()
        for answer in stream:
            yield form_with(form, part, answer)
            streams.append((part, stream))
            break


def form_with(form: Variable, part: Variable, new: Variable) -> Variable:
    """Return a form with a part of it replaced, wherever it is read."""
    return new if part is form else clone_replace(form, {part: new})


def _related(part: Variable, related: RelationLike) -> Iterator[Variable]:
    """Yield what a relation relates a part to, with the type of the part."""
    q = logic_variable()
    goal = related(part, q)
    for state in solutions(goal, GuardedState()):
        try:
            answer = build(reify(q, state))
        except (OpenAnswerError, TypeError, ValueError):
            continue  # an answer that holds a variable represents too many forms to give one
        fitted = part.type.fit(answer, part)
        if isinstance(fitted, Variable):
            yield fitted


def _one_relation(laws: Any) -> RelationLike:
    """Return one relation that holds where one of the laws does."""
    if callable(laws) and not isinstance(laws, Relation):
        relation: RelationLike = laws
        return relation
    given = [laws] if isinstance(laws, Relation | LocalOptimizer) else list(laws)
    ways = [way for law in given for way in _ways(law)]
    return lambda before, after: lany(*(way(before, after) for way in ways))


def _ways(law: Any) -> list[RelationLike]:
    if isinstance(law, Law):
        return [way.kanren_relation for way in _directions(law)]
    if isinstance(law, Relation):
        return [law, lambda before, after: law(after, before)]
    relation = getattr(law, "kanren_relation", None)
    if isinstance(law, LocalOptimizer) and callable(relation):
        return [relation]
    if callable(law):
        return [law]
    raise TypeError(f"forms wants relations, not {law!r}")


def _directions(law: Law) -> Iterator[Any]:
    """Yield the directions of a law; ``log(exp(x)) → x`` has one: all is an ``x``."""
    for name in ("forward", "backward"):
        with suppress(NoSuchDirection):
            yield getattr(law, name)
