"""`improve` on formulas that lose digits: fewer bits of error, by steps that replay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.formulas.expressions import apply, branches_of, without_decided_choices, written
from relgraph.search import derivation, improving
from relgraph.search.accuracy import (
    EmptyDomain,
    Instance,
    ReplayError,
    error_plot,
    from_fpcore,
    improve,
    parsed,
)
from relgraph.search.improvement import Form, is_cheaper
from relgraph.tensor import exp, log
from tests.search.accuracy.fpbench import errors
from tests.search.accuracy.replays import leads

FORMULAS = [
    ("sqrt(x + 1) - sqrt(x)", "x > 0", 0.5),
    ("1 / (x + 1) - 1 / x", "x != 0", 0.5),
    ("(1 - cos(x)) / sin(x)", "x != 0", 0.5),
    ("pi / 2 - 2 * arcsin(sqrt((1 - x) / 2))", None, 0.5),
    ("x * y / (z * t)", None, 1.5),
    ("sqrt(x**2 + y**2 + z**2)", None, 0.2),
    ("sin(30 * x)", "abs(x) < 1e300", 0.5),  # where 30 * x does not overflow
    # none of these is an identity: each follows from those of its family
    ("2 / (1 + exp(-2 * x)) - 1", None, 0.5),
    ("log(tan(pi / 4 + 0.5 * x))", "abs(x) < 1.5", 0.5),
    ("(exp(x) - 2) + exp(-x)", "abs(x) < 1", 0.5),
    ("arccos(1 - x)", "0 < x < 1", 0.5),
    ("(1 / (x + 1) - 2 / x) + 1 / (x - 1)", "x > 2", 0.5),
    ("sqrt((x * x + y * y + z * z) / 3)", None, 0.5),
]


def errs_more(form: Form, other: Form) -> bool:
    """Return whether a form errs more than another by more than the noise of the points."""
    more = form.errors - other.errors
    return bool(more.mean() > 2 * more.std() / np.sqrt(len(more)))


@pytest.mark.parametrize(("text", "domain", "most"), FORMULAS)
def test_less_error(text: str, domain: str | None, most: float) -> None:
    found = improve(text, domain=domain, samples=128, seconds=6)
    assert found.original.error > 2 > most >= found.best.error
    for form in found.front:
        for other in found.front:
            assert not (errs_more(form, other) and is_cheaper(other.expr, form.expr))
        ends = [form.expr] if form.pieces is None else dict.fromkeys(form.pieces.forms)
        for steps, end in zip(form.derivations, ends, strict=True):
            assert leads(steps, found.original.expr, end)


def test_what_loses_nothing_is_left_alone() -> None:
    found = improve("x * y + 1", domain={"x": (1, 2), "y": (1, 2)}, samples=64, seconds=0.5)
    assert found.best.error <= found.original.error < 1


def test_a_form_is_a_function() -> None:
    x = at.dmatrix("x")
    found = improve(at.exp(x) - 1, [x], samples=64)
    values = np.array([[1e-20, 2.0]])
    np.testing.assert_allclose(found.best(values), np.expm1(values), rtol=1e-15)
    assert found.best.output.type.dtype == "float64"
    text = improve("exp(x) - 1", samples=64).best
    assert text(1e-20) == 1e-20
    np.testing.assert_allclose(text([[0.0, 1.0]]), [[0, np.e - 1]], rtol=1e-15)
    with pytest.raises(TypeError, match="1 inputs"):
        text(1.0, 2.0)


def test_a_form_to_which_the_steps_are_too_many_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(derivation, "_MOST_STEPS", 0)
    found = improve("sqrt(x + 1) - sqrt(x)", domain="x > 1", samples=64, seconds=1)
    assert all(f.output is not None for f in found.front)
    steps = [step for f in found.front for d in f.derivations for step in d.steps]
    assert all(step.name == "series" for step in steps)


def test_pieces_of_the_domain() -> None:
    found = improve("sqrt(x * x + 1) - 1", samples=128, laws=(), seconds=2)
    assert found.best.error < 0.5
    x = np.array([1e-200, 1e-9, 1.0, 1e200])
    expected = [0, 5e-19, np.sqrt(2) - 1, 1e200]
    np.testing.assert_allclose(found.best(x), expected, rtol=1e-14)


def test_a_series_where_another_input_is() -> None:
    domain = "1 < y < 2 and 0.99 * y < x < 1.01 * y"
    found = improve("log(x) - log(y) - 2 * (x - y) / (x + y)", domain=domain, samples=64, seconds=2)
    near = [d for f in found.front for d in f.derivations if "series at x = y" in str(d)]
    assert near and all(d.replay() is not None for d in near)
    assert found.best.error < 9 < 20 < found.original.error
    assert not found.best.exact


def test_domains() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    difference = at.sqrt(x + y) - at.sqrt(x)
    for domain in ("x > 1 and 0 < y < 1", {"x": (1, 1e9), y: (0.25, 1)}, at.gt(x, 1) & at.lt(y, 1)):
        points = improve(difference, [x, y], domain=domain, samples=32, seconds=0.1).points
        assert (points.inputs["x"] > 0.99).all() and (points.inputs["y"] <= 1).all()


def test_given_points() -> None:
    data = np.linspace(1e8, 2e8, 60)
    found = improve("sqrt(x + 1) - sqrt(x)", points={"x": data}, seconds=2)
    assert set(found.points.inputs["x"]) <= set(data)
    assert found.best.error < 1 < 20 < found.original.error
    with pytest.raises(ValueError, match="no values of x"):
        improve("x + 1", points={"y": data})
    with pytest.raises(ValueError, match="2 columns"):
        improve("x + 1", points=[data, data])
    with pytest.raises(ValueError, match=r"different numbers of points: {'x': 60, 'y': 1}"):
        improve("x + y", points=[data, [1.0]])


def test_the_last_choice_is_made_on_other_points_than_are_reported() -> None:
    # every second point is reported on; of large ones the input loses all digits
    large, small = np.linspace(1e8, 2e8, 30), 10.0 ** np.linspace(-300, -200, 30)
    formula = "sqrt(x + 1) - sqrt(x)"
    chosen = improve(formula, points=[np.stack([large, small], 1)], seconds=1)
    assert set(chosen.points.inputs["x"]) <= set(small) and chosen.original.error < 0.1
    assert chosen.best.expr is not chosen.original.expr
    np.testing.assert_allclose(chosen.best(1e15), 0.5 / 1e15**0.5, rtol=1e-8)
    kept = improve(formula, points=[np.stack([small, large], 1)], seconds=1)
    assert set(kept.points.inputs["x"]) <= set(large)
    # what is not seen where forms are chosen is said none the less
    assert kept.best.error > 10


@pytest.mark.parametrize("points", [None, [np.linspace(1.0, 2.0, 40)]])
def test_points_have_one_use_each(points: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    search, times = improving.search_forms, improving.times_of

    def searched(expr: Any, sampler: Any, known: Any, *others: Any) -> Any:
        used.append(known)
        return search(expr, sampler, known, *others)

    def timed(exprs: Any, known: Any) -> Any:
        used.append(known)
        return times(exprs, known)

    monkeypatch.setattr(improving, "search_forms", searched)
    monkeypatch.setattr(improving, "times_of", timed)
    found = improve("x + 1", domain="1 < x < 2", points=points, samples=16, seconds=0.1)
    sets = [set(known.inputs["x"]) for known in (*used, found.points)]
    assert all(sets) and len(sets) == 3
    assert len(set.union(*sets)) == sum(map(len, sets))


def test_one_point_is_too_few() -> None:
    with pytest.raises(EmptyDomain, match="no others to report on"):
        improve("x + 1", points=[[1.0]])
    assert improve("x + 1", points=[[1.0, 2.0]], seconds=0.1).best.error == 0
    assert len(improve("1 + pi", seconds=0.1).points) == 1


def test_float32() -> None:
    x = at.fvector("x")
    found = improve(at.sqrt(x + 1) - at.sqrt(x), [x], domain="x > 0", samples=64, seconds=2)
    assert found.best.error < 0.6 < 8 < found.original.error
    result = found.best(np.float32([1e10]))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, 5e-6, rtol=1e-6)


def test_several_outputs_and_laws_of_ones_own() -> None:
    x = lvars("x")
    mine = law("log-of-exp-of-mine", log(1 + exp(x)) - x, log(1 + exp(-x)), sound="domain")
    found = improve(["log(1 + exp(x)) - x", "x + 1"], domain="x > 1", laws=[mine], samples=64)
    assert len(found) == 2
    assert found[0].best.error < 1


def test_table_and_plot() -> None:
    found = improve("sqrt(x + 1) - sqrt(x)", domain="x > 0", samples=64, seconds=2)
    assert "1 / (sqrt(x + 1) + sqrt(x))" in found.report(140)
    assert "played no part in any choice" in str(found) and "bits" in repr(found)
    assert found.best.time > 0
    drawn = error_plot(found)
    assert drawn.startswith("<svg") and drawn.count("<circle") == 2 * len(found.points) + 2
    with pytest.raises(ValueError, match="no input y"):
        error_plot(found, "y")


def test_a_formula_of_the_benchmark() -> None:
    (core,) = from_fpcore('(FPCore (x) :name "expm1" :pre (!= x 0) (/ (- (exp x) 1) x))')
    record = errors(core, 64, 2.0)
    assert record["improved"] < 0.5 < 5 < record["naive"]


def test_a_domain_without_points_says_what_was_taken_for_a_number():
    for text, taken in (("sqrt(inf + x) - sqrt(inf)", "inf is the number inf"), ("nan + x", "nan")):
        with pytest.raises(EmptyDomain, match=f"no point .*{taken}.*--inputs"):
            improve(text, seconds=1)
    with pytest.raises(EmptyDomain) as error:
        improve("sqrt(x)", domain="x < -1", seconds=1)
    assert "number" not in str(error.value)


def test_numbers_beyond_the_range_of_floats():
    for text in ("1e400 * x * 1e-400", "x + 1e-400", "-1e400 * x * 1e-400"):
        assert improve(text, domain="1 < x < 2", seconds=1).original.error < 64.1


@pytest.mark.parametrize(
    ("formula", "best"),
    [
        ("log(1 + exp(x))", "softplus(x)"),
        ("exp(x) / (1 + exp(x))", "sigmoid(x)"),
        ("exp(x) / (exp(x) + exp(y))", "sigmoid(x - y)"),
    ],
)
def test_ops_of_the_book_are_candidates(formula: str, best: str) -> None:
    found = improve(formula, seconds=60).best
    assert str(found) == best and found.error < 0.1


def test_a_choice_is_by_an_input_and_made_once() -> None:
    found = improve("sqrt(x*x + 1) - x", seconds=60).best
    assert str(found) == "where(x <= 0, hypot(1, x) - x, 1 / (hypot(1, x) + x))"
    assert found.pieces is not None and not found.exact and "branch" in found.laws
    pairs = zip(found.derivations, found.pieces.forms, strict=True)
    assert all(leads(d, parsed("sqrt(x*x + 1) - x"), form) for d, form in pairs)


def test_a_branch_is_one_of_those_that_a_form_chooses_among() -> None:
    whole = parsed("where(x > 0, 1 / x, where(y > 0, y, 2))")
    assert [written(e) for e in branches_of(whole)] == ["1 / x", "y", "2"]
    Instance("branch", (), whole, parsed("y")).check()
    with pytest.raises(ReplayError, match="branch does not make"):
        Instance("branch", (), whole, parsed("x")).check()


def test_a_formula_of_which_all_forms_choose_by_other_than_inputs() -> None:
    near = "where(a - b > pi, b - 2 * pi, b)"
    found = improve(f"(a + {near}) / 2 - arctan(c * tan(a - {near})) / d", samples=64, seconds=4)
    assert found.best.error <= found.original.error


def test_the_same_call_gives_the_same_forms() -> None:
    def forms(text: str) -> list[str]:
        return [str(form) for form in improve(text, samples=96, seconds=60).front]

    first = {text: forms(text) for text in ("sqrt(x * x + y * y + 1)", "sin(x + y) - sin(x)")}
    # other searches, between and in another order, change nothing
    for text in reversed(first):
        assert forms(text) == first[text]


def test_one_form_takes_the_place_of_several_that_are_hardly_better() -> None:
    best = improve("(1 - cos(x)) / x**2", seconds=60).best
    assert best.pieces is None and best.exact and best.error < 0.5


def test_a_branch_has_no_ops_that_save_nothing() -> None:
    best = improve("1 / x - 1 / tan(x)", domain="abs(x) < 1", seconds=60).best
    assert best.pieces is not None
    assert {written(e) for e in best.pieces.forms} > {"tan_less_x(x) / (x * tan(x))"}


def test_cuts_have_few_digits_where_that_costs_nothing() -> None:
    pieces = improve("1 / x - 1 / tan(x)", seconds=60).best.pieces
    assert pieces is not None
    for cut in pieces.cuts:
        assert float(f"{cut:.2e}") == cut


def test_choices_that_the_domain_decides_are_left_out() -> None:
    found = improve("(1 / (x + 1) - 2 / x) + 1 / (x - 1)", domain="x > 2", samples=128, seconds=60)
    assert "where" not in str(found.best) and found.best.error < 0.3
    (steps,) = found.best.derivations
    assert leads(steps, found.original.expr, found.best.expr)
    assert parsed("1 < x") in found.best.conditions
    known = (parsed("x > 0"), apply("invert", parsed("y > 1")))
    before, after = parsed("where(x > 0, where(y > 1, 1, x), y)"), parsed("x")
    Instance("decided-choices", (), before, after, conditions=known).check()
    with pytest.raises(ReplayError, match="decided-choices does not make"):
        Instance("decided-choices", (), before, after, conditions=known[:1]).check()


def test_choices_that_others_decide() -> None:
    given = parsed("where(x > 0, 1 / where(x > 0, x, 1) + where(y > 0, x, 2), where(x > 0, 3, y))")
    assert written(without_decided_choices(given)) == (
        "where(x > 0, 1 / x + where(y > 0, x, 2), y)"
    )
    step = Instance("decided-choices", (), given, parsed("where(x > 0, 1 / x, y)"))
    with pytest.raises(ReplayError, match="decided-choices does not make"):
        step.check()
