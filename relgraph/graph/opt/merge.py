"""Merging: one node for each op and inputs, one variable for each constant.

`HashConsing` is the table of a graph, `MergeOptimizer` merges what is equal, and `merged_copy`
copies a graph merged.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.features import Feature, takes_notes
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.fg.listeners import ReplacementListener
from relgraph.graph.fg.structure import UNKNOWN_READERS
from relgraph.graph.opt.base import (
    GlobalOptimizer,
    LocalOptimizer,
    Pairs,
    apply_replacement,
    display_name,
    require_replace_validate,
)
from relgraph.graph.opt.dispatch import RewriterTables
from relgraph.graph.traversal import toposort_and_leaves
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg.structure import Replacement

# dtypes in which the order of additions does not change the result
_EXACT = ("int", "uint", "bool")
_NONE: frozenset[RewriterTables] = frozenset()

Collapse: TypeAlias = tuple[LocalOptimizer, Variable]
"""A collapsing rewriter (see `LocalOptimizer`), and the variable that it replaces a node by."""


def node_key(node: Apply) -> tuple[Any, ...]:
    """The key of a node in the table; nodes with the same key compute the same, bit for bit.

    It is the op and the inputs. Their order does not count for two operands of a commutative op,
    except in the dtypes that `Op.rounds_by_order` names, nor for more operands of one in integers
    or booleans. A node of an op that is not pure has a key of its own.
    """
    return key_with(node, node.inputs)


def key_with(node: Apply, inputs: list[Variable]) -> tuple[Any, ...]:
    """The key that `node` would have if it had these inputs."""
    op = node.op
    if not op.pure:
        return (op, node)
    if len(inputs) > 1 and op.commutative and not op.destroy_map:
        if len(inputs) == 2:
            a, b = inputs
            if id(a) <= id(b) or (op.rounds_by_order and _dtype(node) in op.rounds_by_order):
                return (op, a, b)
            return (op, b, a)
        if _dtype(node).startswith(_EXACT):
            return (op, *sorted(inputs, key=id))
    return (op, *inputs)


def _dtype(node: Apply) -> str:
    return str(getattr(node.outputs[0].type, "dtype", ""))


def constant_key(constant: Constant) -> Hashable | None:
    """The key of a constant: its type and value; None if that can't be hashed."""
    key = (constant.type, constant.signature())
    try:
        hash(key)
    except TypeError:
        return None
    return key


class ConstantTable:
    """The constants of a graph by type and value.

    Attributes
    ----------
    known
        From each constant to the first one of its type and value.
    """

    __slots__ = ("_first", "known")

    def __init__(self) -> None:
        self._first: dict[Hashable, Constant] = {}
        self.known: dict[Constant, Constant] = {}

    def representative(self, constant: Constant) -> Constant:
        """The first constant of the type and value of `constant`."""
        found = self.known.get(constant)
        if found is None:
            key = constant_key(constant)
            found = constant if key is None else self._first.setdefault(key, constant)
            self.known[constant] = found
        return found

    def copy(self, constant: Constant) -> Constant:
        """A copy of `constant`, the same one for all constants of its type and value."""
        key = constant_key(constant)
        found = None if key is None else self._first.get(key)
        if found is None:
            found = constant.clone()
            self.known[found] = found
            if key is not None:
                self._first[key] = found
        return found


def replaceable_by(node: Apply, other: Apply) -> bool:
    """Whether the types of the outputs allow `other` to replace `node`."""
    for a, b in zip(node.outputs, other.outputs, strict=True):
        if a.type is not b.type and not a.type.is_super(b.type):
            return False
    return True


