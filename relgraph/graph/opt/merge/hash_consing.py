"""One node for each (op, inputs), one variable for each constant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.features.feature import Feature, takes_notes
from relgraph.graph.fg.clients import UNKNOWN_READERS

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.replacement import Replacement
    from relgraph.graph.opt.base import LocalOptimizer
    from relgraph.graph.opt.dispatch.tables import RewriterTables

_EXACT = ("int", "uint", "bool")
_NONE: frozenset[RewriterTables] = frozenset()


def node_key(node: Apply) -> tuple[Any, ...]:
    """A key that two nodes have in common if they compute the same, bit for bit.

    That is the op and the inputs: in any order for two operands of a commutative op, and for more
    than two where the order of additions can't be told from the result (integers and booleans).
    """
    return _key(node, node.inputs)


def _key(node: Apply, inputs: list[Variable]) -> tuple[Any, ...]:
    """The key that `node` would have if it had these inputs."""
    op = node.op
    if len(inputs) > 1 and op.commutative and not op.destroy_map:
        if len(inputs) == 2:
            a, b = inputs
            return (op, a, b) if id(a) <= id(b) else (op, b, a)
        if str(getattr(node.outputs[0].type, "dtype", "")).startswith(_EXACT):
            return (op, *sorted(inputs, key=id))
    return (op, *inputs)


def constant_key(constant: Constant) -> Hashable | None:
    """A key that two constants of one type and value have in common; None if it has none."""
    key = (constant.type, constant.signature())
    try:
        hash(key)
    except TypeError:
        return None
    return key


class ConstantTable:
    """The first constant met of each type and value stands for all of them."""

    __slots__ = ("_first", "known")

    def __init__(self) -> None:
        self._first: dict[Hashable, Constant] = {}
        self.known: dict[Constant, Constant] = {}

    def representative(self, constant: Constant) -> Constant:
        """The constant that stands for `constant`, which may be itself."""
        found = self.known.get(constant)
        if found is None:
            key = constant_key(constant)
            found = constant if key is None else self._first.setdefault(key, constant)
            self.known[constant] = found
        return found

    def copy(self, constant: Constant) -> Constant:
        """A copy of `constant` that stands for all that are like it."""
        key = constant_key(constant)
        found = None if key is None else self._first.get(key)
        if found is None:
            found = constant.clone()
            self.known[found] = found
            if key is not None:
                self._first[key] = found
        return found


def replaceable_by(node: Apply, twin: Apply) -> bool:
    """Whether the outputs of `twin` may stand for those of `node`, as far as types go."""
    for a, b in zip(node.outputs, twin.outputs, strict=True):
        if a.type is not b.type and not a.type.is_super(b.type):
            return False
    return True


class HashConsing(Feature):
    """The nodes of a graph by their keys.

    A node whose input changes is forgotten, and comes back under its new key when it is next looked
    up: a node of many inputs that all change is hashed once, not once for each.

    Attributes
    ----------
    keys
        The key of each node that is in the table.
    constants
        The constants met so far.
    at_rest
        The tables of rewriters that would do nothing on any node of the graph; forgotten when that
        changes.
    collapsed
        How often which rewriter was applied while the graph was copied.
    """

    def __init__(self) -> None:
        self.at_rest: frozenset[RewriterTables] = _NONE
        self.collapsed: Counter[LocalOptimizer] = Counter()
        self._nodes: dict[tuple[Any, ...], Apply] = {}
        self.keys: dict[Apply, tuple[Any, ...]] = {}
        self.constants = ConstantTable()

    def clone(self) -> Feature:
        return type(self)()

    @takes_notes
    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Any,
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        self.at_rest = _NONE
        self.forget(node)

    @takes_notes
    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.at_rest = _NONE
        self.forget(node)

    def on_replace(self, fgraph: FunctionGraph, replacement: Replacement) -> None:
        self.at_rest = _NONE
        keys, nodes = self.keys, self._nodes
        for user, _ in replacement.users:
            if user in keys:
                del nodes[keys.pop(user)]
        for node in replacement.pruned:
            if node in keys:
                del nodes[keys.pop(node)]

    @takes_notes
    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self.at_rest = _NONE

    def twin(self, node: Apply) -> Apply | None:
        """Another node of the graph that computes the same as `node`, or None.

        `node` itself is entered into the table if there is none.
        """
        if node in self.keys:
            return None
        key = node_key(node)
        first = self._nodes.setdefault(key, node)
        if first is node:
            self.keys[node] = key
            return None
        return first

    def copies(
        self,
        nodes: Iterable[Apply],
        copies: dict[Variable, Variable],
        tables: RewriterTables | None = None,
    ) -> list[Apply]:
        """Copy nodes, each after what it reads; return the copies of those that differ.

        Parameters
        ----------
        copies
            From the leaves that `nodes` read to their copies; their outputs are added.
        tables
            Rewriters that collapse, which are applied on the way.
        """
        known, keys = self._nodes, self.keys
        made: list[Apply] = []
        for node in nodes:
            inputs: list[Variable] = []
            for var in node.inputs:
                inputs.append(copies[var])
            # what `_key` says, without the call where nothing is to be sorted
            key = _key(node, inputs) if node.op.commutative else (node.op, *inputs)
            copy = known.get(key)
            if copy is None:
                copy = node.copy_with_inputs(inputs)
                if tables is not None and tables.dispatch[node.op]:
                    below = self._collapsed(copy, tables)
                    if below is not None:
                        copies[node.outputs[0]] = below
                        continue
                known[key] = copy
                keys[copy] = key
                made.append(copy)
            elif not replaceable_by(node, copy):
                copy = node.copy_with_inputs(inputs)
                made.append(copy)
            outputs = node.outputs
            if len(outputs) == 1:
                copies[outputs[0]] = copy.outputs[0]
            else:
                copies.update(zip(outputs, copy.outputs, strict=True))
        return made

    def _collapsed(self, node: Apply, tables: RewriterTables) -> Variable | None:
        """What stands below `node`, the copy of a node, and is to take the place of its output."""
        for rewriter in tables.on(node).early:
            try:
                # the graph is not there yet
                answer: Any = rewriter.transform(UNKNOWN_READERS, node)  # type: ignore[arg-type]
            except Exception:
                return None  # it will raise again where it is reported
            if type(answer) is list and len(answer) == len(node.outputs) == 1:
                below: Variable = answer[0]
                if below.owner is None or below.owner in self.keys:
                    self.collapsed[rewriter] += 1
                    return below
        return None

    def needed(self, nodes: Sequence[Apply], outputs: Iterable[Variable]) -> list[Apply]:
        """Those of `nodes`, each after what it reads, that `outputs` depend on; the others are
        taken out of the table."""
        read, kept = set(outputs), []
        for node in reversed(nodes):
            if read.isdisjoint(node.outputs):
                self.forget(node)
            else:
                read.update(node.inputs)
                kept.append(node)
        return kept[::-1]

    def forget(self, node: Apply) -> None:
        """Take `node` out of the table."""
        key = self.keys.pop(node, None)
        if key is not None:
            del self._nodes[key]


@contextmanager
def hashed(fgraph: FunctionGraph) -> Iterator[HashConsing]:
    """Attach a table to `fgraph` for the time of the block, or give the one that it has.

    So optimizers that follow one another in such a block don't hash the same nodes again.
    """
    for feature in fgraph.features:
        if isinstance(feature, HashConsing):
            yield feature
            return
    made = HashConsing()
    fgraph.attach_feature(made)
    try:
        yield made
    finally:
        fgraph.remove_feature(made)


def merge_pairs(fgraph: FunctionGraph, node: Apply, twin: Apply) -> list[tuple[Variable, Variable]]:
    """What to replace so that `twin` takes the place of `node`."""
    return [
        (old, new)
        for old, new in zip(node.outputs, twin.outputs, strict=True)
        if fgraph.clients.get(old)
    ]
