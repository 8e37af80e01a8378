"""Tables of numbers with a two-valued target, read from CSV files."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
