"""Loops of the same number of steps become one loop, if neither depends on the other.

What both compute is computed once: the loop that a gradient reads is the one forwards with more
collected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relgraph.graph.basic import Apply, Variable, clone_get_equiv
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer, MergeOptimizer
from relgraph.passes.loops.cleaning import clean
from relgraph.passes.loops.open_loop import OpenLoop, loops_in, put_in_place
from relgraph.tensor.loops.scan_op import Scan

_merge = MergeOptimizer()


class MergeLoops(GlobalOptimizer):
    """Makes one loop of two, and one state of two that have the same values."""

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops there are fewer."""
        merged = 0
        while (pair := _mergeable_pair(loops_in(fgraph))) is not None:
            first, second = (OpenLoop(node) for node in pair)
            _join(first, second)
            merge_equal_parts(first)
            clean(first, fgraph)
            if not put_in_place(fgraph, first.close(), self.name or str(self)):
                break
            merged += 1
        return merged


def _mergeable_pair(nodes: list[Apply]) -> tuple[Apply, Apply] | None:
    """Return two loops that can become one."""
    if len(nodes) < 2:
        return None
    behind = _loops_behind(nodes)
    for i, first in enumerate(nodes):
        for second in nodes[i + 1 :]:
            if first not in behind[second] and _are_alike(first, second):
                return first, second
    return None


def _are_alike(first: Apply, second: Apply) -> bool:
    a, b = first.op, second.op
    assert isinstance(a, Scan)
    assert isinstance(b, Scan)
    return (
        first.inputs[0] is second.inputs[0]
        and not a.has_condition
        and not b.has_condition
        and a.pure
        and b.pure
        and a.truncate_gradient == b.truncate_gradient
    )


def _loops_behind(nodes: list[Apply]) -> dict[Apply, set[Apply]]:
    """Return for each loop those that it depends on."""
    wanted = set(nodes)
    found: dict[Apply, set[Apply]] = {}
    below: dict[Apply, set[Apply]] = {}

    def of(node: Apply) -> set[Apply]:
        stack = [node]
        while stack:
            last = stack[-1]
            owners = {v.owner for v in last.inputs if v.owner is not None}
            missing = [owner for owner in owners if owner not in below]
            if missing:
                stack += missing
                continue
            stack.pop()
            below[last] = set().union(*(below[o] for o in owners), owners & wanted)
        return below[node]

    for node in nodes:
        found[node] = of(node)
    return found


def _join(first: OpenLoop, second: OpenLoop) -> None:
    """Add the parts of a loop to another one."""
    shared = set(first.inputs).intersection(second.inputs)
    if shared:
        second_inputs = {v: v.type.make_variable(v.name) for v in second.inputs}
        second.substitute(second_inputs)
        parts: list[Any] = [*second.sequences, *second.states, *second.fixed]
        for part in parts:
            part.inner = second_inputs[part.inner]
    first.sequences += second.sequences
    first.states += second.states
    first.fixed += second.fixed
    first.rows += second.rows


def merge_equal_parts(loop: OpenLoop) -> None:
    """Make one of the inputs that stand for the same, and of states that have the same values.

    Two states are taken for equal as long as their first values, and what the step makes of them
    under that assumption, are equal.
    """
    classes: list[list[Any]] = _grouped(loop.states, lambda s: (s.first, s.inner.type))
    same_inputs = {
        part.inner: parts[0].inner
        for group in (loop.sequences, loop.fixed)
        for parts in _grouped(group, lambda p: (p.outer, p.inner.type))
        for part in parts[1:]
    }
    while True:
        stands_for = dict(same_inputs)
        stands_for.update((s.inner, group[0].inner) for group in classes for s in group[1:])
        outputs = _merged_outputs(loop, stands_for)
        new = dict(zip(loop.states, outputs, strict=False))
        finer = [part for group in classes for part in _grouped(group, new.__getitem__)]
        if len(finer) == len(classes):
            break
        classes = finer
    loop.set_outputs(outputs)
    for group in classes:
        for state in group[1:]:
            group[0].last += state.last
    loop.states = [group[0] for group in classes]
    loop.sequences = [p for p in loop.sequences if p.inner not in same_inputs]
    loop.fixed = [p for p in loop.fixed if p.inner not in same_inputs]


def _grouped(items: Iterable[Any], key: Any) -> list[list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _merged_outputs(loop: OpenLoop, stands_for: dict[Variable, Variable]) -> list[Variable]:
    """Return the outputs of the step with some inputs replaced and equal nodes merged."""
    before = loop.outputs
    loop.substitute(stands_for)
    replaced = loop.outputs
    loop.set_outputs(before)
    inputs = loop.inputs
    graph = FunctionGraph(inputs, replaced, clone=True)
    _merge.optimize(graph)
    for feature in list(graph.features):
        graph.remove_feature(feature)
    memo: dict[Any, Any] = dict(zip(graph.inputs, inputs, strict=True))
    clone_get_equiv([], graph.outputs, copy_inputs=False, copy_orphans=False, memo=memo)
    return [memo[v] for v in graph.outputs]
