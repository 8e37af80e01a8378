"""Forms: times, the front of errors and times, and cuts of the domain."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from relgraph.formulas.expressions import named, number
from relgraph.formulas.parsing import parsed
from relgraph.formulas.true_values import Known
from relgraph.search.candidates import Pieces, best_pieces, refined
from relgraph.search.improvement import front_of, times_of
from relgraph.search.refinement import Candidate, Values


def test_what_does_more_takes_longer() -> None:
    x = np.linspace(0.1, 0.9, 7, dtype=np.float32)
    known = Known({"x": x}, x, np.zeros(7))
    one, many = parsed("x + 1"), parsed("fma(x, x, fma(x, x + 2, exp(x)))")
    times = times_of([one, many], known)
    assert 0 < times[one] < times[many]


def front(**errors: float) -> list[str]:
    """Return the formulas of a front, of formulas with errors."""
    exprs = {parsed(FORMULAS[name]): name for name in errors}
    return [exprs[e] for e in front_of(exprs, {e: errors[name] for e, name in exprs.items()})]


FORMULAS = {
    "exp": "exp(x)",
    "tan": "tan(x)",
    "twice": "exp(x) + log(x)",
    "more": "exp(x) + 1",
    "sum": "x + 1",
    "cut": "where(x < 1, exp(x), log(x))",
    "small_cut": "where(x < 1, x, 1)",
}


def test_what_is_dearer_and_errs_more_is_left_out() -> None:
    assert front(exp=0.1, twice=0.5, sum=9) == ["exp", "sum"]
    assert front(exp=0.1, tan=0.5) == ["exp"]


def test_what_is_hardly_cheaper_has_to_be_as_good() -> None:
    assert front(more=0.1, exp=0.5) == ["more"]
    assert front(more=0.1, exp=0.15) == ["more", "exp"]
    assert front(twice=0.1, exp=0.5) == ["twice", "exp"]


def test_what_the_next_cheaper_form_does_as_well_is_left_out() -> None:
    assert front(exp=0.1, sum=0.115) == ["sum"]


def test_a_form_with_fewer_pieces_is_taken_for_less_than_half_a_bit() -> None:
    assert front(cut=0.1, exp=0.5) == ["exp"]
    assert front(cut=0.1, exp=0.7) == ["cut", "exp"]
    # what is dearer has to be better
    assert front(small_cut=0.1, exp=0.5) == ["small_cut"]
    assert front(exp=0.1, small_cut=0.5) == ["exp", "small_cut"]


# Cuts of a domain are those of the least error.


def values(x: list[float]) -> Values:
    return Values(Known({"x": np.array(x)}, np.array(x), np.zeros(len(x))))


def least_by_trying(errors, count: int, price: float) -> float:
    """Return the least sum over all cuts."""
    n = errors.shape[1]
    found = []
    for pieces in range(1, count + 1):
        for ends in combinations(range(1, n), pieces - 1):
            parts = list(zip((0, *ends), (*ends, n), strict=True))
            for forms in product(range(len(errors)), repeat=pieces):
                total = sum(errors[f, a:b].sum() for f, (a, b) in zip(forms, parts, strict=True))
                found.append(total + price * (pieces - 1))
    return float(min(found))


def test_cuts_are_the_best() -> None:
    random = np.random.default_rng(2)
    for _ in range(5):
        errors = random.integers(0, 40, (3, 6)).astype(float)
        forms = [Candidate(number(k), e) for k, e in enumerate(errors)]
        found = best_pieces(forms, [named("x")], values([1, 2, 3, 4, 5, 6]), price=3)
        best = least_by_trying(errors, 3, 3)
        total = errors.sum(axis=1).min() if found is None else found.total
        # as many pieces as are tried here, or more
        assert total <= best
        if found is not None and len(found.forms) <= 3:
            assert total == best
            order = np.searchsorted(found.cuts, [1, 2, 3, 4, 5, 6], side="left")
            mine = sum(errors[found.forms[k].value.numerator, j] for j, k in enumerate(order))
            assert mine + 3 * len(found.cuts) == total


def test_equal_values_are_not_cut() -> None:
    errors = np.array([[0.0, 0, 60, 60], [60, 60, 0, 0]])
    forms = [Candidate(number(k), e) for k, e in enumerate(errors)]
    assert best_pieces(forms, [named("x")], values([1, 1, 1, 1])) is None
    assert best_pieces([], [named("x")], values([1, 1, 2, 2])) is None
    found = best_pieces(forms, [named("x")], values([1, 1, 2, 2]))
    assert found is not None and 1 <= found.cuts[0] < 2


def test_a_cut_is_about_an_input_where_that_costs_less_than_half_a_bit() -> None:
    x, y = np.arange(1.0, 9.0), np.array([1.0, 5, 2, 6, 3, 7, 4, 8])
    known = Values(Known({"x": x, "y": y}, x, np.zeros(8)))
    for lost, taken in ((0.8, named("x")), (3.0, parsed("y * 2"))):
        errors = [np.where(x > 4, 9.0, lost * (x < 3)), np.where(x > 4, lost * (x > 6), 9.0)]
        errors += [np.where(y > 4, 9.0, 0.0), np.where(y > 4, 0.0, 9.0)]
        forms = [Candidate(number(k), e) for k, e in enumerate(errors)]
        found = best_pieces(forms, [parsed("y * 2"), named("x")], known, price=1)
        assert found is not None and found.by is taken


def test_a_fourth_piece_has_to_gain_a_bit() -> None:
    x = [float(k) for k in range(8)]
    for worse, pieces in ((7.0, 4), (3.0, 3)):
        errors = np.array([[0.0, 0, 60, 60, 0, 0, worse, worse], [60, 60, 0, 0, 60, 60, 0, 0]])
        forms = [Candidate(number(k), e) for k, e in enumerate(errors)]
        found = best_pieces(forms, [named("x")], values(x), price=1)
        assert found is not None and len(found.forms) == pieces


def test_a_cut_is_moved_to_where_the_forms_cross() -> None:
    # the first form is exact up to 3, the second one beyond
    forms = (parsed("where(x <= 3, x, 0)"), parsed("where(x > 3, x, 0)"))
    known = values([1.0, 2.0, 8.0, 9.0]).points
    start = Pieces(named("x"), forms, (2.0,), 0.0)
    (cut,) = refined(start, known, lambda point: point["x"]).cuts
    assert 2.99 < cut < 3.01
    assert refined(start, known, lambda point: None).cuts == (2.0,)


def test_pieces_are_a_choice() -> None:
    found = Pieces(named("x"), (number(1), number(2), number(3)), (0.0, 5.0), 0.0).expr
    assert found is parsed("where(x <= 0, 1, where(x <= 5, 2, 3))")
