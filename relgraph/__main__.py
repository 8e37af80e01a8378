"""The command ``relgraph``; also ``python -m relgraph``."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from typing import NoReturn

from relgraph import __version__
from relgraph.commands import (
    CommandError,
    add_command,
    draw,
    explain,
    improve,
    laws,
    profile,
    prove,
)
from relgraph.commands import check as check_cli
from relgraph.demo import cli
from relgraph.demo.model import DataError
from relgraph.testing.discovery import CheckError


class UsageError(Exception):
    """Arguments that the command does not take."""


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing the usage and leaving."""

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError`."""
        raise UsageError(message)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = Parser(prog="relgraph", description="A relational rewrite engine for tensor graphs.")
    top.add_argument("--version", action="version", version=f"relgraph {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module, text in (
        ("demo", cli, "rewrite a naive model into a stable one and train both on real data"),
        ("check", check_cli, "check by values that laws keep what their classes say"),
        ("draw", draw, "draw a graph as a picture"),
        ("explain", explain, "say where in a graph a law matches, and why it does not elsewhere"),
        ("improve", improve, "find forms of a formula with less rounding error"),
        ("laws", laws, "list laws: all, those that apply to a formula, or those about an op"),
        ("prove", prove, "prove laws for all values, bit by bit or over the real numbers"),
        ("profile", profile, "show what compiling a graph takes, and which laws it applies"),
    ):
        add_command(commands, name, module, text, module.EXAMPLE)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with `argv` (`sys.argv` by default) and return its exit status.

    0 if it did what was asked, 1 if a law that was checked fails, 2 if the arguments or the data
    don't allow it (one line on standard error says why), 130 if it was interrupted.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a letter of the algebra shows a question mark for it.
        sys.stdout.reconfigure(errors="replace")
    try:
        options = parser().parse_args(argv)
        status: int | None = options.run(options)
    except (UsageError, DataError, CheckError, CommandError) as error:
        print(f"relgraph: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return status or 0


if __name__ == "__main__":
    sys.exit(main())
