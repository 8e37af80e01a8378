"""The command ``relgraph check``."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import relgraph
from relgraph.__main__ import main
from relgraph.commands.batch import process_count

ROOT = Path(relgraph.__file__).parents[1]

LAWS = """
from relgraph.graph.kanren import whereo
from relations.kit.vocabulary import law, lvars

x, y = lvars("x y")
RIGHT = (law("neg-neg", -(-x), x), [law("sub-zero", x - 0, x)])
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A function that writes a module of laws and returns its name."""
    monkeypatch.syspath_prepend(tmp_path)
    names = []

    def write(more="", base=LAWS):
        name = f"laws_of_test_{len(names)}"
        (tmp_path / f"{name}.py").write_text(base + more)
        names.append(name)
        return name

    yield write
    for name in names:
        sys.modules.pop(name, None)


def test_a_line_for_each_law(module, capsys):
    assert main(["check", module(), "--examples", "30"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["neg-neg", "exact"], ["sub-zero", "exact"]]
    assert all(line.endswith("passed") and " instances " in line for line in lines[:2])
    assert "2 passed, 0 failed, 0 unchecked" in lines[-1]


def test_a_wrong_law_is_shown_and_gives_status_1(module, capsys):
    name = module('wrong = law("wrong", -x, x)')
    assert main(["check", name, "--examples", "30", "--seed", "1"]) == 1
    out = capsys.readouterr().out
    assert "1 failed" in out
    assert "# law wrong: -x → x" in out
    assert "outputs = [-v0, v0]" in out


def test_an_unchecked_law_gives_status_1(module, capsys):
    name = module('never = law("never", -(-x), x, whereo(lambda v: False, x))')
    assert main(["check", name, "--law", "never"]) == 1
    assert "0 passed, 0 failed, 1 unchecked" in capsys.readouterr().out


def test_the_results_as_json(module, tmp_path):
    file = tmp_path / "results.json"
    options = ["--law", "neg-neg", "--examples", "30", "--json", str(file)]
    assert main(["check", module(), *options]) == 0
    found = json.loads(file.read_text())
    (law,) = found["laws"]
    assert law["name"] == "neg-neg"
    assert law["status"] == "passed"
    assert law["examples"] >= 30
    assert law["instances"] > 1 and law["types"] > 1 and law["edge_values"] > 1
    assert found["passed"] == 1


def results(file, *options):
    """Run the check with a file for the results; return them without what was measured."""
    main(["check", *options, "--json", str(file)])
    found = json.loads(file.read_text())
    for law in found["laws"]:
        assert law.pop("seconds") >= 0
    return found["laws"]


MORE = """
MORE = [law(name, x + y, y + x) for name in ("one", "two", "three")]
"""


def test_however_many_processes_find_the_same(module, tmp_path):
    options = [module(MORE), "--examples", "10", "--seed", "5"]
    alone = results(tmp_path / "one.json", *options, "--jobs", "1")
    shared = results(tmp_path / "two.json", *options, "--jobs", "2")
    assert len(alone) > 4
    assert alone == shared
    assert alone != results(tmp_path / "other.json", *options[:-1], "6", "--jobs", "1")


def test_there_is_a_process_for_each_core_if_there_is_enough_to_do(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    assert [process_count(n) for n in (1, 15, 16, 31, 32, 1000)] == [1, 1, 2, 3, 4, 4]
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert process_count(1000) == 1


def test_the_bar_makes_room_for_lines_on_a_terminal(module, tmp_path):
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "relgraph", "check", module(), "--examples", "10"]
    subprocess.run(
        command, cwd=tmp_path, stdout=terminal, stderr=terminal, check=True, env=environment()
    )
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # there is no more
        while part := os.read(controller, 4096):
            shown += part
    os.close(controller)
    text = shown.decode()
    assert "0/2" in text and "2/2" in text
    # each line begins where the bar has been wiped out
    assert "\x1b[2Kneg-neg " in text and "\x1b[2Ksub-zero " in text


def test_there_is_no_bar_without_a_terminal(module, tmp_path):
    """Not in a notebook either, where colors are forced."""
    command = [sys.executable, "-m", "relgraph", "check", module(), "--examples", "10"]
    forced = {**environment(), "FORCE_COLOR": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True, env=forced
    )
    assert done.stderr == ""
    assert done.stdout.startswith("neg-neg   exact ")


def environment():
    """Where a process of its own finds this relgraph, and how wide its terminal is."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}


def test_a_module_that_can_not_be_imported(module, capsys):
    assert main(["check", module("import no_such_thing_here")]) == 2
    assert "can't be imported: No module named 'no_such_thing_here'" in capsys.readouterr().err
    assert main(["check", module("1 / 0")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err
    for text in ('raise ValueError("one\\ntwo")', 'import sys\nsys.exit("no")'):
        assert main(["check", module(text)]) == 2
        error = capsys.readouterr().err
        assert "can't be imported: " in error and error.count("\n") == 1


def test_a_package_is_checked_with_its_modules(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "package_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text(LAWS)
    assert main(["check", "package_of_test", "--examples", "10"]) == 0
    assert "2 passed" in capsys.readouterr().out
    (package / "broken.py").write_text("import no_such_thing_here")
    assert main(["check", "package_of_test", "--examples", "10"]) == 2
    assert "package_of_test.broken can't be imported" in capsys.readouterr().err


def test_without_flint_the_command_says_what_to_install(monkeypatch, capsys):
    for name in [
        n for n in sys.modules if n.startswith(("relgraph.testing.", "flint", "relgraph.truth"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(relgraph.testing), "check_relation", raising=False)
    monkeypatch.setitem(sys.modules, "flint", None)
    assert main(["check", "relations.functions.exponential", "--jobs", "1"]) == 2
    assert "comes with `pip install 'relgraph[check]'`" in capsys.readouterr().err


def test_two_laws_of_one_name(module, capsys):
    assert main(["check", module('again = law("neg-neg", -(-x), x)')]) == 2
    assert "two laws are called neg-neg" in capsys.readouterr().err
