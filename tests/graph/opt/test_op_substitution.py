import pytest

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt import EquilibriumOptimizer, OpRemove, OpSub, TopoOptimizer
from relgraph.scalar import add, exp, identity, mul, neg


def test_op_sub(graphs):
    fgraph = graphs(add(graphs.x, add(graphs.y, graphs.z)))
    TopoOptimizer(OpSub(add, mul)).optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(mul(x, mul(y, z)))"


@pytest.mark.parametrize("transfer", [True, False])
def test_op_sub_transfers_tags(graphs, transfer):
    out = add(graphs.x, graphs.y)
    out.tag.note = "out"
    out.owner.tag.note = "node"
    fgraph = graphs(out)
    TopoOptimizer(OpSub(add, mul, transfer_tags=transfer)).optimize(fgraph)
    (new,) = fgraph.outputs
    assert new.owner.op == mul
    assert hasattr(new.tag, "note") is transfer
    assert hasattr(new.owner.tag, "note") is transfer
    if transfer:
        assert (new.tag.note, new.owner.tag.note) == ("out", "node")


def test_op_remove(graphs):
    fgraph = graphs(add(identity(identity(graphs.x)), graphs.y))
    TopoOptimizer(OpRemove(identity)).optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(add(x, y))"


def test_op_remove_of_several(graphs):
    class Swap(Op):
        def make_node(self, a, b):
            return Apply(self, [a, b], [a.type(), b.type()])

    swap = Swap()
    fgraph = graphs(add(*swap(graphs.x, exp(graphs.y))))
    EquilibriumOptimizer([OpRemove(swap)]).optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(add(x, exp(y)))"


def test_op_remove_needs_as_many_inputs_as_outputs(graphs):
    fgraph = graphs(add(graphs.x, graphs.y))
    before = str(fgraph)
    with pytest.raises(TypeError, match="add can't be removed: it has 2 inputs and 1 outputs"):
        TopoOptimizer(OpRemove(add)).optimize(fgraph)
    assert str(fgraph) == before


def test_names():
    assert str(OpSub(add, mul)) == "add -> mul"
    assert str(OpRemove(neg)) == "neg(x) -> x"
    assert list(OpSub(add, mul).tracks()) == [add]
    assert list(OpRemove(neg).tracks()) == [neg]
