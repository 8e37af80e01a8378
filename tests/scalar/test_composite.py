"""Composite: a scalar graph as one op."""

import pickle
from typing import Any

import numpy as np

from relgraph.graph.basic import io_toposort
from relgraph.graph.op import HasInnerGraph
from relgraph.graph.reference import evaluate
from relgraph.scalar import (
    Composite,
    add,
    constant,
    exp,
    float32,
    float64,
    int8,
    lt,
    mul,
    switch,
)


def sample() -> tuple[list[Any], Composite]:
    x, y = float64("x"), float64("y")
    op = Composite([x, y], [add(mul(x, y), 2.0)])
    assert isinstance(op, Composite)
    return [x, y], op


def test_equal_structures_are_one_op() -> None:
    (x, y), op = sample()
    assert sample()[1] is op
    assert pickle.loads(pickle.dumps(op)) is op
    assert Composite([x, y], [add(mul(y, x), 2.0)]) is not op
    assert Composite([x, y], [add(mul(x, y), 3.0)]) is not op
    f, g = float32("f"), float32("g")
    assert Composite([f, g], [add(mul(f, g), 2.0)]) is not op
    assert Composite([x, y], [exp(x), y]) is Composite([y, x], [exp(y), x])


def test_inner_graph() -> None:
    (x, y), op = sample()
    assert isinstance(op, HasInnerGraph)
    assert [v.type for v in op.inner_inputs] == [float64, float64]
    assert op.fn(3.0, 4.0) == 14
    (expanded,) = op.expand([x, y])
    assert expanded.owner.op is add
    assert str(op) == "Composite{add(mul(i0, i1), 2.0)}"
    assert (op.nin, op.nout) == (2, 1)


def test_values() -> None:
    (x, y), op = sample()
    assert evaluate([op(x, y)], {x: 3.0, y: 4.0}) == [14]
    assert type(evaluate([op(x, 1)], {x: 3.0})[0]) is np.float64
    assert op.impl(np.ones((2, 1)), np.ones(3)).tolist() == [[3.0] * 3] * 2
    z = int8("z")
    mixed = Composite([z], [z + z, switch(lt(z, 0), 0.5, z), z])
    outputs = mixed(z)
    results = evaluate(outputs, {z: 100})
    assert [r.item() for r in results] == [-56, 100.0, 100]
    assert [type(r) for r in results] == [np.int8, np.float64, np.int8]
    data = np.ones(2, "int8")
    assert not any(np.shares_memory(r, data) for r in mixed.impl(data))


def test_gradients() -> None:
    (x, y), op = sample()
    g = float64("g")
    out = op(x, y)
    by_x, by_y = op.L_op([x, y], [out], [g])
    assert evaluate([by_x, by_y], {x: 3.0, y: 4.0, g: 2.0}) == [8, 6]
    both = Composite([x, y], [x * y, exp(x), y])
    outs = both(x, y)
    by_x, by_y = both.L_op([x, y], outs, [g, constant(1.0), g])
    assert evaluate([by_x, by_y], {x: 0.0, y: 4.0, g: 2.0}) == [9, 2]
    assert both.connection_pattern(outs[0].owner) == [[True, True, False], [True, False, True]]
    long = x
    for _ in range(3000):
        long = long * y
    deep = Composite([x, y], [long])
    assert len(io_toposort([x, y, g], deep.L_op([x, y], [deep(x, y)], [g]))) < 20000