class HashConsing(ReplacementListener):
    """The hash-consing table of a graph: its nodes by their keys.

    A node whose input changes is removed, and interned again under its new key when it is next
    visited: so a node of many inputs that all change is hashed once.

    Attributes
    ----------
    keys
        The key of each node in the table.
    constants
        The constants so far.
    at_fixpoint
        Tables of rewriters that would do nothing on any node of the graph; emptied when the graph
        changes.
    collapsed
        How often each collapsing rewriter was applied before the optimizer that it belongs to.
    waiting
        Collapsing rewriters that are to be applied before anything else, by the first equilibrium
        of a sequence; None if there are none, or if that was done.
    """

    def __init__(self) -> None:
        self.at_fixpoint: frozenset[RewriterTables] = _NONE
        self.collapsed: Counter[LocalOptimizer] = Counter()
        self.waiting: RewriterTables | None = None
        self._begun_with: RewriterTables | None = None
        self._nodes: dict[tuple[Any, ...], Apply] = {}
        self.keys: dict[Apply, tuple[Any, ...]] = {}
        self.constants = ConstantTable()

    def clone(self) -> Feature:
        return type(self)()

    def on_replace(self, fgraph: FunctionGraph, replacement: Replacement) -> None:
        self.at_fixpoint = _NONE
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
        self.at_fixpoint = _NONE

    def intern(self, node: Apply) -> Apply | None:
        """Return another node of the table with the key of `node`; if there is none, add `node`."""
        if node in self.keys:
            return None
        key = node_key(node)
        first = self._nodes.setdefault(key, node)
        if first is node:
            self.keys[node] = key
            return None
        return first

    def equal_to(self, node: Apply, inputs: list[Variable]) -> Apply | None:
        """Return the node of the table that is what `node` would be if it had these inputs."""
        return self._nodes.get(key_with(node, inputs))

    def begin_with(self, tables: RewriterTables | None) -> None:
        """Have collapsing rewriters wait, unless the graph has begun with them."""
        if tables is not self._begun_with:
            self._begun_with = self.waiting = tables

    def copy_nodes(
        self,
        nodes: Iterable[Apply],
        copies: dict[Variable, Variable],
        forms: Mapping[Apply, Collapse],
        flat: Flat,
        tables: RewriterTables | None = None,
    ) -> list[Apply]:
        """Copy nodes into the table, equal ones once, and return the copies.

        Parameters
        ----------
        nodes
            Nodes in topological order.
        copies
            From the leaves that `nodes` read to their copies; the outputs of the nodes are added.
        forms
            The nodes that collapse; they are not copied.
        flat
            The sums that are flattened. Those nested in them are not among `nodes`.
        tables
            Collapsing rewriters, which are applied to the copies too if these have merged or read
            something that collapsed.
        """
        known, keys = self._nodes, self.keys
        made: list[Apply] = []
        differs = bool(forms)
        for node in nodes:
            if node in forms:
                # sums that are flattened have no copy, and nothing that is copied reads them
                below = copies.get(forms[node][1])
                if below is not None:
                    copies[node.outputs[0]] = below
                continue
            inputs: list[Variable] = []
            for var in flat[node][0] if node in flat else node.inputs:
                inputs.append(copies[var])
            # `key_with`, without the call where there is nothing to sort
            plain = node.op.pure and not node.op.commutative
            key = (node.op, *inputs) if plain else key_with(node, inputs)
            copy = known.get(key)
            if copy is None:
                copy = node.copy_with_inputs(inputs)
                form = None
                if differs and tables is not None and tables.may_collapse[copy.op]:
                    form = collapse_of(copy, tables, keys)
                if form is not None:
                    rewriter, copies[node.outputs[0]] = form
                    self.collapsed[rewriter] += 1
                    continue
                known[key] = copy
                keys[copy] = key
                made.append(copy)
            else:
                differs = True
                if not replaceable_by(node, copy):
                    copy = node.copy_with_inputs(inputs)
                    made.append(copy)
            outputs = node.outputs
            if len(outputs) == 1:
                copies[outputs[0]] = copy.outputs[0]
            else:
                copies.update(zip(outputs, copy.outputs, strict=True))
        return made

    def forget(self, node: Apply) -> None:
        """Remove `node` from the table."""
        key = self.keys.pop(node, None)
        if key is not None:
            del self._nodes[key]


@contextmanager
def hash_consing_table(fgraph: FunctionGraph) -> Iterator[HashConsing]:
    """The hash-consing table of `fgraph`, which is attached for the time of the block if need be.

    Optimizers that follow one another in such a block share it, and hash a node once.
    """
    for feature in fgraph.features:
        if isinstance(feature, HashConsing):
            yield feature
            return
    with fgraph.attached(HashConsing()) as made:
        yield made


