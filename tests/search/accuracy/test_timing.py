"""Times of forms, and the front of errors and times."""

from __future__ import annotations

import numpy as np

from relgraph.search.accuracy.expressions import Expr
from relgraph.search.accuracy.forms import Time, front_of, times_of
from relgraph.search.accuracy.formulas import parsed
from relgraph.search.accuracy.true_values import Known


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
