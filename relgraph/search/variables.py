"""The e-graph of a search for cheap forms: its terms are variables of any type.

Variables that are built alike are one term, the first of them. A constant represents its class.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.terms import Literal
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op
from relgraph.graph.opt.merge import constant_key
from relgraph.graph.unify import same_variable
from relgraph.search.egraph import EClass, EGraph, Node

Class = EClass[Variable]
Sides = tuple[Variable, Variable]
"""Two terms that are equal."""


class Reason(NamedTuple):
    """Why two terms are equal: a label, the soundness class if that is known, and the law if it is
    one."""

    label: str
    sound: str | None
    law: Relation | None = None


class VariableEGraph(EGraph[Variable]):
    """Variables and the classes of equal ones.

    Parameters
    ----------
    regroups
        Whether sums and products of three or more terms are equal in any order, which rounds
        otherwise. Two are equal in any order where that is exact.
    """

    def __init__(self, regroups: bool = True) -> None:
        super().__init__()
        self.regroups = regroups
        self._terms: dict[Variable, Variable] = {}
        self._built: dict[Hashable, Variable] = {}
        self._order: dict[Variable, int] = {}
        self._dropped: set[Node[Variable]] = set()
        self._leaves: dict[tuple[Variable, int], bool] = {}

    # -- terms -------------------------------------------------------------------------------------

    def term(self, var: Variable) -> Variable:
        """Return the term that a variable is; it is added with all that it is computed from."""
        stack = [var]
        while stack:
            top = stack[-1]
            inputs = [] if top.owner is None or top in self._terms else top.owner.inputs
            missing = [v for v in inputs if v not in self._terms]
            stack.extend(reversed(missing))
            if not missing:
                stack.pop()
                if top not in self._terms:
                    self._terms[top] = self._interned(top)
        return self._terms[var]

    def _interned(self, var: Variable) -> Variable:
        """Return the term that is built like a variable, whose inputs are terms."""
        node = var.owner
        key: Hashable
        if node is None:
            key = (constant_key(var) if isinstance(var, Constant) else None) or (var,)
        else:
            inputs = [self._terms[v] for v in node.inputs]
            key = (node.op if node.op.pure else node, var.index, *inputs)
            if inputs != node.inputs and key not in self._built:
                assert var.index is not None
                var = node.clone_with_new_inputs(inputs, strict=False).outputs[var.index]
        term = self._built.setdefault(key, var)
        if term not in self._terms:
            self._terms[term] = term
            self._order[term] = len(self._order)
            super().add(term)
        return term

    def known(self, op: Any, index: int, arguments: Sequence[Variable]) -> Variable | None:
        """Return the term of an op on terms, if there is one."""
        return self._built.get((op, index, *map(self.term, arguments))) if op.pure else None

    def add(self, term: Variable) -> Any:
        known = self._classes.get(term)
        return self.find(self.term(term)) if known is None else known.root()

    def join(self, old: Variable, new: Variable, reason: Any) -> Any:
        return super().join(self.term(old), self.term(new), reason)

    def arguments(self, term: Variable) -> Sequence[Variable]:
        return () if term.owner is None else term.owner.inputs

    def node(self, term: Variable, classes: tuple[Any, ...]) -> Node[Variable]:
        made = term.owner
        if made is None:
            return Node(term, None, (), term, False)
        # what is told of axes of length 1 may differ: a length is a number, or computed
        kind = getattr(term.type, "broadcastable", None)
        signature = (made.op if made.op.pure else made, term.index, kind, len(classes))
        return Node(term, made.op, classes, signature, self._is_unordered(made))

    def _is_unordered(self, node: Any) -> bool:
        """Return whether the order of the arguments of a node does not count."""
        op = node.op
        if not op.commutative or op.destroy_map:
            return False
        if len(node.inputs) == 2:
            dtype = getattr(node.outputs[0].type, "dtype", None)
            return self.regroups or dtype not in op.rounds_by_order
        return self.regroups and op.associative

    def rank(self, term: Variable) -> tuple[bool, int]:
        return number_of(term) is None, self._order[term]

    def turned(self, term: Variable, order: Sequence[int]) -> Variable:
        node = term.owner
        assert node is not None and term.index is not None
        inputs = [node.inputs[k] for k in order]
        made: Variable = node.clone_with_new_inputs(inputs, strict=False).outputs[term.index]
        return made

    # -- what patterns ask -------------------------------------------------------------------------

    def constant(self, c: Class) -> Variable | None:
        """Return a variable of a class whose every element is one number; or None."""
        return None if c.rank[0] else c.best

    def nodes_of(self, c: Class, head: Any) -> Sequence[Node[Variable]]:
        """Return the nodes of an op, or of a class of ops, in a class; of one that is a number,
        those that repeat it."""
        if isinstance(head, type):
            lists = [nodes for op, nodes in c.nodes.items() if type(op) is head]
            found: Sequence[Node[Variable]] = [n for nodes in lists for n in nodes if n.head.pure]
        else:
            found = c.nodes.get(head, ())
        is_number = self.constant(c) is not None
        return [n for n in found if n.head.repeats is not None] if is_number else found

    def sums(self, c: Class, op: Op) -> Iterator[Node[Variable]]:
        """Yield the sums or products by an op in a class, without those that were dropped."""
        return (node for node in self.nodes_of(c, op) if node not in self._dropped)

    def drop(self, node: Node[Variable]) -> None:
        """Leave out a sum or product: another one says the same."""
        self._dropped.add(node)

    def is_leaf(self, c: Class, pattern: Any) -> bool:
        """Return whether a class is the number or the constant of a pattern."""
        return any(
            self._is(node.term, pattern)
            for node in c.all_nodes()
            if not node.classes or number_of(node.term) is not None
        )

    def _is(self, term: Variable, pattern: Any) -> bool:
        key = (term, id(pattern))
        if key not in self._leaves:
            same = pattern.matches(term) if isinstance(pattern, Literal) else None
            self._leaves[key] = same_variable(pattern, term) if same is None else same
        return self._leaves[key]


def node_of(found: Node[Variable]) -> tuple[Apply, list[Variable]]:
    """Return the Apply of a node, and a term for each of its arguments."""
    made = found.term.owner
    assert made is not None
    return made, [c.root().best for c in found.classes]