MERGE = "MergeOptimizer"


class MergeRecord(NamedTuple):
    """The profile of a MergeOptimizer: a tuple, as the documents show it.

    `validate_time` and `callback_time` are None unless the graph is profiled (`fgraph.profile`).
    """

    nb_fail: int
    apply_time: float
    validate_time: float | None
    callback_time: float | None
    callbacks_time: dict[Any, float]
    nb_merged: int
    nb_constant: int

    def __repr__(self) -> str:
        return tuple.__repr__(self)


class MergeOptimizer(GlobalOptimizer):
    """Merge nodes that apply the same op to the same inputs, and constants of the same value.

    The two operands of a commutative op may be in either order; so may more operands if the dtype
    is exact. Of equal nodes the first in topological order is kept. A merge that a feature of the
    graph rejects (a value would be destroyed before it is used, say) is not made, and counted.
    """

    name = MERGE
    merges_first = True

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)

    def collapsing_first(self) -> tuple[RewriterTables, ...]:
        return ()

    def apply(self, fgraph: FunctionGraph) -> MergeRecord:
        require_replace_validate(fgraph)
        start, measured = time.perf_counter(), fgraph.profile is not None
        validating, calling = fgraph.validate_time, fgraph.execute_callbacks_time
        with hash_consing_table(fgraph) as table:
            merger = NodeMerger(fgraph, table)
            merger.merge_all(fgraph.toposort(with_orderings=False))
        return MergeRecord(
            merger.failed,
            time.perf_counter() - start,
            fgraph.validate_time - validating if measured else None,
            fgraph.execute_callbacks_time - calling if measured else None,
            {},
            merger.merged,
            merger.constants,
        )

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        indent = "    " * level
        print(f"{indent}{cls.__name__}", file=stream)
        for label, value in (
            ("nb fail", prof.nb_fail),
            ("merged", prof.nb_merged),
            ("constant", prof.nb_constant),
            ("time", f"{prof.apply_time:.6f}"),
            ("validate_time", prof.validate_time),
            ("callback_time", prof.callback_time),
        ):
            print(f"{indent}    {label} {value}", file=stream)


