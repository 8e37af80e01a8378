from relgraph.graph.opt.merge import (
    ConstantTable,
    HashConsing,
    hash_consing_table,
    node_key,
    replaceable_by,
)
from relgraph.scalar import add, complex128, constant, exp, float32, mul, sub


def test_twins(graphs):
    x, y = graphs.x, graphs.y
    table = HashConsing()
    first, second, other = (v.owner for v in (add(x, y), add(y, x), sub(x, y)))
    assert table.intern(first) is None and table.intern(first) is None
    assert table.intern(second) is first
    assert table.intern(other) is None


def test_products_of_complex_numbers_round_by_order():
    x, y = complex128("x"), complex128("y")
    assert node_key(mul(x, y).owner) != node_key(mul(y, x).owner)
    assert node_key(add(x, y).owner) == node_key(add(y, x).owner)


def test_a_forgotten_node_comes_back_under_its_new_key(graphs):
    x, y = graphs.x, graphs.y
    table = HashConsing()
    node, other = exp(x).owner, exp(y).owner
    table.intern(node)
    table.intern(other)
    table.forget(node)
    node.inputs[0] = y
    assert table.intern(node) is other
    table.forget(other)
    table.forget(other)
    assert table.intern(node) is None
    assert table.intern(exp(x).owner) is not node


def test_constants_stand_for_their_kind():
    table = ConstantTable()
    two, again, three = constant(2.0), constant(2.0), constant(3.0)
    assert table.representative(two) is two
    assert table.representative(again) is two
    assert table.representative(three) is three


def test_types_decide_who_may_stand_for_whom(graphs):
    a, b = exp(graphs.x).owner, exp(float32("f")).owner
    assert replaceable_by(a, exp(graphs.y).owner)
    assert not replaceable_by(a, b)


def test_keys_hold_the_op(graphs):
    assert node_key(exp(graphs.x).owner) == (exp, graphs.x)


def test_a_table_for_the_time_of_a_block(graphs):
    fgraph = graphs(exp(graphs.x))
    node = fgraph.outputs[0].owner
    with hash_consing_table(fgraph) as table:
        assert table.intern(node) is None
        with hash_consing_table(fgraph) as inner:
            assert inner is table
        assert fgraph.features == [table]
        fgraph.replace(graphs.x, graphs.y)
        assert node not in table.keys
        table.intern(node)
        fgraph.replace(node.outputs[0], graphs.y)
        assert not table.keys
        copy = table.clone()
        assert isinstance(copy, HashConsing) and copy is not table
    assert fgraph.features == []
