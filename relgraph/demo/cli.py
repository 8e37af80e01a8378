"""The arguments of ``relgraph demo``."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from relgraph.demo.data import SHIPPED_CSV, SHIPPED_TARGET, DataError, load_table
from relgraph.demo.report import show

EXAMPLE = "  relgraph demo --csv patients.csv --target sick"
DEFAULT_STEPS = 1000
DEFAULT_RATE = 3.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the demonstration."""
    parser.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="your own data: a CSV file with a header row (default: the breast-cancer data)",
    )
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="the column to predict; it holds two different values",
    )
    parser.add_argument(
        "--steps",
        type=_steps,
        default=DEFAULT_STEPS,
        metavar="N",
        help="steps of gradient descent (default: %(default)s)",
    )
    parser.add_argument(
        "--rate",
        type=_rate,
        default=DEFAULT_RATE,
        metavar="R",
        help="the step size, divided by the mean square of each column (default: %(default)s)",
    )
    parser.add_argument("--graph", action="store_true", help="show the graphs as trees too")


def run(options: argparse.Namespace) -> None:
    """Show the demonstration on standard output.

    Raises
    ------
    DataError
        If the options or the data can't be used.
    """
    if options.csv is not None and options.target is None:
        raise DataError("--csv needs --target, the column to predict")
    table = load_table(options.csv or SHIPPED_CSV, options.target or SHIPPED_TARGET)
    show(table, options.steps, options.rate, options.graph)


def _steps(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return rate
