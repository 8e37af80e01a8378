"""The command `relgraph demo`: its data, model and plots."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from relations import STABILIZE
from relgraph.compile import Mode, function
from relgraph.demo.cli import HEIGHT, WIDTH, plot
from relgraph.demo.model import (
    SHIPPED_CSV,
    SHIPPED_TARGET,
    DataError,
    Model,
    Table,
    column_power,
    load_table,
    naive_model,
    train,
)
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer


def write(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_shipped_data() -> None:
    table = load_table(SHIPPED_CSV, SHIPPED_TARGET)
    assert table.X.shape == (569, 30)
    assert (table.X.dtype, table.y.dtype) == (np.float64, np.float64)
    assert np.bincount(table.y.astype(int)).tolist() == [212, 357]
    # The smallest and the largest values that the repository's description gives.
    column = dict(zip(table.columns, table.X.T, strict=True))
    assert (column["mean_radius"].min(), column["mean_radius"].max()) == (6.981, 28.11)
    assert (column["worst_area"].min(), column["worst_area"].max()) == (185.2, 4254.0)
    assert (column["mean_concavity"].min(), column["area_error"].max()) == (0.0, 542.2)


def test_source_is_named_beside_the_data() -> None:
    source = (SHIPPED_CSV.parent / "SOURCE.md").read_text(encoding="utf-8")
    assert "10.24432/C5DW2B" in source
    assert "CC BY 4.0" in source


def test_target_may_stand_anywhere(tmp_path: Path) -> None:
    table = load_table(write(tmp_path, "a,t,b\n1,0,2\n3,1,4\n"), "t")
    assert table.columns == ("a", "b")
    assert table.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert table.y.tolist() == [0.0, 1.0]
    assert table.target == "t"


@pytest.mark.parametrize(
    ("cells", "classes", "y"),
    [
        (["1", "0"], ("0", "1"), [1, 0]),
        (["1", "2"], ("1", "2"), [0, 1]),
        (["10", "9"], ("9", "10"), [1, 0]),
        (["-1", "1.0", "1"], ("-1", "1"), [0, 1, 1]),
        (["M", "B"], ("B", "M"), [1, 0]),
        (["yes", "1"], ("1", "yes"), [1, 0]),
    ],
)
def test_two_classes(
    tmp_path: Path, cells: list[str], classes: tuple[str, str], y: list[float]
) -> None:
    rows = "".join(f"{cell},0.5\n" for cell in cells)
    table = load_table(write(tmp_path, f"t,x\n{rows}"), "t")
    assert table.classes == classes
    assert table.y.tolist() == y


def test_spreadsheet_habits_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes('\ufeffx, t\r\n\r\n 1e3 ,0\r\n"2",1\r\n\r\n'.encode())
    table = load_table(path, "t")
    assert table.columns == ("x",)
    assert table.X.tolist() == [[1000.0], [2.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("x,t\n", "has a header but no rows"),
        ("x,y\n1,0\n", "has no column 't'; its columns are 'x', 'y'"),
        ('"a\nb",y\n1,0\n', r"its columns are 'a\nb', 'y'"),
        ("t\n0\n1\n", "has no column beside the target 't'"),
        ("x,x,t\n1,1,0\n", "has two columns called 'x'"),
        ("x,,t\n1,1,0\n", "column 2 has no name in the first line"),
        ("x,t\n1,0\n2\n", "line 3: 1 values where the header names 2 columns"),
        ("x,t\n1,0\n2,1,3\n", "line 3: 3 values where the header names 2 columns"),
        ("x,t\n1,0\nred,1\n", "line 3, column 'x': 'red' is not a number"),
        ("x,t\n1_0,0\n1,1\n", "line 2, column 'x': '1_0' is not a number"),
        ("x,t\n1,0\n,1\n", "line 3, column 'x': the value is missing"),
        ("x,t\n1,0\n2,\n", "line 3, column 't': the value is missing"),
        ("x,t\n1,0\nnan,1\n", "line 3, column 'x': 'nan' is not a finite number"),
        ("x,t\n1,0\n1e999,1\n", "line 3, column 'x': '1e999' is not a finite number"),
        ("x,t\n1,0\n2,nan\n", "line 3, column 't': 'nan' is not a finite number"),
        ("x,t\n1,0\n2,0.0\n", "column 't': every row holds '0'; a target has two values"),
        ("x,t\n1,B\n2,B\n", "column 't': every row holds 'B'; a target has two values"),
        ("x,t\n1,0\n2,1\n3,2\n", "column 't': 3 different values ('0', '1', '2', ...)"),
        (f"x,t\n{'9' * 200_000},0\n", "line 2: field larger than field limit"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DataError) as caught:
        load_table(path, "t")
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        load_table(tmp_path / "none.csv", "t")
    with pytest.raises(DataError, match="is a directory, not a CSV file"):
        load_table(tmp_path, "t")
    with pytest.raises(DataError, match="can't be read: Not a directory"):
        load_table(write(tmp_path, "x\n") / "below.csv", "t")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"x,t\n\xff\xfe,1\n")
    with pytest.raises(DataError, match="is not UTF-8 text: byte 0xff can't be read"):
        load_table(binary, "t")


# The model of the demonstration, naive and rewritten, against formulas in NumPy.

STEPS, RATE = 1000, 3.0


@pytest.fixture(scope="module")
def table() -> Table:
    return load_table(SHIPPED_CSV, SHIPPED_TARGET)


@pytest.fixture(scope="module")
def model() -> Model:
    return naive_model()


@pytest.fixture(scope="module")
def rewritten(model: Model) -> FunctionGraph:
    fgraph = model.graph()
    EquilibriumOptimizer(STABILIZE).optimize(fgraph)
    return fgraph


def values(fgraph: FunctionGraph, *arguments: object) -> list[np.ndarray]:
    run = function(fgraph.inputs, fgraph.outputs, mode=Mode(linker="py", optimizer=None))
    return run(*arguments)


def stable_formulas(X, y, w, b):
    z = X @ w + b
    dz = (expit(z) - y) / len(y)
    return [np.mean(np.logaddexp(0, z) - y * z), X.T @ dz, dz.sum()]


def test_both_mean_the_same_where_nothing_overflows(model: Model, rewritten: FunctionGraph) -> None:
    rng = np.random.default_rng(0)
    X, w, b = rng.normal(size=(40, 3)), rng.normal(size=3), np.float64(0.3)
    y = (rng.random(40) < 0.5).astype(np.float64)
    expected = stable_formulas(X, y, w, b)
    for fgraph in (model.graph(), rewritten):
        for found, wanted in zip(values(fgraph, X, y, w, b), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-3, -1e-3, 0.1, -0.1, 1e3, -1e3])
def test_rewritten_holds_where_the_naive_one_overflows(
    table: Table, rewritten: FunctionGraph, scale: float
) -> None:
    w, b = np.full(table.X.shape[1], scale), np.float64(-scale)
    expected = stable_formulas(table.X, table.y, w, b)
    for found, wanted in zip(values(rewritten, table.X, table.y, w, b), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-300)


def test_no_exp_or_log_is_left(rewritten: FunctionGraph) -> None:
    names = {str(node.op) for node in rewritten.apply_nodes}
    assert not {"exp", "log"} & names
    assert {"sigmoid", "softplus"} <= names


def test_naive_is_lost_and_rewritten_trains(
    table: Table, model: Model, rewritten: FunctionGraph
) -> None:
    steps_done = []
    naive = train(
        model.graph(), table.X, table.y, STEPS, RATE, on_step=lambda: steps_done.append(1)
    )
    assert len(steps_done) == STEPS
    assert naive.losses.shape == (STEPS + 1,)
    assert not np.isfinite(naive.losses[-1])
    assert naive.lost_at is not None
    assert naive.lost_at < STEPS

    stable = train(rewritten, table.X, table.y, STEPS, RATE)
    assert stable.lost_at is None
    assert stable.accuracy >= 0.9
    # Both set out on the same path; the naive one loses digits in 1 - p before it loses all.
    np.testing.assert_allclose(stable.losses[:3], naive.losses[:3], rtol=1e-9)


def test_training_follows_its_rule(table: Table, rewritten: FunctionGraph) -> None:
    w, b = np.zeros(table.X.shape[1]), 0.0
    losses = []
    for _ in range(20):
        loss, w_grad, b_grad = stable_formulas(table.X, table.y, w, b)
        losses.append(loss)
        w, b = w - RATE / np.mean(table.X**2, axis=0) * w_grad, b - RATE * b_grad
    result = train(rewritten, table.X, table.y, 19, RATE)
    np.testing.assert_allclose(result.losses, losses, rtol=1e-9)


def test_column_power() -> None:
    X = np.array([[3.0, 0.0, 1e200], [4.0, 0.0, 1e200]])
    assert column_power(X).tolist() == [12.5, 1.0, np.inf]


# The plot of the demonstration.


def rows(lines: list[str]) -> list[str]:
    return [line[12:] for line in lines[:HEIGHT]]


def test_a_falling_curve() -> None:
    lines = plot({"a": 1 / np.arange(1.0, 1001.0)}, {"a": "*"})
    found = rows(lines)
    assert lines[0].split()[0] == "1" and lines[HEIGHT - 1].split()[0] == "0.001"
    assert found[0].startswith("*") and found[-1].rstrip().endswith("*")
    places = [row.find("*") for row in found]
    assert places == sorted(places) and max(row.rfind("*") for row in found) == WIDTH - 1
    assert lines[-1].split() == ["step", "0", "10", "100", "1000"] or "100" in lines[-1]


def test_where_a_curve_ends_nothing_is_drawn() -> None:
    curve = np.array([1.0, 2.0, np.nan, np.inf, -1.0, 0.0])
    found = "".join(rows(plot({"a": curve, "b": np.ones(6)}, {"a": "x", "b": "o"})))
    assert set(found) == {"x", "o", " "}
    both = rows(plot({"a": curve, "b": np.ones(6)}, {"a": "x", "b": "o"}))
    assert max(row.rfind("x") for row in both) <= WIDTH / 2 < max(row.rfind("o") for row in both)


@pytest.mark.parametrize("curve", [[2.0], [2.0, 2.0], [np.nan, 3.0], [1e-300, 1e300]])
def test_short_and_flat_curves(curve: list[float]) -> None:
    lines = plot({"a": np.array(curve)}, {"a": "*"})
    assert len(lines) == HEIGHT + 2 and "*" in "".join(lines)


def test_nothing_to_draw() -> None:
    assert plot({"a": np.array([np.nan, np.inf])}, {"a": "*"}) == []
