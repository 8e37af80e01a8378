"""The prefilter: whether a rule or relation can match any node with a given op and heads of inputs.

The answer is kept for all such nodes, so that most rules are never tried on most nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from cons.core import ConsPair
from etuples import etuple
from etuples.core import ExpressionTuple
from unification import var
from unification.core import reify, unify
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.goals import CONJ, DISJ, EQ, Where, cells_of, code_of, goals_of
from relgraph.graph.kanren.rules import (
    Output,
    Rule,
    flat_patterns,
    head_of,
    is_ac,
    is_commutative,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.terms import Arguments, Literal, is_variable, variables_of
from relgraph.graph.kanren.tracers import Trace
from relgraph.graph.op import Op
from relgraph.graph.opt.base import fullest_heads


def rule_might_match_op(rule: Rule, op: Any) -> bool:
    """Return whether `rule` can match some node with this op."""
    root, parts = rule.root, split(rule.pattern)
    if parts is None or root is None or root is op:
        return True
    # `issubclass` asks the abstract base classes of ops, slowly
    return root in type(op).__mro__ and _ops_fit(rule, [(parts[0], op)])


def rule_might_match(rule: Rule, node: Apply) -> bool:
    """Return whether `rule` can match some node with the op and input heads of `node`."""
    op = node.op
    if not rule_might_match_op(rule, op):
        return False
    parts = split(rule.pattern)
    if parts is None or rule.root is None:
        return True
    heads: Sequence[Any] = [v.head for v in node.inputs]
    count, is_wide_sum = len(heads), is_ac(op) and len(heads) > 2
    if is_wide_sum:
        # the answer is for all sums of so many terms with these heads (see `opt.dispatch`)
        heads = fullest_heads(heads)
    if rule.regroup and is_ac(parts[0]):
        if op in heads:
            return True  # the arguments of the nested sum are not known
        if _only_flattens(rule.pattern, rule.template):
            return False  # there are no nested sums
        return rule_might_match_sum(rule, heads)
    if not all(_may_hold(c, heads, parts[1]) for c in rule.conditions):
        return False
    # an `Arguments` takes all that follow
    patterns = [p for p in parts[1] if not isinstance(p, Arguments)]
    is_open = len(patterns) < len(parts[1])
    if len(patterns) > count or (len(patterns) < count and not is_open):
        return False
    if not _may_repeat(patterns, heads):
        return False
    if is_wide_sum:
        return all(any(_may_have_head(p, head) for head in heads) for p in patterns)
    orders: list[Sequence[Any]] = [heads]
    if is_commutative(parts[0]) and len(heads) == 2 and not rule.as_written:
        orders.append(heads[::-1])
    return any(
        all(map(_may_have_head, patterns, order))
        and _ops_fit(rule, [(parts[0], op), *zip(map(_op_in, patterns), order, strict=False)])
        for order in orders
    )


def rule_might_match_sum(rule: Rule, heads: Sequence[Any]) -> bool:
    """Return whether `rule`, which regroups, can match a flattened sum with these heads."""
    parts = split(rule.pattern)
    assert parts is not None
    wanted = [p for p in flat_patterns(*parts) if not isinstance(p, Arguments)]
    return (
        len(wanted) <= len(heads)
        and _may_repeat(wanted, heads)
        and _may_have_heads(wanted, heads)
        and all(_may_hold(c, heads, wanted) for c in rule.conditions)
    )


def _may_have_heads(patterns: Sequence[Any], heads: Sequence[Any]) -> bool:
    """Return whether variables with these heads can match the patterns, in any order."""
    if len(patterns) == len(heads) == 2:
        return any(all(map(_may_have_head, patterns, order)) for order in (heads, heads[::-1]))
    return all(any(_may_have_head(p, head) for head in heads) for p in patterns)


def _may_repeat(patterns: Sequence[Any], heads: Sequence[Any]) -> bool:
    """Return whether variables with these heads can match a variable that is a pattern twice."""
    variables = [p for p in patterns if is_variable(p)]
    return len(set(variables)) == len(variables) or len(set(heads)) < len(heads)


def _may_hold(condition: Any, heads: Sequence[Any], patterns: Sequence[Any]) -> bool:
    """Return whether a condition may hold if the arguments have these heads.

    The function of a condition may have an attribute `admits`, a predicate of the heads that is
    false if the condition can't hold. That of a `Where` counts only if the condition is about one
    of the arguments itself.
    """
    if type(condition) is Where:
        admits = getattr(condition.predicate, "admits", None)
        if admits is not None and not any(v is p for v in condition.variables for p in patterns):
            return True
    else:
        admits = getattr(getattr(condition, "function", None), "admits", None)
    return admits is None or bool(admits(heads))


def _may_have_head(pattern: Any, head: Any) -> bool:
    """Return whether a variable with `head` can match `pattern`."""
    if is_variable(pattern):
        return True
    if isinstance(pattern, Literal | bool | int | float | complex):
        return head is Constant or (head is not None and head.repeats is not None)
    if isinstance(pattern, Variable):
        return pattern.head is head
    parts = split(pattern)
    wanted = head_of(pattern)
    if wanted is None:
        return parts is None or isinstance(head, Op)
    if wanted is head or parts is None:
        return wanted is head or (isinstance(wanted, type) and isinstance(head, wanted))
    return isinstance(wanted, type) and _may_be(parts[0], head, {})


def _op_in(pattern: Any) -> Any:
    """Return the op of a pattern; None for a leaf."""
    parts = split(pattern)
    return None if parts is None else parts[0]


def _ops_fit(rule: Rule, pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Return whether the patterns of some ops, of the root first, can match these ops.

    The conditions that are about properties of the ops alone are evaluated too.
    """
    bound: dict[Any, Any] = {}
    if not all(_may_be(p, op, bound) for p, op in pairs if p is not None and isinstance(op, Op)):
        return False
    for condition in rule.conditions:
        if not isinstance(condition, Where) or any(v not in bound for v in condition.variables):
            # a condition may rely on those before it
            break
        if not condition.predicate(*[bound[v] for v in condition.variables]):
            return False
    return True


