"""The e-graph: classes, congruence, and why terms are equal."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.search.egraph import EGraph, Reason

x, y, z = at.dvectors("x", "y", "z")
LAW = Reason("law", "exact")


def test_what_is_built_alike_is_one_term() -> None:
    egraph = EGraph()
    assert egraph.add(at.exp(x) + y) == egraph.add(at.exp(x) + y)
    assert egraph.add(at.constant(np.ones(3))) == egraph.add(at.constant(np.ones(3)))
    assert egraph.add(at.constant(0.0)) != egraph.add(at.constant(-0.0))
    assert egraph.add(x) != egraph.add(y)


def test_terms_on_equal_classes_are_equal() -> None:
    egraph = EGraph()
    above = [egraph.add(at.sin(at.exp(v))) for v in (x, y, z)]
    egraph.union(egraph.add(x), egraph.add(y), LAW)
    egraph.rebuild()
    assert egraph.find(above[0]) == egraph.find(above[1]) != egraph.find(above[2])


def test_the_order_of_a_sum_does_not_count_where_laws_may_round() -> None:
    for regroups in (True, False):
        egraph = EGraph(regroups)
        two = egraph.find(egraph.add(x + y)) == egraph.find(egraph.add(y + x))
        three = egraph.find(egraph.add(at.add(x, y, z))) == egraph.find(egraph.add(at.add(z, y, x)))
        assert two and three is regroups
        assert egraph.find(egraph.add(x - y)) != egraph.find(egraph.add(y - x))


def test_other_axes_of_length_one_are_another_class() -> None:
    n = at.lscalar("n")
    egraph = EGraph()
    one = at.constant(1, dtype="int64")
    long, short = egraph.add(at.alloc(x[0], n)), egraph.add(at.alloc(x[0], one))
    egraph.union(egraph.add(n), egraph.add(one), LAW)
    egraph.rebuild()
    assert egraph.find(long) != egraph.find(short)


def test_a_path_leads_over_laws_in_both_directions() -> None:
    egraph = EGraph()
    a, b, c, d = (egraph.add(v) for v in (x, y, z, x + y))
    egraph.union(a, b, Reason("first", "exact"))
    egraph.union(c, b, Reason("second", "exact"))
    egraph.union(c, d, Reason("third", "exact"))
    found = [(e.old, e.new, e.reason and e.reason.label, e.flipped) for e in egraph.why.path(a, d)]
    assert found == [(a, b, "first", False), (b, c, "second", True), (c, d, "third", False)]
    assert egraph.why.path(a, a) == []
    with pytest.raises(ValueError, match="not equal"):
        egraph.why.path(a, egraph.add(at.exp(x)))


def test_an_edge_without_a_reason_is_congruence() -> None:
    egraph = EGraph()
    left, right = egraph.add(at.exp(x)), egraph.add(at.exp(y))
    egraph.union(egraph.add(x), egraph.add(y), LAW)
    egraph.rebuild()
    (edge,) = egraph.why.path(left, right)
    assert edge.reason is None


def test_a_constant_stands_for_its_class() -> None:
    egraph = EGraph()
    zero = at.zeros_like(x)
    term = egraph.add(x - x)
    egraph.union(term, egraph.add(zero), LAW)
    assert egraph.constant(term) is not None
    assert egraph.representative(term) is egraph.constant(term)
    assert egraph.constant(egraph.add(x)) is None
