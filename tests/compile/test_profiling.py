"""Profiles of functions, and modes that watch each node."""

import io
import pickle
import re

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, ifelse
from relgraph.compile import FunctionProfile, MonitorMode, NanGuardMode, NotFiniteError, function
from relgraph.settings import config
from relgraph.vm.linker import duration

WORDS = r"""
A call takes [\d.]+ .s, the nodes [\d.]+ .s of it where NumPy runs them; 100% of these go into add\.
Compiling took [\d.]+ .s, of which rewriting was \d+%\.
"""


def test_nothing_is_kept_by_default() -> None:
    x = at.dvector("x")
    assert function([x], x + 1).profile is None


def test_times_and_counts() -> None:
    x = at.dvector("x")
    f = function([x], x + 1, profile=True, name="f")
    record = f.profile
    assert record is not None
    assert 0 < record.linker_time + record.optimizer_time < record.compile_time
    f([1.0])
    f([1.0])
    assert record.calls == 2 and record.call_time > 0
    out = io.StringIO()
    record.summary(out)
    head, nodes = out.getvalue().split("\nOps by time\n")
    assert "\n  Message: f\n  Time in 2 calls to Function.__call__: " in head
    assert re.search(WORDS + "$", head)
    assert re.search(r"100\.0 .* 2 +1  add\n", nodes)
    assert re.search(r"100\.0 .* 2  add\(.*\) → TensorType\(float64, \(\?,\)\)\n", nodes)
    assert nodes.endswith("\nPeak memory of the values of nodes: 8 B\n")
    assert "<caption>Nodes by time</caption>" in record._repr_html_()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 ns"), (2.6e-8, "26 ns"), (1e-6, "1 µs"), (0.0123456, "12.3 ms"), (1.0, "1 s"),
     (999.0, "999 s"), (12345.6, "12,346 s")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("linker", ["py", "vm"])
def test_times_by_node_of_any_linker(linker: str) -> None:
    x, c = at.dvector("x"), at.dscalar("c")
    e = at.exp(x)
    out = ifelse(c, at.tanh(e[::-1]) * e, at.sin(x))
    f = function([c, x], [out, at.sum(e)], mode=Mode(linker, None), profile=True)
    plain = function([c, x], [out, at.sum(e)], mode=Mode(linker, None))
    for condition in (1.0, 0.0, 1.0):
        for found, expected in zip(*(g(condition, [1.0, 2.0]) for g in (f, plain)), strict=True):
            np.testing.assert_array_equal(found, expected)
    times = f.profile.node_times
    calls = {str(node.op): count for node, count in times.calls.items()}
    assert calls["ifelse"] == calls["exp"] == calls["sum"] == 3
    assert (calls["tanh"], calls["mul"], calls["sin"]) == (2, 2, 1)
    assert all(seconds > 0 for seconds in times.seconds.values())
    assert 40 <= times.peak_bytes <= 80
    assert next(iter(times.by_op()))[0] in calls
    loaded = pickle.loads(pickle.dumps(f))
    loaded(1.0, [1.0, 2.0])
    assert (loaded.profile.calls, f.profile.calls) == (4, 3)
    assert sum(loaded.profile.node_times.calls.values()) > sum(times.calls.values())
    copied = f.copy(profile=True)
    copied(0.0, [1.0, 2.0])
    assert copied.profile.node_times.calls and f.profile.calls == 3


def test_a_record_for_several_functions() -> None:
    x = at.dvector("x")
    record = FunctionProfile("both")
    for f in (function([x], x + 1, profile=record), function([x], x * 2, profile=record)):
        f([1.0])
    assert record.calls == 2
    assert "both" in str(record)


def test_settings_print_it_with_the_line_of_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    x = at.dvector("x")
    with config.change_flags(profile=True):
        function([x], x + 1)
    assert re.search(rf"  Message: {re.escape(__file__)}:\d+\n", capsys.readouterr().err)


def test_a_function_of_a_notebook_is_named_by_its_line() -> None:
    cell = "import relgraph.tensor as at\nf = function([x := at.dvector()], x + 1, profile=True)"
    names = {"function": function}
    exec(compile(cell, "/tmp/ipykernel_12/345.py", "exec"), names)
    assert names["f"].profile.message == "line 2 of a cell"


def test_a_profiled_function_times_every_rewriter():
    x = at.dvector("x")
    f = function([x], at.exp(x) * 1.0, profile=True)
    assert f.maker.fgraph.profile is f.profile
    assert function([x], at.exp(x)).maker.fgraph.profile is None


# Modes that watch each node.

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
