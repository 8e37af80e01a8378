"""A check covers by plan what a law admits, and says what it left out."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.kanren import computo, whereo
from relgraph.tensor.lawkit.cancellation import root_of_largest
from relgraph.tensor.lawkit.type_guards import booleano, floato, ranko, unsignedo
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing import check_relation
from relgraph.testing.discovery import discover_laws
from relgraph.testing.instances.instance import EXTENTS, KINDS
from relgraph.testing.instances.plan import InstancePlanner
from tests.testing.mutants.spoiled import WHERE, spoiling
from tests.testing.plan.test_branch_points import searched

a, b, c, x, y = lvars("a b c x y")
NUMBERS = ["float64", "float32", "float16", "signed", "unsigned"]
REAL = [*NUMBERS, "bool"]


def cells_of(result, kind):
    return {cell.split(", ")[1] for cell in result.coverage.covered if f": {kind}," in cell}


def test_each_kind_is_covered_at_each_rank_and_length():
    result = law("neg-neg", at.neg(-x), x).check(examples=20)
    assert result.passed, str(result)
    assert set(result.coverage.kinds) == set(NUMBERS)
    for kind in NUMBERS:
        assert cells_of(result, kind) == {*EXTENTS[:5], "edge values"}
    assert result.coverage.examples > 50
    assert "by plan: " in str(result)
    assert result.as_dict()["coverage"]["kinds"] == result.coverage.kinds


def test_complex_numbers_are_covered_where_a_law_admits_them():
    result = law("neg-neg", at.neg(-x), x, complex=True).check(examples=20)
    assert result.passed, str(result)
    assert set(result.coverage.kinds) == {*NUMBERS, "complex"}


@pytest.mark.parametrize(
    ("guards", "kinds"),
    [((floato(x),), NUMBERS[:3]), ((unsignedo(x),), ["unsigned"]), ((booleano(x),), ["bool"])],
)
def test_what_a_guard_refuses_is_not_admitted(guards, kinds):
    result = law("maximum-self", at.maximum(x, x), x, *guards).check(examples=20)
    assert result.passed, str(result)
    assert set(result.coverage.kinds) == set(kinds)
    refused = [cell for cell in result.coverage.not_admitted if cell.endswith("rank 1")]
    assert len(refused) == len(KINDS) - len(kinds)
    assert not result.coverage.not_covered


def test_a_rank_that_a_guard_refuses_is_not_admitted():
    result = law("neg-neg", at.neg(-x), x, ranko(x, 2)).check(examples=20)
    assert result.passed, str(result)
    assert cells_of(result, "float16") == {"rank 2", "length 0", "length 1", "edge values"}
    assert "the condition has_rank(x, 2)" in str(result.coverage.not_admitted)


def test_a_kind_beside_others_is_covered_too():
    result = law("sub-neg", x - -y, x + y, sound="rounding").check(examples=20)
    assert result.passed, str(result)
    assert "among others" in cells_of(result, "float32")


def test_rare_graphs_of_one_kind_give_those_of_the_others():
    def is_three(v):
        return getattr(v, "data", None) is not None and bool((v.data == 3).all())

    result = law("rare", at.maximum(x, c), at.maximum(c, x), whereo(is_three, c), sound="rounding")
    assert set(result.check(examples=20).coverage.kinds) >= set(NUMBERS)


def test_laws_that_compute_a_number_are_tried_on_long_vectors_too():
    number = computo(c, root_of_largest, x)
    apart = law("t", at.abs(x) + 0 * y, at.switch(x < c, at.abs(x), c), number, sound="domain")
    planned = InstancePlanner([searched(apart)], 8).run()
    assert [len(branching.others) for branching in planned.branching] == [2, 2, 2]


def test_sums_with_a_term_twice_are_of_one_kind_too():
    twice = law("t", at.add(x, y, x), 2 * x + y, sound="rounding")
    planned = InstancePlanner([searched(twice)], 8).run()
    assert planned.meeting


@pytest.mark.parametrize("name", ["dot-to-dot22", "minimum-repeated"])
def test_what_changes_bits_in_some_layouts_or_orders_alone_is_found(name):
    result = check_relation(discover_laws()[name], sound="exact", shrink=False)
    assert result.status == "failed"


def test_an_op_that_a_guard_wants_is_drawn():
    def is_rare(op):
        return op in (scalar.floor, scalar.ceil)

    s, t = lvars("s t")
    twice = at.Elemwise(s)(at.Elemwise(t)(x))
    wrong = law("t", twice, at.Elemwise(t)(x), whereo(is_rare, s), whereo(is_rare, t), mixed=True)
    assert len(searched(wrong).instances) > 10


def test_of_a_long_vector_one_element_is_told():
    wrong = law("t", at.abs(x - y), at.switch(at.abs(x - y) < 1e9, at.abs(x - y), 1e9))
    case = wrong.check(shrink=False).counterexample
    assert max(np.size(value) for value in case.values) <= 64


def test_what_is_admitted_and_says_nothing_is_named_and_does_not_pass():
    # exp(700) is infinite in the smaller dtypes, and there `finite` claims nothing
    large = at.exp(x - x + 700)
    odd = law("large", at.neg(at.neg(large)), large, sound="finite")
    result = odd.check(examples=20, directions=["forward"])
    assert result.status == "unchecked"
    assert not result.passed
    missing = {"forward: float32", "forward: float16"}
    assert set(result.coverage.not_covered) == missing
    assert result.reason == f"it admits what was not compared: {'; '.join(sorted(missing)[::-1])}"
    assert "not covered: forward: float16: in no example the class makes a claim" in str(result)


def test_a_kind_is_compared_on_another_graph_where_the_constants_of_one_are_in_no_domain():
    push_through = discover_laws(["relations.matrices.low_rank"])["push-through"]
    result = push_through.check(examples=24, seed=12)
    assert result.passed, str(result)
    assert set(result.coverage.kinds) == {"float64", "float32"}


@pytest.mark.parametrize("where", WHERE)
def test_a_law_that_is_wrong_for_certain_inputs_alone_fails(where):
    kind = {"bool": at.maximum(x, x), "complex": at.conj(at.conj(x))}
    lhs = kind.get(where, at.conj(at.conj(x)) if where == "imaginary parts" else at.identity(x))
    wrong = law("wrong", lhs, spoiling(where)(x), complex=True)
    assert wrong.check(examples=20, shrink=False).status == "failed"


# -- names -----------------------------------------------------------------------------------------


def test_where_a_formula_is_a_threshold_both_branches_are_compared():
    size = x / at.sqrt(at.sqr(x) + y)  # 1 / sqrt(1 + 3) is 0.5
    for at_threshold, passes in ((size > 0.5, True), (size >= 0.5, False)):
        chosen = at.switch(size > 0.5, x, at.switch(at_threshold, 0, x))
        found = law("chosen", x + 0 * size, chosen, sound="finite").check(examples=50)
        assert found.passed is passes, str(found)


def families():
    """Laws as functions of a name and of their variables."""
    return [
        lambda n, u, v: law(n, at.abs(-u), at.abs(u), sound="exact"),
        lambda n, u, v: law(n, at.neg(-u), u),
        lambda n, u, v: law(n, u - v, -(v - u)),
        lambda n, u, v: law(n, (u + v) - v, u, sound="finite"),
        lambda n, u, v: law(n, at.maximum(u, v) + at.minimum(u, v), u + v, sound="rounding"),
        lambda n, u, v: law(n, at.sum(-u, axis=v), -at.sum(u, axis=v), sound="rounding"),
        lambda n, u, v: law(n, at.sqrt(at.sqr(u)), u, floato(u), sound="finite"),
    ]


@pytest.mark.parametrize("number", range(7))
def test_names_decide_nothing(number):
    found = []
    for name, words in (("one", "x y"), ("other", "a b"), ("third", "y x"), ("fourth", "foo _1")):
        result = families()[number](name, *lvars(words)).check(examples=30, shrink=False)
        found.append((result.status, result.examples, result.instances, result.coverage))
    assert all(f == found[0] for f in found)


def test_the_wrong_law_about_unsigned_integers_fails_whatever_it_is_called():
    for name in ("x", "a", "foo", "z1"):
        v = lvars(name)
        wrong = law("abs-neg", at.abs(-v), at.abs(v), sound="exact")
        assert check_relation(wrong, examples=200, shrink=False).status == "failed"