class NodeMerger:
    """Merges nodes of a graph with equal ones in its hash-consing table, and counts the merges.

    Attributes
    ----------
    merged, constants
        How many nodes, and how many constants, were replaced by equal ones.
    failed
        How many merges were rejected.
    """

    def __init__(self, fgraph: FunctionGraph, table: HashConsing) -> None:
        self.fgraph = fgraph
        self.table = table
        self.failed = self.merged = self.constants = 0

    def merge_all(self, nodes: Iterable[Apply]) -> None:
        """Merge all nodes of the graph that are not in the table, given in topological order."""
        known, here = self.table.keys, self.fgraph.apply_nodes
        for node in nodes:
            if node not in known and node in here:
                self.merge_constants(node)
                self.merge(node)

    def merge_constants(self, node: Apply) -> bool:
        """Merge the constants that `node` reads; return whether that changed the graph."""
        constants, before = self.table.constants, self.constants
        for var in node.inputs:
            if var.head is Constant:
                known = constants.representative(var)
                if known is not var and var in self.fgraph.clients:
                    self.fgraph.replace(var, known, reason=MERGE)
                    self.constants += 1
        return self.constants != before

    def merge(self, node: Apply) -> Apply | None:
        """Merge `node`, which is not in the table, with an equal node.

        Returns
        -------
        kept
            The node that has replaced it, or None if it has stayed.
        """
        first = self.table.intern(node)
        if first is None:
            return None
        if replaceable_by(node, first):
            return first if self._merged(node, first) else None
        if replaceable_by(first, node) and self._merged(first, node):
            # the same computation, but the types of `node` are more specific
            self.table.intern(node)
        return None

    def collapse_all(self, nodes: Iterable[Apply]) -> None:
        """Apply the collapsing rewriters that wait to nodes given in topological order, as
        `merged_copy` does while it copies them; merge what is equal then. Last the flattening ones.
        """
        table, here = self.table, self.fgraph.apply_nodes
        tables, table.waiting = table.waiting, None
        if tables is None:
            return
        for node in nodes:
            if node in here:
                self.merge_all((node,))
            if node in table.keys:
                found = collapse_of(node, tables, table.keys)
                if found is not None:
                    rewriter, below = found
                    self._replaced_first(rewriter, node.outputs[0], below)
        left = [node for node in nodes if node in here]
        shared = {n for n in left if sum(len(self.fgraph.clients[v]) for v in n.outputs) > 1}
        made: dict[Variable, Variable] = {}
        for node, (arguments, _) in flattened(left, shared, {}, tables).items():
            (out,) = node.outputs
            new = node.op(*[made.get(var, var) for var in arguments])
            if self._replaced_first(tables.flattening[node.op], out, new):
                made[out] = new

    def _replaced_first(self, rewriter: LocalOptimizer, old: Variable, new: Variable) -> bool:
        replaced = self._replaced([(old, new)], display_name(rewriter))
        self.table.collapsed[rewriter] += replaced
        return replaced

    def _merged(self, node: Apply, kept: Apply) -> bool:
        """Replace `node` by `kept`; return whether no feature rejected that."""
        read = zip(node.outputs, kept.outputs, strict=True)
        pairs = [(old, new) for old, new in read if self.fgraph.clients.get(old)]
        merged = self._replaced(pairs, MERGE)
        self.merged += merged
        self.failed += not merged
        return merged

    def _replaced(self, pairs: Pairs, reason: str) -> bool:
        """Make replacements; return whether no feature rejected them."""
        try:
            apply_replacement(self.fgraph, pairs, [], reason)
        except InconsistencyError:
            return False
        return True


def collapse_of(
    node: Apply, tables: RewriterTables, known: Container[Apply] | None = None
) -> Collapse | None:
    """The first collapsing rewriter that replaces the output of `node`, and the variable that it is
    replaced by: a leaf, or computed by one of the nodes `known`; by one below `node` if these are
    not given. What was made to fit the type of the output, by a cast, is for the phases to judge.
    """
    for rewriter in tables.plan_for(node).early:
        try:
            # there is no graph yet, or its readers do not count
            answer: Any = rewriter.transform(UNKNOWN_READERS, node)  # type: ignore[arg-type]
        except Exception:
            return None  # the equilibrium will call it again, and report that
        if type(answer) is list and len(answer) == len(node.outputs) == 1:
            below: Variable = answer[0]
            if known is not None:
                there = below.owner is None or below.owner in known
            else:
                there = not _may_be_made_to_fit(below) or _is_below(below, node, rewriter)
            if there:
                return rewriter, below
    return None


def _may_be_made_to_fit(var: Variable) -> bool:
    """Whether a variable is a cast or a broadcast, as what does not fit is made to."""
    return var.owner is not None and (var.head.converts or var.head.repeats is not None)


def _is_below(var: Variable, node: Apply, rewriter: LocalOptimizer) -> bool:
    """Whether `node` depends on `var`, no more levels down than a rewriter looks."""
    level: Iterable[Apply] = (node,)
    for _ in range(rewriter.depth or 1):
        lower: dict[Apply, None] = {}
        for one in level:
            for argument in one.inputs:
                if argument is var:
                    return True
                if argument.owner is not None:
                    lower[argument.owner] = None
        level = lower
    return False


Flat: TypeAlias = dict[Apply, tuple[list[Variable], list[Apply]]]
"""The nodes of sums that are flattened, with their arguments and the nodes nested in them."""


