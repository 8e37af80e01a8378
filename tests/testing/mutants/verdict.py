"""What becomes of edited laws: killed by their checks, true all the same, or survivors.

The sides of an elementwise law that passes its check are compared on many more points, which may
show what is wrong with it. That a law is true after its edit is told by reading alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from relgraph.graph.kanren.laws import Law
from relgraph.testing.law_check import DEFAULT_EXAMPLES, LawCheck
from tests.testing.mutants.dense import wrong_somewhere

KILLED = ("failed", "reported")
"""``reported``: the check says that the edited law can't fire or claims nothing."""

COLUMNS = ("made", *KILLED, "equivalent", "survives")


@dataclass(frozen=True)
class Verdict:
    """What became of an edited law.

    Attributes
    ----------
    status
        One of `KILLED`, ``equivalent`` or ``survives``.
    reason
        Why it is equivalent; of a survivor what is wrong with it if that is known.
    """

    status: str
    reason: str = ""


def verdict_on(law: Law, original: Law, true: Mapping[str, str]) -> Verdict:
    """Return what becomes of an edited law.

    Parameters
    ----------
    law, original
        The law after and before the edit.
    true
        By the names of edits why they make no law that is wrong.
    """
    check = LawCheck(law, law.sound, DEFAULT_EXAMPLES, 0, None, (), shrink=False, plan=True)
    status = check.result(None).status
    if status != "passed":
        return Verdict("failed" if status == "failed" else "reported")
    if law.name in true:
        return Verdict("equivalent", true[law.name])
    return Verdict("survives", wrong_somewhere(law, original, check.run.instances))


class Tally:
    """Counts verdicts by the kind of edit, and the reasons why edited laws are true."""

    def __init__(self) -> None:
        self.by_kind: dict[str, Counter[str]] = {}
        self.reasons: Counter[str] = Counter()

    def add(self, kind: str, verdict: Verdict) -> None:
        """Count a verdict."""
        self.by_kind.setdefault(kind, Counter()).update(("made", verdict.status))
        if verdict.status == "equivalent":
            self.reasons[verdict.reason] += 1

    @property
    def total(self) -> Counter[str]:
        """What became of all of them."""
        return sum(self.by_kind.values(), Counter())

    @property
    def killed(self) -> int:
        """How many were killed."""
        total = self.total
        return sum(total[status] for status in KILLED)

    @property
    def share_killed(self) -> float:
        """How many of the laws that are not known to be true were killed, from 0 to 1."""
        total = self.total
        return self.killed / max(1, total["made"] - total["equivalent"])

    def __str__(self) -> str:
        rows = [*sorted(self.by_kind.items()), ("all", self.total)]
        lines = [_row("kind of edit", COLUMNS)]
        lines += [_row(kind, [str(count[c]) for c in COLUMNS]) for kind, count in rows]
        lines += [f"equivalent: {reason}: {n}" for reason, n in self.reasons.most_common()]
        lines.append(f"killed of those that are not known to be true: {self.share_killed:.2%}")
        return "\n".join(lines)


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:26}" + "".join(f"{cell:>11}" for cell in cells)
