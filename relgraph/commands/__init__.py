"""The commands `relgraph draw`, `explain`, `improve`, `laws` and `profile`, and what all take:
``FILE.py:NAME``, and files to write.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from relgraph.testing.discovery import loaded_module


class CommandError(Exception):
    """What a command can't do; the message is one line for the user."""


def add_command(commands: Any, name: str, module: Any, text: str, example: str) -> None:
    """Add a command to a parser.

    Parameters
    ----------
    commands
        What `add_subparsers` gave.
    name
        The name of the command.
    module
        What has `add_arguments` and `run` for it.
    text
        What it does, in one line.
    example
        Lines that are shown by ``--help``.
    """
    parser = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=f"example:\n{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def thing_named(text: str) -> Any:
    """Return what ``FILE.py:NAME`` or ``MODULE:NAME`` names; parts of it after dots.

    Raises
    ------
    CheckError
        If the file can't be run.
    CommandError
        If it has nothing of that name.
    """
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise CommandError(f"{text!r} does not name a thing in a file, as FILE.py:NAME does")
    found: Any = loaded_module(place)
    for part in name.split("."):
        if not hasattr(found, part):
            known = [n for n in vars(found) if not n.startswith("_")] if part == name else []
            there = f"; it has {', '.join(known)}" if known else ""
            raise CommandError(f"{place} has no {part}{there}")
        found = getattr(found, part)
    return found


def add_page_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument for a page to a parser."""
    parser.add_argument(
        "-o", "--output", type=file_ending_in(".html"), metavar="OUT.html", help="write a page too"
    )


def write(path: Path, content: str | bytes) -> None:
    """Write a file.

    Raises
    ------
    CommandError
        If that can't be done.
    """
    try:
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path} can't be written: {error.strerror}") from error


def file_ending_in(suffix: str) -> Callable[[str], Path]:
    """Return a converter of arguments for the name of an output file, which must have an ending."""

    def path(text: str) -> Path:
        named = Path(text)
        if named.suffix.lower() != suffix:
            raise argparse.ArgumentTypeError(f"{text!r} does not end in {suffix}")
        if named.is_dir() or not named.parent.is_dir():
            why = "it is a folder" if named.is_dir() else f"there is no folder {named.parent}"
            raise argparse.ArgumentTypeError(f"{named} can't be written: {why}")
        return named

    return path


def natural(text: str) -> int:
    """Return a whole number from 0 on that is written as text."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def positive(text: str) -> int:
    """Return a positive whole number that is written as text."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def add_number(
    parser: argparse.ArgumentParser,
    name: str,
    default: float,
    text: str,
    kind: Callable[[str], float] = positive,
    metavar: str = "N",
) -> None:
    """Add an option that takes a number.

    Parameters
    ----------
    name, metavar, text
        The name of the option, that of the number, and the help.
    default
        The default, which the help says too.
    kind
        Reads the number.
    """
    text = f"{text} (default: %(default)s)"
    parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text)