def flattened(
    nodes: Sequence[Apply],
    shared: Container[Apply],
    forms: Mapping[Apply, Collapse],
    tables: RewriterTables,
) -> Flat:
    """Flatten sums whose first argument is a sum of inputs that is read once: ``(a + b) + c``.

    It is what the flattening rewriters do on the outermost sum. Before nodes are connected it saves
    copying, visiting and removing each nested one. Other sums may become equal to one that is read
    elsewhere, and are left to the rewriters, which flatten when nothing in them changes any more.

    Parameters
    ----------
    nodes
        The nodes of a graph in topological order.
    shared
        Those of them that are read more than once.
    forms
        Those of them that collapse.
    tables
        The flattening rewriters.
    """
    ops = tables.flattening
    # sums do not collapse
    outer = [n for n in nodes if n.op in ops and _collapsed(n.inputs[0], forms).head is n.op]
    if not outer:
        return {}
    innermost = {n for n in nodes if n.op in ops}.difference(outer)
    alike = Counter([_terms(node, forms) for node in innermost])
    flat: Flat = {}
    for node in outer:
        first, kind = node.inputs[0], node.outputs[0].type
        while first.owner in forms and first.owner not in shared:
            first = forms[first.owner][1]
        inner = first.owner
        if inner in shared or not (first.type is kind or first.type.in_same_class(kind)):
            continue
        if inner in flat:
            for var in inner.inputs[1:]:
                if var.head is not None and _collapsed(var, forms).head is not None:
                    break
            else:
                arguments, nested = flat[node] = flat.pop(inner)
                arguments += node.inputs[1:]
                nested.append(inner)
        # a sum of the same arguments will be merged with this one
        elif alike[_terms(inner, forms)] == 1:
            arguments = [_collapsed(var, forms) for var in inner.inputs]
            if all(var.head is None for var in arguments):
                flat[node] = [*arguments, *node.inputs[1:]], [inner]
    return flat


def _collapsed(var: Variable, forms: Mapping[Apply, Collapse]) -> Variable:
    """What `var` is when all nodes have collapsed."""
    while var.owner is not None and var.owner in forms:
        var = forms[var.owner][1]
    return var


def _terms(node: Apply, forms: Mapping[Apply, Collapse]) -> Hashable:
    """The op and the arguments of a sum, in no order."""
    return node.op, frozenset([_collapsed(var, forms) for var in node.inputs])


def merged_copy(outputs: Sequence[Variable], tables: RewriterTables | None = None) -> FunctionGraph:
    """Return a merged copy of a graph, with the inputs that it reads.

    It is what a `MergeOptimizer` makes of a copy, but equal nodes are never copied twice. The
    hash-consing table of the copy is attached to it, for the optimizers that follow.

    Parameters
    ----------
    outputs
        The outputs of the graph.
    tables
        Collapsing rewriters (see `LocalOptimizer`). Nodes that they remove are not copied.
    """
    forms: dict[Apply, Collapse] = {}

    def reads(node: Apply) -> Sequence[Variable]:
        form = None
        if tables is not None and tables.may_collapse[node.op]:
            form = collapse_of(node, tables)
        if form is None:
            return node.inputs
        forms[node] = form
        return form[1:]

    order, leaves, shared = toposort_and_leaves(outputs, reads)
    table = HashConsing()
    inputs: list[Variable] = []
    copies: dict[Variable, Variable] = {}
    for var in leaves:
        if isinstance(var, Constant):
            copies[var] = table.constants.copy(var)
        else:
            copies[var] = var
            inputs.append(var)
    flat: Flat = {}
    if tables is not None:
        flat = flattened(order, shared, forms, tables)
        table.collapsed.update([tables.flattening[node.op] for node in flat])
        nested = {node for _, nodes in flat.values() for node in nodes}
        order = [node for node in order if node not in nested] if nested else order
    table.collapsed.update([rewriter for rewriter, _ in forms.values()])
    before = table.collapsed.total()
    nodes = table.copy_nodes(order, copies, forms, flat, tables)
    results = [copies[v] for v in outputs]
    if table.collapsed.total() > before:
        # what only these copies read was copied before they collapsed
        nodes = toposort_and_leaves(results)[0]
        for node in table.keys.keys() - set(nodes):
            table.forget(node)
    fgraph = FunctionGraph.of_nodes(inputs, nodes, results)
    fgraph.attach_feature(table)
    table.begin_with(tables)
    table.waiting = None
    return fgraph
