"""The command ``relgraph improve``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from relgraph.commands.named import CommandError, file_ending_in, natural, positive, write
from relgraph.search import accuracy
from relgraph.search.accuracy.expressions import inputs_of

EXAMPLE = (
    '  relgraph improve "sqrt(x+1)-sqrt(x)" --domain "x>0"\n'
    '  relgraph improve "(1-cos(x))/x**2" --plot errors.svg --derivation\n'
    "  relgraph improve formulas.fpcore"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument(
        "formula",
        metavar="FORMULA",
        help="an expression in Python's syntax with NumPy's functions, or a file that ends in "
        ".fpcore",
    )
    parser.add_argument(
        "--domain", metavar="CONDITION", help="for which inputs, such as 'x > 0 and y < 1'"
    )
    parser.add_argument(
        "--plot", type=file_ending_in(".svg"), metavar="OUT.svg", help="draw the errors too"
    )
    parser.add_argument("--against", metavar="INPUT", help="the input that the plot shows")
    parser.add_argument(
        "--derivation", action="store_true", help="print the steps of the best form"
    )
    parser.add_argument(
        "--points",
        type=positive,
        default=512,
        metavar="N",
        help="how many points (default: %(default)s)",
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        default=6,
        metavar="S",
        help="for the search (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=natural,
        default=0,
        metavar="N",
        help="of the random points (default: %(default)s)",
    )
    parser.add_argument("--float32", action="store_true", help="compute in float32")


def run(options: argparse.Namespace) -> int:
    """Print the forms of a formula that no other beats in both error and cost.

    Raises
    ------
    CommandError
        If there is no such formula or domain.
    """
    if options.against is not None and options.plot is None:
        raise CommandError("--against says what a plot shows, and needs --plot")
    try:
        formulas = _formulas(options)
        if options.plot is not None:
            # before the search, which takes seconds
            _see_that_it_can_be_drawn(formulas, options)
        found = [_improved(one, options) for one in formulas]
        if options.plot is not None:
            write(options.plot, accuracy.error_plot(found[0], options.against))
    except (ValueError, ModuleNotFoundError) as error:
        raise CommandError(str(error)) from error
    return 0


def _see_that_it_can_be_drawn(formulas: list[Any], options: argparse.Namespace) -> None:
    if len(formulas) != 1:
        raise CommandError(f"{options.formula} has {len(formulas)} formulas; one can be drawn")
    if not options.plot.parent.is_dir():
        folder = options.plot.parent
        raise CommandError(f"{options.plot} can't be written: there is no folder {folder}")
    (formula,) = formulas
    names = (
        inputs_of(accuracy.parsed(formula)) if isinstance(formula, str) else list(formula.inputs)
    )
    if options.against is not None and options.against not in names:
        raise CommandError(f"there is no input {options.against}; there are {', '.join(names)}")


def _formulas(options: argparse.Namespace) -> list[Any]:
    if not options.formula.endswith(".fpcore"):
        return [options.formula]
    try:
        text = Path(options.formula).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{options.formula} can't be read: {error.strerror}") from error
    found = list(accuracy.from_fpcore(text))
    if not found:
        raise CommandError(f"{options.formula} has no formula")
    return found


def _improved(formula: Any, options: argparse.Namespace) -> Any:
    found = accuracy.improve(
        formula,
        domain=options.domain,
        dtype="float32" if options.float32 else "float64",
        seconds=options.seconds,
        samples=options.points,
        seed=options.seed,
    )
    console = Console()
    if not isinstance(formula, str):
        console.print(formula.name, style="bold", markup=False)
    console.print(found)
    if options.derivation:
        for steps in found.best.derivations:
            console.print(str(steps), markup=False, highlight=False, soft_wrap=True)
    return found
