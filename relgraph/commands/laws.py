"""The command ``relgraph laws``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from relations import identities
from relgraph.commands import CommandError, file_ending_in, write
from relgraph.compile import laws_for
from relgraph.compile.database import rows_of
from relgraph.compile.packs import PREFIX
from relgraph.display import LawTable, law_book, whole_page
from relgraph.graph.kanren import Relation
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.graph.utils import spelling_hint
from relgraph.search import accuracy
from relgraph.testing.discovery import add_module_arguments, discover_laws, with_packs

EXAMPLE = (
    '  relgraph laws "log(1+exp(x))"\n'
    "  relgraph laws --about erfc\n"
    "  relgraph laws --search softplus\n"
    "  relgraph laws -o laws.html my_laws.py"
)
# What is written to a file or a pipe has no window to fit.
_PLAIN_WIDTH = 160


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add_module_arguments(parser)
    named = next(action for action in parser._actions if action.dest == "modules")
    named.metavar = "FORMULA|MODULE"
    named.help = (
        "a formula, for the laws that apply to it or a part of it: those of modes, or of the "
        f"modules beside it, such as {identities.__name__}; {named.help}"
    )
    parser.add_argument("--about", metavar="OP", help="only laws that mention an op, such as erfc")
    parser.add_argument(
        "--search", metavar="WORD", help="only laws with a word in name, algebra, tags or rows"
    )
    parser.add_argument(
        "--sound", choices=SOUNDNESS, metavar="CLASS", help=f"only one of {', '.join(SOUNDNESS)}"
    )
    parser.add_argument(
        "-o",
        "--output",
        "--html",
        type=file_ending_in(".html"),
        metavar="OUT.html",
        help="write a book of them",
    )
    # what begins as -log(x) does is a formula, as -1 is a number to every parser
    parser._negative_number_matcher = re.compile("-[^-]")


def run(options: argparse.Namespace) -> int:
    """Print a table of laws, or write them as a book.

    Raises
    ------
    CommandError
        If a formula is none, if no law is like that, or if the page can't be written.
    """
    formulas = [text for text in options.modules if _is_formula(text)]
    modules = [text for text in options.modules if text not in formulas]
    laws = discover_laws(with_packs(modules, options.packs)).values()
    chosen = [law for law in laws if options.sound is None or law.sound == options.sound]
    if formulas:
        # identities, which no mode applies, match nearly every formula
        in_modes = [law for law in chosen if law.module != identities.__name__]
        chosen = _applying_to(formulas, chosen if modules else in_modes)
    table = LawTable(chosen, rows_of)
    if options.search is not None:
        table = table.matching(options.search)
    if options.about is not None:
        table = _about(options.about, table)
    if not len(table):
        word = "" if options.search is None else f" with {options.search!r}"
        sound = "" if options.sound is None else f" of the class {options.sound}"
        raise CommandError(f"there is no law{sound}{word} among {len(laws)}")
    if options.output is not None:
        write(options.output, whole_page("laws", law_book(table, rows_of)))
    else:
        _print(table)
    return 0


def _is_formula(text: str) -> bool:
    """Return whether a text is a formula, and names no module, file, folder or pack."""
    is_name = all(part.isidentifier() for part in text.split("."))
    is_file = text.endswith(".py") or text.startswith(PREFIX) or Path(text).exists()
    return not (is_name or is_file) and not text.startswith(".")


def _applying_to(formulas: list[str], laws: list[Relation]) -> list[Relation]:
    """Return the laws that match somewhere in formulas."""
    try:
        problems = [accuracy.problem_of(text) for text in formulas]
        graphs = [
            accuracy.to_graph(asked.expr, dict(zip(asked.names, asked.variables, strict=True)))
            for asked in problems
        ]
    except (ValueError, ModuleNotFoundError) as error:
        raise CommandError(str(error)) from error
    found = laws_for(graphs, laws)
    if not found:
        raise CommandError(f"no law of {len(laws)} applies to {' or '.join(formulas)}")
    return found


def _about(name: str, table: LawTable) -> LawTable:
    """Return the laws that mention an op on either side."""
    found = table.about(name)
    if not len(found):
        raise CommandError(f"no law mentions an op called {name}{spelling_hint(name, table.ops)}")
    return found


def _print(table: LawTable) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    grid = Grid(box=None, pad_edge=False)
    # a name that is cut can't be searched for
    grid.add_column("name", min_width=max((len(law.name) for law in table), default=0))
    for title in ("algebra", "class", "rows"):
        grid.add_column(title)
    for line in table.lines():
        # as it is: rich would take brackets for its own
        grid.add_row(*map(Text, line))
    console.print(grid)
    console.print(f"\n{len(table)} laws", markup=False)
