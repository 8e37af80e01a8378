"""`NeverCostlier`, a feature that raises an error when a replacement makes a graph cost more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.features import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.merge import ConstantTable, key_with
from relgraph.tensor.costs.models import Cost, operations

ROUNDING = 1e-8
"""By which part a cost may rise: sizes are added up in another order, and beside large loops one
operation on a number is nothing."""


class CostlierError(AssertionError):
    """Raised when a replacement makes a graph cost more than it did.

    Attributes
    ----------
    reason
        The name of the law or the pass.
    before, after
        What the graph cost, in operations.
    """

    def __init__(self, reason: str, what: str, before: float, after: float) -> None:
        super().__init__(
            f"{reason} makes the graph cost more, {after:.10g} operations instead of "
            f"{before:.10g}: {what}"
        )
        self.reason, self.before, self.after = reason, before, after


@dataclass(slots=True)
class _Equal:
    """Nodes that are equal: which, what one costs, and what stands for their outputs."""

    cost: float
    outputs: Sequence[Variable]
    nodes: dict[Apply, None] = field(default_factory=dict)


class NeverCostlier(Feature):
    """Raises `CostlierError` when a replacement makes a graph cost more.

    What is compared is the graph before and after a whole replacement, of all variables that a law
    or a pass replaces together: what nothing reads any more is gone by then. Equal nodes count
    once, also before they are merged. So each change costs what it touches, not what the graph
    holds: a node is given the number of the first that is equal, and only where that is another
    one by a change are its readers looked at.

    A replacement is judged later, together with what follows, in two cases: where it is not
    validated, since a pass makes one after the other by `FunctionGraph.replace`, when those of
    another optimizer begin; and where a node is replaced before an equal one, with which it is not
    merged yet, when that one is gone. `finish` judges all that is left.

    Parameters
    ----------
    priced
        The names of laws and passes that may make a graph cost more, since that is what their
        results are worth. The price is added to `paid`, and what follows is compared with it.
    investing
        The names of laws that may make a graph cost more, since what follows saves that again: in
        the end it must not cost more than at the start, but for what is `paid`.
    cost
        The cost of a node.

    Attributes
    ----------
    total
        What the graph costs.
    paid
        What the graph costs more by each law of the priced ones; by several that were judged
        together, all their names.
    owed
        What laws of the investing ones have added.
    """

    def __init__(
        self,
        priced: Collection[str] = (),
        investing: Collection[str] = (),
        cost: Cost = operations,
    ) -> None:
        self.priced, self.investing, self.cost = priced, investing, cost
        self.paid: dict[str, float] = {}
        self.owed: dict[str, float] = {}
        self._start = 0.0
        self.total = 0.0
        self._judged = 0.0
        self._reason: str | None = None
        # what was replaced since the last time, by whom
        self._replaced: list[tuple[str, Variable, Variable]] = []
        # nodes that are equal to one that was replaced
        self._twins: dict[Apply, None] = {}
        self._constants = ConstantTable()
        # the variable that stands for all equal ones
        self._equal_to: dict[Variable, Variable] = {}
        self._keys: dict[Apply, tuple[Any, ...]] = {}
        self._by_key: dict[tuple[Any, ...], _Equal] = {}
        self._changed: dict[Apply, None] = {}

    def clone(self) -> NeverCostlier:
        return type(self)(self.priced, self.investing, self.cost)

    def on_attach(self, fgraph: FunctionGraph) -> None:
        for node in fgraph.toposort(with_orderings=False):
            self._enter(node)
        self._start = self._judged = self.total

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._begin(fgraph, reason)
        self._enter(node)

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._begin(fgraph, reason)
        self._changed.pop(node, None)
        self._twins.pop(node, None)
        self._leave(node)
        for out in node.outputs:
            self._equal_to.pop(out, None)

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Any,
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        self._begin(fgraph, reason)
        pair = str(reason), var, new_var
        if not self._replaced or self._replaced[-1] != pair:
            self._replaced.append(pair)
            if var.owner is not None:
                twins = self._by_key[self._keys[var.owner]].nodes
                self._twins.update((n, None) for n in twins if n not in (var.owner, new_var.owner))
        if isinstance(node, Apply):
            self._changed[node] = None

    def validate(self, fgraph: FunctionGraph) -> None:
        """Compare with the cost at the last time; called after a whole replacement."""
        self._renumber(fgraph)
        if not self._twins:
            self._judge()

    def finish(self, fgraph: FunctionGraph) -> None:
        """Compare what was replaced and is not compared yet with the cost before.

        Raises
        ------
        CostlierError
            If the graph costs more, and what replaced was not allowed to.
        """
        self._renumber(fgraph)
        self._twins.clear()
        self._judge()
        allowed = self._start + sum(self.paid.values())
        if self._is_more_than(allowed):
            what = "what was to be saved again was not"
            raise CostlierError(", ".join(self.owed), what, allowed, self.total)

    def _begin(self, fgraph: FunctionGraph, reason: str | None) -> None:
        if reason != self._reason:
            if self._replaced:
                self.validate(fgraph)
            self._reason = reason

    def _is_more_than(self, cost: float) -> bool:
        return self.total > cost * (1 + ROUNDING)

    def _judge(self) -> None:
        before, self._judged = self._judged, self.total
        replaced, self._replaced = self._replaced, []
        if not self._is_more_than(before):
            return
        names = dict.fromkeys(name for name, _, _ in replaced)
        for account, allowed in ((self.paid, self.priced), (self.owed, self.investing)):
            found = ", ".join(name for name in names if name in allowed)
            if found:
                account[found] = account.get(found, 0.0) + self.total - before
                return
        what = [f"{_described(old)} became {_described(new)}" for _, old, new in replaced[-3:]]
        raise CostlierError(", ".join(names), "; ".join(what), before, self.total)

    # -- what is equal -----------------------------------------------------------------------

    def _representative(self, var: Variable) -> Variable:
        if isinstance(var, Constant):
            return self._constants.representative(var)
        return self._equal_to.get(var, var)

    def _key(self, node: Apply) -> tuple[Any, ...]:
        return key_with(node, [self._representative(var) for var in node.inputs])

    def _enter(self, node: Apply) -> None:
        key = self._keys[node] = self._key(node)
        equal = self._by_key.get(key)
        if equal is None:
            equal = self._by_key[key] = _Equal(self.cost(node), node.outputs)
            self.total += equal.cost
        equal.nodes[node] = None
        self._equal_to.update(zip(node.outputs, equal.outputs, strict=True))

    def _leave(self, node: Apply) -> None:
        key = self._keys.pop(node)
        equal = self._by_key[key]
        del equal.nodes[node]
        if not equal.nodes:
            del self._by_key[key]
            self.total -= equal.cost

    def _renumber(self, fgraph: FunctionGraph) -> None:
        """Find what the nodes whose inputs changed are equal to now, and what reads them."""
        while self._changed:
            node = next(iter(self._changed))
            del self._changed[node]
            if node not in fgraph.apply_nodes or self._key(node) == self._keys[node]:
                continue
            before = [self._equal_to[out] for out in node.outputs]
            self._leave(node)
            self._enter(node)
            for out, old in zip(node.outputs, before, strict=True):
                if self._equal_to[out] is not old:
                    readers = (reader for reader, _ in fgraph.clients.get(out, ()))
                    self._changed.update((r, None) for r in readers if isinstance(r, Apply))


def _described(var: Variable) -> str:
    return str(var) if var.owner is None else describe(var.owner)