def _may_be(pattern: Any, found: Any, bound: dict[Any, Any]) -> bool:
    """Return whether an op, or a property of one, can match a pattern; add the bindings."""
    if isinstance(pattern, Output):
        pattern = pattern.op
    if is_variable(pattern):
        return bool(bound.setdefault(pattern, found) == found)
    if isinstance(pattern, Literal):
        return pattern.is_value(found)
    if isinstance(pattern, Op) and pattern.relative is not None:
        return type(found) is pattern.relative
    parts = split(pattern)
    if parts is None:
        is_open = type(pattern) is ConsPair or variables_of(pattern)
        return bool(is_open) or bool(pattern == found)
    cls, props = parts
    names = getattr(cls, "__props__", None) or ()
    if not isinstance(cls, type) or len(names) != len(props):
        return True
    return type(found) is cls and all(
        _may_be(prop, getattr(found, name), bound) for name, prop in zip(names, props, strict=True)
    )


def _only_flattens(pattern: Any, template: Any) -> bool:
    """Return whether pattern and template are one op on all arguments: ``add(several(xs))``."""
    one, other = split(pattern), split(template)
    if one is None or other is None:
        return False
    if not takes_all_arguments(one[1]) or not takes_all_arguments(other[1]):
        return False
    return one[0] is other[0] and one[1][0].of is other[1][0].of


MAX_PARTS = 50
"""How many goals of a conjunction or disjunction are looked at."""


def rules_sought(
    relation: Callable[[Any, Any], Any], outputs: Sequence[Variable]
) -> Sequence[Rule] | None:
    """Return rules of which one matches each node that a relation has an answer for.

    They have patterns alone, which are read from the goal of the relation. The goal is constructed
    and not run. Each branch of a disjunction gives the pattern that the equations of a conjunction
    require of the variable that the relation is about; its last argument may be an `Arguments`.
    None if they require nothing.

    Parameters
    ----------
    outputs
        The outputs of a node. If there are several, the relation is about the list of them, or
        about one. The rules are the same for every node with as many.
    """
    trace = Trace(outputs[0])
    found: list[Rule] = []
    count = len(outputs)
    for target in [trace.root] if count == 1 else [trace.root, [trace.root] * count]:
        try:
            rules = _rules(relation(target, var()), target)
        except Exception:
            return None  # it will raise again on a node
        if rules is None:
            return None
        found.extend(rules)
    # a constructor that looks at its variable may construct another goal for another node
    return None if trace.path else found


def _rules(goal: Any, target: Any) -> list[Rule] | None:
    if code_of(goal) is DISJ:
        branches = [_rules(g, target) for g in islice(goals_of(goal), MAX_PARTS + 1)]
        if len(branches) > MAX_PARTS or None in branches:
            return None
        return [rule for branch in branches for rule in branch or ()]
    root: Any = var()
    bindings: Any = {}
    for sides in _equations(goal):
        bindings = unify(*[root if side is target else side for side in sides], bindings)
        if bindings is False:
            return []
    pattern = reify(root, bindings)
    return None if isvar(pattern) else [Rule("", _expression(pattern), None, as_written=True)]


def _expression(pattern: Any) -> Any:
    """Return a pattern that is a cons pair as an expression; its open end is an `Arguments`."""
    if type(pattern) is not ConsPair:
        return pattern
    parts, rest = [], pattern
    while type(rest) is ConsPair:
        parts.append(rest.car)
        rest = rest.cdr
    is_list = isinstance(rest, list | tuple | ExpressionTuple)
    return etuple(*parts, *(rest if is_list else [Arguments(rest)]))


def _equations(goal: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the sides of the equations that must hold for a goal to hold."""
    if code_of(goal) is EQ:
        yield cells_of(goal)["u"], cells_of(goal)["v"]
    elif code_of(goal) is CONJ:
        for part in islice(goals_of(goal), MAX_PARTS):
            yield from _equations(part)
