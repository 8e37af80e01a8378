"""`Run`: lowers what the outputs of a graph need, and computes what has to be known on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed

from relgraph.engines.dask.blocks import Blocks, is_blocked, without_empty_blocks
from relgraph.engines.dask.lowering.dispatch import becomes_large, lower, read_when_lowered, ways
from relgraph.engines.dask.tasks import performed
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.tensor.conditional.if_else import IfElse
from relgraph.tensor.type import TensorType

ways[IfElse] = "the condition is computed, and what needs the branch that is taken"


class Run:
    """The values of variables, as far as they are lowered.

    Parameters
    ----------
    values
        Those of the inputs.
    blocks
        How arrays are cut.
    """

    def __init__(self, values: Mapping[Variable, Any], blocks: Blocks) -> None:
        self._values = dict(values)
        self._blocks = blocks

    def outputs(self, variables: Sequence[Variable]) -> list[Any]:
        """Return the values of variables: NumPy arrays, Dask arrays, or what is no array.

        Values that have to be known are computed together, once everything that can be lowered
        without them is.
        """
        while missing := [v for v in variables if not self._has(v)]:
            needed: dict[Variable, None] = {}
            pending = self._pending(missing)
            readers = _readers(pending, variables)
            for node in pending:
                if all(map(self._has, self._inputs(node))):
                    wanted = self._to_compute(node)
                    needed.update(dict.fromkeys(wanted))
                    if not wanted:
                        self._lower(node)
                        self._drop(node, readers)
            if needed:
                self._compute(needed)
        return [self._value(v) for v in variables]

    # -- what is there, and what is missing --------------------------------------------------------

    def _has(self, v: Variable) -> bool:
        return v in self._values or isinstance(v, Constant)

    def _value(self, v: Variable) -> Any:
        if v not in self._values and isinstance(v, Constant):
            self._values[v] = self._blocks.cut(v.data)
        return self._values[v]

    def _inputs(self, node: Apply) -> Sequence[Variable]:
        """Return what a node needs: an `IfElse` its condition, and then the branch taken."""
        if not isinstance(node.op, IfElse):
            return node.inputs
        condition = node.inputs[0]
        if not self._has(condition) or not _in_memory(self._value(condition)):
            return [condition]
        return [condition, *self._taken(node)]

    def _taken(self, node: Apply) -> Sequence[Variable]:
        op: Any = node.op
        then, other = op.branches(node.inputs)
        taken: Sequence[Variable] = then if self._value(node.inputs[0]) else other
        return taken

    def _pending(self, variables: Iterable[Variable]) -> list[Apply]:
        """Return the nodes that variables need and that are not lowered, inputs first."""
        found: dict[Apply, None] = {}
        stack = [v.owner for v in variables if v.owner is not None]
        while stack:
            node = stack[-1]
            before = [
                v.owner
                for v in self._inputs(node)
                if not self._has(v) and v.owner is not None and v.owner not in found
            ]
            if before:
                stack += before
                continue
            stack.pop()
            found[node] = None
        return list(found)

    def _to_compute(self, node: Apply) -> list[Variable]:
        """Return the inputs of a node that have to be computed before it is lowered."""
        if isinstance(node.op, IfElse):
            read: Sequence[int] = [0]
        else:
            settled = self._blocks.to_settle(map(self._value, node.inputs))
            read = sorted({*read_when_lowered(node), *settled})
        return [node.inputs[i] for i in read if not _in_memory(self._value(node.inputs[i]))]

    # -- lowering and computing --------------------------------------------------------------------

    def _lower(self, node: Apply) -> None:
        if isinstance(node.op, IfElse):
            found: Any = [self._value(v) for v in self._taken(node)]
        else:
            values = [self._value(v) for v in node.inputs]
            found = self._lowered(node, values)
            self._blocks.hand_on(values, found)
        for v, x in zip(node.outputs, found, strict=True):
            self._values[v] = x

    def _drop(self, node: Apply, readers: Counter[Variable]) -> None:
        """Forget the inputs of a node that no other one reads, so that their memory is free."""
        for v in dict.fromkeys(node.inputs):
            readers[v] -= 1
            if readers[v] == 0 and v.owner is not None:
                del self._values[v]

    def _lowered(self, node: Apply, values: Sequence[Any]) -> Sequence[Any]:
        if all(map(_in_memory, values)) and not becomes_large(node, values, self._blocks):
            return [self._blocks.cut(x) for x in performed(node, values)]
        found = lower(node.op, node, values, self._blocks)
        several = found if isinstance(found, tuple) else (found,)
        return [without_empty_blocks(x) for x in several]

    def _compute(self, needed: Iterable[Variable]) -> None:
        """Compute variables, and with them what else all blocks of an array go into."""
        also = [v for v, x in self._values.items() if self._blocks.is_settled_early(x)]
        together = list(dict.fromkeys([*needed, *also]))
        found = dask.compute(*[self._values[v] for v in together])
        for v, x in zip(together, found, strict=True):
            self._values[v] = np.asarray(x) if isinstance(v.type, TensorType) else x


def _readers(pending: Sequence[Apply], outputs: Sequence[Variable]) -> Counter[Variable]:
    """Return by how many nodes each variable is read that nothing else will read; empty if branches
    are not known yet, which may read anything."""
    if any(isinstance(node.op, IfElse) for node in pending):
        return Counter()
    readers = Counter(v for node in pending for v in dict.fromkeys(node.inputs))
    readers.update(outputs)
    return readers


def _in_memory(x: Any) -> bool:
    return not is_blocked(x) and not isinstance(x, Delayed)
