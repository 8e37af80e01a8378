"""What a check covers by plan: kinds, edge values, branches, boundaries and variants."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit.cancellation import root_of_largest
from relations.kit.guards import is_constant, is_nonnegative
from relations.kit.type_guards import booleano, floato, ranko, unsignedo
from relations.kit.vocabulary import law, lvars
from relgraph import scalar
from relgraph.graph.kanren import computo, whereo
from relgraph.testing import check_relation
from relgraph.testing.discovery import discover_laws
from relgraph.testing.instances.edge_values import (
    at_points,
    edges_meeting,
    layouts,
    meetings,
    near_boundaries,
    neighbours,
    one_edge,
    points_by_branch,
    random_values,
    two_edges,
)
from relgraph.testing.instances.input_values import InputSpec, filled
from relgraph.testing.instances.input_values import values_of as values_given
from relgraph.testing.instances.instance import EXTENTS, KINDS, direction_of
from relgraph.testing.instances.instance_search import InstanceSearch
from relgraph.testing.instances.plan import (
    VARIANTS,
    InstancePlanner,
    branches,
    over_long_vectors,
    with_edge_numbers,
    with_functions,
    with_laid_out_numbers,
    with_views,
)
from relgraph.testing.random_arrays import LAYOUTS
from tests.testing.mutants.spoiled import WHERE, Spoiled, spoiling

x, y = lvars("x y")
SIZE = law(
    "size",
    at.sqrt(at.sqr(x)) + 0 * y,
    at.switch(x < 20, at.abs(x), at.maximum(x, -x)),
    sound="finite",
)


def searched(found):
    """Return a search for instances of a law, which has found some."""
    direction = direction_of(found, "forward")
    search = InstanceSearch(direction, direction.rules[0], Random(0))
    search.find(20)
    return search


def planned(found):
    """Return a search for instances of a law, which has found some for each cell of the plan."""
    return InstancePlanner([searched(found)], 8).run().searches


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_there_is_a_graph_of_each_float_in_each_rank(kind):
    found = branches(planned(SIZE), kind)
    assert found[0].inputs[0].var.type.dtype == kind
    shapes = [{spec.shape for spec in v.inputs} for v in found]
    assert shapes == [{(700,)}, {()}, {(8, 8)}]


def test_each_branch_has_points_which_are_tried_as_numbers_and_in_all_layouts():
    long, *others = branches(planned(SIZE), "float64")
    values = list(random_values(long.inputs, Random(0), 2))
    points = points_by_branch(long, values)
    numbers, matrices = (
        [values_given(v.inputs, given)[0] for given in at_points(points, v.inputs)] for v in others
    )
    assert min(numbers) < 20 <= max(numbers)
    assert len(numbers) == len(points[0]) and len(matrices) == len(set(LAYOUTS))
    assert any(m.flags.f_contiguous for m in matrices)
    assert any(m.strides[0] < 0 for m in matrices)
    assert {float(n) for n in numbers} == {float(n) for m in matrices for n in m.ravel()}


def test_a_wrong_threshold_is_found_in_one_rank_or_layout_alone():
    size = at.sqrt(at.sqr(x) + at.sqr(y))
    for where in ("rank 0", "fortran order"):
        small = at.abs(Spoiled(where)(x)) < 5.5
        wrong = at.switch(at.abs(x) < 5.5, size, at.switch(small, -size, size))
        assert check_relation(law("size", size, wrong, sound="stable")).status == "failed", where


# A check covers by plan what a law admits, and says what it left out.

a, b, c = lvars("a b c")
NUMBERS = ["float64", "float32", "float16", "signed", "unsigned"]


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


@pytest.mark.parametrize(
    ("admitted", "kinds"),
    [
        (law("neg-neg", at.neg(-x), x, complex=True), [*NUMBERS, "complex"]),
        (law("maximum-self", at.maximum(x, x), x, floato(x)), NUMBERS[:3]),
        (law("maximum-self", at.maximum(x, x), x, unsignedo(x)), ["unsigned"]),
        (law("maximum-self", at.maximum(x, x), x, booleano(x)), ["bool"]),
    ],
)
def test_what_a_law_refuses_is_not_admitted(admitted, kinds):
    result = admitted.check(examples=20)
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
    searches = planned(apart)
    assert [len(branches(searches, kind)) for kind in NUMBERS[:3]] == [3, 3, 3]


def test_sums_with_a_term_twice_are_of_one_kind_too():
    twice = law("t", at.add(x, y, x), 2 * x + y, sound="rounding")
    assert over_long_vectors(planned(twice), "float64")


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
    push_through = discover_laws(["relations.matrices.structured"])["push-through"]
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


FAMILIES = {
    "abs-neg": lambda n, u, v: law(n, at.abs(-u), at.abs(u), sound="exact"),
    "neg-neg": lambda n, u, v: law(n, at.neg(-u), u),
    "sub": lambda n, u, v: law(n, u - v, -(v - u)),
    "cancel": lambda n, u, v: law(n, (u + v) - v, u, sound="finite"),
    "extremes": lambda n, u, v: law(
        n, at.maximum(u, v) + at.minimum(u, v), u + v, sound="rounding"
    ),
    "sum-neg": lambda n, u, v: law(n, at.sum(-u, axis=v), -at.sum(u, axis=v), sound="rounding"),
    "root": lambda n, u, v: law(n, at.sqrt(at.sqr(u)), u, floato(u), sound="finite"),
}
"""Laws as functions of a name and of their variables; the first is wrong of unsigned integers."""


@pytest.mark.parametrize("family", FAMILIES)
def test_names_decide_nothing(family):
    found = []
    for name, words in (("one", "x y"), ("third", "y x"), ("fourth", "foo _1")):
        result = FAMILIES[family](name, *lvars(words)).check(examples=30, shrink=False)
        found.append((result.status, result.examples, result.instances, result.coverage))
    assert all(f == found[0] for f in found)
    assert found[0][0] == ("failed" if family in ("abs-neg", "sub", "root") else "passed")


# Numbers close to where a law decides otherwise.


def values_near(right):
    found = law("t", at.sqrt(at.sqr(x)) + 0 * y, right, sound="domain")
    long = branches(planned(found), "float64")[0]
    values = list(random_values(long.inputs, Random(0), 2))
    return given_values(near_boundaries(long, values, Random(0)), long.inputs)


def test_they_lie_on_both_sides_of_a_threshold():
    by_distance, by_floats = values_near(at.switch(x < y, at.abs(x), 0))
    for a, b in (by_distance, by_floats):
        beyond = a - b
        assert min(np.sum(beyond < 0), np.sum(beyond > 0)) > 30
        assert np.mean(np.abs(beyond) < 0.1 * (np.abs(a) + np.abs(b))) > 0.5


def test_they_are_of_every_size():
    # from 1e300 the middle is never 1e-9
    _, (a, _) = values_near(at.switch(at.abs(x) < 1e-9, at.abs(x), 0))
    assert np.mean(np.abs(np.log10(np.abs(a)) + 9) < 1) > 0.3


def test_there_are_none_where_nothing_is_decided():
    assert values_near(at.switch(at.eq(at.isnan(x), at.neq(x, x)), at.abs(x), 0)) == []


def test_truth_values_have_no_neighbours():
    either = law("t", x | y, y | x)
    (truths,) = [
        i for i in searched(either).instances if {s.var.type.dtype for s in i.inputs} == {"bool"}
    ][:1]
    assert not neighbours(truths.inputs, Random(0))


def test_numbers_whose_squares_are_the_greatest_have_neighbours_too():
    apart = law("t", x - y, x + -y)
    long, *_ = over_long_vectors(planned(apart), "float64")
    ((a, b),) = given_values(neighbours(long.inputs, Random(0)), long.inputs)
    root = np.sqrt(np.finfo(a.dtype).max)
    assert any(
        np.any((u == root) & (np.abs(v) < root) & (v < -0.9 * root)) for u, v in ((a, b), (b, a))
    )


def test_edge_values_stand_beside_their_neighbours():
    apart = law("t", x - y, x + -y)
    long, *_ = over_long_vectors(planned(apart), "float64")
    ((a, b),) = given_values(neighbours(long.inputs, Random(0)), long.inputs)
    largest = np.finfo(a.dtype).max
    near = np.nextafter(largest, a.dtype.type(0))
    assert np.any(((a == largest) & (b == near)) | ((b == largest) & (a == near)))
    assert np.any((a == -b) & np.isfinite(a) & (a != 0))
    assert any(np.any((u == 1) & (v > 0.99) & (v < 1)) for u, v in ((a, b), (b, a)))


# Values of inputs by plan.

HALVES = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, -0.5, -1.0, -1.5, -2.0, -2.5, -3.0}


def given_values(sets, inputs):
    return [values_given(inputs, given) for given in sets]


def test_all_pairs_of_simple_numbers_meet():
    inputs = [InputSpec(at.dvector(), (20,)), InputSpec(at.dvector(), (20,))]
    sets = given_values(meetings(inputs, Random(0), 40), inputs)
    met = {pair for xs, ys in sets for pair in zip(xs.tolist(), ys.tolist(), strict=True)}
    assert met == set(product(HALVES, HALVES))
    assert len(list(meetings(inputs, Random(0), 2))) == 2


def test_of_many_inputs_some_meetings_are_drawn():
    inputs = [InputSpec(at.dvector(), (5,)) for _ in range(14)]
    sets = given_values(meetings(inputs, Random(0), 3), inputs)
    assert len(sets) == 3 and {len(xs) for xs in sets} == {14}
    assert {x for xs in sets for x in np.concatenate(xs)} <= set(HALVES)


def test_nothing_meets_where_one_input_has_the_values_it_needs():
    restricted = InputSpec(at.lscalar(), (), allowed=(1, 2))
    assert not list(meetings([InputSpec(at.dvector(), (5,)), restricted], Random(0), 9))
    assert not list(meetings([InputSpec(at.dvector(), (5,))], Random(0), 9))


def test_random_values_are_ordinary_but_in_every_other_set():
    inputs = [InputSpec(at.dvector(), (500,))]
    sets = [values for (values,) in given_values(random_values(inputs, Random(0), 4), inputs)]
    assert [bool(np.abs(v).max() <= 8) for v in sets] == [True, False, True, False]


def test_each_two_edge_values_meet_in_each_two_inputs():
    inputs = [InputSpec(at.dvector(), (700,)) for _ in range(3)]
    sets = given_values(edges_meeting(inputs, Random(0), 4), inputs)
    largest, least = np.finfo("float64").max, np.finfo("float64").smallest_subnormal
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for a, b in ((np.inf, least), (largest, least), (largest, 1.0), (-np.inf, np.inf)):
            assert any(np.any((v[i] == a) & (v[j] == b)) for v in sets)


def test_one_edge_value_stands_among_others_or_on_a_diagonal():
    inputs = [InputSpec(at.dmatrix(), (3, 3)), InputSpec(at.dvector(), (0,))]
    sets = [m for m, _ in given_values(one_edge(inputs, Random(0)), inputs)]
    beside_one = [m for m in sets if np.array_equal(m[1:], np.eye(3)[1:])]
    assert any(np.isposinf(m[0, 0]) for m in beside_one)
    assert len(beside_one) < len(sets)
    assert all(np.sum(~np.isfinite(m)) <= 1 for m in sets)


def test_an_infinity_of_one_input_stands_beside_one_of_the_other():
    inputs = [InputSpec(at.dmatrix(), (3, 3)), InputSpec(at.dvector(), (1,))]
    sets = given_values(two_edges(inputs, Random(4)), inputs)
    for a, b in product((np.inf, -np.inf, 0.0), repeat=2):
        assert any(np.sum(m == a) == 1 and v[0] == b for m, v in sets)
    assert all(np.sum(~np.isfinite(m)) <= 1 for m, _ in sets)
    assert not list(two_edges([inputs[0], InputSpec(at.dvector(), (0,))], Random(0)))


def test_numbers_in_other_layouts_are_positive_where_that_is_asked_for():
    inputs = [InputSpec(at.dmatrix(), (4, 3))]
    for positive in (False, True):
        sets = [m for (m,) in given_values(layouts(inputs, Random(0), 9, positive), inputs)]
        assert all(np.all(m > 0) for m in sets) is positive


# The same graph, where something else stands in the place of a tensor.

ROOT = law("root", at.exp2(at.log2(x)), x, whereo(is_nonnegative, x), sound="finite")
HALF = law("half", x / c, x * 0.5, computo(c, lambda x: 2.0, x))
CONSTANT = law("constant", x / c, x * (1 / c), whereo(is_constant, c), sound="finite")
MIXED = law("mixed", x / y, x * (1 / y), sound="finite", mixed=True)


def variants_of(found):
    (search,) = planned(found)
    return [instance for variants in VARIANTS for instance in variants(search)]


def values_of(instance, v):
    values = instance.pair.run(values_given(instance.inputs, filled(instance.inputs)))
    return values[instance.graph.bindings[v]]


def test_what_is_never_an_input_has_each_layout():
    (search,) = planned(ROOT)
    found = [values_of(i, x) for i in with_views(search)]
    assert any(a.ndim == 2 and a.flags.f_contiguous and not a.flags.c_contiguous for a in found)
    assert any(0 in a.strides and a.size > 1 for a in found)
    assert any(s < 0 for a in found for s in a.strides)
    assert not list(with_views(searched(law("any", at.exp2(at.log2(x)), x, sound="finite"))))


def test_what_is_never_an_input_is_a_function_of_one():
    found = list(with_functions(searched(ROOT)))
    assert {spec.shape for i in found for spec in i.inputs} == {(32,)}
    assert all(str(i.graph.bindings[x].owner.op) == "abs" for i in found)


def test_numbers_have_each_order_of_axes():
    found = list(with_laid_out_numbers(searched(HALF)))
    divisors = [values_of(i, x) for i in found]
    assert [a.shape for a in divisors] == [(3, 2, 2)] * 3
    arrays = [i.pair.old.owner.inputs[1] for i in found]
    columns, other, rows = (
        i.pair.run([a])[v] for i, a, v in zip(found, divisors, arrays, strict=True)
    )
    assert columns.flags.f_contiguous and not columns.flags.c_contiguous
    assert not other.flags.f_contiguous and not other.flags.c_contiguous
    assert rows.shape == (1, 2, 2) and rows.strides[0] == 0


def test_edge_numbers_stand_beside_vectors_with_room_for_all():
    found = list(with_edge_numbers(searched(CONSTANT)))
    assert {spec.shape for i in found for spec in i.inputs} == {(32,)}
    numbers = [float(np.ravel(i.graph.bindings[c].data)[0]) for i in found]
    assert {-0.0, 1.0, np.finfo("float64").max} <= set(numbers)


def test_a_law_about_several_dtypes_has_inputs_of_each_beside_each():
    variants = variants_of(MIXED)
    mixed = [{v.type.dtype for v in i.pair.inputs} for i in variants]
    for pair in ({"float16", "float32"}, {"float16", "int8"}, {"bool", "float16"}):
        assert pair in mixed


def test_constants_beside_floats_have_other_dtypes():
    negated = law("t", -(c * x), at.mul(x, c, -1), whereo(is_constant, c), sound="domain")
    variants = variants_of(negated)
    dtypes = {i.graph.bindings[c].type.dtype for i in variants if i.inputs}
    assert {"uint8", "int64", "float32"} <= dtypes


def test_one_of_two_axes_has_no_elements_where_the_other_has():
    outer = law("t", x @ y, x * y, ranko(x, 2), ranko(y, 2), sound="domain")
    variants = variants_of(outer)
    shapes = [(i.inputs[0].shape, i.inputs[1].shape) for i in variants if len(i.inputs) > 1]
    assert any(0 in a and 0 not in b for a, b in shapes + [(b, a) for a, b in shapes])


def test_one_of_two_that_are_joined_has_no_elements():
    first = law("first", at.concatenate([x, y])[0], x[0])
    assert "index 0 is out of bounds" in first.check(shrink=False).reason


def test_checks_find_what_is_wrong_there_alone():
    for where in ("negative strides", "zero strides", "subnormal numbers"):
        wrong = law("root", ROOT.lhs, Spoiled(where)(x), whereo(is_nonnegative, x), sound="finite")
        assert check_relation(wrong, shrink=False).status == "failed", where
    laid_out = Spoiled("fortran order")(c)
    wrong = law("half", x / c, x / laid_out, computo(c, lambda x: 2.0, x))
    assert check_relation(wrong, shrink=False).status == "failed"


def test_a_condition_on_what_is_computed_says_nothing_of_dtypes():
    """A count of elements is no float16, so all of a law about one is never of that dtype."""
    result = discover_laws()["sum-of-fill"].check()
    assert "forward: float16, among others" in result.coverage.covered
