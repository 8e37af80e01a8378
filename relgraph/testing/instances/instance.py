"""An instance of a law: a graph that it matches, and the graph that it puts in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from kanren.core import lall
from unification import var
from unification.core import reify
from unification.variable import isvar

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Where
from relgraph.graph.kanren.search.match_checks import fitted
from relgraph.graph.kanren.search.state import SearchBudgetError, is_settled
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations, graph_inputs, io_toposort
from relgraph.tensor.linalg.assumptions import Assume
from relgraph.testing.instances.arguments.state import InstantiatedPattern
from relgraph.testing.instances.cells import Cell
from relgraph.testing.instances.directions import Direction
from relgraph.testing.instances.input_values import InputSpec, bytes_needed, decode_values
from relgraph.testing.judge.rewrite_pair import RewritePair


@dataclass
class Instance:
    """A graph that a law matches.

    Attributes
    ----------
    pair
        The graph, and the one that the law puts in its place.
    inputs
        The inputs of both.
    rule
        The rule whose pattern the graph was built for.
    direction
        The direction of the law.
    graph
        How the graph was built for the pattern.
    round_trip
        The graph, and what the other direction makes of its replacement; None if that does not
        match, or gives the graph again.
    in_domain
        Says for the values of all variables whether they lie in the domain of the law; None if it
        has no domain.
    cells
        The cells of the plan that what its logic variables stand for is in.
    free_cells
        Those of them that something computed from inputs of any values is in.
    wholly
        The cell that all of it is in, if each logic variable stands for something else, computed
        from inputs of any values.
    """

    pair: RewritePair
    inputs: list[InputSpec]
    rule: Rule
    direction: str
    graph: InstantiatedPattern
    round_trip: RewritePair | None = None
    in_domain: Callable[[Any], bool] | None = None
    cells: frozenset[Cell] = frozenset()
    free_cells: frozenset[Cell] = frozenset()
    wholly: Cell | None = None

    @property
    def types(self) -> tuple[Any, ...]:
        """The types of the inputs."""
        return tuple(spec.var.type for spec in self.inputs)

    @property
    def computed(self) -> int:
        """How many of the tensors that logic variables stand for an op computes."""
        owners = [v.owner for v in self.graph.tensors]
        return sum(node is not None and not isinstance(node.op, Assume) for node in owners)

    @property
    def reading_size(self) -> int:
        """A measure of how much there is to read; a constant counts more than an input."""
        nodes = io_toposort(self.pair.inputs, [self.pair.old])
        constants = {v for node in nodes for v in node.inputs if isinstance(v, Constant)}
        size = sum(3 * max(int(v.data.size), 1) for v in constants)
        return size + sum(spec.size + 1 for spec in self.inputs) + 2 * len(nodes)

    def shape_of(self, v: Variable) -> tuple[int, ...] | None:
        """Return the shape of a variable at run time, or None if the matched graph lacks it: a
        nested sum may be one.

        Raises
        ------
        EvaluationError
            If the graph can't be computed of zeros.
        """
        # without the new side: that of a wrong law may raise an error
        old = RewritePair(self.pair.inputs, self.pair.old, self.pair.old, ())
        values = old.run(decode_values(b"\0" * bytes_needed(self.inputs), self.inputs))
        return np.shape(values[v]) if v in values else None


class InvalidRewrite(Exception):
    """A rewrite that is wrong whatever the values of the inputs are.

    Attributes
    ----------
    direction
        The direction of the law.
    inputs
        The inputs of both graphs.
    old, new
        The variable that was matched, and its replacement; None if the law raised an error.
    """

    def __init__(
        self, why: str, direction: str, inputs: list[Variable], old: Variable, new: Variable | None
    ) -> None:
        super().__init__(why)
        self.direction, self.inputs, self.old, self.new = direction, inputs, old, new


def transformed(rewriter: Any, root: Variable) -> Variable | None:
    """Return what a local optimizer puts in the place of `root`; None if it does not match."""
    node = root.owner
    if node is None:
        return None
    fgraph = None
    if len(node.outputs) > 1:
        fgraph = FunctionGraph(list(graph_inputs([root])), [root], clone=False)
    with np.errstate(all="ignore"):  # a number of the law may be too large for the dtype
        answer = rewriter.transform(fgraph, node)
    if isinstance(answer, dict):
        answer = [answer.get(v) for v in node.outputs]
    if answer is False or answer is None:
        return None
    assert root.index is not None
    new: Variable | None = answer[root.index]
    return new


def checked_instance(
    direction: Direction,
    rule: Rule,
    graph: InstantiatedPattern,
    new: Variable,
    compare_with_plain_run: bool,
) -> Instance:
    """Return an instance of a law, after checks that need no values.

    Parameters
    ----------
    direction
        The direction of the law.
    rule
        The rule whose pattern `graph` was built for.
    graph
        The graph that the law matches.
    new
        What the law puts in the place of its root.
    compare_with_plain_run
        Whether to compare `new` with the first answer of a plain run of the relation.

    Raises
    ------
    InvalidRewrite
        If the type changes, the new graph has other inputs, or a plain run gives another answer.
    """
    old = graph.root
    inputs = [spec.var for spec in graph.inputs]

    def invalid(why: str) -> InvalidRewrite:
        return InvalidRewrite(why, direction.name, inputs, old, new)

    old_type: Any = old.type
    new_type: Any = new.type
    if not old_type.is_super(new_type) or _broadcastable(new_type) != _broadcastable(old_type):
        raise invalid(f"the type changes from {old_type} to {new_type}")
    known = set(inputs)
    for v in graph_inputs([new]):
        if v not in known and not isinstance(v, Constant):
            raise invalid(f"it reads {v}, which the matched graph does not")
    if compare_with_plain_run:
        first = _first_plain_answer(direction.relation, old)
        if first is not _UNKNOWN and (first is None or not equal_computations([first], [new])):
            raise invalid("a plain run of the relation gives something else first")
    leaves = [v for v in dict.fromkeys(graph.leaves) if isinstance(v, Variable)]
    round_trip = None
    if direction.inverse is not None:
        returned = transformed(direction.inverse, new)
        if returned is not None and not equal_computations([returned], [old]):
            round_trip = RewritePair(inputs, old, returned, leaves)
    in_domain = _domain_test(direction, graph)
    pair = RewritePair(inputs, old, new, leaves)
    return Instance(pair, graph.inputs, rule, direction.name, graph, round_trip, in_domain)


def _broadcastable(type: Any) -> Any:
    return getattr(type, "broadcastable", None)


_UNKNOWN = object()


def _first_plain_answer(relation: Callable[[Any, Any], Any], root: Variable) -> Any:
    """Return the first answer of a plain kanren run that fits in the place of `root`.

    It is None if there is no answer, and `_UNKNOWN` if the search exceeds its budget or an answer
    holds a logic variable.
    """
    q = var()
    try:
        for s in lall(relation(root, q))({}):
            if is_settled(s):
                try:
                    new = fitted(build(reify(q, s)), root)
                except OpenAnswerError:
                    return _UNKNOWN
                if new is not None and new is not root:
                    return new
    except (SearchBudgetError, RecursionError):
        return _UNKNOWN
    return None


def _domain_test(direction: Direction, graph: InstantiatedPattern) -> Callable[[Any], bool] | None:
    """Return the domain of a law as a predicate of the values of all variables."""
    condition = direction.domain
    if condition is None:
        return None
    if isinstance(condition, Where):
        predicate: Any = condition.predicate
        # The law may bind its variables to other parts of a sum or product than were drawn.
        by_name = direction.bindings(graph.root)
        bound = {v: by_name.get(str(v), graph.bindings.get(v, v)) for v in condition.variables}
        arguments = [bound[v] if isvar(v) else v for v in condition.variables]
    else:
        predicate = condition
        assert graph.root.owner is not None
        arguments = list(graph.root.owner.inputs)

    def in_domain(values: Any) -> bool:
        given = [_value(v, values) if isinstance(v, Variable) else v for v in arguments]
        with np.errstate(all="ignore"):
            return bool(np.all(predicate(*given)))

    return in_domain


def _value(v: Variable, values: Any) -> Any:
    """Return the value of a variable, which is computed if the graph does not have it."""
    if v in values:
        return values[v]
    # The graph of a nested sum has the terms of the inner sum, but not the inner sum.
    inputs = [u for u in graph_inputs([v]) if not isinstance(u, Constant)]
    return evaluate([v], {u: values[u] for u in inputs})[0]
