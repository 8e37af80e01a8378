"""Forms: times, the front of errors and times, and cuts of the domain."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from relgraph.formulas.expressions import Expr, named, number
from relgraph.formulas.parsing import parsed
from relgraph.formulas.true_values import Known
from relgraph.search.candidates import Pieces, best_pieces, refined
from relgraph.search.improvement import Time, front_of, times_of
from relgraph.search.refinement import Candidate, Values


def test_what_does_more_takes_longer() -> None:
    x = np.linspace(0.1, 0.9, 7, dtype=np.float32)
    known = Known({"x": x}, x, np.zeros(7))
    one, many = parsed("x + 1"), parsed("fma(x, x, fma(x, x + 2, exp(x)))")
    times = times_of([one, many], known)
    assert 0 < times[one].ns < times[many].ns
    assert times[one].is_less_than(times[many]) and not times[many].is_less_than(times[one])
    assert all(t.noise >= t.ns / 10 for t in times.values())


def front(*rows: tuple[str, float, float]) -> list[str]:
    """Return the formulas of a front, of formulas with errors and times, a tenth of them noise."""
    exprs: dict[Expr, tuple[str, float, float]] = {parsed(r[0]): r for r in rows}
    means = {e: r[1] for e, r in exprs.items()}
    times = {e: Time(r[2], r[2] / 10) for e, r in exprs.items()}
    return [exprs[e][0] for e in front_of(exprs, means, times)]


def test_what_is_slower_and_errs_more_is_left_out() -> None:
    assert front(("exp(x)", 0.1, 50), ("log(x)", 0.5, 60), ("x + 1", 9, 5)) == ["exp(x)", "x + 1"]


def test_the_noise_of_times_decides_nothing() -> None:
    # of what takes the same time, what errs more is kept only if its ops are cheaper
    assert front(("exp(x)", 0.1, 50), ("log(x)", 0.5, 49)) == ["exp(x)"]
    assert front(("exp(x)", 0.1, 50), ("x * x", 0.5, 51)) == ["exp(x)"]
    assert front(("exp(x)", 0.1, 50), ("x * x", 0.15, 51)) == ["exp(x)", "x * x"]


def test_what_the_next_faster_form_does_as_well_is_left_out() -> None:
    assert front(("exp(x)", 0.1, 50), ("x * x", 0.115, 5)) == ["x * x"]


def test_a_form_with_fewer_pieces_is_taken_for_less_than_half_a_bit() -> None:
    cut = "where(x < 1, exp(x), log(x))"
    assert front((cut, 0.1, 50), ("exp(x)", 0.5, 50)) == ["exp(x)"]
    assert front((cut, 0.1, 50), ("exp(x)", 0.7, 50)) == [cut]
    # what is slower has to be better
    assert front((cut, 0.1, 20), ("exp(x)", 0.5, 50)) == [cut]
    assert front(("exp(x)", 0.1, 50), (cut, 0.5, 20)) == ["exp(x)", cut]


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
