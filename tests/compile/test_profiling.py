"""Profiles of functions."""

import io
import re

import pytest

import relgraph.tensor as at
from relgraph.compile import FunctionProfile, function
from relgraph.settings import config

LAYOUT = r"""Function profiling
==================
  Message: {message}
  Time in {calls} calls to Function.__call__: \d\.\d{{6}}e[+-]\d\ds
  Total compile time: \d\.\d{{6}}e[+-]\d\ds
    Number of Apply nodes: 1
    relgraph Optimizer time: \d\.\d{{6}}e[+-]\d\ds
       relgraph validate time: \d\.\d{{6}}e[+-]\d\ds
    relgraph Linker time \(includes code generation/compiling\): \d\.\d{{6}}e[+-]\d\ds
       Import time \d\.\d{{6}}e[+-]\d\ds
  Time in all call to relgraph.grad\(\) \d\.\d{{6}}e[+-]\d\ds
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
    assert re.fullmatch(LAYOUT.format(message="f", calls=2), out.getvalue())


def test_a_record_for_several_functions() -> None:
    x = at.dvector("x")
    record = FunctionProfile("both")
    for f in (function([x], x + 1, profile=record), function([x], x * 2, profile=record)):
        f([1.0])
    assert record.calls == 2
    assert "both" in str(record)


def test_settings_print_it(capsys: pytest.CaptureFixture[str]) -> None:
    x = at.dvector("x")
    with config.change_flags(profile=True):
        function([x], x + 1)
    message = re.escape(f"{__file__}:") + r"\d+"
    assert re.fullmatch(LAYOUT.format(message=message, calls=0), capsys.readouterr().err)
    with config.change_flags(profile=True, profile_optimizer=True):
        function([x], (x + 1) * 1)
    printed = capsys.readouterr().err
    assert "\nOptimizer Profile\n-----------------\nSeqOptimizer optdb time " in printed
    assert re.search(r"\('canonicalize', 'EquilibriumOptimizer', \d+\)", printed)


def test_a_profiled_function_times_every_rewriter():
    x = at.dvector("x")
    f = function([x], at.exp(x) * 1.0, profile=True)
    assert f.maker.fgraph.profile is f.profile
    assert function([x], at.exp(x)).maker.fgraph.profile is None
