"""The best graph in an e-graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from relgraph.graph.basic import Apply, Variable
from relgraph.search.egraph.terms import EGraph
from relgraph.search.extraction.candidates import Choice, candidates
from relgraph.search.extraction.exact import exact
from relgraph.search.extraction.greedy import greedy
from relgraph.search.extraction.trees import Tree, ordered_trees
from relgraph.tensor.costs.lengths import Lengths

METHODS = ("best", "exact", "greedy")
EXACT_TERMS = 1500
"""Among how many terms at most the integer program is solved."""


class Prices:
    """The costs of terms: those of their nodes, which are given lengths for it."""

    def __init__(self, egraph: EGraph, cost: Callable[[Apply], float], lengths: Lengths) -> None:
        self._egraph, self._cost, self._lengths = egraph, cost, lengths
        self._known: dict[Apply, float] = {}

    def __call__(self, term: int) -> float:
        node = self._egraph.variables[term].owner
        assert node is not None
        if node not in self._known:
            self._known[node] = float(self._cost(self._lengths.node(node)))
        return self._known[node]


def chosen(
    egraph: EGraph,
    roots: Sequence[int],
    cost: Callable[[Apply], float],
    lengths: Lengths,
    method: str = "best",
    seconds: float = 0.5,
) -> Choice:
    """Return the terms that make up the cheapest graph for some terms.

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
    classes = [egraph.find(root) for root in roots]
    found = candidates(egraph, classes, Prices(egraph, cost, lengths))
    choice = greedy(found, classes)
    count = sum(map(len, found.values()))
    if method == "exact" or (method == "best" and count <= EXACT_TERMS):
        choice = exact(found, classes, choice, seconds)
    return choice


def built(egraph: EGraph, choice: Choice, roots: Sequence[int]) -> list[Variable]:
    """Return variables for some classes, built of the chosen terms."""
    made: dict[int, Variable] = {}
    stack = [egraph.find(root) for root in roots]
    while stack:
        at = stack[-1]
        if at in made:
            stack.pop()
            continue
        term = choice[at].term
        inputs = [egraph.find(k) for k in egraph.children(term)]
        missing = [k for k in inputs if k not in made]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        made[at] = _with_inputs(egraph.variables[term], [made[k] for k in inputs])
    return [made[egraph.find(root)] for root in roots]


def _with_inputs(var: Variable, inputs: Sequence[Variable]) -> Variable:
    if var.owner is None or var.owner.inputs == inputs:
        return var
    assert var.index is not None
    made: Variable = var.owner.clone_with_new_inputs(list(inputs), strict=False).outputs[var.index]
    return made


def in_order(
    egraph: EGraph, root: int, cost: Callable[[Apply], float], lengths: Lengths, limit: int
) -> Iterator[Variable]:
    """Yield the graphs for a term, the cheapest first; what is needed twice is counted twice."""
    price = Prices(egraph, cost, lengths)
    at = egraph.find(root)
    for tree in ordered_trees(candidates(egraph, [at], price, every=True), at, limit):
        yield _variable(egraph, tree)


def _variable(egraph: EGraph, tree: Tree) -> Variable:
    """Return the variable that a tree of terms stands for."""
    made: dict[Tree, Variable] = {}
    stack = [tree]
    while stack:
        top = stack[-1]
        missing = [t for t in top.children if t not in made]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        made[top] = _with_inputs(egraph.variables[top.term], [made[t] for t in top.children])
    return made[tree]
