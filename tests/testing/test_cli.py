"""The command ``relgraph check``."""

from __future__ import annotations

import json
import sys

import pytest

from relgraph.__main__ import main

LAWS = """
from relgraph.graph.kanren import whereo
from relgraph.tensor.terms import law, lvars

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
    assert "outputs = [at.neg(v0), v0]" in out


def test_an_unchecked_law_gives_status_1(module, capsys):
    name = module('never = law("never", -(-x), x, whereo(lambda v: False, x))')
    assert main(["check", name, "--law", "never"]) == 1
    assert "0 passed, 0 failed, 1 unchecked" in capsys.readouterr().out


def test_the_results_as_json(module, tmp_path, capsys):
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


def test_several_processes_give_the_same(module, capsys):
    name = module()
    assert main(["check", "relations.reshaping", "--examples", "10", "--jobs", "2"]) in (0, 1)
    out = capsys.readouterr().out
    assert "reshape-vector" in out
    assert main(["check", name, "--examples", "10"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.such.module"], "there is no module no.such.module"),
        (["json"], "the module json has no laws"),
        (["relations.arithmetic", "--law", "nope"], "there is no law called nope among"),
        (["relations.arithmetic", "--examples", "0"], "'0' is not a positive whole number"),
        (["relations.arithmetic", "--examples", "many"], "'many' is not a positive"),
        (["relations.arithmetic", "--seed", "-1"], "--seed"),
        (["relations.arithmetic", "--json", "/no/such/folder/x.json"], "can't be written"),
    ],
)
def test_bad_input_is_one_line(arguments, message, capsys):
    assert main(["check", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("relgraph: error: ")
    assert message in error
    assert error.count("\n") == 1


def test_a_module_that_can_not_be_imported(module, capsys):
    assert main(["check", module("import no_such_thing_here")]) == 2
    assert "can't be imported: No module named 'no_such_thing_here'" in capsys.readouterr().err
    assert main(["check", module("1 / 0")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_two_laws_of_one_name(module, capsys):
    assert main(["check", module('again = law("neg-neg", -(-x), x)')]) == 2
    assert "two laws are called neg-neg" in capsys.readouterr().err
