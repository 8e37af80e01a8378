"""The forms of an e-graph: classes, why terms are equal, every form once, and the cheapest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from kanren import conde, eq

import relgraph.tensor as at
from relgraph import forms, law, lvars, pprint, relation, search
from relgraph.search.egraph import Congruent, TooLong
from relgraph.search.extraction import Candidate, exact, greedy, needed, ordered_trees, total
from relgraph.search.variables import Reason, VariableEGraph
from tests.seeds import seed_of

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


# Enumeration: every form once, the smaller ones first, and no end is needed.


a, b, c = lvars("a b c")
FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")
LOG_EXP = law("log-exp", at.log(at.exp(a)), a, sound="finite")


def texts(*args: Any, **options: Any) -> list[str]:
    return [pprint(form) for form in forms(*args, **options)]


def test_both_directions_and_every_place() -> None:
    assert texts(at.sin(x * (y + z)), [FACTOR]) == [
        "sin((x * (y + z)))",
        "sin(((x * y) + (x * z)))",
    ]
    assert set(texts(at.log(at.exp(x)) + y, [LOG_EXP])) == {"(log(exp(x)) + y)", "(x + y)"}


def test_each_once_up_to_the_order_of_two() -> None:
    found = texts((x + y) * (x + z), FACTOR)
    assert len(found) == len(set(found)) > 3
    assert not {"((y + x) * (x + z))", "((x + z) * (x + y))"} & set(found)


def test_one_direction_alone() -> None:
    assert len(texts(x * (y + z), [FACTOR.forward])) == 1
    assert len(texts(x * (y + z), [FACTOR.backward])) == 2


def test_smaller_forms_come_first_or_cheaper_ones() -> None:
    twice = law("twice", a + a, 2 * a, sound="finite")
    assert texts(2 * at.exp(x), [twice])[0] == "(2.0 * exp(x))"
    steps = texts(at.exp(x) + at.exp(x), [twice], cost=lambda node: 5 * (node.op is at.add))
    assert steps == ["(exp(x) + exp(x))", "(2.0 * exp(x))"]


def test_infinitely_many_forms_are_given_lazily() -> None:
    grows = law("grows", at.exp(a), at.exp(at.log(at.exp(a))), sound="finite")
    assert len(list(forms(at.exp(x), [grows.forward], limit=7))) == 7
    assert len(list(itertools.islice(forms(at.exp(x), [grows.forward]), 5))) == 5


def test_infinitely_many_neighbours_keep_nobody_waiting() -> None:
    @relation("sines", sound="stable")
    def sineso(before: Any, after: Any) -> Any:
        """Everything may become a sine of a sine of …, or a cosine of itself."""

        def endless(state: Any) -> Any:
            now = before
            while True:
                now = at.sin(now)
                yield from eq(after, now)(state)

        return conde([endless], [eq(after, at.cos(before))])

    found = texts(at.exp(x), sineso.forward, limit=6)
    assert "cos(exp(x))" in found and len(found) == 6


def test_a_plain_relation_will_do() -> None:
    assert texts(x * y, lambda before, after: eq(after, at.tanh(y)), limit=2) == [
        "(x * y)",
        "tanh(y)",
    ]


def test_answers_that_hold_a_variable_are_left_out() -> None:
    one = law("one", a / a, 1, sound="finite")
    assert texts(x + 1, lambda before, after: one(after, before)) == ["(x + 1.0)"]


def test_wrong_use_is_named() -> None:
    with pytest.raises(TypeError, match="forms wants a variable"):
        forms(3, [FACTOR])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'foo'"):
        forms(x, ["foo"])


# Extraction: the cheapest choice, checked against all choices.


Found = dict[int, list[Candidate]]


def candidate(term: int, cost: float, *children: int) -> Candidate:
    return Candidate(term, cost, children, tuple(dict.fromkeys(children)))


def random_classes(rng: np.random.Generator, cyclic: bool) -> Found:
    """Return classes with up to three terms, the last one being the root."""
    numbers = itertools.count()
    found: Found = {0: [candidate(next(numbers), 0.0)], 1: [candidate(next(numbers), 0.0)]}
    for at_ in range(2, 9):
        below = list(range(9 if cyclic else at_))
        terms = [candidate(next(numbers), float(rng.integers(1, 9)), *rng.choice(at_, 2))]
        for _ in range(rng.integers(0, 3)):
            children = [int(k) for k in rng.choice(below, 2) if k != at_]
            terms.append(candidate(next(numbers), float(rng.integers(1, 9)), *children))
        found[at_] = terms
    return found


def every_choice(found: Found, root: int) -> Iterator[float]:
    for terms in itertools.product(*found.values()):
        with suppress(ValueError):  # a class needs itself
            yield total(needed(dict(zip(found, terms, strict=True)), [root]))


@pytest.mark.parametrize("number", range(12))
def test_the_integer_program_is_exact(number: int) -> None:
    found = random_classes(
        np.random.default_rng(seed_of("classes", number)), cyclic=number % 2 == 0
    )
    first = greedy(found, [8])
    best = exact(found, [8], first, seconds=10)
    assert total(best) == pytest.approx(min(every_choice(found, 8)))
    assert total(first) >= total(best)


def test_the_greedy_choice_may_be_dearer() -> None:
    # alone 1 is cheapest by its own leaf; beside 2, by what both share
    found = {
        0: [candidate(0, 10.0)],
        1: [candidate(1, 9.0), candidate(2, 0.0, 0)],
        2: [candidate(3, 0.0, 0)],
        3: [candidate(4, 1.0, 1, 2)],
    }
    first = greedy(found, [3])
    assert total(first) == 20
    assert total(exact(found, [3], first)) == 11


def test_a_class_that_needs_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="needs itself"):
        needed({0: candidate(0, 1.0, 1), 1: candidate(1, 1.0, 0)}, [0])


def costs_of(found: Found, at_: int, depth: int) -> list[float]:
    """Return the costs of all trees of a class of a depth at most."""
    if depth == 0:
        return []
    costs = []
    for c in found[at_]:
        below = [costs_of(found, child, depth - 1) for child in c.arguments]
        costs += [max(c.cost, 1e-9) + sum(each) for each in itertools.product(*below)]
    return costs


def test_trees_come_in_order_and_none_is_missing() -> None:
    found = random_classes(np.random.default_rng(3), cyclic=False)
    trees = list(ordered_trees(found, 5, 20, lambda term, parts: (term, *parts)))
    expected = sorted(costs_of(found, 5, 8))[:20]
    assert [cost for cost, _ in trees] == pytest.approx(expected)
    assert len({tree for _, tree in trees}) == len(trees)


def test_forms_come_in_order_of_cost() -> None:
    found = [pprint(form) for form in search.forms(x * y + x * z, [FACTOR]).in_order(5)]
    assert [text.count("*") for text in found] == [1, 2]
