"""Checks a law: instances of its rules are evaluated on both sides, and the values compared."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from relgraph.compile.law_explanation import notes_on_phases
from relgraph.graph.kanren.explanation import NoSuchDirection
from relgraph.graph.kanren.relations import SOUNDNESS, Relation
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.notation import algebra
from relgraph.testing.check_result import CheckResult, Counterexample
from relgraph.testing.instances.examples import ExampleRun, smaller
from relgraph.testing.instances.instance import (
    Direction,
    Instance,
    LawViolation,
    algebra_of,
    direction_of,
)
from relgraph.testing.instances.instance_search import BY_CHANCE, InstanceSearch
from relgraph.testing.instances.plan import (
    EXAMPLES_FOR_A_CLAIM,
    NO_CLAIM,
    InstancePlanner,
    PlannedExamples,
)
from relgraph.testing.random_terms import Parameters
from relgraph.truth.balls import NoTrueValue

DEFAULT_EXAMPLES = 200

# Fewer examples than these are a first look.
_FIRST_LOOK = 50


def check_relation(
    relation: Any,
    examples: int = DEFAULT_EXAMPLES,
    seed: int = 0,
    directions: Iterable[str] | None = None,
    sound: str | None = None,
    parameters: Parameters | None = None,
    patterns: Sequence[Any] = (),
    shrink: bool = True,
    plan: bool = True,
) -> CheckResult:
    """Check that a law keeps what its soundness class claims.

    The law's rules come from a run with logic variables at both ends. The logic variables of their
    patterns are replaced by random inputs, constants and small graphs that its guards admit. The
    graph and what the law puts in its place are evaluated and compared: first by plan, for each
    kind of dtype that the law admits, at ranks 0 to 2 and lengths 0, 1 and more (for ``exact`` on
    long arrays too), on the edge values of the dtype in all memory layouts, near where its right
    side decides otherwise, and with each edge value for what is always a constant; then on random
    values. Besides, a rewrite must keep the type, be the first answer of a plain run of the
    relation, and lead back to a graph of the same values by the other direction.

    Parameters
    ----------
    relation
        A `Law`, a `Relation` or a goal constructor ``(in, out) -> goal``.
    examples
        How often both sides are evaluated on random values, after the plan.
    seed
        The seed of all random choices.
    directions
        ``forward``, ``backward`` or both; by default those that exist and about which the class
        makes a claim.
    sound
        The soundness class to check for; by default the one that the law claims, or ``exact`` for a
        plain goal constructor.
    parameters
        Functions that draw a parameter of an op that is a logic variable in the law, by the name of
        the op's class and the name of the parameter. They take a `random.Random` and the arguments
        of the op. Those that relgraph has are in `relgraph.testing.random_terms`.
    patterns
        Terms to try a relation on that has no finite list of rules; by default those that its goal
        requires of a node.
    shrink, plan
        Whether to look for the smallest counterexample, and to compare by plan first.

    Returns
    -------
    result
        Its `status` is ``passed``, ``failed``, or ``unchecked`` if no example could have failed, or
        if something of the plan was not compared.

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
    check = LawCheck(law, claimed, examples, seed, parameters, patterns, shrink, plan)
    return check.result(None if directions is None else tuple(directions))


def _as_relation(relation: Any, sound: str | None) -> Relation:
    if isinstance(relation, Relation):
        return relation
    if not callable(relation):
        raise TypeError(f"{relation!r} is no law and no goal constructor (in, out) -> goal")
    name = getattr(relation, "name", None) or getattr(relation, "__name__", "relation")
    return Relation(str(name), relation, sound=sound or "exact")


