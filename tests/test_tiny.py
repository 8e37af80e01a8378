"""The first thing to run: a graph, a law both ways, a gradient, a function."""

import numpy as np

import relgraph.tensor as at
from relgraph import function, grad, law, lvars, optimize_graph, pprint, shared


def test_a_graph_is_computed() -> None:
    x, y = at.dvectors("x", "y")
    f = function([x, y], x * at.exp(y))
    np.testing.assert_allclose(f([1.0, 2.0], [0.0, 1.0]), [1.0, 2.0 * np.e])


def test_a_law_rewrites_both_ways() -> None:
    a, b, c = lvars("a b c")
    distribute = law("distribute", a * (b + c), a * b + a * c, sound="finite")
    x, y, z = at.dvectors("x", "y", "z")
    factored = x * (y + z)
    spread = optimize_graph(factored, include=[], custom_opt=distribute, clone=True)
    gathered = optimize_graph(spread, include=[], custom_opt=distribute.backward, clone=True)
    assert pprint(spread) == "((x * y) + (x * z))"
    assert pprint(gathered) == pprint(factored) == "(x * (y + z))"


def test_a_gradient_is_computed() -> None:
    x = at.dvector("x")
    f = function([x], grad(at.sum(x**2), x))
    np.testing.assert_allclose(f([1.0, -3.0]), [2.0, -6.0])


def test_an_update_is_kept() -> None:
    total = shared(np.float64(0.0), name="total")
    x = at.dscalar("x")
    add = function([x], total, updates={total: total + x})
    assert [float(add(2.0)), float(add(3.0)), float(total.get_value())] == [0.0, 2.0, 5.0]
