"""What a loop need not do: what nothing reads, what does not change, what it does twice."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.traversal import ancestors
from relgraph.passes.loops.open_loop import Given, OpenLoop
from relgraph.tensor.type import TensorType

# A constant of at most so many elements stands in the step, where laws see its value.
_SMALL = 64


def clean(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Drop from a loop what it need not do; return whether there was any."""
    found = [
        drop_unread(loop, fgraph),
        _fix_unchanged_states(loop),
        _put_constants_inside(loop),
        _read_once(loop),
        _take_rows_from_sequences(loop),
    ]
    return any(found)


def drop_unread(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Drop the rows and states that nothing reads, and the inputs that the step does not read."""
    before = (len(loop.rows), len(loop.states), len(loop.sequences), len(loop.fixed))
    loop.rows = [row for row in loop.rows if _is_read(row.arrays, fgraph)]
    kept = [state for state in loop.states if _is_read(state.last, fgraph)]
    while True:
        needed = ancestors(
            [*(s.new for s in kept), *(r.value for r in loop.rows), *loop.stop], loop.inputs
        )
        used = set(needed)
        more = [s for s in loop.states if s in kept or s.inner in used]
        if len(more) == len(kept):
            break
        kept = more
    loop.states = kept
    loop.sequences = [part for part in loop.sequences if part.inner in used]
    loop.fixed = [part for part in loop.fixed if part.inner in used]
    return before != (len(loop.rows), len(loop.states), len(loop.sequences), len(loop.fixed))


def _is_read(outputs: list[Variable], fgraph: FunctionGraph) -> bool:
    return any(fgraph.clients.get(v) for v in outputs)


def _fix_unchanged_states(loop: OpenLoop) -> bool:
    """Make the states that no step changes inputs that are the same at each step."""
    unchanged = [
        s for s in loop.states if s.new is s.inner and isinstance(s.inner.type, TensorType)
    ]
    for state in unchanged:
        loop.fixed.append(Given(state.inner, state.first))
        loop.replaced.update((old, state.first) for old in state.last)
    loop.states = [s for s in loop.states if s not in unchanged]
    return bool(unchanged)


def _put_constants_inside(loop: OpenLoop) -> bool:
    small = [
        part
        for part in loop.fixed
        if isinstance(part.outer, Constant)
        and getattr(part.outer.data, "size", _SMALL + 1) <= _SMALL
    ]
    if small:
        loop.fixed = [part for part in loop.fixed if part not in small]
        loop.substitute({part.inner: part.outer for part in small})
    return bool(small)


def _read_once(loop: OpenLoop) -> bool:
    """Give what is the same outside one variable in the step."""
    stands_for: dict[Variable, Variable] = {}
    for parts in (loop.sequences, loop.fixed):
        known: dict[Any, Given] = {}
        for part in parts:
            first = known.setdefault(part.outer, part)
            if first is not part and first.inner.type == part.inner.type:
                stands_for[part.inner] = first.inner
        parts[:] = [part for part in parts if part.inner not in stands_for]
    if stands_for:
        loop.substitute(stands_for)
    return bool(stands_for)


def _take_rows_from_sequences(loop: OpenLoop) -> bool:
    """Take what is collected of the rows of a sequence from that; collect equal rows once."""
    arrays = {part.inner: part.outer for part in loop.sequences} if not loop.stop else {}
    known: dict[tuple[Variable, int | None], Any] = {}
    kept = []
    for row in loop.rows:
        first = known.setdefault((row.value, row.kept), row)
        if row.value in arrays:
            rows = loop.read_rows(arrays[row.value])
            rows = rows if row.kept is None else rows[-row.kept :]
            loop.replaced.update((old, rows) for old in row.arrays)
        elif first is not row:
            first.arrays += row.arrays
        else:
            kept.append(row)
    changed = len(kept) < len(loop.rows)
    loop.rows = kept
    return changed
