"""Cuts of a domain are those of the least error."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from relgraph.search.accuracy.candidates import Pieces, best_pieces, refined
from relgraph.search.accuracy.expressions import named, number
from relgraph.search.accuracy.formulas import parsed
from relgraph.search.accuracy.saturation import Candidate, Values
from relgraph.search.accuracy.true_values import Known


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
