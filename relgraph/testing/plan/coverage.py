"""What a check has covered of its plan, and what not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from relgraph.testing.plan.cells import EXTENTS, KINDS


@dataclass(frozen=True)
class Coverage:
    """What a check has covered of its plan.

    The plan has a cell for each kind of dtype with each of the ranks 0, 1 and 2 and of the lengths
    0, 1 and more, and one for the edge values of each kind. A law with several rules, or with two
    directions, has cells for each of them.

    Attributes
    ----------
    covered
        The cells with a graph on which both sides were compared.
    not_admitted
        The cells with no graph that the law rewrites, and what most often ruled out those tried.
    not_found
        The same for those among others whose kind and whose rank or length are covered, and that
        the law's types do not exclude: it may admit them, but in a bounded number of tries no graph
        came up.
    not_covered
        The cells that the law admits and that were not compared, and why. A check with any of them
        has not passed.
    examples
        How often both sides were compared by plan.
    """

    covered: tuple[str, ...] = ()
    not_admitted: Mapping[str, str] = field(default_factory=dict)
    not_found: Mapping[str, str] = field(default_factory=dict)
    not_covered: Mapping[str, str] = field(default_factory=dict)
    examples: int = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of dtypes with a cell that is covered."""
        return tuple(k for k in KINDS if any(_is_of(cell, k) for cell in self.covered))

    def as_dict(self) -> dict[str, Any]:
        """Return the coverage as a dict for JSON."""
        return {
            "kinds": list(self.kinds),
            "covered": list(self.covered),
            "not_admitted": dict(self.not_admitted),
            "not_found": dict(self.not_found),
            "not_covered": dict(self.not_covered),
            "examples": self.examples,
        }

    def __str__(self) -> str:
        text = (
            f"by plan: {self.examples} examples in {len(self.covered)} cells "
            f"of {', '.join(self.kinds) or 'no kind'}; {len(self.not_admitted)} not admitted, "
            f"{len(self.not_found)} not found"
        )
        missing = [f"\nnot covered: {cell}: {why}" for cell, why in self.not_covered.items()]
        return text + "".join(missing)


def _is_of(cell: str, kind: str) -> bool:
    return cell.partition(",")[0].rpartition(": ")[2] == kind


def joined(parts: Iterable[Coverage]) -> Coverage:
    """Return what several parts of a check have covered together."""
    parts = list(parts)
    return Coverage(
        tuple(cell for part in parts for cell in part.covered),
        {cell: why for part in parts for cell, why in part.not_admitted.items()},
        {cell: why for part in parts for cell, why in part.not_found.items()},
        {cell: why for part in parts for cell, why in part.not_covered.items()},
        sum(part.examples for part in parts),
    )


def totals(coverages: Iterable[Mapping[str, Any]]) -> str:
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
    by_kind = ", ".join(f"{kind} {laws[kind]}" for kind in KINDS)
    examples = sum(coverage["examples"] for coverage in coverages)
    return (
        f"coverage: laws by kind of dtype: {by_kind}\n"
        f"coverage: {examples} examples by plan; cells of {len(EXTENTS)} ranks and lengths and the "
        f"edge values: {', '.join(f'{n} {what}' for what, n in cells.items())}"
    )
