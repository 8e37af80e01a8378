"""What a derivation claims: the soundness classes of its steps."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from relgraph.graph.opt.base import Rewriter


class Claim(Rewriter):
    """The name and the soundness class of a law, for `Recorder.derivation`."""

    def __init__(self, label: str, sound: str | None) -> None:
        self.name: str = label
        self.law = SimpleNamespace(sound=sound)

    def add_requirements(self, fgraph: Any) -> None:
        """It rewrites nothing."""


def weakest(steps: Iterable[Any]) -> str | None:
    """Return the class in which the sides of a derivation agree; None if a step claims none.

    Steps of two classes other than ``exact`` agree where all is finite: a law that is stable may
    change infinite values, and one that rounds may be less stable.
    """
    found = {step.sound for step in steps if step.name not in _EXACT}
    return None if None in found else weakest_of(found)


def weakest_of(classes: Iterable[str]) -> str:
    """Return the class in which all agree that agree in one of some classes."""
    found = set(classes) - {"exact"}
    if not found:
        return "exact"
    if "domain" in found:
        return "domain"
    return str(found.pop()) if len(found) == 1 else "finite"


_EXACT = ("MergeOptimizer", "merge", "merge1", "merge2", "constant_folding")
