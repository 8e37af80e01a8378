"""Profiles of functions."""

import io
import pickle
import re

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, ifelse
from relgraph.compile import FunctionProfile, function
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
