"""Fusion: elementwise nodes that read each other become one, which computes them block by block.

Unfused, each node writes its result to memory, from where the next one reads it again. A fused one
keeps what only its own nodes read in the cache; see `relgraph.tensor.memory`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.opt import GlobalOptimizer
from relgraph.scalar.composite import Composite
from relgraph.scalar.type import get_scalar_type, is_discrete
from relgraph.tensor.conditional import Context, Contexts
from relgraph.tensor.elemwise import Elemwise, FusedElemwise
from relgraph.tensor.reductions import CAReduce, FusedReduction

# A group of more nodes would become one function of as many lines, which Python compiles slowly.
MAX_NODES = 256

_NEVER = 1 << 60


class Groups:
    """A partition of the nodes of a graph into groups.

    Each node has a *stage*. It is not below that of a node that it reads, and above it where the
    two can't be in one group, or are not. So a way out of a group never leads back into it, nor do
    ways between groups make a cycle. Nodes of one stage that can be joined are one group.

    Parameters
    ----------
    nodes
        All nodes of a graph in an order of evaluation.
    joins
        Whether a node, the second, may be in a group with one that it reads.
    before
        For some nodes, those that must run before them though they do not read them.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        nodes: Sequence[Apply],
        joins: Callable[[Apply, Apply], bool],
        before: Mapping[Apply, Sequence[Apply]],
    ) -> None:
        self._fgraph = fgraph
        self._nodes = nodes
        self._joins = joins
        self._before = before
        self._stage: dict[Apply, int] = {}
        self._members: dict[Apply, list[Apply]] = {}
        for node in nodes:
            self._join_inputs(node)
        self._join_readers()

    def all(self) -> list[list[Apply]]:
        """Return the groups, each in an order of evaluation."""
        position = {node: i for i, node in enumerate(self._nodes)}
        found = {id(members): members for members in self._members.values()}
        return [sorted(members, key=position.__getitem__) for members in found.values()]

    def _join_inputs(self, node: Apply) -> None:
        """Give a node the least stage that it can have, and join it with what it reads there."""
        stage = 0
        joined: list[Apply] = []
        for v in node.inputs:
            before = v.owner
            if before is None or before not in self._stage:
                continue
            least = self._stage[before]
            if self._joins(before, node):
                joined.append(before)
            else:
                least += 1
            stage = max(stage, least)
        for before in self._before.get(node, ()):
            stage = max(stage, self._stage[before] + 1)
        groups = self._groups_at(stage, joined)
        if sum(map(len, groups)) >= MAX_NODES:
            stage, groups = stage + 1, []
        self._stage[node] = stage
        self._join([*groups, [node]])

    def _groups_at(self, stage: int, nodes: Sequence[Apply]) -> list[list[Apply]]:
        """Return the groups of those of some nodes that have this stage."""
        groups = [self._members[n] for n in nodes if self._stage[n] == stage]
        return list({id(group): group for group in groups}.values())

    def _join(self, groups: Sequence[list[Apply]]) -> None:
        largest = max(groups, key=len)
        for group in groups:
            if group is not largest:
                largest += group
                self._members.update(dict.fromkeys(group, largest))
        if len(largest) == 1:
            self._members[largest[0]] = largest

    def _join_readers(self) -> None:
        """Move groups to the stage of their clients, where all of these allow it."""
        after: dict[Apply, list[Apply]] = {}
        for node, earlier in self._before.items():
            for other in earlier:
                after.setdefault(other, []).append(node)
        groups = list({id(group): group for group in self._members.values()}.values())
        for group in sorted(groups, key=lambda group: -self._stage[group[0]]):
            self._move(group, after)

    def _move(self, group: list[Apply], after: Mapping[Apply, Sequence[Apply]]) -> None:
        stage = self._stage[group[0]]
        latest = _NEVER
        joined: list[Apply] = []
        for node in group:
            for later in after.get(node, ()):
                latest = min(latest, self._stage[later] - 1)
            for out in node.outputs:
                for reader, _ in self._fgraph.clients[out]:
                    if reader == "output" or self._members[reader] is group:
                        continue
                    if self._joins(node, reader):
                        joined.append(reader)
                        latest = min(latest, self._stage[reader])
                    else:
                        latest = min(latest, self._stage[reader] - 1)
        if not joined or latest <= stage:
            return
        others = self._groups_at(latest, joined)
        if others and sum(map(len, others)) + len(group) <= MAX_NODES:
            for node in group:
                self._stage[node] = latest
            self._join([*others, group])


# What it costs to move a byte to or from memory, and to call one more function, in nanoseconds.
BYTE_NS = 0.1
CALL_NS = 2_000.0

# Up to this many elements the blocks of a fused node are the arrays themselves: nothing is saved.
LEAST_SIZE = 32_768

# What is taken for the number of elements where the types leave it open.
USUAL_SIZE = 100_000

# So few operations on integers are indices and lengths: there are never many of them.
_LEAST_DISCRETE = 3


