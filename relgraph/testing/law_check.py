"""Checks a law: instances of its rules are evaluated on both sides, and the values compared."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from relgraph.compile.law_explanation import notes_on_phases
from relgraph.graph.kanren.explanation.explain import NoSuchDirection
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import SOUNDNESS, Relation
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.testing.check_result import CheckResult, Counterexample
from relgraph.testing.draw.parameters import Parameters
from relgraph.testing.instances.directions import Direction, direction_of
from relgraph.testing.instances.examples import ExampleRun, LawViolation
from relgraph.testing.instances.instance import InvalidRewrite
from relgraph.testing.instances.instance_search import find_instances
from relgraph.testing.instances.left_sides import why_never_matched
from relgraph.testing.judge.true_values.evaluation import NoTrueValue

DEFAULT_EXAMPLES = 200

# For a random pattern that is tried on an open relation: the number of attempts without an instance
# after which it is given up, and the number of instances that are enough.
_ATTEMPTS_WITH_GUESS = 8
_INSTANCES_OF_GUESS = 6
# How many examples are added for a rule if no example of it could have failed.
_EXAMPLES_OF_RULE = 24

_NO_CLAIM = "in no example the class makes a claim on a finite value"


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
    """Check that a law keeps what its soundness class claims.

    The law's rules come from a run with logic variables at both ends. The logic variables of their
    patterns are replaced by random inputs, constants and small graphs that its guards admit. The
    graph and what the law puts in its place are evaluated on random values, among them edge values,
    and compared. Besides, a rewrite must keep the type, be the first answer of a plain run of the
    relation, and lead back to a graph of the same values by the other direction.

    Parameters
    ----------
    relation
        A `Law` or `Relation`, or any goal constructor ``(in, out) -> goal``.
    examples
        How often both sides are evaluated.
    seed
        The seed of all random choices. By default it follows from the name of the law, so that
        a check is repeatable.
    directions
        ``forward``, ``backward`` or both; by default those that exist and about which the class
        makes a claim.
    sound
        The soundness class to check for; by default the one that the law claims, or ``exact`` for a
        plain goal constructor.
    parameters
        Functions that draw a parameter of an op that is a logic variable in the law, by the name of
        the op's class and the name of the parameter. They take a `random.Random` and the arguments
        of the op. Those that relgraph has are in `relgraph.testing.draw.parameters`.
    patterns
        Terms to try a relation on that has no finite list of rules. By default they are random
        terms of the ops that its code refers to.
    shrink
        Whether to look for the smallest counterexample.

    Returns
    -------
    result
        Its `status` is ``passed``, ``failed``, or ``unchecked`` if no example could have failed.

    Raises
    ------
    TypeError
        If `relation` is neither a law nor callable.
    ValueError
        If there is no such direction or soundness class, or `examples` is not positive.
    NoSuchDirection
        If the law does not have a direction in `directions`.
    """
    if examples < 1:
        raise ValueError(f"examples is at least 1, not {examples}")
    law = _as_relation(relation, sound)
    claimed = law.sound if sound is None else sound
    if claimed not in SOUNDNESS:
        raise ValueError(f"sound is one of {', '.join(SOUNDNESS)}, not {claimed!r}")
    seed = zlib.crc32(law.name.encode()) if seed is None else seed
    check = _LawCheck(law, claimed, examples, seed, parameters, patterns, shrink)
    return check.result(None if directions is None else tuple(directions))


def _as_relation(relation: Any, sound: str | None) -> Relation:
    if isinstance(relation, Relation):
        return relation
    if not callable(relation):
        raise TypeError(f"{relation!r} is no law and no goal constructor (in, out) -> goal")
    name = getattr(relation, "name", None) or getattr(relation, "__name__", "relation")
    return Relation(str(name), relation, sound=sound or "exact")


class _LawCheck:
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
        self.run = ExampleRun(law.name, self.algebra, sound, seed, shrink)
        self.refusals: Counter[str] = Counter()
        self.directions: list[str] = []
        self.unchecked: list[str] = []
        self.remarks: list[str] = []

    def result(self, directions: tuple[str, ...] | None) -> CheckResult:
        """Run the check."""
        began = time.perf_counter()
        counterexample = None
        try:
            wanted = self._directions(directions)
            for direction in wanted:
                self._check_direction(direction, -(-self.examples // len(wanted)))
        except InvalidRewrite as error:
            counterexample = self.run.counterexample(
                str(error), error.direction, error.inputs, error.old, error.new
            )
        except LawViolation as violation:
            counterexample = violation.counterexample
        except NoTrueValue as why:
            self.unchecked.append(str(why))
        return self._summary(counterexample, time.perf_counter() - began)

    def _summary(self, counterexample: Counterexample | None, seconds: float) -> CheckResult:
        statistics, instances = self.run.statistics, self.run.instances
        status, reason = "passed", ""
        if counterexample is not None and not (self.sound == "domain" and self.law.domain is None):
            status, reason = "failed", counterexample.why
        elif self.unchecked:
            status, reason = "unchecked", "\n".join(self.unchecked)
        elif not statistics.is_tested(range(len(instances))):
            status, reason = "unchecked", _NO_CLAIM
        elif self.sound == "domain" and self.law.domain is None:
            status, reason = "unchecked", "it claims a domain without stating one (`domain=`)"
        evaluated = [instances[i] for i in statistics.evaluated]
        stronger = statistics.stronger_classes
        if status == "passed" and self.sound == "domain" and not statistics.domain_needed:
            self.remarks.append("in all examples it holds outside of its domain too")
        self.remarks.extend(notes_on_phases(self.law))
        return CheckResult(
            self.law.name,
            self.algebra,
            self.sound,
            status,
            reason,
            statistics.examples,
            len(evaluated),
            len({instance.types for instance in evaluated}),
            len(statistics.coverage.edge_values()),
            counterexample,
            stronger[0] if status == "passed" and stronger else None,
            tuple(self.directions),
            dict(self.refusals.most_common()),
            seconds,
            tuple(self.remarks),
        )

    # -- directions and rules --------------------------------------------------------------

    def _directions(self, requested: tuple[str, ...] | None) -> list[Direction]:
        """Return the requested directions; by default those that exist and claim something."""
        names = requested or (("forward",) if self.sound == "stable" else ("forward", "backward"))
        found = []
        for name in names:
            direction = direction_of(self.law, name, self.patterns, self.seed, self.sound)
            if direction is not None:
                found.append(direction)
            elif requested:
                raise NoSuchDirection(str(self.law.extraction(name)))
        if not found:
            self.unchecked.append("it has no direction: " + str(self.law.extraction("forward")))
        return found

    # -- instances -------------------------------------------------------------------------

    def _check_direction(self, direction: Direction, examples: int) -> None:
        self.directions.append(direction.name)
        instances = self.run.instances
        first = len(instances)
        wanted = max(12, min(80, examples // 6))
        refusals = self._find_instances(direction, wanted)
        self.refusals.update(refusals)
        if len(instances) == first:
            if not self.unchecked:
                what = f"{direction.name}, {self.law.name}"
                self.unchecked.append(self._why_no_instance(direction, what, refusals))
            return
        instances[first:] = sorted(instances[first:], key=lambda instance: instance.reading_size)
        self.run.draw(range(first, len(instances)), examples)
        if not direction.guessed:
            self._test_each_rule(direction, first)

    def _find_instances(self, direction: Direction, wanted: int) -> Counter[str]:
        """Add instances of the rules of a direction; return what ruled out other graphs."""
        instances = self.run.instances
        first = len(instances)
        random = Random(f"{self.seed} {direction.name}")
        refusals: Counter[str] = Counter()
        for rule in direction.rules:
            if direction.guessed:
                count, max_failures = _INSTANCES_OF_GUESS, _ATTEMPTS_WITH_GUESS
            else:
                count, max_failures = max(4, -(-wanted // max(len(direction.rules), 1))), 1500
            found = find_instances(direction, rule, count, random, self.parameters, max_failures)
            instances.extend(found.instances)
            refusals.update(found.refusals)
            if not found.instances and not direction.guessed:
                named = _named(direction.name, rule)
                self.unchecked.append(self._why_no_instance(direction, named, found.refusals))
            if len(instances) - first >= wanted and direction.guessed:
                break
        return refusals

    def _why_no_instance(self, direction: Direction, what: str, refusals: Counter[str]) -> str:
        why = why_never_matched(self.law, direction.name)
        if why:
            return f"{what}: {why}"
        most = ", ".join(f"{why} ({n} times)" for why, n in refusals.most_common(3))
        return f"{what}: no instance was found; refused by {most or 'nothing'}"

    def _test_each_rule(self, direction: Direction, first: int) -> None:
        """Draw more examples of the rules of which no example could have failed."""
        instances, is_tested = self.run.instances, self.run.statistics.is_tested
        for rule in direction.rules:
            indices = [i for i in range(first, len(instances)) if instances[i].rule is rule]
            if indices and not is_tested(indices):
                self.run.draw(indices, _EXAMPLES_OF_RULE)
                if not is_tested(indices):
                    self.unchecked.append(f"{_named(direction.name, rule)}: {_NO_CLAIM}")


def _first_line(relation: Relation) -> str:
    text = relation.goal.__doc__ or ""
    return text.strip().partition("\n")[0] or f"the relation {relation.name}"


def _named(direction: str, rule: Rule) -> str:
    return f"{direction}, {rule.pattern} → {rule.template}"
