"""The directions of a law, with the rules that each comes down to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.testing.instances.seed_terms import mentioned_ops, patterns_of


@dataclass
class Direction:
    """One direction of a law.

    Attributes
    ----------
    name
        ``forward`` or ``backward``.
    relation
        The goal constructor of this direction.
    rewriter, inverse
        The local optimizer of this direction, and that of the other if there is one.
    rules
        What it comes down to.
    bindings
        Gives what its variables stand for, by name, in a variable that it matches.
    domain
        The condition under which it claims to hold, or None.
    mixed
        Whether it looks at several dtypes at a time.
    guessed
        Whether the rules are guesses at what an open relation may match.
    """

    name: str
    relation: Callable[[Any, Any], Any]
    rewriter: Any
    inverse: Any
    rules: Sequence[Rule]
    bindings: Callable[[Any], Mapping[str, Any]]
    domain: Any = None
    mixed: bool = False
    guessed: bool = False


def direction_of(
    law: Relation,
    name: str,
    patterns: Sequence[Any] = (),
    seed: int = 0,
    sound: str | None = None,
) -> Direction | None:
    """Return one direction of a law, or None if it does not exist.

    Parameters
    ----------
    name
        ``forward`` or ``backward``.
    patterns
        Terms that stand for the rules of a relation that has no finite list of them; by default
        its `tries`, or terms of the ops that its code mentions. It is tried forward only.
    seed
        Where chance begins for that.
    sound
        The class that is checked, if not the one that the law claims.
    """
    extraction = law.extraction(name)
    if extraction.status == "none":
        return None
    sound = law.sound if sound is None else sound
    optimizers: Any = law
    rules: Sequence[Rule] = extraction.rules
    if isinstance(law, Law):
        rules = (getattr(optimizers, name).rule,)
    patterns = patterns or law.tries
    guessed = not rules
    if guessed and name == "backward":
        return None
    if guessed and patterns:
        rules = [Rule(law.name, pattern, None) for pattern in patterns]
    elif guessed:
        rules = patterns_of(mentioned_ops(law.goal), law.name, Random(seed))
    other = "backward" if name == "forward" else "forward"
    both = sound != "stable" and law.extraction(other).status == "closed"
    return Direction(
        name,
        law if name == "forward" else _swapped(law),
        getattr(optimizers, name),
        getattr(optimizers, other) if both else None,
        rules,
        lambda variable: law.explain(variable, name).bindings,
        law.domain if sound == "domain" else None,
        bool(getattr(law, "mixed", True)),
        guessed and not patterns,
    )


def _swapped(relation: Relation) -> Callable[[Any, Any], Any]:
    return lambda x, y: relation(y, x)
