"""Extraction: of each class of an e-graph one term, so that what the outputs need costs least.

`greedy` goes from the leaves up: each class takes the term that needs least, what two arguments
share counted once; the best term of a class alone need not be the best beside the rest of the graph
("faster greedy DAG" of the extraction gym, github.com/egraphs-good/extraction-gym). `exact` is an
integer linear program, which SciPy's HiGHS solves. `ordered_trees` yields the terms of a class in
order of cost (Huang and Chiang, "Better k-best parsing", IWPT 2005).
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from relgraph.graph.basic import Apply, Variable
from relgraph.search.egraph import EClass
from relgraph.tensor.costs import Lengths


class Candidate(NamedTuple):
    """A term, what it costs by itself, and the classes of its arguments, also each once."""

    term: Any
    cost: float
    arguments: tuple[Any, ...]
    children: tuple[Any, ...]


Candidates = Mapping[Any, list[Candidate]]
Choice = dict[Any, Candidate]
"""The chosen term of each class that the outputs need."""

Class = EClass[Variable]


def candidates(
    roots: Iterable[Class], cost: Callable[[Variable], float], every: bool = False
) -> dict[Class, list[Candidate]]:
    """Return the candidates of each class below some roots; of equal ones on equal classes, one.

    Parameters
    ----------
    cost
        The cost of a term; it may be infinite, and is 0 for what is not computed.
    every
        Whether terms are kept that are in no cheapest graph.
    """
    found: dict[Class, list[Candidate]] = {}
    stack = [root.root() for root in roots]
    while stack:
        at = stack.pop()
        if at in found:
            continue
        found[at] = []
        for node in at.all_nodes():
            if at in node.classes:
                continue
            price = 0.0 if node.term.owner is None else cost(node.term)
            if price != float("inf"):
                children = tuple(dict.fromkeys(node.classes))
                found[at].append(Candidate(node.term, price, node.classes, children))
                stack.extend(children)
        if not every:
            found[at] = _undominated(found[at])
    return found


def _undominated(terms: list[Candidate]) -> list[Candidate]:
    """Leave out a term that needs all that another one needs, and does not cost less."""
    terms = sorted(terms, key=lambda c: (c.cost, len(c.children)))
    kept: list[Candidate] = []
    for candidate in terms:
        if not any(set(k.children).issubset(candidate.children) for k in kept):
            kept.append(candidate)
    return kept


def greedy(found: Candidates, roots: Iterable[Any]) -> Choice:
    """Return a choice of terms for some classes and all that they need."""
    needs: dict[Any, dict[Any, float]] = {}
    totals: dict[Any, float] = {}
    best: Choice = {}
    readers = defaultdict(list)
    queue: deque[tuple[Any, Candidate]] = deque()
    for at, terms in found.items():
        for candidate in terms:
            for child in candidate.children:
                readers[child].append((at, candidate))
            if not candidate.children:
                queue.append((at, candidate))
    while queue:
        at, candidate = queue.popleft()
        if any(child not in needs or at in needs[child] for child in candidate.children):
            continue
        costs = {at: candidate.cost}
        for child in candidate.children:
            costs.update(needs[child])
        total = sum(costs.values())
        if at in totals and total >= totals[at] - 1e-9 * abs(total):
            continue
        needs[at], totals[at], best[at] = costs, total, candidate
        queue.extend(readers[at])
    return needed(best, roots)


def needed(best: Choice, roots: Iterable[Any]) -> Choice:
    """Return the part of a choice that some classes need.

    Raises
    ------
    ValueError
        If a class needs itself, or has no choice.
    """
    chosen: Choice = {}
    stack = list(roots)
    while stack:
        at = stack.pop()
        if at not in chosen:
            if at not in best:
                raise ValueError(f"class {at} has no term")
            chosen[at] = best[at]
            stack.extend(best[at].children)
    try:
        list(_arguments_first(chosen))
    except CycleError as error:
        raise ValueError(f"class {error.args[1][0]} needs itself") from None
    return chosen


def _arguments_first(choice: Choice) -> Iterator[Any]:
    """Yield the classes of a choice, those of arguments before those that need them."""
    order = TopologicalSorter({at: candidate.children for at, candidate in choice.items()})
    yield from order.static_order()


def total(choice: Choice) -> float:
    """Return what a choice costs, each class once."""
    return sum(candidate.cost for candidate in choice.values())


def exact(found: Candidates, roots: Sequence[Any], known: Choice, seconds: float = 0.5) -> Choice:
    """Return the cheapest choice of terms, or the cheapest found within a time.

    Parameters
    ----------
    known
        A choice that is known; it is returned if none is cheaper.
    """
    limit = total(known)
    if limit <= 0:
        return known
    # what costs more by itself than all of a known choice is in no better one
    terms = [(at, c) for at, every in found.items() for c in every if c.cost <= limit]
    classes = {at: i for i, at in enumerate(found)}
    count, height = len(terms), len(classes)
    rows: list[int] = []
    columns: list[int] = []
    entries: list[float] = []
    upper: list[float] = []

    def at_most(bound: float, *items: tuple[int, float]) -> None:
        for column, entry in items:
            rows.append(len(upper))
            columns.append(column)
            entries.append(entry)
        upper.append(bound)

    chosen_in: dict[Any, list[int]] = {at: [] for at in classes}
    for t, (at, candidate) in enumerate(terms):
        chosen_in[at].append(t)
        for child in candidate.children:
            at_most(0, (t, 1), (count + classes[child], -1))
            level, below = count + height + classes[at], count + height + classes[child]
            at_most(height - 1, (below, 1), (level, -1), (t, height))
    for at, i in classes.items():
        at_most(0, (count + i, 1), *((t, -1) for t in chosen_in[at]))
    costs = np.zeros(count + 2 * height)
    costs[:count] = [candidate.cost for _, candidate in terms]
    scale = max(1.0, float(costs.max(initial=0.0)))
    least = np.zeros_like(costs)
    least[[count + classes[root] for root in roots]] = 1
    most = np.concatenate([np.ones(count + height), np.full(height, float(height))])
    whole = np.concatenate([np.ones(count + height), np.zeros(height)])
    matrix = coo_array((entries, (rows, columns)), shape=(len(upper), len(costs)))
    solved = milp(
        costs / scale,
        integrality=whole,
        bounds=Bounds(least, most),
        constraints=LinearConstraint(matrix.tocsr(), -np.inf, upper),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if solved.x is None:
        return known
    best = {at: terms[t][1] for at in classes for t in chosen_in[at] if solved.x[t] > 0.5}
    choice = needed(best, roots)
    return choice if total(choice) < limit else known


Tree = tuple[float, Any]
"""A term on trees for its arguments: its cost, in which everything counts as often as it occurs,
and what is built of it."""

MAX_TREES = 50_000
"""How many trees are made at most, of all classes together."""
_LEAST = 1e-9


def ordered_trees(
    found: Candidates, root: Any, limit: int, build: Callable[[Any, list[Any]], Any]
) -> Iterator[Tree]:
    """Yield the trees of a class, the cheapest first.

    Trees of all classes are made in order of cost (Knuth's generalization of Dijkstra's
    algorithm). Those of a term are tried in turn: of each that is made, the ones on the next tree
    of one argument.

    Parameters
    ----------
    limit
        How many trees of a class are made.
    build
        Returns what is built of a term and what was built of its arguments.
    """
    known: dict[Any, list[Tree]] = {at: [] for at in found}
    heap: list[tuple[float, int, _Choice]] = []
    numbers = itertools.count()
    seen: set[tuple[int, tuple[int, ...]]] = set()
    waiting: dict[tuple[Any, int], list[_Choice]] = defaultdict(list)

    def push(choice: _Choice) -> None:
        """Add a term on trees of its arguments, or let it wait for one that is not made yet."""
        pairs = list(zip(choice.candidate.arguments, choice.places, strict=True))
        missing = next((pair for pair in pairs if pair[1] >= len(known[pair[0]])), None)
        if missing is not None:
            waiting[missing].append(choice)
            return
        cost = max(choice.candidate.cost, _LEAST) + sum(known[at][k][0] for at, k in pairs)
        heapq.heappush(heap, (cost, next(numbers), choice))

    def consider(choice: _Choice) -> None:
        key = id(choice.candidate), choice.places
        if key not in seen:
            seen.add(key)
            push(choice)

    for at, terms in found.items():
        for candidate in terms:
            consider(_Choice(at, candidate, (0,) * len(candidate.arguments)))
    while heap and next(numbers) < MAX_TREES:
        cost, _, (at, candidate, places) = heapq.heappop(heap)
        if len(known[at]) >= limit:
            continue
        pairs = zip(candidate.arguments, places, strict=True)
        known[at].append((cost, build(candidate.term, [known[c][k][1] for c, k in pairs])))
        if at == root:
            yield known[at][-1]
            if len(known[at]) >= limit:
                return
        for choice in waiting.pop((at, len(known[at]) - 1), ()):
            push(choice)
        for i, k in enumerate(places):
            consider(_Choice(at, candidate, (*places[:i], k + 1, *places[i + 1 :])))


class _Choice(NamedTuple):
    """A term of a class, and which trees of its arguments it is on, by their order."""

    at: Any
    candidate: Candidate
    places: tuple[int, ...]


METHODS = ("best", "exact", "greedy")
EXACT_TERMS = 1500
"""Among how many terms at most the integer program is solved."""


class Prices:
    """The costs of terms: those of their nodes, which are given lengths for it."""

    def __init__(self, cost: Callable[[Apply], float], lengths: Lengths) -> None:
        self._cost, self._lengths = cost, lengths
        self._known: dict[Apply, float] = {}

    def __call__(self, term: Variable) -> float:
        node = term.owner
        assert node is not None
        if node not in self._known:
            self._known[node] = float(self._cost(self._lengths.node(node)))
        return self._known[node]


def chosen(
    roots: Sequence[Class],
    cost: Callable[[Apply], float],
    lengths: Lengths,
    method: str = "best",
    seconds: float = 0.5,
) -> Choice:
    """Return the terms that make up the cheapest graph for some classes.

    Parameters
    ----------
    cost, lengths
        The cost of a node that has lengths, and what gives them.
    method
        ``greedy``; ``exact``; or ``best``: exact, where there are few terms, and else greedy.
    seconds
        How long the integer program may take.
    """
    if method not in METHODS:
        raise ValueError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    classes = [root.root() for root in roots]
    found = candidates(classes, Prices(cost, lengths))
    choice = greedy(found, classes)
    count = sum(map(len, found.values()))
    if method == "exact" or (method == "best" and count <= EXACT_TERMS):
        choice = exact(found, classes, choice, seconds)
    return choice


def built(choice: Choice, roots: Sequence[Class]) -> list[Variable]:
    """Return variables for some classes, built of the chosen terms."""
    made: dict[Class, Variable] = {}
    for at in _arguments_first(choice):
        made[at] = _with_inputs(choice[at].term, [made[c] for c in choice[at].arguments])
    return [made[root.root()] for root in roots]


def _with_inputs(var: Variable, inputs: Sequence[Variable]) -> Variable:
    if var.owner is None or var.owner.inputs == inputs:
        return var
    assert var.index is not None
    made: Variable = var.owner.clone_with_new_inputs(list(inputs), strict=False).outputs[var.index]
    return made


def in_order(
    root: Class, cost: Callable[[Apply], float], lengths: Lengths, limit: int
) -> Iterator[Variable]:
    """Yield the graphs for a class, the cheapest first; what is needed twice is counted twice."""
    at = root.root()
    found = candidates([at], Prices(cost, lengths), every=True)
    yield from (made for _, made in ordered_trees(found, at, limit, _with_inputs))
