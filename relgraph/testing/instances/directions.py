"""The directions of a law: for each its rules, its local optimizer and that of the inverse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.terms.term import has_calls
from relgraph.testing.draw.guessed_patterns import ops_in_code, random_patterns


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
        The local optimizers of this direction and of the other one; `inverse` is None if the other
        direction does not exist or claims nothing.
    rules
        The rules that the relation comes down to, or patterns to try an open relation on.
    bindings
        Returns for a variable that the law matches what its logic variables are bound to, by name.
    domain
        The condition under which the law claims to hold, or None.
    mixed
        Whether its pattern may match several dtypes at a time.
    guessed
        Whether the rules are random patterns, made for an open relation without `tries`.
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
    law
        The law or relation.
    name
        ``forward`` or ``backward``. An open relation has no direction backward.
    patterns
        The terms to try an open relation on; by default its `tries`, or random terms of the ops
        that its code refers to.
    seed
        The seed of these random terms.
    sound
        The soundness class that is checked; by default the one that the law claims.
    """
    extraction = law.extraction(name)
    if extraction.status == "none":
        return None
    sound = law.sound if sound is None else sound
    optimizers: Any = law
    rules: Sequence[Rule] = extraction.rules
    if isinstance(law, Law):
        rules = (getattr(optimizers, name).rule,)
    if isinstance(law, Law):
        side = law.lhs if name == "forward" else law.rhs
        if has_calls(side):  # what calls make is drawn by calling
            rules = (Rule(law.name, side, None, law.conditions),)
    if isinstance(law, Law) and law.tries and name == "forward":
        rules = [Rule(law.name, pattern, None) for pattern in law.tries]
    patterns = patterns or law.tries
    guessed = not rules
    if guessed and name == "backward":
        return None
    if guessed and patterns:
        rules = [Rule(law.name, pattern, None) for pattern in patterns]
    elif guessed:
        rules = random_patterns(ops_in_code(law.goal), law.name, Random(seed))
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
