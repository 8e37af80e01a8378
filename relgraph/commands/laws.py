"""The command ``relgraph laws``."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from relgraph.commands.named import CommandError, file_ending_in, write
from relgraph.compile.database import rows_of
from relgraph.display import LawTable, law_book, whole_page
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.testing.discovery import add_module_arguments, discover_laws, with_packs

EXAMPLE = "  relgraph laws --search softplus\n  relgraph laws -o laws.html my_laws.py"
# What is written to a file or a pipe has no window to fit.
_PLAIN_WIDTH = 160


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add_module_arguments(parser)
    parser.add_argument(
        "--search", metavar="WORD", help="only laws with a word in name, algebra, tags or rows"
    )
    parser.add_argument(
        "--about", metavar="NAME", help="only laws written with an op or a function of this name"
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


def run(options: argparse.Namespace) -> int:
    """Print a table of laws, or write them as a book.

    Raises
    ------
    CommandError
        If no law is like that, or the page can't be written.
    """
    laws = discover_laws(with_packs(options.modules, options.packs)).values()
    chosen = [law for law in laws if options.sound is None or law.sound == options.sound]
    table = LawTable(chosen, rows_of)
    if options.search is not None:
        table = table.matching(options.search)
    if options.about is not None:
        table = table.about(options.about)
    if not len(table):
        word = "" if options.search is None else f" with {options.search!r}"
        word += "" if options.about is None else f" about {options.about!r}"
        sound = "" if options.sound is None else f" of the class {options.sound}"
        raise CommandError(f"there is no law{sound}{word} among {len(laws)}")
    if options.output is not None:
        write(options.output, whole_page("laws", law_book(table, rows_of)))
    else:
        _print(table)
    return 0


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
