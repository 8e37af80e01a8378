"""What became of edited laws, counted by the kind of edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.testing.mutants.verdict import KILLED, Verdict

COLUMNS = ("made", *KILLED, "equivalent", "survives")


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
        """How many of the laws that are wrong were killed, from 0 to 1."""
        total = self.total
        return self.killed / max(1, total["made"] - total["equivalent"])

    def __str__(self) -> str:
        rows = [*sorted(self.by_kind.items()), ("all", self.total)]
        lines = [_row("kind of edit", COLUMNS)]
        lines += [_row(kind, [str(count[c]) for c in COLUMNS]) for kind, count in rows]
        lines += [f"equivalent: {reason}: {n}" for reason, n in self.reasons.most_common()]
        lines.append(f"killed of those that are wrong: {self.share_killed:.2%}")
        return "\n".join(lines)


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:26}" + "".join(f"{cell:>11}" for cell in cells)
