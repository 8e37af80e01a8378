"""Which of the naive functions `rewrite` makes right, and which it makes worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.bridges.jax.naive.formula import Naive
from tests.bridges.jax.naive.judge import errors
from tests.losses.judge import Error


@dataclass(frozen=True)
class Outcome:
    """What became of a function.

    Attributes
    ----------
    name
        The name of the function.
    naive
        How many of its numbers are wrong as it is written.
    wrong
        Those that are wrong when it is rewritten.
    worse
        Those of them that are further off than without rewriting. Where rounding makes several
        numbers of a point wrong, which of them it hits most is luck: the one that is furthest off
        counts.
    """

    name: str
    naive: int
    wrong: list[Error]
    worse: list[Error]

    @property
    def rescued(self) -> bool:
        """Whether numbers were wrong, and none is any more."""
        return self.naive > 0 and not self.wrong

    def __str__(self) -> str:
        found = "right" if self.rescued else f"{len(self.wrong)} wrong"
        lines = [f"{self.name}: {self.naive} wrong as written, {found} rewritten"]
        lines += [f"  {error}" for error in self.wrong]
        lines += [f"  worse: {error}" for error in self.worse]
        return "\n".join(lines)


def outcome(function: Naive, truths: dict[str, list[dict[str, Any]]]) -> Outcome:
    """Return what becomes of a function, given what is known of all of them."""
    rewritten, naive = (errors(function, truths[function.name], way) for way in (True, False))
    return Outcome(
        function.name,
        sum(not error.right for error in naive),
        [error for error in rewritten if not error.right],
        [a for a, b in zip(rewritten, naive, strict=True) if a.worse_than(_furthest(b, naive))],
    )


def _furthest(error: Error, errors: Sequence[Error]) -> Error:
    """Return an error that is within bounds, or the largest of those of its point that are not."""
    if error.right:
        return error
    point = error.where.partition(",")[0]
    wrong = [e for e in errors if not e.right and e.where.partition(",")[0] == point]
    return max(wrong, key=lambda e: e.size)


def report(functions: Sequence[Naive], truths: dict[str, list[dict[str, Any]]]) -> str:
    """Return what became of all functions, in lines."""
    outcomes = [outcome(function, truths) for function in functions]
    rescued = sum(found.rescued for found in outcomes)
    worse = sum(bool(found.worse) for found in outcomes)
    lines = [str(found) for found in outcomes]
    return "\n".join([*lines, f"{rescued} of {len(outcomes)} made right, {worse} made worse"])
