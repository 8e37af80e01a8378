"""What egglog is told of an e-graph, and what it is asked: facts, and the queries of laws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Protocol

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules.rule import Rule, is_ac
from relgraph.graph.kanren.search.goals import Where
from relgraph.graph.kanren.terms.term import Literal, is_variable
from relgraph.graph.op import Op
from relgraph.graph.unify import same_variable
from relgraph.search.egraph.matching import Matcher
from relgraph.search.egraph.terms import EGraph
from relgraph.search.translation.directions import Direction
from relgraph.search.translation.instances import Instance
from relgraph.search.translation.patterns import Query, QueryWriter, bound_heads, heads_of
from relgraph.search.translation.regrouping import REGROUPINGS

MAX_COMBINATIONS = 64
"""How many combinations of ops a rule about classes of ops is asked about for each new op."""


class UnitingLaw(Protocol):
    """What unites two classes: its label, and its soundness class."""

    @property
    def label(self) -> str: ...
    @property
    def sound(self) -> str: ...


class Asked(Protocol):
    """What egglog is asked, and what a match says."""

    query: Query

    def sides(self, egraph: EGraph, match: Sequence[int]) -> tuple[Variable, Variable] | None: ...


class Questions:
    """The facts about an e-graph and the queries of laws, as egglog has them.

    A law is asked about when all its ops have been met: most laws of the book are about ops that an
    expression has not.

    Parameters
    ----------
    egraph
        The e-graph.
    matcher
        What is told and asked.
    directions
        The directions of laws; those without a rule are nothing to egglog.

    Attributes
    ----------
    asked
        What has been asked, with the law that it is for; the number of a match is a place here.
    sums
        The sums and products that have been stated and not been dropped.
    """

    def __init__(self, egraph: EGraph, matcher: Matcher, directions: Sequence[Direction]) -> None:
        self.asked: list[tuple[UnitingLaw, Asked]] = []
        self.sums: list[int] = []
        self._egraph, self._matcher = egraph, matcher
        self._by_head: defaultdict[Any, list[Direction]] = defaultdict(list)
        for direction in directions:
            for head in set(heads_of(direction.parts)):
                self._by_head[head].append(direction)
        self._ops: dict[tuple[Op, int], int] = {}
        self._ops_of: defaultdict[Any, list[tuple[Op, int]]] = defaultdict(list)
        self._leaves: list[Any] = []
        self._constants: list[int] = []
        self._seen_terms = self._seen_unions = 0

    # -- facts ---------------------------------------------------------------------------------

    def state_new(self) -> list[int]:
        """Tell egglog what is new in the e-graph; return the new terms."""
        egraph = self._egraph
        new = list(range(self._seen_terms, len(egraph)))
        self._seen_terms = len(egraph)
        for term in new:
            self._state_term(term)
        for kept, gone in egraph.unions[self._seen_unions :]:
            self._matcher.state("u", kept, gone)
        self._seen_unions = len(egraph.unions)
        return new

    def _state_term(self, term: int) -> None:
        state, egraph = self._matcher.state, self._egraph
        var = egraph.variables[term]
        state("v", term)
        if var.owner is None or egraph.is_constant(term):
            self._constants.append(term)
            if egraph.is_constant(term):
                state("z", term)
            for number, leaf in enumerate(self._leaves):
                self._state_leaf(number, leaf, term)
        if var.owner is None:
            return
        op = self._op_number(var)
        children = egraph.children(term)
        relation = f"n{len(children)}x"
        self._matcher.declare(relation, "iv" + "v" * len(children))
        state(relation, op, term, *children)
        if len(children) == 2 and egraph.is_unordered(var.owner):
            state(relation, op, term, *reversed(children))
        if is_ac(var.owner.op):
            self.sums.append(term)
            state("s", op, term, term)
            for place, child in enumerate(children):
                state("h", term, place, child)

    def _state_leaf(self, number: int, leaf: Any, term: int) -> None:
        var = self._egraph.variables[term]
        if leaf.matches(var) if isinstance(leaf, Literal) else same_variable(leaf, var):
            self._matcher.state("k", number, term)

    def _leaf_number(self, leaf: Any) -> int:
        for number, known in enumerate(self._leaves):
            if known is leaf or (isinstance(known, Literal) and known == leaf):
                return number
        self._leaves.append(leaf)
        for term in self._constants:
            self._state_leaf(len(self._leaves) - 1, leaf, term)
        return len(self._leaves) - 1

    # -- rules ---------------------------------------------------------------------------------

    def _op_number(self, var: Variable) -> int:
        """Return the number of the op of a variable; a new op brings the rules that name it."""
        node = var.owner
        assert node is not None and var.index is not None
        key = (node.op, var.index)
        if key not in self._ops:
            self._ops[key] = len(self._ops)
            if node.op.repeats is None:
                self._matcher.state("w", self._ops[key])
            heads = [node.op, type(node.op)] if node.op.pure else [node.op]
            for head in heads:
                self._ops_of[head].append(key)
            if self._egraph.regroups and is_ac(node.op):
                for regrouping in REGROUPINGS:
                    made = regrouping(node.op, self._ops[key])
                    self._ask(made, made)
            for direction in dict.fromkeys(d for head in heads for d in self._by_head[head]):
                self._add_instances(direction, key)
        return self._ops[key]

    def _add_instances(self, direction: Direction, new: tuple[Op, int]) -> None:
        """Ask about a rule for every combination of ops that has a new one."""
        choices = [self._ops_of[head] for head in heads_of(direction.parts)]
        rule = direction.rule
        assert rule is not None
        made = 0
        for ops in product(*choices):
            if new not in ops or not _stands_for(direction.parts, ops):
                continue
            heads = bound_heads(direction.parts, [op for op, _ in ops])
            if heads is None or not _admits_heads(rule, heads):
                continue
            numbers = [self._ops[op] for op in ops]
            for part in direction.parts:
                count = len(part.arguments)
                self._matcher.declare(f"n{count}x", "iv" + "v" * count)
            matcher = self._matcher
            writer = QueryWriter(direction.parts, numbers, self._leaf_number, matcher.part)
            query = writer.query()
            self._ask(direction, Instance(rule, direction.parts, ops, heads, query))
            made += 1
            if made == MAX_COMBINATIONS:
                return

    def _ask(self, law: UnitingLaw, asked: Asked) -> None:
        columns = [name for name, _ in asked.query.columns]
        self._matcher.ask(len(self.asked), asked.query.facts, columns)
        self.asked.append((law, asked))


def _admits_heads(rule: Rule, heads: Mapping[Any, Any]) -> bool:
    """Return whether the conditions hold that are about the variables in the heads alone."""
    return all(
        c.predicate(*(heads[v] for v in c.variables))
        for c in rule.conditions
        if isinstance(c, Where) and all(is_variable(v) and v in heads for v in c.variables)
    )


def _stands_for(parts: Sequence[Any], ops: Sequence[tuple[Op, int]]) -> bool:
    """Return whether parts of a pattern are about these outputs of ops."""
    return all(part.is_output(op, index) for part, (op, index) in zip(parts, ops, strict=True))
