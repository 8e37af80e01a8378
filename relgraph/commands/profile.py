"""The command ``relgraph profile``."""

from __future__ import annotations

import argparse
from typing import Any

from relgraph.commands import CommandError, add_page_argument, thing_named, write
from relgraph.compile import Function, SharedVariable, function
from relgraph.compile.profiling import FunctionProfile
from relgraph.display import page
from relgraph.graph.basic import Constant, graph_inputs
from relgraph.graph.fg import outputs_of
from relgraph.settings import config

EXAMPLE = "  relgraph profile model.py:loss --mode o4"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument(
        "graph",
        metavar="FILE.py:NAME",
        help="a variable, a list of variables or a FunctionGraph, which is compiled; or a "
        "function that was compiled with profile=True",
    )
    parser.add_argument("--mode", metavar="MODE", help="the name of a mode (default: fast_run)")
    add_page_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Print what compiling a graph takes, or the profile of a function.

    Raises
    ------
    CommandError
        If there is no such graph or mode, or the function has no profile.
    """
    profile = _profile(thing_named(options.graph), options)
    print(profile)
    if options.output is not None:
        write(options.output, page(profile, options.graph))
    return 0


def _profile(thing: Any, options: argparse.Namespace) -> FunctionProfile:
    if isinstance(thing, Function):
        if thing.profile is None:
            raise CommandError(f"{options.graph} was compiled without profile=True")
        return thing.profile
    try:
        outputs = outputs_of(thing)
    except TypeError as error:
        raise CommandError(f"{options.graph}: {error}") from error
    leaves = graph_inputs(outputs)
    inputs = [v for v in leaves if not isinstance(v, Constant | SharedVariable)]
    profile = FunctionProfile(message=options.graph)
    try:
        with config.change_flags(profile_optimizer=True):
            function(list(dict.fromkeys(inputs)), outputs, options.mode, profile=profile)
    except ValueError as error:
        raise CommandError(str(error)) from error
    return profile
