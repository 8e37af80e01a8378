"""Instances of a law: graphs that it matches, with what it gives for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from kanren.core import lall
from unification import var
from unification.core import reify
from unification.variable import isvar

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Where
from relgraph.graph.kanren.search.guards import fitted
from relgraph.graph.kanren.search.state import SearchBudgetError, is_settled
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations, graph_inputs, io_toposort
from relgraph.testing.draw.leaves import Ungrounded
from relgraph.testing.draw.parameters import Parameters
from relgraph.testing.draw.samples import Slot, bytes_needed, values_from
from relgraph.testing.instances.directions import Direction
from relgraph.testing.instances.grounding import Grounded, Grounder
from relgraph.testing.judge.sides import SideError, Sides

# Of how many instances at least, and of which part of them, the guarded numbers may be the same,
# and after how many attempts for each instance they may be in more.
_ALIKE = 3
_PART = 5
_ATTEMPTS = 10
# Of how many instances the law's answer is compared with that of a plain run of the relation.
_COMPARED = 3


@dataclass
class Instance:
    """A graph that a law matches.

    Attributes
    ----------
    sides
        The graph, and what the law gave for it.
    slots
        Its inputs.
    rule
        The rule of the law whose pattern it is.
    direction
        The direction of the law.
    back
        The graph, and what the other direction made of what the law gave; None if that does not
        match, or gives the graph itself.
    domain
        The condition of a law that holds in a domain, as a function of the values of all variables.
    """

    sides: Sides
    slots: list[Slot]
    rule: Rule
    direction: str
    back: Sides | None = None
    domain: Callable[[Any], bool] | None = None

    @property
    def types(self) -> tuple[Any, ...]:
        """The types of the inputs."""
        return tuple(slot.var.type for slot in self.slots)

    @property
    def size(self) -> int:
        """How large it is to read; a graph of inputs reads better than one of constants."""
        nodes = io_toposort(self.sides.inputs, [self.sides.old])
        constants = {v for node in nodes for v in node.inputs if isinstance(v, Constant)}
        size = sum(3 * max(int(v.data.size), 1) for v in constants)
        return size + sum(slot.size + 1 for slot in self.slots) + 2 * len(nodes)


class Broken(Exception):
    """A law that does wrong before any values are looked at.

    Attributes
    ----------
    old, new, inputs
        What it was given, what it gave (None if it raised an error), and the inputs of both.
    direction
        Its direction.
    """

    def __init__(
        self, why: str, direction: str, inputs: list[Variable], old: Variable, new: Variable | None
    ) -> None:
        super().__init__(why)
        self.direction, self.inputs, self.old, self.new = direction, inputs, old, new


@dataclass
class Found:
    """The instances of one rule, and why there are not more.

    Attributes
    ----------
    rule
        The rule.
    refusals
        How often each condition, or something else, stood in the way.
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
    patience: int = 600,
) -> Found:
    """Return up to `count` different instances of a rule.

    Parameters
    ----------
    patience
        After how many failures to give a rule up that has no instance yet.

    Raises
    ------
    Broken
        If the law raises an error for one, changes its type, or gives something else than a plain
        run of the relation does.
    """
    found = Found(rule)
    grounder = Grounder(rule, random, direction.mixed, parameters)
    known: set[Any] = set()
    numbers: Counter[Any] = Counter()
    most = max(_ALIKE, count // _PART)
    for attempt in range(40 * count + 400):
        if len(found.instances) >= count or (attempt >= patience and not found.instances):
            break
        try:
            grounded = grounder.ground()
        except Ungrounded as why:
            found.refusals[str(why)] += 1
            grounder.choices.done(worked=False)
            continue
        new = _fired(direction, grounded)
        refusal = _refusal(rule, grounded) if new is None else _senseless(grounded)
        alike = grounder.guarded_numbers()
        if refusal is None and numbers[alike] >= most and attempt < _ATTEMPTS * count:
            refusal = "the wish for other numbers"
        grounder.choices.done(worked=refusal is None)
        if new is None or refusal is not None:
            found.refusals[str(refusal)] += 1
            continue
        key = fingerprint(grounded.root)
        if key not in known:
            known.add(key)
            numbers[alike] += bool(alike)
            compared = len(found.instances) < _COMPARED
            found.instances.append(_instance(direction, rule, grounded, new, compared))
    return found


def _transformed(direction: Direction, rewriter: Any, root: Variable) -> Variable | None:
    """Return what a rewriter gives for `root`, or None."""
    node = root.owner
    if node is None:
        return None
    fgraph = None
    if len(node.outputs) > 1:
        fgraph = FunctionGraph(list(graph_inputs([root])), [root], clone=False)
    answer = rewriter.transform(fgraph, node)
    if isinstance(answer, dict):
        answer = [answer.get(v) for v in node.outputs]
    if answer is False or answer is None:
        return None
    assert root.index is not None
    new: Variable | None = answer[root.index]
    return new


def _fired(direction: Direction, grounded: Grounded) -> Variable | None:
    inputs = [slot.var for slot in grounded.slots]
    try:
        return _transformed(direction, direction.rewriter, grounded.root)
    except Exception as error:
        if _senseless(grounded) is not None:
            return None  # it would have raised an error sooner or later
        why = f"it raises {type(error).__name__}: {error}"
        raise Broken(why, direction.name, inputs, grounded.root, None) from error


def _refusal(rule: Rule, grounded: Grounded) -> str:
    """Return what stood in the way of a rule."""
    for condition in rule.conditions:
        if not isinstance(condition, Where):
            continue
        values = [grounded.bound.get(v, v) if isvar(v) else v for v in condition.variables]
        if any(isvar(v) for v in values):
            continue
        try:
            if not condition.predicate(*values):
                return f"the condition {condition}"
        except Exception as error:
            return f"the condition {condition}: {type(error).__name__}"
    return "its pattern, its dtypes, or a computed value"


def _senseless(grounded: Grounded) -> str | None:
    """Return why the graph itself can't be evaluated, or None if it can."""
    inputs = [slot.var for slot in grounded.slots]
    for byte in (b"\0", b"\1"):
        values = values_from(byte * bytes_needed(grounded.slots), grounded.slots)
        try:
            Sides(inputs, grounded.root, grounded.root, ()).run(values)
        except SideError as error:
            return f"its own evaluation, which raises {str(error).partition(':')[0]}"
    return None


def _instance(
    direction: Direction, rule: Rule, grounded: Grounded, new: Variable, compared: bool
) -> Instance:
    old = grounded.root
    inputs = [slot.var for slot in grounded.slots]

    def broken(why: str, result: Variable = new) -> Broken:
        return Broken(why, direction.name, inputs, old, result)

    old_type: Any = old.type
    new_type: Any = new.type
    if not old_type.is_super(new_type) or new_type.broadcastable != old_type.broadcastable:
        raise broken(f"the type changes from {old_type} to {new_type}")
    given = set(inputs)
    for v in graph_inputs([new]):
        if v not in given and not isinstance(v, Constant):
            raise broken(f"it reads {v}, which the matched graph does not")
    if compared:
        first = _plain_answer(direction.relation, old)
        if first is not _UNKNOWN and (first is None or not equal_computations([first], [new])):
            raise broken("a plain run of the relation gives something else first")
    leaves = [v for v in dict.fromkeys(grounded.leaves) if isinstance(v, Variable)]
    back = None
    if direction.inverse is not None:
        returned = _transformed(direction, direction.inverse, new)
        if returned is not None and not equal_computations([returned], [old]):
            back = Sides(inputs, old, returned, leaves)
    domain = _domain(direction, grounded)
    sides = Sides(inputs, old, new, leaves)
    return Instance(sides, grounded.slots, rule, direction.name, back, domain)


_UNKNOWN = object()


def _plain_answer(relation: Callable[[Any, Any], Any], root: Variable) -> Any:
    """Return the first answer of a plain run that fits in the place of `root`."""
    q = var()
    try:
        for s in lall(relation(root, q))({}):
            if is_settled(s):
                try:
                    new = fitted(build(reify(q, s)), root)
                except OpenAnswerError:
                    return _UNKNOWN
                if new is not None and new is not root:
                    return new
    except (SearchBudgetError, RecursionError):
        return _UNKNOWN
    return None


def _domain(direction: Direction, grounded: Grounded) -> Callable[[Any], bool] | None:
    """Return the condition of a law as a function of the values of all variables."""
    condition = direction.domain
    if condition is None:
        return None
    if isinstance(condition, Where):
        holds: Any = condition.predicate
        # the law may have taken a sum or product apart in another way than it was put together
        named = direction.bindings(grounded.root)
        bound = {v: named.get(str(v), grounded.bound.get(v, v)) for v in condition.variables}
        wanted = [bound[v] if isvar(v) else v for v in condition.variables]
    else:
        holds = condition
        assert grounded.root.owner is not None
        wanted = list(grounded.root.owner.inputs)

    def check(values: Any) -> bool:
        given = [_value(v, values) if isinstance(v, Variable) else v for v in wanted]
        with np.errstate(all="ignore"):
            return bool(np.all(holds(*given)))

    return check


def _value(v: Variable, values: Any) -> Any:
    if v in values:
        return values[v]
    # a sum within a sum is no part of the graph, only its terms are
    inputs = [u for u in graph_inputs([v]) if not isinstance(u, Constant)]
    return evaluate([v], {u: values[u] for u in inputs})[0]


def fingerprint(root: Variable) -> Any:
    """Return a value that graphs share only if they are alike, types and constants included."""
    places: dict[Variable, int] = {}
    parts: list[Any] = []

    def place(v: Variable) -> int:
        if v not in places:
            places[v] = len(places)
            data = v.data.tobytes() if isinstance(v, Constant) else None
            parts.append((v.type, data))
        return places[v]

    for node in io_toposort(list(graph_inputs([root])), [root]):
        given = tuple([place(v) for v in node.inputs])
        parts.append((node.op, given, tuple([place(v) for v in node.outputs])))
    return tuple(parts)
