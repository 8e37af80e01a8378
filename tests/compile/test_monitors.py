"""Modes that watch each node."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, ifelse
from relgraph.compile import MonitorMode, NanGuardMode, NotFiniteError

X = at.dvector("x")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([-1.0, 2.0], r"output 0 of node 0, log\(x\), has nan at \(0,\): 1 of 2"),
        ([2.0, 0.0], r"output 0 of node 0, log\(x\), has inf at \(1,\): 1 of 2"),
        ([1.0, np.nan], r"the input x of log\(x\) has nan at \(1,\)"),
        ([40.0, 1.0], r"exp\(x\), has a number beyond 1e10 at \(0,\)"),
    ],
)
def test_the_first_node_that_is_not_finite_is_named(values, message):
    run = function([X], [at.log(X).sum(), at.exp(X) * 2], mode=NanGuardMode())
    np.testing.assert_allclose(run(np.array([1.0, 2.0]))[1], 2 * np.exp([1.0, 2.0]))
    with pytest.raises(NotFiniteError, match=message):
        run(np.array(values))


def test_what_is_an_error_is_chosen():
    run = function([X], at.log(X).sum(), mode=NanGuardMode(inf_is_error=False))
    assert run(np.array([0.0, 1.0])) == -np.inf
    with pytest.raises(NotFiniteError, match="nan"):
        run(np.array([-1.0, 1.0]))
    loose = NanGuardMode(nan_is_error=False, inf_is_error=False, big_is_error=False)
    assert np.isnan(function([X], at.log(X).sum(), mode=loose)(np.array([-1.0, 1.0])))


def test_functions_are_called_before_and_after_each_node():
    seen = []
    mode = MonitorMode(
        lambda i, node, call: seen.append((i, str(node.op), [v for (v,) in call.inputs])),
        lambda i, node, call: seen.append([v for (v,) in call.outputs]),
    )
    run = function([X], ifelse(X.sum() > 0, at.exp(X).sum(), X.sum()), mode=mode)
    assert run(np.array([-1.0, 0.5])) == -0.5
    assert [entry[:2] for entry in seen if isinstance(entry, tuple)] == [
        *((0, "sum"), (1, "gt"), (2, "ifelse"))
    ]
    seen.clear()
    assert run(np.zeros(2) + 1) == pytest.approx(2 * np.e)
    assert (0, "exp") in [entry[:2] for entry in seen if isinstance(entry, tuple)]
    assert seen[0][2][0].tolist() == [1.0, 1.0] and seen[1] == [2.0]


def test_checks_that_raise_another_error():
    checked = at.CheckAndRaise(KeyError, "x must be positive")(X, at.all(X > 0))
    run = function([X], checked * 2)
    assert run(np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(KeyError, match="x must be positive"):
        run(np.array([-1.0, 1.0]))
    with pytest.raises(TypeError, match="3 is no class of errors"):
        at.CheckAndRaise(3)
