"""Logistic regression as one would write it on paper, its training, and the tables that it is for:
numbers with a two-valued target, read from CSV files.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import relgraph.tensor as at
from relgraph.compile import Mode, function, shared
from relgraph.gradient import grad
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph

SHIPPED_CSV = Path(__file__).parent / "breast_cancer.csv"
SHIPPED_TARGET = "benign"


class DataError(Exception):
    """A file that lacks the data expected in it; the message is one line for the user."""


@dataclass(frozen=True)
class Table:
    """The measurements of a data set and what they are to predict.

    Attributes
    ----------
    source
        The file it came from.
    columns
        The names of the columns of `X`.
    X
        The measurements, float64, shape (rows, columns), as they stand in the file.
    target
        The name of the target column.
    y
        The target, float64 zeros and ones, shape (rows,).
    classes
        What the file calls 0 and what it calls 1.
    """

    source: Path
    columns: tuple[str, ...]
    X: NDArray[np.float64]
    target: str
    y: NDArray[np.float64]
    classes: tuple[str, str]


def load_table(path: Path, target: str) -> Table:
    """Read a CSV file whose first row names the columns.

    Every column but `target` must hold finite numbers. The target holds two different values,
    numbers or text: the larger number, or the later text in alphabetical order, counts as 1.

    Raises
    ------
    DataError
        If the file can't be read, or something in it is not as described; the message names the
        file, and the line and column where there is one.
    """
    columns, rows = _read_rows(path)
    if target not in columns:
        known = ", ".join(map(repr, columns))
        raise DataError(f"{path} has no column {target!r}; its columns are {known}")
    at = columns.index(target)
    measured = columns[:at] + columns[at + 1 :]
    if not measured:
        raise DataError(f"{path} has no column beside the target {target!r}")
    # Cell by cell, so that an error can say where; the table is small beside the training.
    X = np.array(
        [
            [
                _number(path, line, name, cell)
                for i, (name, cell) in enumerate(zip(columns, row, strict=True))
                if i != at
            ]
            for line, row in rows
        ],
        dtype=np.float64,
    )
    classes, y = _two_classes(path, target, [(line, row[at]) for line, row in rows])
    return Table(path, tuple(measured), X, target, y, classes)


def _read_rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the names in the header, and the rows below it with their line numbers."""
    try:
        # utf-8-sig: spreadsheets put a byte order mark before the first name.
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory, not a CSV file") from None
    except OSError as error:
        raise DataError(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text: byte {error.object[error.start]:#04x} can't be read"
        ) from None
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from None
    if not lines:
        raise DataError(f"{path} is empty")
    (_, columns), *rows = lines
    _check_header(path, columns)
    if not rows:
        raise DataError(f"{path} has a header but no rows")
    for line, row in rows:
        if len(row) != len(columns):
            raise DataError(
                f"{path}, line {line}: {len(row)} values where the header names "
                f"{len(columns)} columns"
            )
    return columns, rows


def _check_header(path: Path, columns: Sequence[str]) -> None:
    seen: set[str] = set()
    for position, name in enumerate(columns, 1):
        if not name:
            raise DataError(f"{path}: column {position} has no name in the first line")
        if name in seen:
            raise DataError(f"{path} has two columns called {name!r}")
        seen.add(name)


def _present(path: Path, line: int, column: str, cell: str) -> str:
    if not cell:
        raise DataError(f"{path}, line {line}, column {column!r}: the value is missing")
    return cell


def _number(path: Path, line: int, column: str, cell: str) -> float:
    _present(path, line, column, cell)
    value = _parsed(cell)
    if value is None:
        raise DataError(f"{path}, line {line}, column {column!r}: {cell!r} is not a number")
    if not math.isfinite(value):
        raise DataError(f"{path}, line {line}, column {column!r}: {cell!r} is not a finite number")
    return value


def _parsed(cell: str) -> float | None:
    """Return the number that a cell holds, or None; Python's ``1_000`` is text here."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _two_classes(
    path: Path, target: str, cells: Sequence[tuple[int, str]]
) -> tuple[tuple[str, str], NDArray[np.float64]]:
    """Return the labels of 0 and 1 in the target column, and the column as these numbers."""
    labels: list[Any] = [_present(path, line, target, cell) for line, cell in cells]
    if all(_parsed(cell) is not None for _, cell in cells):
        labels = [_number(path, line, target, cell) for line, cell in cells]
    distinct = sorted(set(labels))
    names = [label if isinstance(label, str) else f"{label:g}" for label in distinct]
    if len(names) == 1:
        raise DataError(
            f"{path}, column {target!r}: every row holds {names[0]!r}; a target has two values"
        )
    if len(names) > 2:
        raise DataError(
            f"{path}, column {target!r}: {len(names)} different values "
            f"({', '.join(map(repr, names[:3]))}, ...); a target has two"
        )
    return (names[0], names[1]), np.array([label == distinct[1] for label in labels], np.float64)


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """The loss of a model and its gradients, as a graph.

    Attributes
    ----------
    inputs
        ``X`` (rows, columns), ``y`` (rows,), ``w`` (columns,) and ``b`` (a scalar), all float64.
    outputs
        The loss, its gradient by ``w`` and its gradient by ``b``.
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]

    def graph(self) -> FunctionGraph:
        """Return a copy of the model that can be rewritten."""
        return FunctionGraph(list(self.inputs), list(self.outputs), clone=True)


