"""The command ``relgraph prove``: its arguments, and its output."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from relations.proofs import UNKNOWN, Standing, keep
from relgraph.commands import add_number
from relgraph.commands.batch import WIDTH, add_law_arguments, laws_of, results_of, write_json
from relgraph.graph.kanren.relations import Relation
from relgraph.on_first_use import loaded
from relgraph.testing.discovery import discover_laws

EXAMPLE = "  relgraph prove --law neg-div-neg --law mul-one\n  relgraph prove my_laws.py"
DEFAULT_SECONDS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add_law_arguments(parser, "prove")
    text = "how long the solver may take for each dtype of a law"
    add_number(parser, "--seconds", DEFAULT_SECONDS, text)
    parser.add_argument(
        "--changed",
        action="store_true",
        help="only the laws of which nothing is kept, or that say something else than they did",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep what is found of the laws of the rule book",
    )


def run(options: argparse.Namespace) -> int:
    """Prove laws, and print a line for each on standard output.

    Parameters
    ----------
    options
        The arguments, parsed.

    Returns
    -------
    status
        1 if a law is refuted, else 0.

    Raises
    ------
    CheckError
        If there are no such laws, the file can't be written, or Z3 is missing.
    """
    laws = laws_of(options)
    if options.changed:
        laws = {name: law for name, law in laws.items() if law.proof is UNKNOWN}
        if not laws:
            print("no law has changed")
            return 0
    results, seconds = results_of(_prove, laws, (options.seconds,), _line, options)
    began, book = time.perf_counter(), discover_laws()
    derive = loaded("relgraph.proof.proving", "derived_in_turn")
    derived = {found.law: found.as_dict() for found in derive(results, {**book, **laws})}
    for result in derived.values():
        print(_line(result, WIDTH))
    results = [derived.get(result["law"], result) for result in results]
    seconds += time.perf_counter() - began
    print(causes(results, laws))
    for result in results:
        if result["report"]:
            print("", result["report"], sep="\n")
    count = Counter(result["status"] for result in results)
    print(
        f"\n{count['proved']} proved, {count['exhausted']} exhausted, {count['derived']} derived, "
        f"{count['refuted']} refuted, {count['checked']} left to the checker, in {seconds:.1f} s"
    )
    if options.keep:
        found = [(r["structure"], _standing(r)) for r in results if r["law"] in book]
        keep(found, book)
    write_json(options, {"seconds": round(seconds, 3), "laws": results})
    return 1 if count["refuted"] else 0


CAUSES = (
    "is computed by a function of graphs",
    "has any number of arguments",
    "does not work element by element",
    "is not stated where its elements come from",
    "can't be built in all ways",
    "it has no finite list of rules",
    "it is a relation, not an equation",
    "elements may come from different places",
    "there are too many ways to build it",
    "it admits too many dtypes at once",
    "the solver does not settle it in time",
    "a counterexample that NumPy does not confirm",
    "what an op computes that is not stated",
    "says of elements is not stated",
    "which is no polynomial, quotient or root",
    "the sides differ as real numbers",
    "holds of no values",
)
"""What reasons have in common."""


def causes(results: Iterable[dict[str, Any]], laws: Mapping[str, Relation]) -> str:
    """Return why laws are not proved, as lines: for each cause how many, of the class ``exact`` and
    of all.

    Parameters
    ----------
    results
        What was found.
    laws
        The laws, by name.
    """
    every: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    for result in results:
        if result["status"] == "checked":
            reason = result["reason"]
            cause = next((c for c in CAUSES if c in reason), reason)
            every[cause] += 1
            exact[cause] += laws[result["law"]].sound == "exact"
    rows = [f"{exact[cause]:>7}{n:>7}  {cause}" for cause, n in every.most_common()]
    return "\n".join(["", "  exact    all  left to the checker since", *rows]) if rows else ""


def _standing(result: dict[str, Any]) -> Standing:
    return Standing(*[result[f.name] for f in fields(Standing)])


def _prove(law: Relation, seconds: int) -> Any:
    return law.prove(seconds, grounds=())


def _line(result: dict[str, Any], width: int) -> str:
    text = f"{result['law']:<{width}}  {_standing(result)!s:<25}  {result['seconds']:>6.2f} s"
    return f"{text}  {result['reason']}".rstrip()
