"""Walks over graphs, deep ones too."""

from __future__ import annotations

import pytest

from relgraph.graph.basic import (
    ancestors,
    applys_between,
    as_string,
    clone,
    clone_get_equiv,
    clone_replace,
    equal_computations,
    general_toposort,
    graph_inputs,
    io_connection_pattern,
    io_toposort,
    is_in_ancestors,
    list_of_nodes,
    orphans_between,
    vars_between,
    view_roots,
    walk,
)
from relgraph.graph.traversal import toposort_and_leaves
from tests.graph.toys import MyOp, f, g, my_type, variables

look, either = MyOp("look", view_map={0: [0]}), MyOp("either", view_map={0: [0, 1]})


def test_ancestors_and_inputs():
    x, y, z = variables("x y z")
    c = my_type.make_constant(1)
    e = f(g(x, y), c)
    assert set(ancestors([e])) == {e, e.owner.inputs[0], x, y, c}
    assert set(ancestors([e], blockers=[e.owner.inputs[0]])) == {e, e.owner.inputs[0], c}
    assert set(graph_inputs([e])) == {x, y, c}
    assert set(orphans_between([x], [e])) == {y, c}
    assert z not in set(vars_between([x, y], [e]))
    assert {n.op for n in applys_between([x, y], [e])} == {f, g}
    assert [n.op for n in list_of_nodes([e.owner.inputs[0]], [e])] == [f]


def test_walk_orders():
    children = {1: [2, 3], 2: [4], 3: [4], 4: []}
    assert list(walk([1], children.get)) == [1, 2, 3, 4]
    assert list(walk([1], children.get, bfs=False)) == [1, 3, 4, 2]


def test_toposort():
    x, y = variables("x y")
    a = f(x)
    b = g(a, y)
    order = io_toposort([x, y], [b, a])
    assert [n.op for n in order] == [f, g]
    c = f(y)
    first_c = {a.owner: [c.owner]}
    assert io_toposort([x, y], [b, c], first_c).index(c.owner) == 0
    with pytest.raises(ValueError, match="cycle"):
        io_toposort([x, y], [b], {a.owner: [b.owner]})
    with pytest.raises(ValueError, match="cycle through 1"):
        general_toposort([1], {1: [2], 2: [1]}.get)


def test_clone():
    x, y = variables("x y")
    c = my_type.make_constant(1)
    e = f(g(x, c), y)
    (x2, _), (e2,) = clone([x, y], [e])
    assert x2 is not x
    assert equal_computations([e], [e2], [x, y], [x2, _])
    (same_x, _), (e3,) = clone([x, y], [e], copy_inputs=False)
    assert same_x is x
    assert e3 is not e
    assert e3.owner.inputs[0].owner.inputs[1] is c
    memo = clone_get_equiv([x, y], [e])
    assert memo[e.owner].op is f
    assert memo[c] is not c


def test_clone_replace():
    x, y = variables("x y")
    inner = g(x)
    e = f(inner, y)
    replaced = clone_replace(e, {inner: y})
    assert replaced.owner.inputs == [y, y]
    assert e.owner.inputs[0] is inner
    assert clone_replace([e, inner], [(x, y)])[1].owner.inputs == [y]


def test_equal_computations():
    x, y = variables("x y")
    assert equal_computations([f(g(x), y)], [f(g(x), y)])
    assert not equal_computations([f(g(x), y)], [f(g(y), x)])
    assert equal_computations([f(g(x), y)], [f(g(y), x)], [x, y], [y, x])
    one, other = my_type.make_constant(1), my_type.make_constant(1)
    assert equal_computations([f(one)], [f(other)])
    with pytest.raises(ValueError, match="can't be compared"):
        equal_computations([x], [x, y])


def test_is_in_ancestors():
    x = my_type("x")
    a = f(x)
    b = g(a)
    assert is_in_ancestors(b.owner, a.owner)
    assert not is_in_ancestors(a.owner, b.owner)


def test_view_roots():
    x, y = variables("x y")
    assert view_roots(look(look(x))) == [x]
    assert set(view_roots(either(look(x), y))) == {x, y}
    assert view_roots(x) == [x]


def test_as_string():
    x, y = variables("x y")
    shared = g(x, y)
    assert as_string([x, y], [f(shared, shared, x)]) == ["f(*1 -> g(x, y), *1, x)"]
    assert as_string([shared], [f(shared)]) == [f"f({shared})"]
    assert as_string([x], [shared, f(shared)]) == ["*1 -> g(x, y)", "f(*1)"]


def test_connection_pattern():
    x, y = variables("x y")
    assert io_connection_pattern([x, y], [f(x), f(x, y)]) == [[True, True], [False, True]]


def test_order_and_leaves_in_one_walk():
    x, y, z = variables("x y z")
    a = g(x, f(y))
    b = f(a, z, a)
    outputs = [b, x, a, g(z, b)]
    order, found, shared = toposort_and_leaves(outputs)
    assert order == io_toposort([x, y, z], outputs)
    assert list(found) == list(graph_inputs([b])) == [x, y, z]
    assert shared == {a.owner, b.owner}
    assert toposort_and_leaves([x]) == ([], {x: None}, set())


def test_one_walk_finds_cycles():
    (x,) = variables("x")
    a = f(x)
    b = g(a, x)
    a.owner.inputs[0] = b
    with pytest.raises(ValueError, match="cycle"):
        toposort_and_leaves([b])
