"""Matching: what patterns match in the classes of an e-graph, and where it is looked again."""

from typing import Any

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.kanren.rules import Rule
from relgraph.search.regrouping import Flattening, Sharing
from relgraph.search.rules import Pattern
from relgraph.search.saturation import Limits, Saturation
from relgraph.search.variables import Class, Reason, VariableEGraph

a, b = lvars("a b")
x, y, z = at.dvectors("x", "y", "z")
LAW = Reason("a law", "exact")


def pattern(side: Any, other: Any = a) -> Pattern:
    return Pattern(law("l", side, other, sound="finite").forward.rule, LAW)


def found(one: Pattern, egraph: VariableEGraph, at_class: Class) -> list[list[Any]]:
    """Return what the variables of a pattern represent in the matches at a class."""
    slots = one.variables.values()
    return [[match[k] for k in slots] for match in one.matches(egraph, at_class.root())]


def test_a_pattern_matches_what_its_classes_hold() -> None:
    egraph = VariableEGraph()
    whole = egraph.add(at.exp(y))
    egraph.add(at.sin(x))
    nested = pattern(at.exp(at.sin(a)))
    run = Saturation(egraph, [nested], Limits())
    assert run.look_at_news() == egraph.made and not run.apply()
    assert found(nested, egraph, whole) == []
    egraph.join(y, at.sin(x), LAW)
    egraph.rebuild()
    # what is new is one step below the root of the pattern
    assert run.look_at_news() == [] and nested.reach == 1
    assert found(nested, egraph, whole) == [[egraph.add(x)]]
    assert run.apply() and whole.root() is egraph.find(x) and not run.apply()


def test_a_variable_that_occurs_twice_is_one_class() -> None:
    egraph = VariableEGraph()
    difference, same = egraph.add(x - y), pattern(b - b, 0)
    assert found(same, egraph, difference) == []
    egraph.join(x, y, LAW)
    egraph.rebuild()
    assert len(found(same, egraph, difference)) == 1


def test_sums_match_in_any_order_and_what_is_dropped_matches_no_more() -> None:
    egraph = VariableEGraph()
    total = egraph.add(at.add(x, at.exp(y), at.sin(z)))
    both = pattern(at.sin(a) + at.exp(b))
    assert found(both, egraph, total) == [[egraph.add(z), egraph.add(y)]]
    egraph.drop(egraph.made[-1])
    assert found(both, egraph, total) == []


def test_a_pattern_may_be_written_as_lists() -> None:
    rule = Rule("l", [at.exp, [at.add, a, [at.sin, b]]], a, regroup=True)
    egraph = VariableEGraph()
    one, total = Pattern(rule, LAW), egraph.add(at.exp(at.add(x, y, at.sin(z))))
    (match,) = one.matches(egraph, total)
    assert match[one.variables[b]] is egraph.add(z) and one.parts[1].taker == 0


def test_sums_meet_their_parts_and_other_sums() -> None:
    egraph = VariableEGraph()
    outer, other = egraph.add((x + y) * z), egraph.add(at.mul(z, x, y))
    sums, nested = egraph.add(at.add(x, y, z)), egraph.add(at.add(x + y, z))
    (one,), (two,), (inner,) = (c.nodes[at.add] for c in (sums, nested, egraph.add(x + y)))
    assert list(Flattening().matches(egraph, nested)) == [(two, 0, inner)]
    assert set(Sharing().matches(egraph, sums)) == {(one, inner), (inner, one)}
    assert not list(Sharing().matches(egraph, outer)) and other is not outer
