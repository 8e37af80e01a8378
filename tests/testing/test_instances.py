"""Graphs on which a law fires: their inputs, arguments and numbers, and smaller ones."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings

import relgraph.tensor as at
from relations.kit.guards import constant_data, is_constant
from relations.kit.matrix_facts import facts_about
from relations.kit.vocabulary import any_dtype_law, law, lvars
from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Law, build, whereo
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.kanren.terms import Term, renamed, variables_of
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.graph.unify import nth
from relgraph.tensor import random
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.linalg.blas import Gemm
from relgraph.tensor.linalg.products import _kron, _matmul
from relgraph.tensor.linalg.systems import _solve, solve
from relgraph.tensor.math import _dot
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing import laws, terms
from relgraph.testing.discovery import discover_laws
from relgraph.testing.instances.arguments import STACK, axes_in
from relgraph.testing.instances.examples import ExampleRun
from relgraph.testing.instances.input_values import (
    PLAIN,
    STRUCTURES,
    VALUE_RANGES,
    Elements,
    InputSpec,
    drawn_values,
    filled,
    number_table,
    structured,
    values_of,
)
from relgraph.testing.instances.instance import Instance, InstantiatedPattern, direction_of
from relgraph.testing.instances.instance_search import (
    InstanceSearch,
    reshaped,
    with_axes,
    with_length,
    with_number,
)
from relgraph.testing.instances.instantiation import (
    PatternInstantiator,
    numbers_where_it_decides,
)
from relgraph.testing.instances.plan import with_edge_numbers
from relgraph.testing.judge.evaluation import RewritePair
from relgraph.testing.random_arrays import LAYOUTS
from relgraph.testing.random_terms import CannotInstantiate
from tests.seeds import SEED
from tests.testing.test_draw import drawn
from tests.testing.test_plan import searched

DTYPES = ["float64", "float32", "float16", "int8", "uint64", "bool", "complex128"]


@pytest.mark.parametrize("scale", [np.nan, np.inf])
def test_of_what_is_not_finite_a_singular_factor_may_be_refused(scale):
    a, matrix, rhs = at.dscalar(), at.dmatrix(), at.dvector()
    pair = RewritePair(
        [a, matrix, rhs], solve(a * matrix, rhs), solve(matrix, rhs) / a, (a, matrix, rhs)
    )
    specs = [InputSpec(a, ()), InputSpec(matrix, (1, 1)), InputSpec(rhs, (1,))]
    instance: Any = Instance(pair, specs, *3 * [cast("Any", None)])
    numbers = np.array(scale), np.zeros((1, 1)), np.ones(1)
    assert not ExampleRun("finite", 0).examine(instance, [Elements(n, PLAIN) for n in numbers])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("amount", VALUE_RANGES)
def test_tables_hold_numbers_of_the_dtype(dtype, amount):
    values = number_table(dtype, amount)
    assert values.dtype == dtype
    assert 2 <= len(values) <= 512
    if amount != "any":
        assert np.isfinite(values).all()
    if amount in ("positive", "unit") and dtype not in ("bool", "complex128"):
        assert (values >= 0).all()


def test_zeros_are_the_simplest_values():
    slots = [InputSpec(at.dmatrix(), (2, 3)), InputSpec(at.dscalar(), ())]
    a, b = values_of(slots, filled(slots))
    assert a.shape == (2, 3) and b.shape == ()
    assert not a.any() and a.flags.c_contiguous and b == 0


def test_layouts_differ():
    slot = InputSpec(at.dvector(), (4,))
    layouts = set()
    for layout in LAYOUTS:
        (made,) = values_of([slot], [Elements(np.arange(4.0), layout)])
        layouts.add((made.strides, made.flags.writeable))
        assert made.shape == (4,)
    assert len(layouts) > 3


def test_some_inputs_hold_certain_numbers_only():
    slot = InputSpec(at.lscalar(), (), (3,))
    (made,) = values_of([slot], drawn_values([slot], Random(0)))
    assert made == 3


def test_edge_values_that_were_used_are_counted_once():
    v = lvars("v")
    run = ExampleRun("exact", 0)
    run.draw(searched(law("double", v + v, 2 * v)).instances, 100)
    edges = run.edge_values()
    assert len(edges) > 10
    assert ("float64", np.float64(np.inf).tobytes()) in edges


# Graphs built anew over other inputs and constants.

x, c = lvars("x c")


def pattern(root, *leaves):
    (spec,) = [InputSpec(v, (2,)) for v in leaves if not isinstance(v, Constant)]
    return InstantiatedPattern(root, [spec], list(leaves), {}, list(leaves))


def test_numbers_and_arrays_follow_the_shape_of_the_inputs():
    v = at.dvector("v")
    ones, several = at.constant(np.ones(2)), at.constant(np.array([3.0, 4.0]))
    graph = pattern((v + ones) * several, v, ones, several)
    for shape in ((), (5,), (4, 3)):
        made = reshaped(graph, shape)
        (found,) = evaluate([made.root], {made.inputs[0].var: np.ones(shape)})
        assert found.shape == made.inputs[0].shape == shape
        assert set(np.ravel(found)) <= {6.0, 8.0}


def test_what_is_made_of_numbers_alone_stands_beside_vectors_as_it_is():
    v, three, four = at.dscalar("v"), at.constant(3.0), at.constant(4.0)
    graph = pattern(three / four - v, v, three, four)
    written = law("t", c / 4 - x, c / 4 + -x, whereo(is_constant, c))
    assert not written.forward.transform(None, reshaped(graph, (5,)).root.owner)
    made = reshaped(graph, (5,), with_axes)
    assert written.forward.transform(None, made.root.owner)
    (found,) = evaluate([made.root], {made.inputs[0].var: np.ones(5)})
    np.testing.assert_array_equal(found, np.full(5, -0.25))


def test_what_is_not_elementwise_keeps_its_shape():
    v = at.dvector("v")
    with pytest.raises(CannotInstantiate, match="is not elementwise"):
        reshaped(pattern(at.cumsum(v), v), (5,))


def test_another_number_stands_in_all_places_of_a_constant():
    v, several = at.dvector("v"), at.constant(np.array([3.0, 4.0]))
    made = with_number(pattern(v + several, v, several), several, -np.inf)
    assert np.array_equal(made.leaves[1].data, [-np.inf] * 2)
    assert made.root.owner.inputs[1] is made.leaves[1]


def test_another_number_stands_where_a_number_is_broadcast_too():
    v, two = at.dvector("v"), at.constant(2.0)
    made = with_number(pattern(v * two, v, two), two, 7.0)
    assert evaluate([made.root], {v: np.ones(2)})[0].tolist() == [7.0, 7.0]


def test_axes_of_one_length_lose_their_elements():
    v, scale = at.dmatrix("v"), at.constant(np.ones((3, 1)))
    graph = InstantiatedPattern(v * scale, [InputSpec(v, (3, 2))], [v, scale], {c: v}, [v, scale])
    made = with_length(graph, 3, 0)
    assert [spec.shape for spec in made.inputs] == [(0, 2)]
    assert made.bindings[c].type.ndim == 2
    (found,) = evaluate([made.root], {made.inputs[0].var: np.ones((0, 2))})
    assert found.shape == (0, 2)
    assert with_length(graph, 2, 0).inputs[0].shape == (3, 0)


def test_arrays_of_a_number_are_what_is_asked_for():
    v = at.dvector("v")
    made = reshaped(pattern(v * 2.0, v), (3, 2), lambda n, s: at.constant(np.full(s, n, order="F")))
    assert made.root.owner.inputs[1].data.flags.f_contiguous
    (found,) = evaluate([made.root], {made.inputs[0].var: np.ones((3, 2))})
    assert found.tolist() == [[2.0] * 2] * 3


def test_what_stands_for_constants_only_has_each_edge_value():
    scaled = law("scaled", at.max(x * c), at.max(x) * c, whereo(is_constant, c), sound="domain")
    numbered = with_edge_numbers(searched(scaled))
    found = {float(v.graph.bindings[c].data.flat[0]) for v in numbered}
    assert {np.inf, -np.inf, 0.0, np.finfo("float64").max} <= found
    assert any(np.isnan(f) for f in found)
    free = law("free", at.max(x * c), at.max(x) * c, sound="domain")
    assert not list(with_edge_numbers(searched(free)))


# Counterexamples have the fewest elements, and then the simplest numbers.

y, z = lvars("y z")
SIMPLE = {0, 1, -1, 2, -2, 0.5, -0.5, 3}

# what is wrong, the class that it claims, and how many numbers it takes to see that
WRONG = [
    (law("difference", x - y, y - x, sound="rounding"), 2),
    (law("exponential", at.exp(x + y), at.exp(x) * at.exp(y), sound="exact"), 2),
    (law("logarithm", at.log(x * y), at.log(x) + at.log(y), sound="rounding"), 2),
    (law("root", at.sqrt(at.sqr(x)), x, sound="rounding"), 1),
    (law("quotient", x / y * y, x, sound="rounding"), 2),
    (law("constants", x * 3 + y * 3, (x + y) * 2, sound="rounding"), 2),
    (law("deep", at.tanh(at.exp(x) + y), at.tanh(y), sound="rounding"), 2),
    (law("axes", at.sum(x, axis=0), at.sum(x, axis=1), sound="rounding"), 2),
    (law("largest", at.sum(at.maximum(x, y)), at.maximum(at.sum(x), at.sum(y)), sound="finite"), 4),
    (law("product", at.dot(x, y), at.dot(y, x), sound="rounding"), 6),
    (law("choice", at.switch(x > y, x, z), at.switch(x < y, z, x), sound="rounding"), 3),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("wrong", "most"), WRONG, ids=[one.name for one, _ in WRONG])
def test_they_are_small(wrong, most, seed):
    found = wrong.check(seed=seed).counterexample
    constants = [v for v in graph_inputs([found.old]) if isinstance(v, Constant)]
    numbers = np.concatenate([np.ravel(v) for v in (*found.values, *(c.data for c in constants))])
    assert sum(map(np.size, found.values)) <= most
    assert set(numbers.tolist()) <= SIMPLE
    elementwise = all(isinstance(node.op, Elemwise) for node in io_toposort([], [found.old]))
    assert not elementwise or not any(v.type.ndim for v in found.inputs)


def test_a_number_among_many_is_found_alone():
    """What is wrong for edge values alone fails on long vectors of them."""
    found = law("rare", at.maximum(x, -1000.0), x, sound="finite").check().counterexample
    assert sum(map(np.size, found.values)) == 1


def test_both_sides_are_told_apart():
    found = law("exponential", at.exp(x + y), at.exp(x) * at.exp(y), sound="exact").check()
    lines = str(found).splitlines()
    before, after = (line.partition(": ")[2].strip() for line in lines[-2:])
    assert before != after


# Graphs of laws about products of matrices are drawn by the names of their axes, not by luck.

b, n = lvars("b n")


def named(pattern):
    """Return the names of the axes of each variable, in the order of their first letters."""
    found = axes_in(pattern)
    names = "".join(name for v in sorted(found, key=str) for name in found[v])
    letters = dict.fromkeys(names.replace(STACK, ""))
    known = {STACK: STACK, **dict(zip(letters, "ijklmnop", strict=False))}
    return {
        str(v).removeprefix("~"): " ".join("".join(known[c] for c in name) for name in axes)
        for v, axes in found.items()
    }


def test_factors_have_a_length_in_common():
    assert named(_dot(_dot(x, y), z)) == {"x": "i j", "y": "j k", "z": "k l"}
    assert named(_matmul(x, -y)) == {"x": "* i j", "y": "* j k"}
    assert named(b + _dot(x, y)) == {"b": "i j", "x": "i k", "y": "k j"}
    assert named(_dot(at.DimShuffle(2, (1, 0))(x), x)) == {"x": "i j"}
    assert named(at.exp(x) + y) == {}


def test_matrices_that_are_solved_for_are_square():
    assert named(_solve(b + _dot(x, y), z)) == {"b": "i i", "x": "i j", "y": "j i", "z": "i k"}
    assert named(_dot(_kron(x, y), z)) == {"x": "i j", "y": "k l", "z": "jl m"}
    assert named(_solve(x, at.eye(n, n, 0))) == {"n": "i", "x": "i i"}


@pytest.mark.parametrize(
    "name",
    [
        "trace-cycle",
        "matmul-divided-left",
        "solve-diagonal-vector",
        "solve-identity",
        "trace-kron",
        # tried on terms about a matrix, or a matrix and a vector
        "part-of-softmax",
        "weighted-squares",
        "weighted-squares-less",
    ],
)
def test_each_law_is_met_soon(name):
    direction = direction_of(discover_laws()[name], "forward")
    for rule, seed in product(direction.rules, range(2)):
        search = InstanceSearch(direction, rule, Random(f"{SEED} {seed}"))
        search.find(12, 600)
        assert len(search.instances) >= 6


def test_a_law_that_nothing_was_found_of_is_tried_as_often_as_was_asked_for():
    direction = direction_of(law("never", at.neg(-x), x, whereo(lambda v: False, x)), "forward")
    search = InstanceSearch(direction, direction.rules[0], Random(SEED))
    search.find(1, 500)
    assert search.attempts == 500


def test_most_products_fit():
    instantiator = PatternInstantiator(Rule("product", _dot(_dot(x, y), z), None), Random(SEED))
    made = 0
    for _ in range(200):
        try:
            instantiator.instantiate()
            instantiator.choices.record_outcome(success=True)
            made += 1
        except CannotInstantiate:
            instantiator.choices.record_outcome(success=False)
    assert made > 100


# Laws about draws, loops and updates by the BLAS: the checker finds graphs of them, and errors.

g, h, m, s, k = lvars("g h m s k")


def normal(rng: Any, loc: Any, scale: Any, **size: Any) -> Any:
    return random.normal(rng, loc, scale, **size)[1]


def own(name: str, *parameters: Any) -> Any:
    drawn = getattr(random, name)(g, *parameters)[1]
    return any_dtype_law(name, drawn, at.identity(drawn))


HOLD = [
    law("location", normal(g, m, s), m + normal(g, at.zeros_like(m), s), sound="finite"),
    any_dtype_law("swapped", normal(g, m, s) + normal(h, m, s), normal(h, m, s) + normal(g, m, s)),
    any_dtype_law("sized", normal(g, m, s, size=k), at.identity(normal(g, m, s, size=k))),
    *(own("beta", m, s), own("binomial", m, s), own("dirichlet", m), own("categorical", m)),
    own("multivariate_normal", m, s),
]
FAIL = [
    law("scale", normal(g, m, s), normal(g, m, 2 * s), sound="finite"),
    law("same generator", random.normal(g, m, s)[0], g),
    law("other generator", normal(g, m, s) + normal(h, m, s), normal(g, m, s) + normal(g, m, s)),
]


@pytest.mark.parametrize("held", HOLD, ids=lambda held: held.name)
def test_laws_about_draws_hold(held: Any) -> None:
    result = held.check(examples=10)
    assert result.passed, str(result)


@pytest.mark.parametrize("wrong", FAIL, ids=lambda wrong: wrong.name)
def test_wrong_laws_about_draws_fail(wrong: Any) -> None:
    result = wrong.check(examples=10)
    assert result.status == "failed", str(result)
    namespace: dict[str, Any] = {}
    exec(str(result.counterexample), namespace)  # the source runs
    assert len(namespace["outputs"]) == 2


def test_wrong_update_fails() -> None:
    z, a, x, y, b = lvars("z a x y b")
    gemm = Gemm()
    wrong = any_dtype_law("order", gemm(z, a, x, y, b), gemm(z, b, x, y, a))
    assert wrong.check(examples=10).status == "failed"


def test_generator_is_new_for_each_set_of_values() -> None:
    spec = InputSpec(random_generator_type("g"), (), (5, 6))
    first, again = (values_of([spec], filled([spec], 1))[0] for _ in range(2))
    assert first is not again
    assert first.random() == again.random() == np.random.default_rng(6).random()


def test_probabilities_have_the_sum_1() -> None:
    spec = InputSpec(at.TensorType("float64", (3, 4))("p"), (3, 4), domain="probabilities")
    (p,) = values_of([spec], drawn_values([spec], Random(0)))
    assert p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=-1), 1)


def test_default_output_is_the_term_itself() -> None:
    state, drawn = random.normal(g, m, s)
    assert nth(1, drawn) is drawn
    assert str(state) == "nth(0, normal{float64}(g, m, s))"
    rng, x = random_generator_type("rng"), at.dscalar("x")
    made = random.normal(rng, x, x)[1]
    assert nth(0, made) is made.owner.outputs[0]


def test_law_about_next_generator_asks_for_the_dtypes_of_what_it_reads_alone() -> None:
    # draws are float64 and nobody reads them: the law is about one dtype, float32 among others
    state = random.normal(g, m, s)[0]
    held = law("state", state, random.normal(g, m + 0 * m, s)[0], sound="finite")
    assert held.check(examples=10, directions=["forward"]).passed


# Constants that a guard compares are drawn in relation to each other.

a, d = lvars("a d")


def is_minus_twice(double, single):
    larger, smaller = constant_data(double), constant_data(single)
    if larger is None or smaller is None or smaller.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        return bool(np.all(np.isfinite(larger) & np.equal(larger, -2 * smaller)))


def test_a_law_about_two_constants_is_not_checked_with_zeros_alone():
    left, guard = c + d * at.sigmoid(a), whereo(is_minus_twice, d, c)
    true = law("signed", left, -c * at.tanh(a / 2), guard, sound="stable")
    wrong = law("signed", left, c * at.tanh(a / 2), guard, sound="stable")
    assert true.check(examples=60).status == "passed"
    assert wrong.check(examples=60).status == "failed"


def test_constants_that_a_guard_compares_are_drawn_until_it_admits_them():
    left, guard = c + d * at.sigmoid(a), whereo(is_minus_twice, d, c)
    found = searched(law("signed", left, -c * at.tanh(a / 2), guard, sound="stable")).instances
    constants = [constant_data(i.graph.bindings[c]) for i in found]
    numbers = {float(n) for constant in constants for n in np.ravel(constant)}
    assert len(numbers - {0.0}) >= 3


# Where a law decides is read off its terms.

SMALL = at.abs(a) < 0.03


def test_numbers_that_something_is_compared_with_and_some_beside_them():
    found = numbers_where_it_decides(at.switch(SMALL, a, at.sin(a) * 7))
    assert set(found) == {s * 0.03 * k for s in (1, -1) for k in (1, 15 / 16, 17 / 16)}
    # 0 and infinity are edges of every float
    assert numbers_where_it_decides(at.switch(a > 0, a, a < np.inf)) == ()


@pytest.mark.parametrize(
    ("dtype", "there"), [("float64", True), ("float16", True), ("int64", False)]
)
def test_they_are_edges_of_floats_alone(dtype, there):
    spec = InputSpec(at.TensorType(dtype, (None,))(), (256,), notable=(17.0, -17.0))
    assert (np.array(17, dtype) in spec.edges) is there
    assert spec.numbers("any")[0] == 0
    assert (-17 in spec.numbers("any")) is there


def test_a_series_that_lacks_its_last_term_is_found():
    square = at.sqr(at.switch(SMALL, a, 0))
    for last, passes in ((1 / 120, True), (1 / 119, False)):
        series = 1 - square * (1 / 6 - square * (last - square / 5040))
        right = at.switch(SMALL, series, at.sin(a) / at.switch(SMALL, 1, a))
        found = law("t", at.sin(a) / a, right * (a / a), sound="stable").check(shrink=False)
        assert (found.status == "failed") is not passes


# Random terms and laws.


@given(terms("a b", [at.add, at.exp], max_depth=2))
def test_terms_are_of_what_was_asked_for(term: Term) -> None:
    assert {str(v) for v in variables_of(term)} <= {"a", "b"}
    nested = [part for part in term.args if isinstance(part, Term)]
    assert {term.op, *(part.op for part in nested)} <= {at.add, at.exp}
    assert not [p for part in nested for p in part.args if isinstance(p, Term)]


@given(laws())
@settings(max_examples=30)
def test_a_law_matches_its_own_left_side(law: Law) -> None:
    leaves = {v: at.dvector(str(v)) for v in variables_of(law.lhs)}
    graph = FunctionGraph(outputs=[build(renamed(law.lhs, leaves))], clone=False)
    explanation = law.explain(graph.outputs[0])
    assert explanation.matches or explanation.reason.name in {"SAME", "BROADCAST"}, explanation


def test_they_are_varied() -> None:
    found = drawn(terms("x"), 100)
    texts = {str(term) for term in found}
    assert len(texts) > 50 and any("exp(" in t for t in texts) and any("2" in t for t in texts)
    assert {len(term.args) for term in found} == {1, 2}
    made = drawn(laws(sound="finite"), 100)
    assert {len(variables_of(law.lhs)) for law in made} >= {1, 2, 3}
    assert any(law.rhs in variables_of(law.lhs) for law in made)
    assert {law.sound for law in made} == {"finite"}
    assert all(set(variables_of(law.rhs)) <= set(variables_of(law.lhs)) for law in made)


def test_what_makes_no_term_is_refused() -> None:
    with pytest.raises(TypeError, match="elementwise ops, not <function sum"):
        terms(ops=[at.sum])
    with pytest.raises(ValueError, match="wants names"):
        terms("")
    with pytest.raises(ValueError, match="needs an op"):
        terms(ops=[])
    with pytest.raises(ValueError, match="a depth of at least 1"):
        terms(max_depth=0)


# Matrices for laws that ask what a matrix is: they are what they are said to be.

VALUES = np.random.default_rng(0).normal(size=(3, 3)) * 1e3
IS = {
    "diagonal": lambda m: np.array_equal(m, np.diag(np.diag(m))),
    "lower triangular": lambda m: np.array_equal(m, np.tril(m)),
    "upper triangular": lambda m: np.array_equal(m, np.triu(m)),
    "symmetric": lambda m: np.allclose(m, m.T.conj()),
    "positive definite": lambda m: np.linalg.eigvalsh(m).min() > 0.1,
    "positive semidefinite": lambda m: np.linalg.eigvalsh(m).min() > -1e-12,
    "orthogonal": lambda m: np.allclose(m @ m.T.conj(), np.eye(3)),
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("kind", list(STRUCTURES))
def test_what_is_known_of_it_is_true(kind, dtype):
    x = at.TensorType(dtype, (3, 3))()
    made = structured(kind, x)
    value = VALUES.astype(dtype) * (1 if dtype == "float64" else 1 + 1j)
    (found,) = evaluate([made], {x: value})
    for fact in facts_about(made) - {"uniform"}:
        assert IS[fact](found), fact
    if kind != "symmetric":
        assert np.linalg.cond(found) < 100


def test_other_shapes_and_dtypes_stay():
    for x in (at.dvector(), at.lmatrix(), at.TensorType("float64", (2, 3))()):
        assert all(structured(kind, x) is x for kind in STRUCTURES)
