import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Constant, io_toposort
from relgraph.testing.judge.extended_precision import extended_value, times_as_far, to_extended


def test_floats_are_extended_and_integers_are_not():
    assert to_extended(np.float32(1), "float32").dtype == np.longdouble
    assert to_extended(np.complex64(1), "complex64").dtype == np.clongdouble
    assert to_extended(np.int8(1), "int8").dtype == "int8"


def test_the_value_of_a_graph_is_closer():
    x = at.vector("x", dtype="float32")
    out = at.exp(x + 1e-5) - at.exp(x)
    value = np.array([0.5, 3.0], "float32")
    nodes = io_toposort([x], [out])
    known = {v: v.data for node in nodes for v in node.inputs if isinstance(v, Constant)}
    found = extended_value(nodes, {**known, x: value}, out)
    step = np.float64(np.float32(1e-5))
    np.testing.assert_allclose(found, np.exp(value.astype("float64")) * np.expm1(step), rtol=1e-10)


def test_times_as_far():
    old = np.array([1.0, 2.0, np.inf, 3.0, np.nan, np.nan])
    new = np.array([1.0, 4.0, 1.0, 3.5, 1.0, 2.0])
    extended = np.array([1.0, 3.0, np.inf, 3.0, np.nan, 2.0], np.longdouble)
    times = times_as_far(old, new, extended)
    assert times[0] == times[5] == 0
    assert np.isclose(float(times[1]), 1)
    assert np.isinf(times[[2, 4]]).all() and times[3] > 1e10
