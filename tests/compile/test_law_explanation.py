"""Where in a graph a law matches, and what phases make of its left side."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from etuples import etuple
from kanren import eq, lall, var

import relations
import relgraph.tensor as at
from relgraph import explain, function, law, laws_for, lvars, optimize_graph, pprint
from relgraph.compile import register_canonicalize, register_specialize
from relgraph.compile.database import forms, optdb
from relgraph.compile.law_explanation import notes_on_phases
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    KanrenRelationSub,
    Reason,
    Relation,
    one_cliento,
    relation,
    whereo,
)
from relgraph.graph.opt import local_optimizer
from relgraph.graph.optdb import OptimizationQuery
from relgraph.tensor.reductions import CAReduce

a, b = lvars("a b")
x = at.dvector("x")

PYTHAGORAS = law("pythagoras", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="finite")
IN_ITS_FORM = "canonicalize writes its left side as sqr(sin(a)) + sqr(cos(a)): only that form"


def test_explain_says_how_a_phase_has_written_it() -> None:
    written = at.sin(x) ** 2 + at.cos(x) ** 2
    canonical = optimize_graph(written, clone=True)
    why = explain(PYTHAGORAS, canonical)
    assert not why.matches
    assert why.text.startswith("pythagoras matches nowhere in sqr(sin(x)) + sqr(cos(x))")
    assert IN_ITS_FORM in why.notes[0]
    assert "register_canonicalize" in why.notes[0] and why.notes[0] in str(why)
    # what matches needs no more words, and the other direction has another left side
    assert explain(PYTHAGORAS, written).notes == ()
    assert explain(PYTHAGORAS, canonical, "backward").notes == ()


# -- places -------------------------------------------------------------------------------

y, z = at.dvectors("y", "z")
c = lvars("c")
DISTRIBUTE = law("distribute", a * (b + c), a * b + a * c, sound="finite")


def test_each_place_has_its_bindings_and_result() -> None:
    why = explain(DISTRIBUTE, at.exp(x * (y + z)) + at.log(y * (at.tanh(x) + z)))
    assert why.matches and len(why.places) == 2
    assert str(why).splitlines()[:3] == [
        "distribute matches in 2 places",
        "  y * (tanh(x) + z) → y * tanh(x) + y * z, with a = y, b = tanh(x), c = z",
        "  x * (y + z) → x * y + x * z, with a = x, b = y, c = z",
    ]
    first = why.places[0]
    assert first.bindings["a"] is y and pprint(first.result) == "((y * tanh(x)) + (y * z))"


def test_the_three_nearest_places() -> None:
    far, near = at.exp(x) * at.log(y), at.tanh(y) * (y - z)
    graph = [at.log(1 + at.exp(x)) - far, near, x * at.sqrt(y), y * at.sin(z)]
    why = explain(DISTRIBUTE, graph)
    assert not why.matches and len(why.nearest) == 3
    assert str(why).startswith("distribute matches nowhere in the graph\nthe nearest places:\n  ")
    assert all(place.wanted == "b + c" for place in why.nearest)
    # an op that is another one is not near
    (root,) = explain(DISTRIBUTE, at.exp(x)).nearest
    assert root.reason is Reason.OP and "exp(x): the law wants a * (b + c)" in str(
        explain(DISTRIBUTE, at.exp(x))
    )


def test_what_the_default_mode_applies_and_what_comes_first() -> None:
    graph = -at.log(1 / (1 + at.exp(-x)))
    why = explain(relation_of("log-sigmoid"), graph)
    assert not why.matches and [step.before for step in why.applied] == ["log(sigmoid(x))"]
    assert "the default mode applies it once:\n  log(sigmoid(x)) → -softplus(-x)" in str(why)
    assert why.nearest[0].wanted == "sigmoid(x)"
    why = explain(PYTHAGORAS, at.exp(at.sin(x) ** 2 + at.cos(x) ** 2))
    assert why.matches and why.taken[0].name == "pow-two"
    assert "but the default mode applies pow-two first: sin(x) ** 2.0 → sqr(sin(x))" in str(why)
    why = explain(relation_of("log-sigmoid"), at.log(at.sigmoid(x)))
    assert len(why.places) == len(why.applied) == 1 and not why.taken


def relation_of(name: str) -> Relation:
    return next(rule for rule in relations.STABILIZE if rule.name == name)


def test_a_value_that_is_read_elsewhere() -> None:
    product = at.exp(a) * b
    alone = law("alone", at.log(product), a + at.log(b), one_cliento(product), sound="domain")
    read = at.exp(x) * y
    assert explain(alone, at.log(read)).matches
    # equal nodes are one when a phase sees them
    why = explain(alone, [at.log(read), at.tanh(at.exp(x) * y)])
    assert not why.matches and why.nearest[0].reason is Reason.READ
    assert "exp(x) * y is read elsewhere too, by log(exp(x) * y) and by tanh(exp(x) * y)" in str(
        why
    )


def test_a_match_that_would_cost_more() -> None:
    joined = next(rule for rule in relations.SPECIALIZE if rule.name == "exp-mul-exp")
    left, right = at.exp(x), at.exp(y)
    assert explain(joined, left * right).matches
    why = explain(joined, [left * right, left, right])
    assert not why.matches and not why.applied
    assert why.nearest[0].reason is Reason.COSTS
    said = "exp(x) * exp(y): it matches, but with exp(x + y) the graph would cost more"
    assert said in str(why) and "exp(x) stays, since it is read by exp(x) * exp(y)" in str(why)


def test_graphs_of_every_kind() -> None:
    graph = FunctionGraph([x, y, z], [at.exp(x * (y + z))], clone=False)
    why = explain(DISTRIBUTE, graph)
    assert why.matches and pprint(graph.outputs[0]) == "exp((x * (y + z)))"
    assert not explain(DISTRIBUTE, x).matches
    to_zero = law("to-zero", a - a, 0, sound="finite")
    assert explain(to_zero, x, "backward").nearest[0].reason is Reason.DIRECTION
    for wrong in (3, [], [3]):
        with pytest.raises(TypeError, match="graph"):
            explain(DISTRIBUTE, wrong)
    with pytest.raises(ValueError, match="forward or backward"):
        explain(DISTRIBUTE, x, "sideways")


def test_an_explanation_stays_short() -> None:
    graph = [at.exp(x * (y + at.exp(z * k))) / (y * at.tanh(z + k)) for k in range(2, 9)]
    assert len(str(explain(DISTRIBUTE, graph)).splitlines()) <= 12


def test_laws_for_a_graph() -> None:
    found = [rule.name for rule in laws_for(at.sqrt(at.log(1 + at.exp(x))))]
    assert "softplus" in found and "log1p" in found and len(found) == len(set(found))
    assert laws_for(at.exp(x * (y + z)), [PYTHAGORAS, DISTRIBUTE]) == [DISTRIBUTE]
    assert laws_for([x, y]) == []
    with pytest.raises(TypeError, match="variables"):
        laws_for([3])


def test_a_check_says_it_too() -> None:
    result = PYTHAGORAS.check(examples=40)
    assert result.passed
    assert IN_ITS_FORM in result.remarks[0]
    assert IN_ITS_FORM in str(result)


@pytest.mark.parametrize(
    ("written", "phase", "form"),
    [
        (law("t", at.log(at.softmax(a, axis=0)), a), "stabilize", "log_softmax(a, axis=0)"),
        (law("t", at.sum(a * a, axis=-1), at.exp(a)), "canonicalize", "sum(sqr(a), axis=(-1,))"),
        (law("t", a + b - b + 1, a * b), "canonicalize", "a + 1"),
        (
            law("t", at.flip(at.sort(a), axis=-1)[..., 0], at.max(a, axis=-1)),
            "canonicalize",
            "sort(a, axis=-1)[:, :, -1]",
        ),
    ],
)
def test_the_phase_is_named(written: object, phase: str, form: str) -> None:
    (note, *_) = notes_on_phases(written)
    assert note.startswith(f"{phase} writes its left side")
    assert f" as {form}: " in note
    assert ("of tensors of rank 3" in note) is (":, :" in form)


def test_what_is_gone_never_matches() -> None:
    (note, *_) = notes_on_phases(law("t", a + b - b + 1, a * b, sound="finite"))
    assert note.endswith("the law never matches after it")


def test_nothing_is_said_where_nothing_is_to_be_said() -> None:
    @relation("t")
    def open_goal(in_lv: object, out_lv: object) -> object:
        return whereo(bool, in_lv)

    for written in (
        law("t", at.exp(at.sin(a)) + 1, a, sound="domain"),
        law("t", at.softmax(a + 1), at.softmax(a), sound="finite"),
        open_goal,
        *relations.CANONICALIZE[:50],
        *relations.STABILIZE[:50],
    ):
        assert notes_on_phases(written) == []


def test_a_registered_law_is_tried_in_all_its_forms() -> None:
    written = law("test-law-explanation", a * a + 7 * b, b, tags=("unsafe",), sound="domain")
    assert len(notes_on_phases(written)) == 1
    register_canonicalize(written, "test-law-explanation-tag")
    assert notes_on_phases(written) == []


def test_a_law_may_be_named() -> None:
    x = at.dvector("x")
    found = explain("softplus", at.log(1 + at.exp(x)) * 2)
    assert found.law == "softplus" and found.matches
    with pytest.raises(ValueError, match=r"a law called 'softplu'; did you mean 'softplus'"):
        explain("softplu", x)
    with pytest.raises(TypeError, match="explain takes a law, its name or a relation, not 3"):
        explain(3, x)  # type: ignore[arg-type]


def test_relations_are_explained_as_they_are_given_to_a_rewriter():
    def undo_log(in_lv: Any, out_lv: Any) -> Any:
        inner = var()
        return lall(eq(in_lv, etuple(at.exp, etuple(at.log, inner))), eq(out_lv, inner))

    near = at.exp(at.log(x) + 1) * at.exp(at.log(x))
    for given in (undo_log, KanrenRelationSub(undo_log)):
        found = explain(given, near)
        assert str(found).startswith("undo_log matches in one place\n  exp(log(x)) → x, with")
    refused = re.escape("the law wants log(") + ".*" + re.escape("the graph has log(x) + 1.0")
    assert re.search(refused, str(found))
    filtered = KanrenRelationSub(undo_log, node_filter=lambda node: False)
    assert "its node filter leaves this node out" in str(explain(filtered, near))
    turned = explain(law("turned", at.exp(a).T, at.exp(a.T)).backward, near)
    assert turned.law == "turned (backward)" and "the law wants a.T" in str(turned)


# Laws whose left side a phase writes in another way before they are tried.

axis = lvars("axis")

CANONICALIZE = optdb.query(OptimizationQuery(include=["canonicalize"]))
ROUNDED = law("pythagoras", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="rounding")


def test_a_law_fires_on_what_canonicalizing_leaves():
    written = at.sin(x) ** 2 + at.cos(x) ** 2
    for optimizer in (ROUNDED, ROUNDED.forward):
        after = optimize_graph(written, custom_opt=optimizer)
        np.testing.assert_array_equal(function([x], after)(np.linspace(0, 9, 50)), np.ones(50))


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (ROUNDED, "sqr(sin(a)) + sqr(cos(a)) → 1"),
        (law("t", at.exp(-a) * -b, -b / at.exp(a), sound="finite"), "-(exp(-a) * b) → -b / exp(a)"),
        (law("t", a * a + 2 * b, b, sound="domain"), "sqr(a) + 2 * b → b"),
        (law("t", a * a + 2e300, a, sound="domain"), "sqr(a) + 2e+300 → a"),
        (
            law("t", at.sum(a * a, axis=-1), at.sum(a, axis=0), sound="domain"),
            "sum(sqr(a), axis=(-1,)) → sum(a, axis=(0,))",
        ),
    ],
)
def test_the_form_is_found(written, found):
    first, second = forms(written, CANONICALIZE)
    assert str(first) == found
    assert second is written
    assert (first.name, first.domain) == (written.name, written.domain)


@pytest.mark.parametrize(
    "written",
    [
        law("t", at.exp(at.log(a)), a, sound="finite"),  # it is left as it is
        law("t", at.sum(a * a, axis=axis), at.sum(a**2, axis=axis), sound="rounding"),  # open
        # the op itself is open
        law("t", CAReduce(b, axis)(at.exp(a)), a, sound="domain"),
        law("t", at.log(at.exp(a)) + b - b, a, sound="finite"),  # a variable is lost
        # what two sums become depends on the rank
        law("t", at.sum(at.sum(a, axis=-1), axis=0), at.max(a), sound="domain"),
        local_optimizer([at.exp])(lambda fgraph, node: False),
    ],
)
def test_there_may_be_no_other(written):
    assert forms(written, CANONICALIZE) == [written]


def test_a_form_claims_no_more_than_the_laws_that_led_to_it():
    written = law("t", at.exp(a + b - b), at.exp(a) * 1, sound="exact")
    kept = law("t", at.exp(a) * (b / b) * b, at.expm1(a) * b, sound="exact")
    assert forms(written, CANONICALIZE) == [written]
    first, _ = forms(kept, CANONICALIZE)
    assert first.sound == "finite"


def test_a_form_holds_at_every_rank():
    squares = law("t", at.sum(a * a, axis=-1), at.cosh(at.sum(a, axis=-1)), sound="domain")
    for v in (x, at.dmatrix("m"), at.dtensor3("t")):
        assert "cosh" in pprint(optimize_graph(at.sum(v * v, axis=-1), custom_opt=squares))
        if v.type.ndim > 1:
            other = at.sum(v * v, axis=0)
            assert "cosh" not in pprint(optimize_graph(other, custom_opt=squares))


def test_conditions_stay():
    only_scalars = law("t", a * a, a, whereo(lambda v: v.type.ndim == 0, a), sound="domain")
    s = at.dscalar("s")
    assert pprint(optimize_graph(s * s, custom_opt=only_scalars)) == "s"
    assert pprint(optimize_graph(x * x, custom_opt=only_scalars)) == "sqr(x)"


def test_a_registered_law_fires_in_its_phase():
    two_squares = law(
        "test-two-squares", a * a * (b * b), at.cosh(a - b), tags=("unsafe",), sound="domain"
    )
    register_specialize(two_squares, "test-phase-form")
    include = ["canonicalize", "stabilize", "specialize", "test-phase-form"]
    assert "cosh" in pprint(optimize_graph(x * x * (y * y), include=include))
