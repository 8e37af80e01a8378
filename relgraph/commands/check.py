"""The command ``relgraph check``: its arguments, and its output."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from relgraph import testing
from relgraph.commands import add_number, natural
from relgraph.commands.batch import add_law_arguments, laws_of, results_of, write_json
from relgraph.graph.kanren.relations import Relation

EXAMPLE = "  relgraph check --law log-exp --law sinh\n  relgraph check my_laws.py --examples 500"
DEFAULT_EXAMPLES = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add_law_arguments(parser, "check")
    text = "how often both sides of a law are evaluated"
    add_number(parser, "--examples", DEFAULT_EXAMPLES, text)
    add_number(parser, "--seed", 0, "the seed of all random choices", natural)


def run(options: argparse.Namespace) -> int:
    """Check laws, and print a line for each on standard output.

    Parameters
    ----------
    options
        The arguments, parsed.

    Returns
    -------
    status
        1 if a law fails or is not checked, else 0.

    Raises
    ------
    CheckError
        If there are no such laws, the file can't be written, or python-flint is missing.
    """
    laws = laws_of(options)
    given = (options.examples, options.seed)
    results, seconds = results_of(_check, laws, given, _line, options)
    for result in results:
        if result["status"] != "passed":
            print(f"\n{result['name']}: {result['status']}: {result['reason']}")
            if result["counterexample"] is not None:
                print(result["counterexample"])
    count = Counter(result["status"] for result in results)
    print("\n" + _coverage_text(result["coverage"] for result in results))
    print(
        f"{count['passed']} passed, {count['failed']} failed, {count['unchecked']} unchecked: "
        f"{sum(result['examples'] for result in results)} examples in {seconds:.1f} s"
    )
    summary = {"seconds": round(seconds, 3), "seed": options.seed, **count, "laws": results}
    write_json(options, summary)
    return 0 if count["passed"] == len(results) else 1


def _check(law: Relation, examples: int, seed: int) -> Any:
    # loaded when it is first called: the package that it needs may be missing
    return testing.check_relation(law, examples, seed)


def _line(result: dict[str, Any], width: int) -> str:
    coverage = result["coverage"]
    text = (
        f"{result['name']:<{width}}  {result['sound']:<8}  {result['instances']:>3} instances  "
        f"{coverage['examples']:>4} + {result['examples']:>5} examples  "
        f"{len(coverage['kinds'])} kinds  {result['seconds']:>6.2f} s  {result['status']}"
    )
    return text if result["stronger"] is None else f"{text} (even {result['stronger']})"


def _coverage_text(coverages: Iterable[Mapping[str, Any]]) -> str:
    """Return the coverage of several laws, given as dicts, as lines of text.

    There is a line for each kind with the number of laws that were checked on it.
    """
    coverages = list(coverages)
    laws: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    for coverage in coverages:
        laws.update(coverage["kinds"])
        cells["covered"] += len(coverage["covered"])
        cells["not admitted"] += len(coverage["not_admitted"])
        cells["not found"] += len(coverage["not_found"])
        cells["not covered"] += len(coverage["not_covered"])
    by_kind = ", ".join(f"{kind} {n}" for kind, n in laws.most_common())
    examples = sum(coverage["examples"] for coverage in coverages)
    return (
        f"coverage: laws by kind of dtype: {by_kind}\n"
        f"coverage: {examples} examples by plan; cells of it: "
        f"{', '.join(f'{n} {what}' for what, n in cells.items())}"
    )