@dataclass(frozen=True)
class Result:
    """How a training ended.

    Attributes
    ----------
    losses
        The loss before each step and after the last one.
    accuracy
        The share of rows on whose side the final model puts its plane.
    """

    losses: Floats
    accuracy: float

    @property
    def lost_at(self) -> int | None:
        """The first step whose loss is nan or infinite, or None."""
        bad = np.flatnonzero(~np.isfinite(self.losses))
        return int(bad[0]) if bad.size else None


def naive_terms(y: Any, z: Any) -> Any:
    """Return the loss of each row, the way that overflows.

    Parameters
    ----------
    y
        The targets, zeros and ones.
    z
        What the model says of each row: the logarithm of the odds of a 1.
    """
    p = 1 / (1 + at.exp(-z))
    return -(y * at.log(p) + (1 - y) * at.log(1 - p))


def naive_model() -> Model:
    """Return logistic regression written the way that overflows."""
    X, y = at.dmatrix("X"), at.dvector("y")
    w, b = at.dvector("w"), at.dscalar("b")
    loss = at.mean(naive_terms(y, X @ w + b))
    # what is shown is what the laws make of a gradient that is as naive as its loss
    return Model((X, y, w, b), (loss, *grad(loss, [w, b], stabilize=False)))


def train(
    model: FunctionGraph,
    X: Floats,
    y: Floats,
    steps: int,
    rate: float,
    on_step: Callable[[], Any] = lambda: None,
) -> Result:
    """Train a model by gradient descent, computing its graph exactly as it stands.

    Parameters
    ----------
    model
        A graph from `Model.graph`, rewritten or not.
    X, y
        The data; shapes (rows, columns) and (rows,).
    steps
        How many steps to take from ``w = 0, b = 0``.
    rate
        The step size. A column's own step is `rate` divided by the mean of its squares, so that
        columns of any scale learn at one pace; the data stays as it is.
    on_step
        Called after each step.
    """
    x_in, y_in, w_in, b_in = model.inputs
    w = shared(np.zeros(X.shape[1]), name="w")
    b = shared(np.float64(0.0), name="b")
    loss, w_grad, b_grad = map(at.as_tensor_variable, model.outputs)
    as_it_stands = Mode(linker="vm", optimizer=None)
    descend = function(
        [x_in, y_in],
        loss,
        updates=[(w, w - rate / column_power(X) * w_grad), (b, b - rate * b_grad)],
        givens={w_in: w, b_in: b},
        mode=as_it_stands,
    )
    evaluate = function([x_in, y_in], loss, givens={w_in: w, b_in: b}, mode=as_it_stands)
    losses = np.empty(steps + 1)
    # The overflow of the naive formula is what is to be seen; it needs no warning as well.
    with np.errstate(all="ignore"):
        for step in range(steps):
            losses[step] = descend(X, y)
            on_step()
        losses[steps] = evaluate(X, y)
        positive = X @ w.get_value() + b.get_value() > 0
    return Result(losses, float(np.mean(positive == (y == 1))))


def column_power(X: Floats) -> Floats:
    """Return the mean square of each column, and 1 for a column of zeros."""
    with np.errstate(over="ignore"):
        power = np.mean(X**2, axis=0)
    return np.where(power > 0, power, 1.0)


# Where the largest value is so far from the usual ones, these hardly move the model.
_FAR = 1000.0
# A column that varies less than that, by its size, is nearly constant.
_NARROW = 1e-3


def wild_columns(X: Floats) -> dict[int, str]:
    """Return, by position, why some columns learn badly at the pace that `column_power` sets.

    Parameters
    ----------
    X
        The data, shape (rows, columns).
    """
    found: dict[int, str] = {}
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        power = np.mean(X**2, axis=0)
        for i, column in enumerate(np.abs(X).T):
            largest = column.max()
            usual = np.median(column[column > 0]) if largest > 0 else largest
            if np.isinf(power[i]):
                found[i] = f"squares of values up to {largest:.3g} overflow, so its step is 0"
            elif power[i] < np.finfo(np.float64).tiny and largest > 0:
                found[i] = f"squares of values up to {largest:.3g} underflow, so it hardly moves"
            elif largest > _FAR * usual:
                found[i] = (
                    f"its largest value is {largest:.3g}, and half of them are below {usual:.3g}, "
                    "which count for little at its step; a logarithm would help"
                )
            elif np.ptp(X[:, i]) < _NARROW * largest and np.ptp(X[:, i]) > 0:
                found[i] = (
                    f"all values lie within {np.ptp(X[:, i]):.3g} near {largest:.3g}: at its step "
                    "it is nearly constant; subtract the mean"
                )
    return found
