"""A law is checked: instances of its rules are evaluated on both sides and compared."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from relgraph.graph.kanren.explanation.explain import NoSuchDirection
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import SOUNDNESS, Relation
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.testing.draw.parameters import Parameters
from relgraph.testing.instances.directions import Direction, direction_of
from relgraph.testing.instances.examples import Examples, Violation
from relgraph.testing.instances.instance import Broken, find_instances
from relgraph.testing.judge.precision import NoTrueValue
from relgraph.testing.result import CheckResult, Counterexample

DEFAULT_EXAMPLES = 200

# How often a pattern is tried that was guessed for an open relation, and how many instances of
# each are enough.
_GUESSES = 8
_OF_GUESS = 6
# How many examples are added for a rule of which those drawn for the whole law said nothing.
_OF_RULE = 24

_NOTHING_SAID = "in no example the class makes a claim on a finite value"


def check_relation(
    relation: Any,
    examples: int = DEFAULT_EXAMPLES,
    seed: int | None = None,
    directions: Iterable[str] | None = None,
    sound: str | None = None,
    parameters: Parameters | None = None,
    patterns: Sequence[Any] = (),
    shrink: bool = True,
) -> CheckResult:
    """Check that a law keeps what its soundness class says.

    Its rules are taken from a run with open ends and grounded with random types and graphs that its
    guards admit; both sides are evaluated on random values, edge values first, one `perform` at a
    time, and compared. It must also keep the type, give what a plain run of the relation gives
    first, and what it gives must lead back to an equal graph by its other direction.

    Parameters
    ----------
    relation
        A `Law` or `Relation`, or any goal constructor ``(in, out) -> goal``.
    examples
        How often both sides are evaluated.
    seed
        Where chance begins. By default it follows from the name: each check is repeatable.
    directions
        ``forward``, ``backward`` or both; by default those that exist and that the class speaks of.
    sound
        The class to check for, if not the one that the law claims; a plain goal constructor claims
        ``exact`` by default.
    parameters
        How to draw parameters of ops that the law leaves open: functions of a `random.Random` and
        the arguments of the op, by names of the op's class and of the parameter. Those that
        relgraph has are in `relgraph.testing.draw.parameters`.
    patterns
        Terms to try a relation on that has no finite list of rules. By default they are made of the
        ops that its code mentions.
    shrink
        Whether to look for the smallest counterexample.

    Returns
    -------
    result
        Its `status` is ``unchecked`` where nothing was tried that could have failed.

    Raises
    ------
    ValueError
        If a direction or class is none, or `examples` is not positive.
    NoSuchDirection
        If a direction is asked for that a law does not have.
    """
    if examples < 1:
        raise ValueError(f"examples is at least 1, not {examples}")
    law = _as_relation(relation, sound)
    claimed = law.sound if sound is None else sound
    if claimed not in SOUNDNESS:
        raise ValueError(f"sound is one of {', '.join(SOUNDNESS)}, not {claimed!r}")
    start = zlib.crc32(law.name.encode()) if seed is None else seed
    run = _Check(law, claimed, examples, start, parameters, patterns, shrink)
    return run.result(None if directions is None else tuple(directions))


def _as_relation(relation: Any, sound: str | None) -> Relation:
    if isinstance(relation, Relation):
        return relation
    if not callable(relation):
        raise TypeError(f"{relation!r} is no law and no goal constructor (in, out) -> goal")
    name = getattr(relation, "name", None) or getattr(relation, "__name__", "relation")
    return Relation(str(name), relation, sound=sound or "exact")


class _Check:
    """The check of one law."""

    def __init__(
        self,
        law: Relation,
        sound: str,
        examples: int,
        seed: int,
        parameters: Parameters | None,
        patterns: Sequence[Any],
        shrink: bool,
    ) -> None:
        self.law, self.sound, self.examples, self.seed = law, sound, examples, seed
        self.parameters, self.patterns = parameters, patterns
        self.algebra = str(law) if isinstance(law, Law) else _first_line(law)
        self.run = Examples(law.name, self.algebra, sound, seed, shrink)
        self.refusals: Counter[str] = Counter()
        self.directions: list[str] = []
        self.unchecked: list[str] = []

    def result(self, directions: tuple[str, ...] | None) -> CheckResult:
        """Run the check."""
        began = time.perf_counter()
        counterexample = None
        try:
            wanted = self._directions(directions)
            for direction in wanted:
                self._check_direction(direction, -(-self.examples // len(wanted)))
        except Broken as broken:
            counterexample = self._from_broken(broken)
        except Violation as violation:
            counterexample = violation.counterexample
        except NoTrueValue as why:
            self.unchecked.append(str(why))
        return self._summary(counterexample, time.perf_counter() - began)

    def _summary(self, counterexample: Counterexample | None, seconds: float) -> CheckResult:
        tally = self.run.tally
        status, reason = "passed", ""
        if counterexample is not None and not (self.sound == "domain" and self.law.domain is None):
            status, reason = "failed", counterexample.why
        elif self.unchecked:
            status, reason = "unchecked", "\n".join(self.unchecked)
        elif not tally.tells(range(len(self.run.pool))):
            status, reason = "unchecked", _NOTHING_SAID
        elif self.sound == "domain" and self.law.domain is None:
            status, reason = "unchecked", "it claims a domain without stating one (`domain=`)"
        elif self.sound == "domain" and not tally.needed:
            status, reason = "failed", "it holds outside of its domain too: it needs none"
        used = [self.run.pool[i] for i in tally.used]
        return CheckResult(
            self.law.name,
            self.algebra,
            self.sound,
            status,
            reason,
            tally.examples,
            len(used),
            len({instance.types for instance in used}),
            len(tally.seen.edges()),
            counterexample,
            tally.holds[0] if status == "passed" and tally.holds else None,
            tuple(self.directions),
            dict(self.refusals.most_common()),
            seconds,
        )

    # -- directions and rules --------------------------------------------------------------

    def _directions(self, asked: tuple[str, ...] | None) -> list[Direction]:
        names = asked or (("forward",) if self.sound == "stable" else ("forward", "backward"))
        made = []
        for name in names:
            direction = direction_of(self.law, name, self.patterns, self.seed, self.sound)
            if direction is not None:
                made.append(direction)
            elif asked:
                raise NoSuchDirection(str(self.law.extraction(name)))
        if not made:
            self.unchecked.append("it has no direction: " + str(self.law.extraction("forward")))
        return made

    # -- instances -------------------------------------------------------------------------

    def _check_direction(self, direction: Direction, examples: int) -> None:
        self.directions.append(direction.name)
        first = len(self.run.pool)
        wanted = max(12, min(80, examples // 6))
        told = not direction.guessed
        share = max(4, -(-wanted // max(len(direction.rules), 1))) if told else _OF_GUESS
        random = Random(f"{self.seed} {direction.name}")
        refusals: Counter[str] = Counter()
        for rule in direction.rules:
            patience = 1500 if told else _GUESSES
            found = find_instances(direction, rule, share, random, self.parameters, patience)
            self.run.pool.extend(found.instances)
            refusals.update(found.refusals)
            if not found.instances and told:
                self._never(direction, rule, found.refusals)
            if len(self.run.pool) - first >= wanted and not told:
                break
        self.refusals.update(refusals)
        if len(self.run.pool) == first:
            if not self.unchecked:
                what = f"{direction.name}, {self.law.name}"
                self.unchecked.append(_why_none(what, refusals))
            return
        self.run.pool[first:] = sorted(self.run.pool[first:], key=lambda instance: instance.size)
        self.run.draw(range(first, len(self.run.pool)), examples)
        if told:
            self._see_to_each(direction, first)

    def _see_to_each(self, direction: Direction, first: int) -> None:
        """Try the rules that chance has left out."""
        tells = self.run.tally.tells
        for rule in direction.rules:
            places = [i for i in range(first, len(self.run.pool)) if self.run.pool[i].rule is rule]
            if places and not tells(places):
                self.run.draw(places, _OF_RULE)
                if not tells(places):
                    self.unchecked.append(f"{_named(direction.name, rule)}: {_NOTHING_SAID}")

    def _never(self, direction: Direction, rule: Rule, refusals: Counter[str]) -> None:
        self.unchecked.append(_why_none(_named(direction.name, rule), refusals))

    def _from_broken(self, broken: Broken) -> Counterexample:
        return self.run.counterexample(
            str(broken), broken.direction, broken.inputs, broken.old, broken.new
        )


def _first_line(relation: Relation) -> str:
    text = relation.goal.__doc__ or ""
    return text.strip().partition("\n")[0] or f"the relation {relation.name}"


def _named(direction: str, rule: Rule) -> str:
    return f"{direction}, {rule.pattern} → {rule.template}"


def _why_none(what: str, refusals: Counter[str]) -> str:
    most = ", ".join(f"{why} ({n} times)" for why, n in refusals.most_common(3))
    return f"{what}: no instance was found; refused by {most or 'nothing'}"
