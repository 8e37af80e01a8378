"""What a new user tries in the first hour, and what answers."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from etuples import etuple
from kanren import lall, run, var
from kanren.core import eq

import relgraph
import relgraph.tensor as at
from relgraph import build, function, law, lvars, optimize_graph, pprint, relation
from relgraph.__main__ import main
from relgraph.demo.model import wild_columns
from relgraph.graph.kanren import OpenAnswerError
from relgraph.testing import check_linker, check_optimizer
from relgraph.testing.discovery import CheckError, discover_laws

X, Y = at.dvectors("x", "y")
a, b = lvars("a b")
TWICE = law("twice", a + a, 2 * a, sound="exact")


@relation("swap", sound="rounding")
def swap(before, after):
    u, v = var(), var()
    return lall(eq(before, etuple(at.mul, u, v)), eq(after, etuple(at.mul, v, u)))


# -- the command -----------------------------------------------------------------------------------


def test_the_version(capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"relgraph {relgraph.__version__}\n"


def test_testing_is_there_after_a_plain_import() -> None:
    code = "import relgraph; print(relgraph.testing.graphs.__name__)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "graphs\n"


def test_the_first_line_of_the_readme_installs_what_checks_need() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    first = re.search(r"^pip install .*$", readme, re.MULTILINE)
    assert first is not None and "[check]" in first[0]


LAWS = """
from relgraph import law, lvars
a, b = lvars("a b")
LAWS = [law("NAME", a * (b + 1), a * b + a, sound="finite")]
"""


@pytest.fixture
def clean(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_a_file_is_checked_wherever_it_lies(clean: Path, capsys) -> None:
    file = clean / "some folder" / "my laws.py"
    file.parent.mkdir()
    file.write_text(LAWS.replace("NAME", "far-away"))
    assert main(["check", str(file), "--examples", "5"]) == 0
    assert capsys.readouterr().out.startswith("far-away  finite")
    assert discover_laws([str(file)]) == discover_laws([str(file)])


def test_a_file_has_the_name_of_another_module(clean: Path) -> None:
    (clean / "json.py").write_text(LAWS.replace("NAME", "in-json"))
    (clean / "helpers_of_test.py").write_text("NUMBER = 3\n")
    (clean / "uses.py").write_text("import json, helpers_of_test\njson.dumps\n" + LAWS)
    assert list(discover_laws([str(clean / "json.py")])) == ["in-json"]
    assert list(discover_laws([str(clean / "uses.py")])) == ["NAME"]


def test_a_file_of_a_package_and_the_package(clean: Path) -> None:
    package = clean / "package_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "names.py").write_text("NAME = 'relative'\n")
    text = LAWS.replace('"NAME"', "NAME")
    (package / "laws.py").write_text("from .names import NAME\n" + text)
    assert list(discover_laws([str(package / "laws.py")])) == ["relative"]
    assert list(discover_laws([f"{package}/"])) == ["relative"]


def test_files_that_are_none(clean: Path, capsys) -> None:
    assert main(["check", str(clean / "none.py")]) == 2
    assert capsys.readouterr().err.endswith("none.py: there is no such file\n")
    (clean / "broken.py").write_text("import relgraph\n1 / 0\n")
    with pytest.raises(CheckError, match=r"broken\.py can't be imported: ZeroDivisionError"):
        discover_laws([str(clean / "broken.py")])


# -- answers of relations --------------------------------------------------------------------------


def test_answers_are_printed_and_become_graphs() -> None:
    q = var()
    (answer,) = run(1, q, swap(X * (Y + 1), q))
    assert pprint(answer) == "((y + 1.0) * x)"
    assert pprint([answer, X]) == "[((y + 1.0) * x), x]"
    graph = build(answer)
    assert pprint(graph) == pprint(answer)
    np.testing.assert_array_equal(graph.eval({X: [2.0], Y: [4.0]}), [10.0])
    assert build(X) is X


def test_open_answers_are_printed_and_not_built() -> None:
    p, q = var("p"), var("q")
    ((left, right),) = run(1, (p, q), swap(p, q))
    assert re.fullmatch(r"\((~_\d+) \* (~_\d+)\)", pprint(left))
    assert pprint(left) != pprint(right)
    with pytest.raises(OpenAnswerError):
        build(left)
    assert pprint(at.sum(a, axis=b)) == "sum(a, axis=b)"
    assert pprint(-a) == "(-a)" and pprint(a) == "a" and pprint(2 * at.exp(a)) == "(2 * exp(a))"


def test_deep_answers_are_printed() -> None:
    deep = etuple(at.exp, X)
    for _ in range(3000):
        deep = etuple(at.exp, deep)
    assert pprint(deep).count("exp") == 3001


# -- results ---------------------------------------------------------------------------------------


def test_what_a_prompt_shows_is_what_print_shows() -> None:
    profiled = function([X], X + X, profile=True)
    _, derivation = optimize_graph(X * 1, trace=True)
    results = [
        TWICE.check(examples=5),
        law("wrong", a / a, 1).check(examples=5),
        law("wrong", a / a, 1).check(examples=5).counterexample,
        TWICE.explain(X + X),
        TWICE.explain(X),
        TWICE.extraction(),
        derivation,
        derivation[0],
        profiled.profile,
        check_optimizer(TWICE.forward, examples=2),
        check_linker(examples=2),
    ]
    for result in results:
        assert repr(result) == str(result)
        assert not repr(result).startswith(f"{type(result).__name__}(")
    assert "Time in 0 calls" in repr(profiled.profile)


# -- NumPy's ways ----------------------------------------------------------------------------------


def test_an_item_that_is_increased() -> None:
    with pytest.raises(TypeError, match="inc_subtensor"):
        X[0] += 1.0
    array = np.zeros(2)
    with pytest.raises(TypeError, match=r"numpy\.add of a variable takes no `out`"):
        array += X
    assert list(array) == [0.0, 0.0]


OPERATIONS = [
    (np.add, lambda x, y: x + y), (np.subtract, lambda x, y: x - y),
    (np.multiply, lambda x, y: x * y), (np.divide, lambda x, y: x / y),
    (np.floor_divide, lambda x, y: x // y), (np.remainder, lambda x, y: x % y),
    (np.power, lambda x, y: x**y), (np.matmul, lambda x, y: x @ y),
    (np.less, lambda x, y: x < y), (np.less_equal, lambda x, y: x <= y),
    (np.greater, lambda x, y: x > y), (np.greater_equal, lambda x, y: x >= y),
]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda pair: pair[0].__name__)
def test_operators_with_arrays_mean_what_they_do_on_arrays(operation) -> None:
    ufunc, operator = operation
    left, right = np.array([1.0, 2.0, 7.0]), np.array([3.0, 2.0, 0.5])
    wanted = operator(left, right)
    for made in (operator(left, Y), ufunc(left, Y)):
        np.testing.assert_array_equal(made.eval({Y: right}), wanted)
    for made in (operator(X, right), ufunc(X, right)):
        np.testing.assert_array_equal(made.eval({X: left}), wanted)
    np.testing.assert_array_equal(ufunc(X, Y).eval({X: left, Y: right}), wanted)


def test_integers_and_signs() -> None:
    i = at.lvector("i")
    ones = np.array([5, 6])
    for operator in (np.bitwise_and, np.bitwise_or, np.bitwise_xor):
        np.testing.assert_array_equal(operator(ones, i).eval({i: [3, 4]}), operator(ones, [3, 4]))
    for sign in (np.negative, np.absolute, np.invert, np.positive):
        np.testing.assert_array_equal(sign(i).eval({i: [3, -4]}), sign(np.array([3, -4])))


def test_equality_is_identity() -> None:
    array = np.zeros(2)
    assert (array == X) is False and (array != X) is True
    assert X in [array, X]


# -- data of wild scale ----------------------------------------------------------------------------


def test_columns_of_wild_scale_are_named() -> None:
    plain = np.linspace(-1.0, 2.0, 50)
    outlier = np.where(np.arange(50) == 7, 1e9, plain)
    X = np.stack([plain, plain * 1e200, outlier, plain * 1e-200, 1e9 + plain, plain * 0], axis=1)
    found = wild_columns(X)
    assert sorted(found) == [1, 2, 3, 4]
    for column, word in {1: "overflow", 2: "largest", 3: "underflow", 4: "constant"}.items():
        assert word in found[column]


def test_the_demonstration_says_so(tmp_path, capsys) -> None:
    rows = "".join(f"{i % 7},{10.0 ** (i % 7 * 30)},{i % 2}\n" for i in range(20))
    (tmp_path / "wild.csv").write_text(f"small,huge,y\n{rows}")
    assert main(["demo", "--csv", str(tmp_path / "wild.csv"), "--target", "y", "--steps", "1"]) == 0
    out = capsys.readouterr().out
    assert "huge is of wild scale: squares of values up to 1e+180 overflow" in out
    assert "small is of wild scale" not in out
