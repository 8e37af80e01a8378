"""The command line, in this process and in one of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from relgraph.__main__ import main
from relgraph.demo.cli import HEIGHT, NEXT, WIDTH

ROOT = Path(__file__).parents[2]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "relgraph", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def row(output: str, first: str) -> list[str]:
    """Return the cells of the table row whose first cell is `first`."""
    for line in output.splitlines():
        cells = [cell.strip() for cell in re.split(r"[│|]", line)]
        if len(cells) > 2 and cells[1] == first:
            return cells[1:-1]
    raise AssertionError(f"no row {first!r} in:\n{output}")


def two_clouds(path: Path, labels: tuple[str, str]) -> Path:
    """Write two well separated groups of points on columns of very different scale."""
    lines = ["kind,small,large"]
    for i in range(40):
        side = i % 2
        lines.append(f"{labels[side]},{side + 0.01 * i},{1000 + 500 * side + i}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def demo() -> subprocess.CompletedProcess[str]:
    return run("demo")


def test_demo_says_nothing_on_stderr(demo: subprocess.CompletedProcess[str]) -> None:
    assert (demo.returncode, demo.stderr) == (0, "")


def test_demo_names_the_data(demo: subprocess.CompletedProcess[str]) -> None:
    assert "breast_cancer.csv: 569 rows, 30 columns, not scaled" in demo.stdout
    assert "benign: 1 counts as 1 (357 rows), 0 as 0 (212 rows)" in demo.stdout


def test_demo_shows_the_loss_before_and_after(demo: subprocess.CompletedProcess[str]) -> None:
    _, _, loss = demo.stdout.partition("2. The loss")
    naive, rewritten = re.findall(r"(?:naive|rewritten): (.*)", loss)
    assert naive == (
        "-(y * log(1.0 / (1.0 + exp(-z))) + (1.0 - y) * log(1.0 - 1.0 / (1.0 + exp(-z))))"
    )
    assert rewritten == "y * softplus(-z) + (1.0 - y) * softplus(z)"
    assert "[id" not in demo.stdout


def test_demo_shows_the_graphs_where_they_are_asked_for() -> None:
    _, _, graphs = run("demo", "--graph", "--steps", "2").stdout.partition("The naive graph")
    before, _, after = graphs.partition("The graph after the laws")
    assert "exp [id" in before and "softplus [id" not in before
    assert "softplus [id" in after and "exp [id" not in after


def test_demo_draws_both_curves(demo: subprocess.CompletedProcess[str]) -> None:
    rows = [line.partition("|")[2] for line in demo.stdout.splitlines() if " | " in line[:12]]
    assert len(rows) == HEIGHT
    assert max(row.rfind("x") for row in rows) < 20  # it ends after a few steps
    assert max(row.rfind("o") for row in rows) == WIDTH
    assert "o" in rows[-1] and "x  naive, no number from step 5 on" in demo.stdout


def test_demo_lists_the_laws_that_fired(demo: subprocess.CompletedProcess[str]) -> None:
    name, algebra, claim, times = row(demo.stdout, "sigmoid")
    assert (name, claim) == ("sigmoid", "rounding")
    assert "exp" in algebra and "→" in algebra
    assert int(times) >= 1


def test_demo_trains_both(demo: subprocess.CompletedProcess[str]) -> None:
    _, first_naive, last_naive, _, lost = row(demo.stdout, "naive")
    _, first, last, accuracy, never = row(demo.stdout, "rewritten")
    assert first_naive == first == "0.6931"
    assert last_naive in {"nan", "inf"}
    assert lost.startswith("step ")
    assert float(last) < float(first)
    assert float(accuracy) >= 0.9
    assert never == "never"
    assert demo.stdout.count("1000/1000 steps") == 2


def test_demo_says_what_to_try_next(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.stdout.rstrip().endswith(NEXT)


def test_demo_without_the_letters(demo: subprocess.CompletedProcess[str]) -> None:
    plain = run("demo", "--steps", "2", PYTHONIOENCODING="ascii")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.isascii()


@pytest.mark.parametrize(
    ("labels", "counts"),
    [
        (("0", "1"), "kind: 1 counts as 1 (20 rows), 0 as 0 (20 rows)"),
        (("bad", "good"), "kind: good counts as 1 (20 rows), bad as 0 (20 rows)"),
    ],
)
def test_own_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], labels: tuple[str, str], counts: str
) -> None:
    path = two_clouds(tmp_path / "own.csv", labels)
    assert main(["demo", "--csv", str(path), "--target", "kind", "--steps", "300"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "own.csv: 40 rows, 2 columns, not scaled" in captured.out
    assert counts in captured.out
    assert float(row(captured.out, "rewritten")[3]) >= 0.9


def test_names_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.csv"
    path.write_text("[bold]x,[red]t\n1,:smile:\n2,[/]\n", encoding="utf-8")
    assert main(["demo", "--csv", str(path), "--target", "[red]t", "--steps", "1"]) == 0
    out = capsys.readouterr().out
    assert "[bold]x" in out
    assert "[red]t: [/] counts as 1 (1 rows), :smile: as 0 (1 rows)" in out


def test_errors_in_a_process_of_its_own(tmp_path: Path) -> None:
    failed = run("demo", "--csv", str(tmp_path), "--target", "t")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert failed.stderr == f"relgraph: error: {tmp_path} is a directory, not a CSV file\n"
