"""`best` and `SaturationOptimizer`: the cheapest form, its derivation, and what stops a search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, law, lvars, optimize_graph, pprint, search
from relgraph.graph.basic import Constant, clone_get_equiv, equal_computations, graph_inputs
from relgraph.graph.fg import FunctionGraph
from relgraph.search import SaturationOptimizer, best, flops, forms, optimizer
from relgraph.testing import check_optimizer
from tests.search.phase_ordering import EXPRESSIONS, Comparison, compared, is_derived
from tests.seeds import seed_of

a, b, c = lvars("a b c")
x, y, z = at.dvectors("x", "y", "z")
A, B = at.dmatrices("A", "B")
FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")


def test_the_cheapest_form_has_the_inputs_and_the_types_of_the_graph() -> None:
    given = [x * y + x * z, at.sum(A @ B)]
    found = best(given)
    assert found.cost < found.given_cost and found.sound == "finite"
    assert set(graph_inputs(found.graph)) == {x, y, z, A, B}
    assert [v.type for v in found.graph] == [v.type for v in given]
    assert pprint(given[0]) == "((x * y) + (x * z))"


def test_the_derivation_replays() -> None:
    for given in (x * y + x * z, at.sum(A @ B), (x + y) * z - x * z, A @ x + A @ y):
        found = best(given, nodes=600)
        assert len(found.derivation) and all(step.sound for step in found.derivation)
        copy = clone_get_equiv([x, y, z, A, B], [given], copy_inputs=False)[given]
        assert equal_computations([found.derivation.replay(copy)], [found.graph])
        assert pprint(found.derivation.replay().outputs[0]) == pprint(found.graph)


def test_a_form_that_stays_the_same_has_no_steps() -> None:
    found = best(at.exp(x))
    assert found.graph.owner.op is at.exp and not len(found.derivation)
    assert found.sound == "exact"
    assert best([]).graph == []
    assert best(x).graph is x


def test_greedy_rewriting_is_where_a_search_may_begin() -> None:
    found = best(at.log(1 + at.exp(x)))
    assert pprint(found.graph) == "softplus(x)" and found.sound == "stable"
    assert found.derivation[0].name == "softplus"


def test_what_several_outputs_need_counts_once() -> None:
    shared = at.exp(x)
    found = best([shared * y + shared * z, at.exp(x)], [FACTOR], lengths=10)
    assert found.cost == pytest.approx(220, abs=1)


def test_sums_are_one_sum_only_where_the_lengths_are_the_same() -> None:
    u, v = (at.vector(name, dtype="float64", shape=(3,)) for name in "uv")
    for first, second, are_same in ((x, y, False), (u, v, True)):
        both = at.sum(first) + at.sum(second)
        assert forms(both).are_equal(both, at.sum(first + second)) is are_same


def test_against_the_direction_of_a_stable_law_nothing_is_claimed() -> None:
    log1p = law("log1p", at.log(1 + a), at.log1p(a), sound="stable")
    given = [at.log(1 + x), at.log1p(x)]
    found = best(given, [log1p], cost=lambda node: 1 + 9 * (node.op is at.log1p))
    assert found.sound is None
    assert best(at.log(1 + x), [log1p], lambda node: 1).sound == "stable"


def test_what_would_take_too_many_steps_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer, "MAX_REWRITES", 0)
    found = best(x * y + x * z, [FACTOR])
    (step,) = found.derivation
    assert "checked by values" in step.name and step.sound == "finite"
    wrong = law("wrong", a * b + a * c, a * b, sound="finite")
    refuted = best(x * y + x * z, [wrong])
    assert refuted.stopped == "disagreement" and refuted.cost == refuted.given_cost


@pytest.mark.parametrize(
    ("bounds", "why"),
    [({"nodes": 60}, "nodes"), ({"rounds": 1}, "rounds"), ({"seconds": 0.0}, "seconds"), ({}, "")],
)
def test_a_search_says_why_it_stopped(bounds: dict[str, Any], why: str) -> None:
    given = at.mul(*[v + 1 for v in (x, y, z)]) if why else x * y + x * z
    found = forms(given, [FACTOR], **bounds)
    assert found.stopped == (why or "saturated")
    assert found.cheapest()[1] <= search.cost_of(given)


def test_laws_that_undo_each_other_come_to_rest() -> None:
    there = law("there", at.sin(a), at.cos(a), sound="finite")
    back = law("back", at.cos(a), at.sin(a), sound="finite")
    assert forms(at.sin(x), [there, back]).stopped == "saturated"


def test_a_law_that_grows_without_end_meets_a_bound() -> None:
    grows = law("grows", at.exp(a), at.exp(at.exp(a) - at.exp(a) + a), sound="stable")
    assert forms(at.exp(x), [grows], nodes=200).stopped == "nodes"


def test_it_is_an_optimizer_like_any_other() -> None:
    given = A @ x + A @ y
    values = [np.arange(6.0).reshape(2, 3), np.arange(3.0), np.ones(3)]
    expected = values[0] @ (values[1] + values[2])
    optimizer = SaturationOptimizer(nodes=300)
    modes = [
        Mode(optimizer=optimizer),
        Mode().register((optimizer, 2.4)),
        Mode(linker="py", optimizer=optimizer),
    ]
    for mode in modes:
        np.testing.assert_allclose(function([A, x, y], given, mode=mode)(*values), expected)
    alone = optimize_graph(given, include=(), custom_opt=optimizer, clone=True)
    assert search.cost_of(alone, flops) < search.cost_of(given, flops)
    _, derivation = optimize_graph(given, include=(), custom_opt=optimizer, clone=True, trace=True)
    assert {step.sound for step in derivation} <= {"exact", "finite"}


def test_a_graph_larger_than_the_search_stays() -> None:
    optimizer = SaturationOptimizer(nodes=3)
    given = at.exp(x) * y + at.exp(x) * z + 1
    assert optimize_graph(given, include=(), custom_opt=optimizer, clone=False) is given
    assert optimizer.stopped == "nodes"


def test_wrong_use_is_named() -> None:
    with pytest.raises(TypeError, match="best wants a variable"):
        best(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="method is one of"):
        best(x + y, [FACTOR], method="fast")
    with pytest.raises(ValueError, match="sound names"):
        best(x + y, sound="finite")
    with pytest.raises(AttributeError, match="no attribute 'bets'"):
        search.bets  # noqa: B018


def test_a_long_chain_is_no_deep_recursion() -> None:
    chain = x
    for _ in range(1500):
        chain = at.sin(chain)
    found = best(chain + y * chain + z * chain, [FACTOR])
    assert found.cost < found.given_cost
    for _ in range(5000):
        chain = at.sin(chain)
    assert best(chain, [FACTOR]).stopped == "nodes"


def test_every_step_of_a_recorded_derivation_has_its_class() -> None:
    given = at.sum(x * 0) + at.log(1 + at.exp(x)) + A @ x + A @ y
    optimizer = SaturationOptimizer(nodes=200)
    _, derivation = optimize_graph(given, include=(), custom_opt=optimizer, clone=True, trace=True)
    found = {step.name: step.sound for step in derivation}
    assert found["softplus"] == "stable" and found["mul-zero"] == "finite"
    assert {name for name in found if found[name] is None} <= {"MergeOptimizer", "constant_folding"}


def test_outputs_of_one_node_are_changed_apart() -> None:
    """What is changed for one output is not changed beneath the other."""
    x = at.TensorType("float32", (1, 1))("x")
    weights = at.reciprocal(1.0 + at.exp(x))
    parts = at.split(weights, at.constant(np.array([0, 1])), 2, axis=0)
    for outputs in (parts, parts[::-1]):
        fgraph = FunctionGraph(outputs=list(outputs), clone=True)
        SaturationOptimizer(nodes=80).optimize(fgraph)
        made = [v.owner for v in fgraph.outputs]
        assert made[0] is made[1]
        assert "sigmoid" in str(fgraph)


def test_many_cheap_forms_of_parts_leave_room_for_those_of_the_whole() -> None:
    """The numbers in it have more forms than trees are made."""
    given = at.log(at.exp(x) / (1 + at.exp(x)))
    found = list(forms(given, nodes=1000, seconds=600).in_order(limit=20, lengths=100))
    assert len({pprint(form) for form in found}) == 20
    values = np.array([-2.0, 0.5, 3.0])
    for form in found:
        np.testing.assert_allclose(form.eval({x: values}), given.eval({x: values}), rtol=1e-9)


# Expressions on which a search finds a better form than greedy rewriting; random graphs.


AS_WRITTEN = Mode("py", None)


def test_there_are_sixty() -> None:
    assert len({each.text for each in EXPRESSIONS}) == 60


@pytest.mark.parametrize("text", [each.text for each in EXPRESSIONS[::6]])
def test_a_search_finds_a_cheaper_form(text: str) -> None:
    found: Comparison = compared(text, nodes=700, seconds=60)
    assert found.best < found.fast_run and is_derived(found)
    inputs = [v for v in graph_inputs([found.given]) if not isinstance(v, Constant)]
    values = [_value(v) for v in inputs]
    as_written, rewritten = (
        function(inputs, graph, mode=AS_WRITTEN, on_unused_input="ignore")(*values)
        for graph in (found.given, found.graph)
    )
    np.testing.assert_allclose(rewritten, as_written, rtol=1e-9)


def _value(v: object) -> object:
    shape = tuple(n or 1 for n in v.type.shape)  # type: ignore[attr-defined]
    return np.random.default_rng(1).uniform(0.5, 1.5, shape)


# Random graphs: what a search finds has the values of the graph, in the class of its steps.


def test_values_are_kept_in_the_class_of_the_steps() -> None:
    # bounded by terms, not by time
    search = SaturationOptimizer(nodes=80, seconds=600)
    found = check_optimizer(search, examples=15, seed=seed_of("search"))
    assert found.passed, found
