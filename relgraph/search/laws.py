"""The laws of a search, and the directions of each.

A law is used in each direction that its soundness class allows; `report` says why one is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import relations
from relations.identities import SHARED
from relgraph.graph.kanren.codegen import NotCompilable
from relgraph.graph.kanren.explanation import NoSuchDirection
from relgraph.graph.kanren.goals import Readers
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.kanren.terms import Term
from relgraph.search.rules import NodeByNode, Pattern, Untranslatable, is_about_ops
from relgraph.search.variables import Reason

BOTH_WAYS = frozenset({"exact", "rounding", "finite"})
"""The soundness classes that claim both directions."""
CLAIMED = BOTH_WAYS | {"stable"}
"""The classes of the laws that are used by default: `domain` has a condition that nobody checks."""


Direction = Pattern | NodeByNode
"""One direction of a law in a search: a `Rule` of a saturation."""


class Entry(NamedTuple):
    """What becomes of one direction of a law in a search.

    Attributes
    ----------
    law, direction
        The name of the law, and ``forward`` or ``backward``.
    status
        ``translated``: its pattern matches classes, and a match is enough. ``asked``: of each match
        it is asked what the conditions say and what is computed, or nodes are asked about one by
        one. ``left out``.
    why
        Why it is not translated.
    """

    law: str
    direction: str
    status: str
    why: str

    def __str__(self) -> str:
        return f"{self.law} {self.direction}: {self.status}{': ' + self.why if self.why else ''}"


class Report(tuple[Entry, ...]):
    """What becomes of the laws in a search, a line for each direction."""

    @property
    def shares(self) -> dict[str, float]:
        """The shares of the laws by what becomes of their better direction."""
        order = ("translated", "asked", "left out")
        best: dict[str, str] = {}
        for entry in self:
            known = best.get(entry.law, order[-1])
            best[entry.law] = min(known, entry.status, key=order.index)
        counts = Counter(best.values())
        return {status: counts[status] / max(1, len(best)) for status in order}

    def __str__(self) -> str:
        counts = Counter(entry.status for entry in self)
        total = ", ".join(f"{counts[s]} {s}" for s in ("translated", "asked", "left out"))
        return "\n".join([*map(str, self), f"{len(self)} directions: {total}"])

    __repr__ = __str__


def report(laws: Iterable[Any], sound: Iterable[str] = CLAIMED) -> Report:
    """Return what becomes of each law in a search, and why.

    Parameters
    ----------
    laws
        Laws and relations; or one direction of one, ``law.forward``.
    sound
        The soundness classes that may be used.
    """
    return Report(entry for _, entry in _directed(laws, sound))


def directions(laws: Iterable[Any], sound: Iterable[str] = CLAIMED) -> list[Direction]:
    """Return the directions of laws that a search uses."""
    return [found for found, _ in _directed(laws, sound) if found is not None]


def _directed(
    laws: Iterable[Any], sound: Iterable[str]
) -> Iterator[tuple[Direction | None, Entry]]:
    allowed = frozenset(sound)
    for item in laws:
        law, ways = _law_and_ways(item)
        for way in ways:
            for found, why in _translated(law, way, allowed):
                status = "left out" if found is None else "asked" if why else "translated"
                yield found, Entry(law.name, way, status, why)


def _law_and_ways(item: Any) -> tuple[Relation, Sequence[str]]:
    """Return the law of an item of a list of laws, and the directions that it represents."""
    if isinstance(item, Relation):
        return item, ("forward", "backward")
    law = getattr(item, "law", None) or getattr(item, "kanren_relation", None)
    if not isinstance(law, Relation):
        raise TypeError(f"a search takes laws, relations and directions of these, not {item!r}")
    return law, ("forward",) if item is law.forward else ("backward",)


def _why_not(law: Relation, way: str, allowed: frozenset[str]) -> str:
    if law.sound not in allowed:
        return f"laws of the class {law.sound} are not used"
    if way == "backward" and law.sound not in BOTH_WAYS:
        return f"the class {law.sound} claims the forward direction alone"
    return ""


def _translated(
    law: Relation, way: str, allowed: frozenset[str]
) -> Iterator[tuple[Direction | None, str]]:
    """Yield what a search uses of a direction of a law, and why no match is enough or why the
    direction is left out."""
    why = _why_not(law, way, allowed)
    rules, reason = (None, why) if why else _rules(law, way)
    if rules is None:
        yield None, reason
        return
    rewriter = getattr(law, way)
    why_equal = Reason(rewriter.name, law.sound, law)
    for rule in rules:
        try:
            pattern = Pattern(rule, why_equal)
        except (NotCompilable, Untranslatable) as error:
            rules, reason = (), str(error)
            break
        asked = [
            str(c)
            for c in rule.conditions
            if not isinstance(c, Readers) and not is_about_ops(c, pattern.in_heads)
        ]
        yield pattern, ", ".join(asked)
    if not rules and way == "backward":
        yield None, f"forward it is asked of nodes, since {reason}"
    elif not rules:
        yield NodeByNode(rewriter, why_equal), f"of nodes: {reason}"


def _rules(law: Relation, way: str) -> tuple[Sequence[Rule] | None, str]:
    """Return the rules of a direction, () if it has no finite list of them, None if it is none."""
    try:
        rewriter = getattr(law, way)
    except NoSuchDirection as why:
        return None, str(why)
    if isinstance(law, Law):
        return [rewriter.rule], ""
    found = law.extraction(way)
    if found.status == "none":
        return None, found.reason
    return found.rules, found.reason


EITHER_WAY = frozenset({"dot-transposed", "exp-mul-exp", "sub-fractions", "sum-scalar-mul"})
"""Laws of the book that are used backward too, although that side is larger."""


@cache
def book() -> tuple[Any, ...]:
    """Return the laws of the book as a search uses them, and the identities of every search.

    A law of the book is used backward too if its left side is not the larger one: ``x → --x`` can
    be said of everything, and again.
    """
    phases = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
    laws = dict.fromkeys(law for phase in phases for law in phase)
    return (*(way for law in laws for way in _ways(law)), *SHARED)


def _ways(law: Relation) -> list[Any]:
    if law.name in EITHER_WAY:
        return [law]
    if not isinstance(law, Law) or size(law.lhs) > size(law.rhs):
        return [law.forward]
    try:
        return [law.forward, law.backward]
    except NoSuchDirection:
        return [law.forward]


def size(side: Any) -> int:
    """Return how many ops there are on a side of a law."""
    return 1 + sum(map(size, side.args)) if isinstance(side, Term) else 0
