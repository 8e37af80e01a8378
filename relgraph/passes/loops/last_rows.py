"""Of what is collected, only the rows that are read are kept: the last ones."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.passes.loops.open_loop import OpenLoop, Row, loops_in, put_in_place
from relgraph.tensor.indexing.indices import Placeholder, Slice
from relgraph.tensor.indexing.subtensor import Subtensor


class KeepLastRows(GlobalOptimizer):
    """Lets a loop keep the last rows of what is collected, where nothing else of it is read."""

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops were changed."""
        return sum(_keep_last(node, fgraph) for node in loops_in(fgraph))


def _keep_last(node: Apply, fgraph: FunctionGraph) -> bool:
    loop = OpenLoop(node)
    chosen: list[tuple[Row, int]] = []
    for row in loop.rows:
        count = _rows_read(row.arrays[0], fgraph)
        if row.kept is None and count is not None:
            chosen.append((row, count))
    readers: list[tuple[Variable, Any]] = [
        (row.arrays[0], client) for row, _ in chosen for client, _ in fgraph.clients[row.arrays[0]]
    ]
    for row, count in chosen:
        row.kept = count
    if not chosen:
        return False
    found = loop.close()
    parts = {
        client.outputs[0]: client.op(found[array], *client.inputs[1:]) for array, client in readers
    }
    for row, _ in chosen:
        for array in row.arrays:
            del found[array]
    return put_in_place(fgraph, {**found, **parts}, "scan_keep_last_rows")


def _rows_read(array: Variable, fgraph: FunctionGraph) -> int | None:
    """Return how many rows, from the last one back, are read; None if others may be."""
    counts = []
    for client, _ in fgraph.clients.get(array, ()):
        if isinstance(client, str) or type(client.op) is not Subtensor:
            return None
        count = _reach(client.op.idx_list[0] if client.op.idx_list else None)
        if count is None:
            return None
        counts.append(count)
    return max(counts) if counts else None


def _reach(entry: object) -> int | None:
    """Return how far from the end an index goes."""
    if isinstance(entry, Slice):
        known = entry.stop is None or (isinstance(entry.stop, int) and entry.stop < 0)
        forward = entry.step is None or (isinstance(entry.step, int) and entry.step > 0)
        entry = entry.start if known and forward else None
    if isinstance(entry, bool | Placeholder) or not isinstance(entry, int) or entry >= 0:
        return None
    return -entry
