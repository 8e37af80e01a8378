"""Laws about what other laws make: about differences the other way round, and before elements are
taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relations
import relgraph.tensor as at
from relations.kit.made_by_laws import DEEPEST
from relations.phases import _is_difference, _is_elementwise, _text, _turned
from relgraph.compile.optimize import optimize_graph
from relgraph.gradient import grad
from relgraph.graph.kanren.laws import Law
from relgraph.graph.notation import algebra
from tests.relations.applied import OF_LAWS, TURNED, applied, assert_same_values, turned, value_of
from tests.relations.test_reach import EXAMPLES, PIPELINES, fires

DIFFERENCES = [one for one in relations.STABILIZE if isinstance(one, Law) and _is_difference(one)]
KNOWN = {_text(law.lhs) for law in DIFFERENCES}
ONE_WAY_ROUND = {law.name: law for law in DIFFERENCES if _text(_turned(law.lhs)) not in KNOWN}


def other_way_round(law: Law) -> Law:
    """Return the law by which what `law` is about is known the other way round."""
    return TURNED["difference-turned-late" if law.late else "difference-turned"]


def test_most_differences_stand_in_the_book_one_way_round() -> None:
    assert len(ONE_WAY_ROUND) > 70
    assert set(TURNED) == {other_way_round(law).name for law in ONE_WAY_ROUND.values()}


@pytest.mark.parametrize("name", sorted(set(ONE_WAY_ROUND) - set(TURNED)))
def test_its_result_is_the_negative(name: str) -> None:
    law = ONE_WAY_ROUND[name]
    examples = [one for one in EXAMPLES[name] if turned([one])]
    assert examples
    for one in examples:
        (other,) = turned([one])
        expected = algebra(applied(law, one), 2000)
        found = algebra(applied(other_way_round(law), other), 2000)
        assert found in (f"-{expected}", f"-({expected})")


@pytest.mark.parametrize("name", sorted(set(ONE_WAY_ROUND) - set(TURNED)))
def test_it_fires_amid_the_others(name: str) -> None:
    turned_law = other_way_round(ONE_WAY_ROUND[name]).name
    examples = turned(EXAMPLES[name])
    assert any(fires(turned_law, examples, pipeline) for pipeline in PIPELINES.values())


# A law about an op of what another op gives is one about the op of elements of that, too.


STABLE = [one for one in relations.STABILIZE if isinstance(one, Law) and one.name not in OF_LAWS]
MOVED = [law for name, law in OF_LAWS.items() if name.startswith("before-elements-are-taken")]
x, y, w, m = at.dvector("x"), at.dvector("y"), at.zvector("w"), at.dmatrix("m")
s, few = at.sigmoid(x), np.array([0, 2, 2])

CASES = [
    (1 - s[0], "sigmoid(-x)[0]"),
    (1 - s[few], "sigmoid(-x)[[0 2 2]]"),
    (at.log(s[few]), "(-softplus(-x))[[0 2 2]]"),
    (at.log1p(-s[1:]), "(-softplus(x))[1:]"),
    (1 - at.exp(x)[few], "(-expm1(x))[[0 2 2]]"),
    (1 - at.sigmoid(m).T, "sigmoid(-m).T"),
    (1 - at.reshape(s, (3, 1)), "reshape{2}(sigmoid(-x), [3 1])"),
    (at.log(at.softmax(x)[few]), "log_softmax(x, axis=None)[[0 2 2]]"),
    (at.log(at.softmax(m)[0, 1]), "log_softmax(m, axis=1)[0, 1]"),
    (at.log(at.softmax(m)[[0, 1], [1, 0]]), "log_softmax(m, axis=1)[[0 1], [1 0]]"),
    (at.log(at.softmax(m, axis=1).T), "log_softmax(m, axis=1).T"),
    (at.log(at.softmax(x)[None, :]), "log_softmax(x, axis=None)[None]"),
    (at.log(at.exp(m)[:, 0]), "m[:, 0]"),
    (at.log(at.exp(m)[[0, 1], [1, 0]]), "m[[0 1], [1 0]]"),
]


@pytest.mark.parametrize(("before", "expected"), CASES)
def test_the_law_is_applied_before_elements_are_taken(before: Any, expected: str) -> None:
    after = applied(MOVED, before)
    assert algebra(after) == expected
    assert_same_values(before, after)


def test_no_law_looks_deeper_than_said() -> None:
    # an op that takes elements stands between
    assert max(law.forward.depth for law in STABLE if _is_elementwise(law)) + 1 <= DEEPEST


@pytest.mark.parametrize(
    "before", [1 - x[few], y[few] - s[few], at.exp(s[few]), at.log(s)[few], at.log(at.exp(w)[:2])]
)
def test_what_no_law_is_about_stays(before: Any) -> None:
    assert applied(MOVED, before) is before or algebra(applied(MOVED, before)) == algebra(before)


def test_shares_near_one_that_a_matrix_is_made_of() -> None:
    """As in a hidden Markov model: the slope of the logarithm, where the share is nearly 1."""
    rows = at.stack([at.stack([s[0], 1 - s[0]]), at.stack([1 - s[1], s[1]])])
    density = at.logsumexp(at.log(rows) * np.array([[0.0, 1.0], [1.0, 0.0]]))
    point = {"x": np.array([30.0, 34.0])}
    stable = optimize_graph([density, grad(density, x)], include=["stabilization"])
    u = point["x"]
    # log(1 - sigmoid(u)) = -u - log1p(exp(-u)), beside two ones
    off = -u - np.log1p(np.exp(-u))
    shares = np.exp(off) / (2 + np.exp(off).sum())
    np.testing.assert_allclose(value_of(stable[0], point), np.log(2 + np.exp(off).sum()), 1e-14)
    np.testing.assert_allclose(value_of(stable[1], point), -shares / (1 + np.exp(-u)), rtol=1e-12)
