"""The e-graph: classes, congruence, and why terms are equal."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.search.egraph import Congruent, TooLong
from relgraph.search.variables import Reason, VariableEGraph

x, y, z = at.dvectors("x", "y", "z")
LAW = Reason("law", "exact")


def test_what_is_built_alike_is_one_term() -> None:
    egraph = VariableEGraph()
    assert egraph.term(at.exp(x) + y) is egraph.term(at.exp(x) + y)
    assert egraph.term(at.constant(np.ones(3))) is egraph.term(at.constant(np.ones(3)))
    assert egraph.add(at.constant(0.0)) is not egraph.add(at.constant(-0.0))
    assert egraph.add(x) is not egraph.add(y)


def test_terms_on_equal_classes_are_equal() -> None:
    egraph = VariableEGraph()
    above = [egraph.add(at.sin(at.exp(v))) for v in (x, y, z)]
    egraph.join(x, y, LAW)
    egraph.rebuild()
    assert above[0].root() is above[1].root() is not above[2].root()


def test_the_order_of_a_sum_does_not_count_where_laws_may_round() -> None:
    for regroups in (True, False):
        egraph = VariableEGraph(regroups)
        two = egraph.add(x + y) is egraph.add(y + x)
        three = egraph.add(at.add(x, y, z)) is egraph.add(at.add(z, y, x))
        assert two and three is regroups
        assert egraph.add(x - y) is not egraph.add(y - x)


def test_other_axes_of_length_one_are_another_class() -> None:
    n = at.lscalar("n")
    egraph = VariableEGraph()
    one = at.constant(1, dtype="int64")
    long, short = egraph.add(at.alloc(x[0], n)), egraph.add(at.alloc(x[0], one))
    egraph.join(n, one, LAW)
    egraph.rebuild()
    assert long.root() is not short.root()


def test_a_path_leads_over_laws_in_both_directions() -> None:
    egraph = VariableEGraph()
    a, b, c, d = (egraph.term(v) for v in (x, y, z, x + y))
    egraph.join(a, b, Reason("first", "exact"))
    egraph.join(c, b, Reason("second", "exact"))
    egraph.join(c, d, Reason("third", "exact"))
    found = [(e.old, e.new, e.reason and e.reason.label, e.flipped) for e in egraph.why.path(a, d)]
    assert found == [(a, b, "first", False), (b, c, "second", True), (c, d, "third", False)]
    assert egraph.why.path(a, a) == []
    with pytest.raises(ValueError, match="not equal"):
        egraph.why.path(a, egraph.term(at.exp(x)))


def test_an_edge_between_terms_on_equal_classes_is_congruence() -> None:
    egraph = VariableEGraph()
    left, right = egraph.term(at.exp(x)), egraph.term(at.exp(y))
    egraph.join(x, y, LAW)
    egraph.rebuild()
    (edge,) = egraph.why.path(left, right)
    assert edge.reason == Congruent(None)


def test_a_sum_is_put_in_another_order_in_both_directions() -> None:
    egraph = VariableEGraph()
    first, second = egraph.term(at.add(x, y, z)), egraph.term(at.add(z, x, y))
    assert egraph.find(first) is egraph.find(second)
    for old, new in ((first, second), (second, first)):
        (step,) = egraph.rewrites(old, new, most=5)
        assert step.old is old and step.new.owner.inputs == new.owner.inputs
    with pytest.raises(TooLong):
        list(egraph.rewrites(first, second, most=0))


def test_a_node_that_became_a_copy_is_in_no_class() -> None:
    egraph = VariableEGraph()
    sines = [egraph.add(at.sin(v)) for v in (x, y)]
    egraph.join(x, y, LAW)
    egraph.rebuild()
    (kept,) = sines[0].root().all_nodes()
    assert kept.classes == (egraph.find(x),)
    assert egraph.size == 3 and len(egraph) == 4
    assert [n.is_copy for n in egraph.made].count(True) == 1


def test_a_constant_stands_for_its_class() -> None:
    egraph = VariableEGraph()
    zero = at.zeros_like(x)
    found = egraph.join(x - x, zero, LAW)
    assert egraph.constant(found) is found.best is egraph.term(zero)
    assert egraph.constant(egraph.add(x)) is None
