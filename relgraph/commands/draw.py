"""The command ``relgraph draw``; pictures as PNG come by the extra ``png``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from relgraph.commands import CommandError, add_number, thing_named, write
from relgraph.display import dot, page, svg
from relgraph.display.drawing import MOST_NODES


def png(svg: str, zoom: int = 2) -> bytes:
    """Return the text of an SVG file as the bytes of a PNG file, on white.

    Raises
    ------
    CommandError
        If resvg_py is not installed.
    """
    try:
        resvg = import_module("resvg_py")
    except ModuleNotFoundError:
        raise CommandError("a .png needs resvg_py: pip install 'relgraph[png]'") from None
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=zoom, background="white"))


EXAMPLE = "  relgraph draw model.py:loss -o loss.svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument(
        "graph",
        metavar="FILE.py:NAME",
        help="a variable, a list of variables, a FunctionGraph or a compiled function; "
        "for .html also a law, a derivation or another result",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="a file that ends in .svg, .png, .dot or .html (default: SVG on standard output)",
    )
    text = "how many nodes are drawn, those nearest to the outputs"
    add_number(parser, "--nodes", MOST_NODES, text)


def run(options: argparse.Namespace) -> int:
    """Draw a graph.

    Raises
    ------
    CommandError
        If there is no such graph, or no such kind of file.
    """
    path: Path | None = options.output
    suffix = ".svg" if path is None else path.suffix.lower()
    if suffix not in _WRITERS:
        raise CommandError(f"{path} ends in none of {', '.join(_WRITERS)}")
    thing = thing_named(options.graph)
    try:
        content = _WRITERS[suffix](thing, options.nodes, options.graph)
    except TypeError as error:
        raise CommandError(f"{options.graph}: {error}") from error
    if path is None:
        sys.stdout.write(str(content))
    else:
        write(path, content)
    return 0


_WRITERS: dict[str, Callable[[Any, int, str], str | bytes]] = {
    ".svg": lambda thing, nodes, name: svg(thing, nodes),
    ".png": lambda thing, nodes, name: png(svg(thing, nodes)),
    ".dot": lambda thing, nodes, name: dot(thing, nodes),
    ".html": lambda thing, nodes, name: page(thing, name, nodes),
}
