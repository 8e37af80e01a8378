"""What is proved of the laws of the book, read from ``proofs.json``: ``relgraph prove --keep``
writes it.

A proof is kept under a digest of what its law says. So a law that says something else than it did
is not taken for proved, and one that says the same need not be proved again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from relgraph.graph.kanren.relations import find
from relgraph.graph.opt.derivation import HOLD

FILE = Path(__file__).parent / "proofs.json"

STATUSES = ("refuted", "checked", *HOLD)
"""From the worst to the best. ``checked`` says that nothing is proved, and examples have to do;
``derived``, that it follows from laws that are proved."""


class Ground(NamedTuple):
    """A law that another one is derived from.

    Attributes
    ----------
    law, module
        Its name, and the module that has it.
    structure
        A digest of what it says.
    """

    law: str
    module: str
    structure: str

    @property
    def holds(self) -> bool:
        """Whether the law still says the same, and holds for all values."""
        try:
            law = find(self.module, self.law)
        except (ImportError, LookupError):
            return False
        return structure_of(law) == self.structure and standing_of(law).holds


@dataclass(frozen=True)
class Standing:
    """How far a law is proved.

    Attributes
    ----------
    law
        Its name.
    status
        One of `STATUSES`.
    over
        ``bits`` if both sides are equal as machines compute them, ``reals`` if they are equal as
        real numbers, ``ranks up to 4`` if the same elements are in the same places of tensors of
        such ranks; empty if nothing is proved.
    reason
        Why it is not proved; empty if it is.
    rests_on
        The laws that it is derived from.
    """

    law: str
    status: str
    over: str
    reason: str
    rests_on: tuple[Ground, ...]

    @property
    def holds(self) -> bool:
        """Whether it is shown for all values, not by examples."""
        return self.status in HOLD

    def __str__(self) -> str:
        names = f" from {', '.join(ground.law for ground in self.rests_on)}"
        said = self.status + (names if self.rests_on else "")
        if self.over == "reals":
            return f"{said} over the reals"
        return f"{said} for {self.over}" if self.over.startswith("ranks") else said


UNKNOWN = Standing("", "checked", "", "it was not tried", ())


# The digests of laws: they never say anything else.
_STRUCTURES: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def structure_of(law: Any) -> str:
    """Return a digest of what a law says: its sides, conditions, class and dtypes, and how the
    functions are written that its conditions call; of a relation that is no equation, how it is
    written itself."""
    known = _STRUCTURES.get(law)
    if known is None:
        known = _STRUCTURES[law] = _digest_of(law)
    return known


def _digest_of(law: Any) -> str:
    said = [law.sound, str(getattr(law, "mixed", "")), str(getattr(law, "complex", ""))]
    if hasattr(law, "lhs"):
        said.append(str(law))
        said += [_source_of(condition) for condition in law.conditions]
    else:
        said += [law.name, _source_of(law.goal)]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def _source_of(called: Any) -> str:
    """Return the source of a function, or of the one that a condition calls."""
    for name in ("function", "predicate"):
        called = getattr(called, name, called)
    try:
        return inspect.getsource(called)
    except (OSError, TypeError):
        return ""


@cache
def kept() -> Mapping[str, Standing]:
    """Return what is known of laws, by the digests of what they say."""
    if not FILE.exists():
        return {}
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {digest: _standing(*row) for digest, row in rows.items()}


def _standing(law: str, status: str, over: str, reason: str, *rests_on: list[str]) -> Standing:
    return Standing(law, status, over, reason, tuple([Ground(*ground) for ground in rests_on]))


@cache
def proved_names() -> frozenset[str]:
    """Return the names of the laws of the book that hold for all values."""
    return frozenset(s.law for s in kept().values() if s.holds and _is_valid(s))


def standing_of(law: Any) -> Standing:
    """Return how far a law is proved, as it is kept. One that was derived from a law that says
    something else now, or is proved no more, counts as not tried."""
    found = kept().get(structure_of(law), UNKNOWN)
    return found if _is_valid(found) else UNKNOWN


def _is_valid(standing: Standing) -> bool:
    return all(ground.holds for ground in standing.rests_on)


def keep(standings: Iterable[tuple[str, Standing]], names: Iterable[str]) -> None:
    """Write what was found of laws to the file, beside what is known of others.

    Parameters
    ----------
    standings
        Digests, and what was found.
    names
        The laws that there are; others are forgotten.
    """
    there = set(names)
    found = dict(standings)
    renewed = {standing.law for standing in found.values()}
    for digest, standing in kept().items():
        if standing.law in there and standing.law not in renewed:
            found[digest] = standing
    rows = sorted(found.items(), key=lambda row: row[1].law)
    lines = [
        f"{json.dumps(digest)}: {json.dumps([s.law, s.status, s.over, s.reason, *s.rests_on])}"
        for digest, s in rows
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    kept.cache_clear()
    proved_names.cache_clear()
