"""The commands `relgraph draw`, `explain`, `improve`, `laws` and `profile`."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from relgraph.__main__ import main
from relgraph.compile.database import rows_of
from relgraph.testing.discovery import discover_laws

MODEL = """
import relgraph.tensor as at
from relgraph import function, law, lvars

x, y = at.dvectors("x", "y")
loss = at.sum(at.exp(x) * y)
both = [loss, x + y]
f = function([x, y], loss, profile=True)
plain = function([x, y], loss)
number = 3
a = lvars("a")
LAWS = [law("mine", at.exp(a) * 2, a, sound="domain")]
MINE = LAWS[0]

class inner:
    loss = at.tanh(x)
"""


@pytest.fixture
def model(tmp_path, monkeypatch) -> Iterator[Path]:
    file = tmp_path / "model of test.py"
    file.write_text(MODEL)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield file
    for name, module in list(sys.modules.items()):
        if str(tmp_path) in str(getattr(module, "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("name", ["loss", "both", "f", "plain", "inner.loss"])
def test_drawing(model, tmp_path, name: str) -> None:
    for suffix in (".svg", ".dot", ".html"):
        out = tmp_path / f"out{suffix}"
        assert main(["draw", f"{model}:{name}", "-o", str(out)]) == 0
        text = out.read_text(encoding="utf-8")
        assert text.startswith({".svg": "<svg ", ".dot": "digraph", ".html": "<!DOCTYPE"}[suffix])
        assert ("tanh" in text) is (name == "inner.loss")


def test_drawing_to_standard_output(model, capsys) -> None:
    assert main(["draw", f"{model}:loss", "--nodes", "1"]) == 0
    out = capsys.readouterr().out
    ElementTree.fromstring(out)
    assert "… 2 nodes" in out


def test_drawing_what_is_no_graph(model, tmp_path) -> None:
    out = tmp_path / "law.html"
    assert main(["draw", f"{model}:MINE", "-o", str(out)]) == 0
    assert "mine" in out.read_text(encoding="utf-8")


def test_drawing_as_png(model, tmp_path) -> None:
    pytest.importorskip("resvg_py")
    out = tmp_path / "out.png"
    assert main(["draw", f"{model}:loss", "-o", str(out)]) == 0
    content = out.read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 2000


def test_a_png_without_its_extra(model, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert main(["draw", f"{model}:loss", "-o", str(tmp_path / "out.png")]) == 2
    assert "pip install 'relgraph[png]'" in capsys.readouterr().err


def test_explaining(model, tmp_path, capsys) -> None:
    out = tmp_path / "out.html"
    assert main(["explain", f"{model}:MINE", f"{model}:loss", "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("mine matches nowhere in sum(exp(x) * y)\nthe nearest places:\n")
    assert "  exp(x) * y: none of the arguments exp(x), y is 2\n" in printed
    assert "does not match" in out.read_text(encoding="utf-8")
    assert main(["explain", "mul-one", f"{model}:loss", "--backward"]) == 0
    assert "mul-one" in capsys.readouterr().out


def test_listing_laws(model, tmp_path, capsys) -> None:
    assert main(["laws"]) == 0
    out = capsys.readouterr().out
    laws = discover_laws()
    assert out.splitlines()[0].split() == ["name", "algebra", "class", "rows"]
    assert out.endswith(f"\n{len(laws)} laws\n") and all(name in out for name in laws)
    assert main(["laws", "--search", "LOG1P", "--sound", "stable"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:-2]
    assert 0 < len(lines) < 100 and all("stable" in line for line in lines if "→" in line)
    assert main(["laws", str(model)]) == 0
    assert "mine" in capsys.readouterr().out
    assert main(["laws", "--search", "mul_canonicalize", "-o", str(tmp_path / "l.html")]) == 0
    page = (tmp_path / "l.html").read_text(encoding="utf-8")
    named = [name for name, law in laws.items() if "mul_canonicalize" in rows_of(law)]
    assert named and all(f'id="{name}"' in page for name in named)


def test_laws_that_apply_to_a_formula(model, capsys) -> None:
    assert main(["laws", "log(1+exp(x))"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"softplus", "log1p"} <= {line.split(" ")[0] for line in lines}
    assert lines[-1] == f"{len([line for line in lines if '→' in line])} laws"
    # in a part of a formula, which may begin with a sign
    assert main(["laws", "-sqrt(log(1+exp(x)))", "--sound", "stable"]) == 0
    assert "softplus" in capsys.readouterr().out
    assert main(["laws", "exp(y)*3", str(model)]) == 2
    assert "no law of 1 applies to exp(y)*3" in capsys.readouterr().err
    assert main(["laws", "exp(y)*2", str(model)]) == 0
    assert "mine" in capsys.readouterr().out


def test_laws_about_an_op(capsys) -> None:
    assert main(["laws", "--about", "erfc"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("erfc-reflected ") for line in lines)
    assert all("erfc(" in line for line in lines if "→" in line)
    assert main(["laws", "--about", "softplus", "log(1+exp(x))"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("softplus ")


@pytest.mark.parametrize("name", ["loss", "both", "f"])
def test_profiling(model, tmp_path, capsys, name: str) -> None:
    out = tmp_path / "out.html"
    assert main(["profile", f"{model}:{name}", "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "Total compile time" in printed
    assert ("Optimizer Profile" in printed) is (name != "f")
    assert "Total compile time" in out.read_text(encoding="utf-8")
    assert main(["profile", f"{model}:loss", "--mode", "o1"]) == 0
    assert "stabilize" not in capsys.readouterr().out


WRONG = {
    "": "the following arguments are required: COMMAND",
    "dance": "invalid choice: 'dance'",
    "check .": "'.' names no module and no file",
    "check --examples 0": "'0' is not a positive whole number",
    "check --examples many": "'many' is not a positive",
    "check no.such.module": "there is no module no.such.module",
    "check json": "the module json has no laws",
    "check relations.numbers.arithmetic --law nope": "there is no law called nope among",
    "check relations.numbers.arithmetic --seed -1": "--seed",
    "check relations.numbers.arithmetic --jobs 0": "'0' is not a positive whole number",
    "check relations.numbers.arithmetic --json /no/such/folder/x.json": "can't be written",
    "check relations.numbers.arithmetic --json /": "/ can't be written: Is a directory",
    "check relations.numbers.arithmetic --laws 3": "unrecognized arguments: --laws 3",
    "check pack:none": "no pack called 'none' is installed",
    "demo --steps 0": "--steps: '0' is not a positive whole number",
    "demo --csv own.csv": "--csv needs --target, the column to predict",
    "demo --target colour": "has no column 'colour'; its columns are 'mean_radius'",
    "demo --steps many": "--steps: 'many' is not a positive whole number",
    "demo --rate -1": "--rate: '-1' is not a positive number",
    "demo --rate fast": "--rate: 'fast' is not a positive number",
    "demo --fast": "unrecognized arguments: --fast",
    "draw {model}": "does not name a thing in a file, as FILE.py:NAME does",
    "draw none.py:x": "none.py: there is no such file",
    "draw no_such_module:x": "there is no module no_such_module",
    "draw {model}:los": "has no los; it has at, function",
    "draw {model}:inner.other": "has no other",
    "draw {model}:number": "a graph or a function, and this is a value of class int",
    "draw {model}:MINE": "this is a value of class Law",
    "draw {model}:loss -o out.gif": "out.gif ends in none of .svg, .png",
    "draw {model}:loss -o /none/out.svg": "can't be written: No such",
    "draw {model}:loss --nodes 0": "'0' is not a positive whole number",
    "explain log1p-lo {model}:loss": "there is no law called log1p-lo",
    "explain {model}:number {model}:loss": "is no law but a int",
    "explain mul-one {model}:MINE": "is no variable or list of these but a Law",
    "explain": "the following arguments are required: LAW",
    "explain mul-one {model}:loss -o /none/out.html": "there is no folder /none",
    "improve sqrt(x": "is no formula",
    "improve x --plot out.gif": "'out.gif' does not end in .svg",
    "improve x --seed -1": "'-1' is not a whole number from 0 on",
    "improve x --against x": "--against says what a plot shows, and needs --plot",
    "improve '(FPCore (x'": "a bracket is not closed",
    "improve 'foo(x)'": "there is no function 'foo'",
    "improve 'x +'": "is no formula",
    "improve x --domain 'y > 0'": "the domain has y, which is no input",
    "improve 'log(x)' --domain 'x < 0'": "no point of the domain",
    "improve x --points 0": "not a positive whole number",
    "improve 'no such.fpcore'": "can't be read",
    "improve x --points 32 --plot no/such/file.svg": "can't be written",
    "improve x --plot x.svg --against y": "there is no input y; there are x",
    "improve '1 + 1' --plot x.svg": "'1 + 1' has no inputs, and no plot",
    "improve '1 + 1' --html x.html": "'1 + 1' has no inputs, and no plot",
    "improve x --html x.svg": "'x.svg' does not end in .html",
    "improve x --source fortran": "invalid choice: 'fortran'",
    "improve 'x^2'": "a power is written **: x**2",
    "improve '-x^2'": "a power is written **: -x**2",
    "improve 'x + 1' --domain '-1<x^2<1'": "a power is written **: -1<x**2<1",
    "improve 'a*(1 - e**2)'": "or --inputs a,e",
    "improve 'x + y' --inputs x": "has y, which is no input",
    "improve x --inputs x,lambda": "'lambda' is no name of an input",
    "improve x --inputs 'x;y'": "'x;y' is no name of an input",
    "laws --sound true": "invalid choice: 'true'",
    "laws --search qqq --sound exact": "no law of the class exact with 'qqq'",
    "laws --about erfx": "no law mentions an op called erfx; did you mean erf",
    "laws log(1+": "'log(1+' is no formula",
    "laws foo(x)": "there is no function 'foo'",
    "laws sin(x)+y*z": "applies to sin(x)+y*z",
    "laws relgraph.settings": "the module relgraph.settings has no laws",
    "laws -o laws.txt": "'laws.txt' does not end in .html",
    "profile {model}:plain": "was compiled without profile=True",
    "profile {model}:loss --mode o9": "no mode is called 'o9'",
    "profile {model}:loss -o out.svg": "'out.svg' does not end in .html",
    "profile {model}:number": "this is a value of class int",
}
"""Commands, and what is said of them."""


@pytest.mark.parametrize("command", WRONG)
def test_wrong_use_is_one_line_and_status_2(model, command: str, capsys) -> None:
    arguments = [word.replace("{model}", str(model)) for word in shlex.split(command)]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("relgraph: error: ") and err.count("\n") == 1
    assert WRONG[command] in err


@pytest.mark.parametrize(
    "command", ["check", "demo", "draw", "explain", "improve", "laws", "profile"]
)
def test_help_shows_an_example(command: str, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"example:\n  relgraph {command} " in capsys.readouterr().out


def test_as_a_process(model) -> None:
    command = [sys.executable, "-m", "relgraph", "draw", f"{model}:loss"]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert ran.returncode == 0, ran.stderr
    ElementTree.fromstring(ran.stdout)


def test_improving(tmp_path, capsys) -> None:
    plot = tmp_path / "errors.svg"
    formula = ["improve", "exp(x) - 1", "--domain", "abs(x) < 1", "--points", "64"]
    page = tmp_path / "found.html"
    ask = ["--plot", str(plot), "--derivation", "--html", str(page), "--source", "c"]
    assert main([*formula, *ask]) == 0
    out = capsys.readouterr().out
    assert "expm1(x)" in out and "expm1: exp(x) - 1.0 → expm1(x)" in out
    assert out.endswith("double f(double x) {\n    return expm1(x);\n}\n\n")
    assert "<h1>exp(x) - 1</h1>" in page.read_text(encoding="utf-8")
    ElementTree.fromstring(plot.read_text(encoding="utf-8"))
    cores = tmp_path / "two.fpcore"
    cores.write_text('(FPCore (x) :name "one more" :pre (< 1 x 2) (+ x 1))\n(FPCore (y) y)')
    assert main(["improve", str(cores), "--points", "32"]) == 0
    assert "one more" in capsys.readouterr().out
    assert main(["improve", "(FPCore (z) (* z 1))", "--points", "32"]) == 0
    assert "the input" in capsys.readouterr().out


def test_what_cannot_be_improved_is_refused_before_the_search(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def searched(*_: object) -> None:
        raise AssertionError("a search began")

    monkeypatch.setattr("relgraph.search.improving.search_forms", searched)
    cores = tmp_path / "two.fpcore"
    cores.write_text("(FPCore (x) x) (FPCore (x y) (+ x y))")
    for wrong in (
        ["x + 1", "--plot", str(tmp_path / "x.svg"), "--against", "z"],
        [str(cores), "--domain", "y > 0"],
        [str(cores), "--plot", str(tmp_path / "x.svg")],
    ):
        assert main(["improve", *wrong]) == 2


def test_inputs_are_what_is_declared(capsys) -> None:
    options = ["--points", "8", "--seconds", "1"]
    assert main(["improve", "-e+sqrt(e*e)", "--inputs", "e", "--domain", "-1<e<0", *options]) == 0
    assert "e is an input, no number" in capsys.readouterr().out
    assert main(["improve", "pi * x", *options]) == 0
    assert "pi is the number 3.14159" in capsys.readouterr().out


def test_a_formula_of_a_file_that_has_no_points_is_named(tmp_path, capsys) -> None:
    cores = tmp_path / "two.fpcore"
    cores.write_text('(FPCore (x) :name "empty" :pre (< 2 x 1) x) (FPCore (x) :name "full" x)')
    assert main(["improve", str(cores), "--points", "8"]) == 2
    out, error = capsys.readouterr()
    assert "full" in out and error.startswith("relgraph: error: empty: no point of the domain")
