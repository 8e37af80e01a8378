"""The command ``relgraph explain``."""

from __future__ import annotations

import argparse
from typing import Any

from relgraph.commands import CommandError, add_page_argument, thing_named, write
from relgraph.compile import explain
from relgraph.display import page
from relgraph.graph.basic import Variable
from relgraph.graph.kanren import Relation
from relgraph.graph.utils import spelling_hint
from relgraph.testing.discovery import discover_laws

EXAMPLE = (
    "  relgraph explain log-sigmoid model.py:loss\n  relgraph explain laws.py:MINE model.py:loss"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument(
        "law", metavar="LAW", help="the name of a law of the rule book, or FILE.py:NAME"
    )
    parser.add_argument("graph", metavar="FILE.py:NAME", help="a variable, or a list of these")
    parser.add_argument("--backward", action="store_true", help="read the law from right to left")
    add_page_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Print where in a graph a law matches, and why it does not match elsewhere.

    Raises
    ------
    CommandError
        If there is no such law or graph.
    """
    law = _law(options.law)
    graph: Any = thing_named(options.graph)
    outputs = graph if isinstance(graph, list | tuple) and graph else [graph]
    if not all(isinstance(v, Variable) for v in outputs):
        kind = type(graph).__name__
        raise CommandError(f"{options.graph} is no variable or list of these but a {kind}")
    explanation = explain(law, outputs, "backward" if options.backward else "forward")
    print(explanation)
    if options.output is not None:
        write(options.output, page(explanation, law.name))
    return 0


def _law(text: str) -> Relation:
    if ":" in text:
        law = thing_named(text)
        if not isinstance(law, Relation):
            raise CommandError(f"{text} is no law but a {type(law).__name__}")
        return law
    laws = discover_laws()
    if text not in laws:
        raise CommandError(
            f"there is no law called {text} in the rule book{spelling_hint(text, laws)}"
        )
    return laws[text]
