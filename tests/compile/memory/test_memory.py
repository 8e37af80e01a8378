"""What is kept of a function that was dropped: nothing that belongs to it alone."""

from __future__ import annotations

import gc
from collections import Counter
from weakref import ref

import pytest

from relgraph.compile.compilation import compiled_graphs
from relgraph.graph.basic import Apply, io_toposort
from relgraph.graph.op import Op
from relgraph.graph.utils import is_transient
from tests.compile.memory.graphs import FAMILIES
from tests.seeds import sampled

HAS_OPS_OF_ITS_OWN = ("constants", "structures", "loops", "own_ops")


def forget() -> None:
    compiled_graphs.clear()
    gc.collect()
    # the first one frees ops, with which go the entries of memos about them
    gc.collect()


@pytest.mark.parametrize("family", HAS_OPS_OF_ITS_OWN)
def test_ops_go_with_their_last_function(family: str) -> None:
    function, arguments = FAMILIES[family](123_456)
    function(*arguments)
    graph = function.maker.fgraph
    ops = [ref(n.op) for n in io_toposort(graph.inputs, graph.outputs) if is_transient(n.op)]
    assert ops
    del function, graph
    forget()
    assert [op() for op in ops] == [None] * len(ops)


@pytest.mark.parametrize("family", sampled(FAMILIES, 4, "dropped functions"))
def test_dropped_functions_leave_no_nodes_behind(family: str) -> None:
    def kept(first: int, count: int) -> Counter[type]:
        for k in range(first, first + count):
            function, arguments = FAMILIES[family](k)
            function(*arguments)
        del function
        forget()
        return Counter(type(x) for x in gc.get_objects() if isinstance(x, Apply | Op))

    before, after = kept(1000, 3), kept(2000, 12)
    # small ops with plain properties may stay: memos forget them when there are many
    small = 12 * 4 if family == "parts" else 0
    assert after.total() - before.total() <= small, after - before
