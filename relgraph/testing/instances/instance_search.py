"""Searches for instances of a rule: instantiates its pattern until the law rewrites the graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from unification.variable import isvar

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Where
from relgraph.graph.traversal import graph_inputs, io_toposort
from relgraph.testing.draw.parameters import Parameters
from relgraph.testing.instances.directions import Direction
from relgraph.testing.instances.input_values import bytes_needed, decode_values
from relgraph.testing.instances.instance import (
    Instance,
    InvalidRewrite,
    checked_instance,
    transformed,
)
from relgraph.testing.instances.instantiation import InstantiatedPattern, PatternInstantiator
from relgraph.testing.instances.random_arguments import CannotInstantiate
from relgraph.testing.judge.rewrite_pair import EvaluationError, RewritePair

# At most 3 instances, or a fifth of those wanted, may have the same numbers for the guarded logic
# variables; after 10 attempts for each instance wanted, any number of them may.
_MAX_SAME_NUMBERS = 3
_SAME_NUMBERS_DIVISOR = 5
_ATTEMPTS_FOR_OTHER_NUMBERS = 10
# For how many instances of a rule the law's answer is compared with that of the plain relation.
_COMPARED_WITH_PLAIN_RUN = 3


@dataclass
class InstanceSearch:
    """The instances found for one rule.

    Attributes
    ----------
    rule
        The rule.
    instances
        Its instances; no two are equal graphs.
    refusals
        How often each reason ruled out a graph.
    """

    rule: Rule
    instances: list[Instance] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)


def find_instances(
    direction: Direction,
    rule: Rule,
    count: int,
    random: Random,
    parameters: Parameters | None = None,
    max_failures: int = 600,
) -> InstanceSearch:
    """Return up to `count` different instances of a rule.

    Parameters
    ----------
    direction
        The direction of the law that the rule belongs to.
    rule
        The rule.
    count
        How many instances are wanted.
    random
        The source of randomness.
    parameters
        Functions that draw parameters of ops, besides `PARAMETERS`.
    max_failures
        After how many attempts the search ends if there is no instance yet.

    Raises
    ------
    InvalidRewrite
        See `checked_instance`; also if the law raises an error.
    """
    found = InstanceSearch(rule)
    instantiator = PatternInstantiator(rule, random, direction.mixed, parameters)
    known: set[Any] = set()
    frequency: Counter[Any] = Counter()
    max_same = max(_MAX_SAME_NUMBERS, count // _SAME_NUMBERS_DIVISOR)
    for attempt in range(40 * count + 400):
        if len(found.instances) >= count or (attempt >= max_failures and not found.instances):
            break
        try:
            graph = instantiator.instantiate()
        except CannotInstantiate as why:
            found.refusals[str(why)] += 1
            instantiator.choices.record_outcome(success=False)
            continue
        new = _rewritten(direction, graph)
        refusal = _why_refused(rule, graph) if new is None else _why_not_evaluable(graph)
        numbers = instantiator.guarded_numbers()
        too_frequent = frequency[numbers] >= max_same
        if refusal is None and too_frequent and attempt < _ATTEMPTS_FOR_OTHER_NUMBERS * count:
            refusal = "the wish for other numbers"
        instantiator.choices.record_outcome(success=refusal is None)
        if new is None or refusal is not None:
            found.refusals[str(refusal)] += 1
            continue
        key = fingerprint(graph.root)
        if key not in known:
            known.add(key)
            frequency[numbers] += bool(numbers)
            compare = len(found.instances) < _COMPARED_WITH_PLAIN_RUN
            found.instances.append(checked_instance(direction, rule, graph, new, compare))
    return found


def _rewritten(direction: Direction, graph: InstantiatedPattern) -> Variable | None:
    """Return what the law puts in the place of a graph's root; None if it does not match."""
    inputs = [spec.var for spec in graph.inputs]
    try:
        return transformed(direction.rewriter, graph.root)
    except Exception as error:
        if _why_not_evaluable(graph) is not None:
            return None  # The graph itself is not valid.
        why = f"it raises {type(error).__name__}: {error}"
        raise InvalidRewrite(why, direction.name, inputs, graph.root, None) from error


def _why_refused(rule: Rule, graph: InstantiatedPattern) -> str:
    """Return why a law does not match a graph that was built for one of its rules."""
    for condition in rule.conditions:
        if not isinstance(condition, Where):
            continue
        values = [graph.bindings.get(v, v) if isvar(v) else v for v in condition.variables]
        if any(isvar(v) for v in values):
            continue
        try:
            if not condition.predicate(*values):
                return f"the condition {condition}"
        except Exception as error:
            return f"the condition {condition}: {type(error).__name__}"
    return "its pattern, its dtypes, or a computed value"


def _why_not_evaluable(graph: InstantiatedPattern) -> str | None:
    """Return why a graph can't be evaluated, or None if it can."""
    inputs = [spec.var for spec in graph.inputs]
    for byte in (b"\0", b"\1"):
        values = decode_values(byte * bytes_needed(graph.inputs), graph.inputs)
        try:
            RewritePair(inputs, graph.root, graph.root, ()).run(values)
        except EvaluationError as error:
            return f"its own evaluation, which raises {str(error).partition(':')[0]}"
    return None


def fingerprint(root: Variable) -> Any:
    """Return a hashable value that is equal for two graphs if they are equal.

    Their structure, the types of their variables and the data of their constants count; which
    input variables they have does not.
    """
    numbers: dict[Variable, int] = {}
    parts: list[Any] = []

    def number(v: Variable) -> int:
        if v not in numbers:
            numbers[v] = len(numbers)
            data = v.data.tobytes() if isinstance(v, Constant) else None
            parts.append((v.type, data))
        return numbers[v]

    for node in io_toposort(list(graph_inputs([root])), [root]):
        inputs = tuple([number(v) for v in node.inputs])
        parts.append((node.op, inputs, tuple([number(v) for v in node.outputs])))
    return tuple(parts)
