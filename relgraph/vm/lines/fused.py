"""The lines of fused nodes: small arrays are computed by one call after another, others by blocks.

The calls stand in the program as those of nodes that are not fused do, so that on small arrays a
fused node is no slower than they are. Which way is taken is known when the lengths are: arrays are
small that fit in the cache together. Of larger ones the kernel finds out by its times
(`relgraph.tensor.elemwise.ways`); where it finds no faster way, the calls are made here too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.composite import Composite
from relgraph.tensor.elemwise.blocks import whole_length
from relgraph.tensor.memory_layout import forward
from relgraph.vm.lines.elementwise import axes_of_one_length
from relgraph.vm.lines.fused_calls import FusedCalls, Given, fused_calls
from relgraph.vm.lines.length_checks import length_conditions, length_text, performed
from relgraph.vm.lines.symbol_table import SymbolTable

Dead = Collection[Variable]

Axes = Sequence[Sequence[tuple[Variable, int]]]
"""For each axis along which not all tensors broadcast those that have it, as pairs with the axis.
"""


def fused_elementwise(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of an `Elemwise` whose scalar op is a Composite."""
    op = node.op
    return _lines(node, op.scalar_op, [None] * op.nout, op.inplace_pattern, symbols, dead)


def fused_reduction(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of a `FusedReduction`."""
    op = node.op
    return _lines(node, op.elemwise.scalar_op, op.reductions, (), symbols, dead)


def _lines(
    node: Apply,
    composite: Composite,
    reductions: Sequence[Any],
    overwritten: tuple[tuple[int, int], ...],
    symbols: SymbolTable,
    dead: Dead,
) -> list[str] | None:
    given = tuple([_known_of(v, node, symbols, dead) for v in node.inputs])
    calls = fused_calls(composite, tuple(reductions), overwritten, given)
    if calls is None:
        return None
    groups = axes_of_one_length(node.inputs)
    targets = {i for _, i in overwritten}
    vectors = [i for i in calls.contiguous if node.inputs[i].type.ndim == 1 and i not in targets]
    others = [i for i in calls.contiguous if i not in vectors]
    conditions = [
        *_size_conditions(node, groups, reductions, calls.bytes_per_element, symbols),
        *(f"{symbols.name_of(node.inputs[i])}.flags.c_contiguous" for i in others),
        *length_conditions(groups, symbols),
    ]
    laid_out = [_laid_out(symbols.name_of(node.inputs[i]), symbols) for i in vectors]
    small = _written(calls, node, symbols)
    _define(node, reductions, dict(overwritten), groups, symbols)
    if not conditions:
        return [*laid_out, *small]
    # what follows the lines, as the deletion of dead values, is for both ways
    condition = f"if {' and '.join(conditions)}:"
    return [
        *laid_out,
        condition,
        *(f" {line}" for line in small),
        "else:",
        performed_line(node, symbols),
        "pass",
    ]


def _laid_out(name: str, symbols: SymbolTable) -> str:
    """Return the line that copies a vector that runs backward, as the kernel does."""
    return f"if not {name}.flags.c_contiguous: {name} = {symbols.shared_name('f', forward)}({name})"


def _known_of(var: Variable, node: Apply, symbols: SymbolTable, dead: Dead) -> Given:
    """Return what is known of an input."""
    unshared = symbols.unshared
    return Given(
        var.type.broadcastable,
        var in unshared and var in dead,
        all(v in unshared or isinstance(v, Constant) for v in node.inputs if v is not var),
        var in symbols.forward,
        var in symbols.ordered,
    )


def _written(calls: FusedCalls, node: Apply, symbols: SymbolTable) -> list[str]:
    """Return the lines of calls, and note what they may do."""
    symbols.may_warn |= calls.may_warn
    names = {
        "i": [symbols.name_of(v) for v in node.inputs],
        "o": [symbols.name_of(v) for v in node.outputs],
        "b": [symbols.shared_name(prefix, value) for prefix, value in calls.bound],
    }
    lines = calls.text.format(**names).split("\n")
    for out, expression in zip(node.outputs, calls.reduced, strict=True):
        if expression is not None:
            lines.append(symbols.define_rank_zero(out, expression.format(**names)))
    if calls.scratch:
        lines.append(f"del {', '.join(calls.scratch)}")
    return lines


def _define(
    node: Apply,
    reductions: Sequence[Any],
    overwritten: Mapping[int, int],
    groups: Axes,
    symbols: SymbolTable,
) -> None:
    """Note what is known of the outputs that are not reduced."""
    ordered = all(v in symbols.ordered and _is_full(v, groups) for v in node.inputs)
    lengths = [~1] * node.inputs[0].type.ndim
    for group in groups:
        var, axis = group[0]
        lengths[axis] = symbols.lengths.of(var)[axis]
    for j, out in enumerate(node.outputs):
        if reductions[j] is None:
            symbols.lengths.define(out, lengths)
            if j not in overwritten:
                symbols.define_fresh(out, ordered)


def _is_full(var: Variable, groups: Axes) -> bool:
    """Return whether a tensor has all axes along which something does not broadcast."""
    return bool(var.type.broadcastable.count(False) == len(groups))


def _size_conditions(
    node: Apply,
    groups: Axes,
    reductions: Sequence[Any],
    bytes_per_element: int,
    symbols: SymbolTable,
) -> list[str]:
    """Return the conditions that the arrays are not empty if an extreme is taken, and small or such
    that the kernel knows no faster way."""
    least = any(op is not None and op.ufunc.identity is None for op in reductions)
    limit = whole_length(bytes_per_element)
    known = [symbols.lengths.of(v)[axis] for v, axis in (group[0] for group in groups)]
    if all(n < 0 for n in known) and least <= math.prod(~n for n in known) <= limit:
        return []
    largest = next((v for v in node.inputs if _is_full(v, groups)), None)
    if largest is None:
        size = " * ".join(length_text(*group[0], symbols) for group in groups) or "1"
    else:
        size = f"{symbols.name_of(largest)}.size"
    prefers = symbols.bind("k", node.op.kernel(node).prefers_whole)
    return [f"({'0 < ' if least else ''}{size} <= {limit} or {prefers}({size}))"]


def performed_line(node: Apply, symbols: SymbolTable) -> str:
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