class FuseElemwise(GlobalOptimizer):
    """Replaces groups of elementwise nodes by one node each, where that pays.

    A group is convex: no way between two of its nodes leads outside. Its nodes have one shape. It
    may have several outputs, and end in reductions over all axes.
    """

    name = "elemwise_fusion"

    def __init__(self) -> None:
        self._fused: WeakValueDictionary[Hashable, Op] = WeakValueDictionary()

    def apply(self, fgraph: FunctionGraph) -> None:
        fusable = {node for node in fgraph.apply_nodes if _is_fusable(node)}
        if not fusable:
            return
        orderings = fgraph.orderings() if fgraph.listens("orderings") else {}
        nodes = fgraph.toposort()
        contexts = Contexts.of_graph(fgraph, nodes)
        joins = partial(_joins, fusable, {} if contexts is None else contexts.of_node)
        groups = Groups(fgraph, nodes, joins, orderings)
        for group in groups.all():
            if len(group) > 1:
                self._fuse(fgraph, group)

    def _fuse(self, fgraph: FunctionGraph, group: Sequence[Apply]) -> None:
        """Replace a group by one node if that pays."""
        members = set(group)
        outputs = [v for node in group for v in node.outputs if _is_read(fgraph, v, members)]
        if not outputs or not _pays(group, outputs):
            return
        inputs, key = _structure(group, outputs)
        op = self._fused.get(key)
        if op is None:
            op = self._fused[key] = _fused_op(group, inputs, outputs)
        made = op.make_node(*inputs).outputs
        if all(old.type.is_super(new.type) for old, new in zip(outputs, made, strict=True)):
            for old, new in zip(outputs, made, strict=True):
                fgraph.replace(old, new, reason=self.name)


def _is_read(fgraph: FunctionGraph, var: Variable, members: set[Apply]) -> bool:
    """Return whether an output of the graph, or a node that is no member, reads a variable."""
    return any(reader not in members for reader, _ in fgraph.clients[var])


def _is_fusable(node: Apply) -> bool:
    """Return whether a node is an elementwise one that can be part of a group."""
    op = node.op
    if type(op) is not Elemwise or op.inplace_pattern or not op.pure or op.scalar_op.nout != 1:
        return False
    if isinstance(op.scalar_op, Composite):
        return False
    return _size(node) > LEAST_SIZE


def _size(node: Apply) -> int:
    """Return how many elements the first output of a node has, or may have."""
    return prod(USUAL_SIZE if n is None else n for n in node.outputs[0].type.shape)


def _is_reduction(node: Apply) -> bool:
    """Return whether a node is a reduction over all axes that gives the same by blocks."""
    op = node.op
    if type(op) is not CAReduce or op.axis is not None:
        return False
    dtype = node.inputs[0].type.dtype
    # Sums of these are made in other dtypes or order.
    return bool(dtype != "float16" and np.dtype(dtype).kind != "c")


def _joins(
    fusable: set[Apply], contexts: Mapping[Apply, Context], before: Apply, node: Apply
) -> bool:
    """Return whether two nodes, of which the second reads the first, may be in one group.

    Nodes that run only if a branch is taken are not fused with others.
    """
    if before not in fusable or contexts.get(before) is not contexts.get(node):
        return False
    if node in fusable:
        pattern = node.outputs[0].type.broadcastable
        return bool(before.outputs[0].type.broadcastable == pattern)
    return _is_reduction(node)


def _pays(group: Sequence[Apply], outputs: Sequence[Variable]) -> bool:
    """Return whether the bytes that are not moved are worth the calls of one more function.

    What is read outside as well is still written, but not read again.
    """
    if len(group) < _LEAST_DISCRETE and all(
        is_discrete(v.type.dtype) for node in group for v in node.inputs
    ):
        return False
    read = {v for node in group for v in node.inputs}
    kept = set(outputs)
    saved = 0
    for node in group:
        for v in node.outputs:
            if v in read:
                saved += v.type.numpy_dtype.itemsize * (1 if v in kept else 2)
    return saved * _size(group[0]) * BYTE_NS > CALL_NS


def _is_number(var: Variable) -> bool:
    """Return whether a variable is a constant of one element, to be written into the Composite."""
    return isinstance(var, Constant) and var.data.size == 1


def _structure(
    group: Sequence[Apply], outputs: Sequence[Variable]
) -> tuple[list[Variable], Hashable]:
    """Return what a group reads from outside, and a key: groups with equal keys are fused alike."""
    slots: dict[Variable, int] = {}
    inputs: list[Variable] = []
    key: list[Hashable] = []
    for node in group:
        reads: list[int] = []
        for v in node.inputs:
            slot = slots.get(v)
            if slot is None:
                slot = slots[v] = len(slots)
                if _is_number(v):
                    key.append((v.type.dtype, v.data.tobytes()))
                else:
                    inputs.append(v)
                    key.append(v.type.dtype)
            reads.append(slot)
        key.append((node.op, tuple(reads)))
        for out in node.outputs:
            slots[out] = len(slots)
    key.append(tuple([slots[v] for v in outputs]))
    return inputs, tuple(key)


def _fused_op(
    group: Sequence[Apply], inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Op:
    """Return the op of a group, for the inputs and outputs of the group in this order."""
    known: dict[Variable, Any] = {v: get_scalar_type(v.type.dtype).make_variable() for v in inputs}
    reductions: dict[Variable, CAReduce] = {}
    for node in group:
        if isinstance(node.op, CAReduce):
            reductions[node.outputs[0]] = node.op
            known[node.outputs[0]] = known[node.inputs[0]]
            continue
        for v in node.inputs:
            if v not in known:
                known[v] = _number(v)
        known[node.outputs[0]] = node.op.scalar_op.make_node(
            *[known[v] for v in node.inputs]
        ).outputs[0]
    composite = Composite([known[v] for v in inputs], [known[v] for v in outputs])
    if not reductions:
        return FusedElemwise(composite)
    return FusedReduction(Elemwise(composite), [reductions.get(v) for v in outputs])


def _number(var: Any) -> Any:
    return get_scalar_type(var.type.dtype).make_constant(var.data.reshape(())[()])
