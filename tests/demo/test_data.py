"""Reading CSV files: what is taken, and how what can't be used is refused."""

from pathlib import Path

import numpy as np
import pytest

from relgraph.demo.data import SHIPPED_CSV, SHIPPED_TARGET, DataError, load_table


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
