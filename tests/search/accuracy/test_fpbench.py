"""The report on a benchmark has every formula of it: measured, or by name and reason."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from tests.search.accuracy.fpbench import LeftOut, formulas, measured, report

READ = '(FPCore (x) :name "read" (+ x 1))'
LOOP = '(FPCore (x) :name "loop" (while (< i 1) ((i 0 (+ i 1))) x))'
SAME_NAME = '(FPCore (x) :name "read" (- x 1))'
EMPTY = '(FPCore (x) :name "empty" :pre (< 2 x 1) x)'


def test_what_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "some.fpcore").write_text(f"{READ}\n{LOOP}\n{SAME_NAME}\n(+ 1 2)")
    (folder / "torn.fpcore").write_text("(FPCore (x")
    found, left_out = formulas(tmp_path)
    assert [one.name for one in found] == ["read", "read (2)"]
    assert [one.name for one in left_out] == ["loop", "['+', '1', '2']", "benchmarks/torn.fpcore"]
    assert "while is no function" in left_out[0].why and "not closed" in left_out[2].why


def test_the_report_has_all_that_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "some.fpcore").write_text(f"{READ}\n{EMPTY}\n{LOOP}")
    found, left_out = formulas(tmp_path)
    options = SimpleNamespace(points=8, seconds=0.1)
    records = [measured(one, options) | {"herbie": None} for one in found]
    lines = report(records, left_out, passed=3, worst=5).splitlines()
    assert lines[1].startswith("1 formulas: naive 0.00, improved 0.00 bits; of the 0 with Herbie's")
    assert lines[2:4] == ["1 can't be read", f"  loop: {left_out[0].why}"]
    assert lines[4] == "1 can't be measured" and lines[5].startswith("  empty: EmptyDomain: no po")
    assert lines[6:] == ["1 have no errors of Herbie's", "  read", "3 formulas are passed over"]


def test_nothing_left_out_is_said_too() -> None:
    record = {"name": "one", "naive": 2.0, "improved": 1.0, "herbie": 1.5, "seconds": 1.0}
    lines = report([record], [], passed=0, worst=5).splitlines()
    assert lines[2:] == [
        "0 can't be read",
        "0 can't be measured",
        "0 have no errors of Herbie's",
        "0 formulas are passed over",
    ]
    assert report([], [LeftOut("a", "b")], 0, 1).splitlines()[:2] == ["1 can't be read", "  a: b"]