@dataclass(eq=False)
class LawCheck:
    """The check of one law: what `check_relation` runs, whose parameters its fields are.

    Attributes
    ----------
    run
        The examples, with the instances that were found.
    """

    law: Relation
    sound: str
    examples: int
    seed: int
    parameters: Parameters | None
    patterns: Sequence[Any]
    shrink: bool
    plan: bool
    refusals: Counter[str] = field(default_factory=Counter, init=False)
    directions: list[str] = field(default_factory=list, init=False)
    unchecked: list[str] = field(default_factory=list, init=False)
    remarks: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.run = ExampleRun(self.sound, self.seed)

    def result(self, directions: tuple[str, ...] | None) -> CheckResult:
        """Run the check."""
        began = time.perf_counter()
        counterexample = None
        try:
            wanted = self._directions(directions)
            for direction in wanted:
                self._check_direction(direction, -(-self.examples // len(wanted)))
        except LawViolation as violation:
            counterexample = violation.counterexample
        except NoTrueValue as why:
            self.unchecked.append(str(why))
        return self._summary(counterexample, time.perf_counter() - began)

    def _summary(self, counterexample: Counterexample | None, seconds: float) -> CheckResult:
        run, coverage = self.run, self.run.coverage
        status, reason = "passed", ""
        if counterexample is not None and not (self.sound == "domain" and self.law.domain is None):
            status, reason = "failed", counterexample.why
        elif self.unchecked:
            status, reason = "unchecked", "\n".join(self.unchecked)
        elif not run.is_tested(run.instances):
            status, reason = "unchecked", NO_CLAIM
        elif self.sound == "domain" and self.law.domain is None:
            status, reason = "unchecked", "it claims a domain without stating one (`domain=`)"
        if status == "passed" and coverage.not_covered:
            missing = "; ".join(coverage.not_covered)
            status, reason = "unchecked", f"it admits what was not compared: {missing}"
        stronger = run.stronger_classes
        if status == "passed" and self.sound == "domain" and not run.domain_needed:
            self.remarks.append("in all examples it holds outside of its domain too")
        self.remarks.extend(notes_on_phases(self.law))
        return CheckResult(
            self.law.name,
            algebra_of(self.law),
            self.sound,
            status,
            reason,
            run.examples - coverage.examples,
            len(run.evaluated),
            len({tuple(spec.var.type for spec in i.inputs) for i in run.evaluated}),
            len(run.edge_values()),
            counterexample,
            stronger[0] if status == "passed" and stronger else None,
            tuple(self.directions),
            dict(self.refusals.most_common()),
            seconds,
            tuple(self.remarks),
            coverage,
        )

    # -- directions and rules --------------------------------------------------------------

    def _directions(self, requested: tuple[str, ...] | None) -> list[Direction]:
        """Return the requested directions; by default those that exist and claim something."""
        names = requested or (("forward",) if self.sound == "stable" else ("forward", "backward"))
        found = []
        for name in names:
            direction = direction_of(self.law, name, self.patterns, self.sound)
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
        instances: list[Instance] = []
        random = Random(f"{self.seed} {direction.name}")
        wanted = max(12 if self.plan else 4, min(80, examples // 6))
        searches = [InstanceSearch(direction, r, random, self.parameters) for r in direction.rules]
        for search in searches:
            search.find(max(4, -(-wanted // len(searches))), 1500)
        matching = [search for search in searches if search.instances]
        # The patterns that a relation is tried on, which say nothing of what it makes, share one
        # plan; each rule has one of its own.
        tried = all(rule.template is None for rule in direction.rules)
        groups = [matching] if tried else [[search] for search in matching]
        # a first look has fewer sets of values in each cell, and gives up sooner to find a graph
        sets = 1 if examples < _FIRST_LOOK else 3
        tries = max(4, min(12, examples // 8))
        plans = [InstancePlanner(group, tries).run() for group in groups if group and self.plan]
        for search in searches:
            instances.extend(search.instances)
            self.refusals.update(search.refusals)
            if not search.instances:
                named = _named(direction.name, search.rule)
                self.unchecked.append(f"{named}: {self._why_no_instance(search)}")
        if not instances:
            return
        instances.sort(key=lambda instance: instance.reading_size)
        self.run.instances += instances
        try:
            for planned in plans:
                rule = planned.searches[0].rule
                name = direction.name if len(plans) == 1 else _named(direction.name, rule)
                PlannedExamples(self.run, planned, random, f"{name}: ", sets).compare()
            self.run.draw(instances, examples)
            self._test_each_rule(direction, instances)
        except LawViolation as violation:
            if not self.shrink:
                raise
            raise smaller(self.run, violation, instances, searches) from None

    def _why_no_instance(self, search: InstanceSearch) -> str:
        refusals, made = search.refusals.most_common(3), search.unmatched
        most = ", ".join(f"{refusal} ({n} times)" for refusal, n in refusals)
        refused = f"no instance was found; refused by {most or 'nothing'}"
        if made is None:
            return refused
        why = self.law.explain(made, search.direction.name).why
        if refusals[0][0] == BY_CHANCE:
            return f"no graph that the same calls make is matched: they make {algebra(made)}: {why}"
        # what an op makes of its inputs may not be what was drawn: it gives them the same rank
        return f"{refused}; such as {algebra(made)}: {why}"

    def _test_each_rule(self, direction: Direction, instances: Sequence[Instance]) -> None:
        """Draw more examples of the rules of which no example could have failed."""
        is_tested = self.run.is_tested
        for rule in direction.rules:
            of_rule = [instance for instance in instances if instance.rule is rule]
            if of_rule and not is_tested(of_rule):
                self.run.draw(of_rule, EXAMPLES_FOR_A_CLAIM)
                if not is_tested(of_rule):
                    self.unchecked.append(f"{_named(direction.name, rule)}: {NO_CLAIM}")


def _named(direction: str, rule: Rule) -> str:
    return f"{direction}, {rule.pattern} → {rule.template}"
