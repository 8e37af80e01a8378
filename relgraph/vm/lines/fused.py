"""The lines of fused nodes: small arrays are computed by one call after another, others by blocks.

The calls stand in the program as those of nodes that are not fused do, so that on small arrays a
fused node is no slower than they are. Which way is taken is known when the lengths are: arrays are
small that fit in the cache together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.composite import Composite
from relgraph.tensor.elemwise.blocks import whole_length
from relgraph.vm.lines.elementwise import axes_of_one_length, output_lengths
from relgraph.vm.lines.fused_calls import FusedCalls
from relgraph.vm.lines.length_checks import length_conditions, length_text, performed
from relgraph.vm.lines.symbol_table import SymbolTable

Dead = Collection[Variable]


def fused_elementwise(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of an `Elemwise` whose scalar op is a Composite."""
    op = node.op
    return _lines(node, op.scalar_op, [None] * op.nout, dict(op.inplace_pattern), symbols, dead)


def fused_reduction(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of a `FusedReduction`."""
    op = node.op
    return _lines(node, op.elemwise.scalar_op, op.reductions, {}, symbols, dead)


def _lines(
    node: Apply,
    composite: Composite,
    reductions: Sequence[Any],
    overwritten: Mapping[int, int],
    symbols: SymbolTable,
    dead: Dead,
) -> list[str] | None:
    full = tuple(map(all, zip(*[v.type.broadcastable for v in node.inputs], strict=True)))
    if not full or not _is_of_one_shape(node, composite, full):
        return None
    calls = FusedCalls(node, composite, reductions, overwritten, symbols, dead)
    groups = axes_of_one_length(node.inputs)
    conditions = [
        *_size_conditions(node, groups, reductions, calls, symbols),
        *(f"{symbols.name_of(v)}.flags.c_contiguous" for v in calls.contiguous),
        *length_conditions(groups, symbols),
    ]
    ordered = all(v in symbols.ordered and v.type.broadcastable == full for v in node.inputs)
    for j, out in enumerate(node.outputs):
        if reductions[j] is None:
            symbols.lengths.define(out, output_lengths(node.inputs, symbols))
            if j not in overwritten:
                symbols.define_fresh(out, ordered)
    if not conditions:
        return calls.lines
    # what follows the lines, as the deletion of dead values, is for both ways
    small = [f" {line}" for line in calls.lines]
    return [f"if {' and '.join(conditions)}:", *small, "else:", _performed(node, symbols), "pass"]


def _is_of_one_shape(node: Apply, composite: Composite, full: tuple[bool, ...]) -> bool:
    """Return whether all values that a Composite computes have one shape, as if fusion made it.

    Each output is one of them, and another one.
    """
    patterns = {
        v: outer.type.broadcastable for v, outer in zip(composite.inputs, node.inputs, strict=True)
    }
    for inner in composite.nodes:
        read = [patterns[v] for v in inner.inputs if not isinstance(v, Constant)]
        if not read or tuple(map(all, zip(*read, strict=True))) != full:
            return False
        patterns.update((v, full) for v in inner.outputs)
    computed = {v for v in composite.outputs if v.owner is not None}
    return len(computed) == len(composite.outputs)


def _size_conditions(
    node: Apply,
    groups: Sequence[Sequence[tuple[Variable, int]]],
    reductions: Sequence[Any],
    calls: FusedCalls,
    symbols: SymbolTable,
) -> list[str]:
    """Return the conditions that the arrays are small, and not empty if an extreme is taken."""
    least = any(op is not None and op.ufunc.identity is None for op in reductions)
    full = next((v for v in node.inputs if calls.is_full(v)), None)
    if full is None:
        size = " * ".join(length_text(*group[0], symbols) for group in groups) or "1"
    else:
        size = f"{symbols.name_of(full)}.size"
    known = [symbols.lengths.of(v)[axis] for v, axis in (group[0] for group in groups)]
    limit = whole_length(calls.bytes_per_element)
    if all(n < 0 for n in known) and least <= math.prod(~n for n in known) <= limit:
        return []
    lower = "0 < " if least else ""
    return [f"{lower}{size} <= {limit}"]


def _performed(node: Apply, symbols: SymbolTable) -> str:
    """Return the line that computes a node by its kernel, with outputs as the calls give them."""
    names = [symbols.name_of(v) for v in node.outputs]
    arguments = ", ".join(symbols.array_name(v) for v in node.inputs)
    statements = [f"{', '.join(names)} = {symbols.bind('k', performed(node))}({arguments})"]
    for v, name in zip(node.outputs, names, strict=True):
        if v in symbols.floats:
            statements.append(f"{name} = float({name})")
        elif v in symbols.scalars:
            statements.append(f"{name} = {name}[()]")
    return f" {'; '.join(statements)}"
