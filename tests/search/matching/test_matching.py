"""Matching: what patterns match in the classes of an e-graph, and where it is looked again."""

from typing import Any

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.kanren.rules import Rule
from relgraph.search.egraph import EGraph, Reason
from relgraph.search.matching import Classes, Flattening, Pattern, Sharing

a, b = lvars("a b")
x, y, z = at.dvectors("x", "y", "z")
LAW = Reason("a law", "exact")


def pattern(side: Any, other: Any = a) -> Pattern:
    return Pattern(law("l", side, other, sound="finite").forward.rule)


def found(one: Pattern, classes: Classes, term: int) -> list[list[Any]]:
    """Return what the variables of a pattern stand for in the matches at a term."""
    at_class = classes.egraph.find(term)
    slots = one.variables.values()
    return [[match[k] for k in slots] for match in one.matches(classes, at_class)]


def test_a_pattern_matches_what_its_classes_hold() -> None:
    egraph = EGraph()
    whole, inner, other = (egraph.add(v) for v in (at.exp(y), y, at.sin(x)))
    classes, nested = Classes(egraph), pattern(at.exp(at.sin(a)))
    new, changed = classes.update()
    assert new == list(range(len(egraph))) and changed[0] == set(new)
    assert found(nested, classes, whole) == []
    egraph.union(inner, other, LAW)
    egraph.rebuild()
    new, changed = classes.update()
    assert new == [] and egraph.find(whole) in changed[1] and nested.reach == 1
    assert found(nested, classes, whole) == [[egraph.add(x)]]


def test_a_variable_that_occurs_twice_is_one_class() -> None:
    egraph = EGraph()
    difference = egraph.add(x - y)
    classes, same = Classes(egraph), pattern(b - b, 0)
    classes.update()
    assert found(same, classes, difference) == []
    egraph.union(egraph.add(x), egraph.add(y), LAW)
    egraph.rebuild()
    classes.update()
    assert len(found(same, classes, difference)) == 1


def test_sums_match_in_any_order_and_what_is_dropped_matches_no_more() -> None:
    egraph = EGraph()
    total = egraph.add(at.add(x, at.exp(y), at.sin(z)))
    classes, both = Classes(egraph), pattern(at.sin(a) + at.exp(b))
    classes.update()
    assert found(both, classes, total) == [[egraph.add(z), egraph.add(y)]]
    classes.drop(total)
    assert found(both, classes, total) == []


def test_a_pattern_may_be_written_as_lists() -> None:
    rule = Rule("l", [at.exp, [at.add, a, [at.sin, b]]], a, regroup=True)
    egraph = EGraph()
    total = egraph.add(at.exp(at.add(x, y, at.sin(z))))
    classes = Classes(egraph)
    classes.update()
    one = Pattern(rule)
    (match,) = one.matches(classes, total)
    assert match[one.variables[b]] == egraph.add(z) and one.parts[1].taker == 0


def test_sums_meet_their_parts_and_other_sums() -> None:
    egraph = EGraph()
    outer, other = egraph.add((x + y) * z), egraph.add(at.mul(z, x, y))
    inner, sums = egraph.add(x + y), egraph.add(at.add(x, y, z))
    nested = egraph.add(at.add(x + y, z))
    classes = Classes(egraph)
    classes.update()
    assert list(Flattening(at.add).matches(classes, nested)) == [(nested, 0, inner)]
    assert set(Sharing(at.add).matches(classes, sums)) == {(sums, inner), (inner, sums)}
    assert not list(Sharing(at.mul).matches(classes, outer)) and other != outer
