"""The command ``relgraph improve``."""

from __future__ import annotations

import argparse
import re
import sys
from keyword import iskeyword
from pathlib import Path
from typing import Any

from rich.console import Console

from relgraph.commands import CommandError, add_number, file_ending_in, natural, write
from relgraph.search import accuracy

EXAMPLE = (
    '  relgraph improve "sqrt(x+1)-sqrt(x)" --domain "x>0"\n'
    '  relgraph improve "(1-cos(x))/x**2" --plot errors.svg --derivation\n'
    "  relgraph improve formulas.fpcore"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    # what begins as -x+1 does is a formula, as -1 is a number to every parser
    parser._negative_number_matcher = re.compile("-[^-]")
    parser.add_argument(
        "formula",
        metavar="FORMULA",
        help="an expression in Python's syntax with NumPy's functions, one of FPCore, or a file "
        "that ends in .fpcore",
    )
    parser.add_argument(
        "--inputs",
        type=names,
        metavar="NAMES",
        help="the inputs, such as x,e: what is named here is none of the numbers e or pi",
    )
    parser.add_argument(
        "--domain", metavar="CONDITION", help="for which inputs, such as 'x > 0 and y < 1'"
    )
    parser.add_argument(
        "--plot", type=file_ending_in(".svg"), metavar="OUT.svg", help="draw the errors too"
    )
    parser.add_argument(
        "--html",
        type=file_ending_in(".html"),
        metavar="OUT.html",
        help="write a page: errors, forms, steps, and the best form as a function",
    )
    parser.add_argument(
        "--source",
        choices=["numpy", "jax", "c", "fpcore"],
        help="print the best form as a function to be pasted",
    )
    parser.add_argument("--against", metavar="INPUT", help="the input that the plot shows")
    parser.add_argument(
        "--derivation", action="store_true", help="print the steps of the best form"
    )
    add_number(parser, "--points", 512, "how many points")
    add_number(parser, "--seconds", 6, "for the search", metavar="S")
    add_number(parser, "--seed", 0, "of the random points", natural)
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
        # all that can be wrong is said before the first search, which takes seconds
        dtype = "float32" if options.float32 else "float64"
        problems = [
            accuracy.problem_of(one, options.inputs, options.domain, dtype) for one in formulas
        ]
        if options.plot is not None or options.html is not None:
            _see_that_it_can_be_drawn(problems, options)
        found = [_improved(f, p, options) for f, p in zip(formulas, problems, strict=True)]
        if options.plot is not None and found[0] is not None:
            write(options.plot, accuracy.error_plot(found[0], options.against))
        if options.html is not None and found[0] is not None:
            write(options.html, accuracy.page(found[0], title=options.formula))
    except (ValueError, ModuleNotFoundError) as error:
        raise CommandError(str(error)) from error
    return 2 if None in found else 0


def names(text: str) -> list[str]:
    """Return the names of inputs that are written with commas between."""
    found = [name.strip() for name in text.split(",")]
    for name in found:
        if not name.isidentifier() or iskeyword(name):
            raise argparse.ArgumentTypeError(f"{name!r} is no name of an input")
    return found


def _see_that_it_can_be_drawn(problems: list[Any], options: argparse.Namespace) -> None:
    if len(problems) != 1:
        raise CommandError(f"{options.formula} has {len(problems)} formulas; one can be drawn")
    there = problems[0].names
    if not there:
        raise CommandError(f"{options.formula!r} has no inputs, and no plot")
    if options.against is not None and options.against not in there:
        raise CommandError(f"there is no input {options.against}; there are {', '.join(there)}")


def _formulas(options: argparse.Namespace) -> list[Any]:
    text = options.formula.strip()
    if not text.startswith("(FPCore"):
        if not text.endswith(".fpcore"):
            return [options.formula]
        try:
            text = Path(text).read_text(encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options.formula} can't be read: {error.strerror}") from error
    found = list(accuracy.from_fpcore(text))
    if not found:
        raise CommandError(f"{options.formula} has no formula")
    return found


def _improved(formula: Any, problem: accuracy.Problem, options: argparse.Namespace) -> Any:
    """Print what is found for a formula, and return it; None for one of a file that has no points,
    of which a line on standard error says why."""
    try:
        found = accuracy.improve(
            problem, seconds=options.seconds, samples=options.points, seed=options.seed
        )
    except accuracy.EmptyDomain as error:
        if isinstance(formula, str):
            raise
        print(f"relgraph: error: {formula.name}: {error}", file=sys.stderr)
        return None
    console = Console()
    if not isinstance(formula, str):
        console.print(formula.name, style="bold", markup=False)
    console.print(found)
    if options.derivation:
        for steps in found.best.derivations:
            console.print(str(steps), markup=False, highlight=False, soft_wrap=True)
    if options.source is not None:
        print(found.source(options.source))
    return found
