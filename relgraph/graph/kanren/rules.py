"""Rules: a pattern, a template, and conditions on its variables; and why one does not match.

What schedulers ask are properties of a rule: the op at its root, how deep it looks, and whether it
can match any node with a given op and heads of inputs. That answer is kept for all such nodes, so
that most rules are never tried on most nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import islice
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from cons.core import ConsPair
from etuples import etuple
from etuples.core import ExpressionTuple
from unification import var
from unification.core import reify, unify
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.goals import (
    CONJ,
    DISJ,
    EQ,
    Condition,
    Readers,
    Where,
    cells_of,
    code_of,
    goals_of,
)
from relgraph.graph.kanren.partial_evaluation import Trace
from relgraph.graph.kanren.terms import (
    Arguments,
    Literal,
    LogicVariable,
    Term,
    expression_parts,
    is_variable,
    variables_of,
)
from relgraph.graph.notation import roundings
from relgraph.graph.op import Op, fullest_heads
from relgraph.graph.unify import nth


@dataclass(frozen=True)
class Rule:
    """A rewrite rule: what matches `pattern` under `conditions` may be replaced by `template`.

    Attributes
    ----------
    name
        The name of the relation or law, for reports.
    pattern, template
        Terms, etuples, logic variables, numbers, or variables of a graph, which match themselves.
    conditions
        The goals that must hold for the values of the variables, or compute further values.
    regroup
        Whether sums and products match in any grouping (see `matching`).
    as_written
        Whether the pattern matches as kanren unifies it: the arguments of a commutative op in
        order.
    one_dtype
        Whether it fires only if the root and all intermediate values have one dtype.
    complex
        Whether it fires on complex dtypes.
    finite
        Whether it refuses to bind constants that are not finite.
    one_client
        Whether the matched nodes below the root must have no clients outside of the match.
    """

    name: str
    pattern: Any
    template: Any
    conditions: Sequence[Condition] = ()
    regroup: bool = False
    as_written: bool = False
    one_dtype: bool = False
    complex: bool = True
    finite: bool = False
    one_client: bool = False

    @cached_property
    def root(self) -> Any:
        """The `Op` or the class of ops at the root of the pattern; None if that is not known."""
        return head_of(self.pattern)

    @property
    def output(self) -> int | None:
        """The index of the output that it replaces, if the pattern has one."""
        return split(self.pattern).output

    @property
    def collapses(self) -> bool:
        """Whether it is a collapsing rule: its template is a variable of its pattern.

        See `LocalOptimizer.collapses`.
        """
        head, patterns, _ = split(self.pattern)
        return (
            self.root is not None
            and not is_ac(head)
            and not takes_all_arguments(patterns)
            and is_variable(self.template)
            and self.template in variables_of(self.pattern)
            and not self.one_client
            and not any(isinstance(c, Readers) for c in self.conditions)
        )

    @property
    def depth(self) -> int:
        """How many levels of nodes it looks at; a sum and its nested sums are one."""
        conditions = [c for c in self.conditions if isinstance(c, Condition)]
        return height(self.pattern) + max([c.depth for c in conditions], default=0)

    @cached_property
    def rounded_numbers(self) -> tuple[Any, ...]:
        """The numbers in its pattern that a narrower dtype rounds: they match the rounded ones."""
        return rounded_numbers(self.pattern)

    @property
    def required_numbers(self) -> frozenset[Literal]:
        """The numbers that must be arguments of its root, by the pattern or by a condition."""
        head, patterns, _ = split(self.pattern)
        every = flat_patterns(head, patterns) if self.regroup and is_ac(head) else patterns
        arguments = [p.of if isinstance(p, Arguments) else p for p in every]
        asked = {
            getattr(c.function, "number", None)
            for c in self.conditions
            if isinstance(c, Condition) and any(c.variables[0] is a for a in arguments)
        }
        stated = [p for p in every if isinstance(p, Literal)]
        return frozenset([*stated, *map(Literal, asked - {None})])

    @property
    def subsumes_nested(self) -> bool:
        """Whether all that it does on a nested sum it does on the outer sum as well.

        A condition on a variable that is an argument of the sum may hold on the nested sum alone:
        on the outer one the variable may have to take more of the arguments. Only one that stands
        nowhere else can, and only where it is matched last: the others take one argument each.
        """
        head, patterns, _ = split(self.pattern)
        if self.regroup and takes_all_arguments(patterns):
            return True
        if not self.regroup or self.one_client or not is_ac(head):
            return False
        flat = flat_patterns(head, patterns)
        uses = Counter(v for p in flat for v in variables_of(p))
        alone = {p for p in flat if is_variable(p) and uses[p] == 1}
        if any(match_cost(p, True) > match_cost(v, True) for p in flat for v in alone):
            alone = set()
        return all(
            isinstance(c, Condition) and alone.isdisjoint(c.variables) for c in self.conditions
        )

    def might_match_op(self, op: Any) -> bool:
        """Return whether it can match some node with this op."""
        root = self.root
        if root is None or root is op:
            return True
        # `issubclass` asks the abstract base classes of ops, slowly
        return root in type(op).__mro__ and self._ops_fit([(split(self.pattern).head, op)])

    def might_match(self, node: Apply) -> bool:
        """Return whether it can match some node with the op and input heads of `node`."""
        op = node.op
        if not self.might_match_op(op):
            return False
        if self.root is None:
            return True
        head, arguments, _ = split(self.pattern)
        heads: Sequence[Any] = [v.head for v in node.inputs]
        count, is_wide_sum = len(heads), is_ac(op) and len(heads) > 2
        if is_wide_sum:
            # the answer is for all sums of so many terms with these heads (see `opt.dispatch`)
            heads = fullest_heads(heads)
        if self.regroup and is_ac(head):
            # the arguments of a nested sum are not known
            return op in heads or self.might_match_sum(heads)
        patterns, rest = before_several(arguments)
        if len(patterns) > count or (rest is None and len(patterns) < count):
            return False
        if not self._might_take(patterns, heads):
            return False
        orders: list[Sequence[Any]] = [heads]
        if is_commutative(head) and len(heads) == 2 and not self.as_written:
            orders.append(heads[::-1])
        return is_wide_sum or any(
            all(map(may_have_head, patterns, order))
            and self._ops_fit([(head, op), *zip(map(_op_in, patterns), order, strict=False)])
            for order in orders
        )

    def might_match_sum(self, heads: Sequence[Any]) -> bool:
        """Return whether the rule, which regroups, can match a flattened sum with these heads."""
        head, patterns, _ = split(self.pattern)
        wanted = [p for p in flat_patterns(head, patterns) if not isinstance(p, Arguments)]
        return len(wanted) <= len(heads) and self._might_take(wanted, heads)

    def _might_take(self, patterns: Sequence[Any], heads: Sequence[Any]) -> bool:
        """Return whether arguments with these heads can match the patterns, in any order."""
        return (
            _may_repeat(patterns, heads)
            and _may_have_heads(patterns, heads)
            and all(_may_hold(c, heads, patterns) for c in self.conditions)
        )

    def _ops_fit(self, pairs: Sequence[tuple[Any, Any]]) -> bool:
        """Return whether the patterns of some ops, of the root first, can match these ops.

        The conditions that are about properties of the ops alone are evaluated too.
        """
        bound: dict[Any, Any] = {}
        if not all(
            _may_be(p, op, bound) for p, op in pairs if p is not None and isinstance(op, Op)
        ):
            return False
        for condition in self.conditions:
            if not isinstance(condition, Where) or any(v not in bound for v in condition.variables):
                # a condition may rely on those before it
                break
            if not condition.function(*[bound[v] for v in condition.variables]):
                return False
        return True


class Parts(NamedTuple):
    """The parts of a compound pattern; a leaf has no head.

    Attributes
    ----------
    head
        The op, or a pattern of it.
    arguments
        The patterns of its arguments.
    output
        Which of several outputs is meant, as in ``nth(1, op(x))``; None if that is not said.
    """

    head: Any
    arguments: tuple[Any, ...] = ()
    output: int | None = None


_LEAF = Parts(None)


def split(pattern: Any) -> Parts:
    """Return the parts of a pattern; a term keeps them, since many laws are asked about a node."""
    if pattern.__class__ is not Term:
        return _split(expression_parts(pattern))
    if pattern.parts is None:
        pattern.parts = _split((pattern.op, *pattern.args))
    return pattern.parts  # type: ignore[no-any-return]


def _split(parts: Sequence[Any]) -> Parts:
    if not parts:
        return _LEAF
    head, arguments = parts[0], tuple(parts[1:])
    if head is nth and len(arguments) == 2:
        index, inner = arguments[0], split(arguments[1])
        index = index.value if isinstance(index, Literal) else index
        if isinstance(index, int) and inner.head is not None:
            return inner._replace(output=index)
    return Parts(head, arguments)


def rounded_numbers(pattern: Any) -> tuple[float | complex, ...]:
    """Return the numbers in a pattern that a narrower dtype rounds."""
    literals = {
        part.value
        for compound in compound_parts(pattern)
        for part in split(compound).arguments
        if isinstance(part, Literal) and isinstance(part.value, float | complex)
    }
    return tuple(n for n in literals if any(r != n for r in roundings(n).values() if n == n))


def head_of(pattern: Any) -> Any:
    """Return the `Op` or the class of ops that heads a pattern; None if that is not known."""
    head = _op_in(pattern)
    return head.tracked if isinstance(head, Op) else class_of(head)


def class_of(head: Any) -> type[Op] | None:
    """Return the class of the ops that a head may be; None if that is not known."""
    if isinstance(head, Op):
        return type(head)
    cls = split(head).head
    return cls if isinstance(cls, type) else None


def height(pattern: Any) -> int:
    """Return how many levels of nodes a pattern spans."""
    cls = pattern.__class__
    if cls is LogicVariable or cls is Literal:
        return 0
    head, patterns, _ = split(pattern)
    return 0 if head is None else 1 + max(map(height, patterns), default=0)


def is_fixed(head: Any) -> TypeGuard[Op]:
    """Return whether `head` is an op that a node has as it is written, whatever its inputs."""
    return isinstance(head, Op) and head.relative is None


def is_ac(head: Any) -> bool:
    """Return whether `head` is an associative and commutative op."""
    return isinstance(head, Op) and head.commutative and head.associative


def is_commutative(head: Any) -> bool:
    """Return whether `head` is a commutative op."""
    return isinstance(head, Op) and head.commutative


def flat_patterns(op: Op, patterns: Sequence[Any]) -> list[Any]:
    """Return the arguments of a pattern of `op`, those of nested patterns of it in their place."""
    flat: list[Any] = []
    for pattern in patterns:
        head, arguments, _ = split(pattern)
        if head is op:
            flat.extend(flat_patterns(op, arguments))
        else:
            flat.append(pattern)
    return flat


def match_cost(pattern: Any, is_free: bool) -> tuple[int, int]:
    """Return a rank by which to order patterns: those that are cheap to match, or may fail, first.

    Leaves other than free variables come first; then compound patterns, of two the higher one; then
    free variables; then commutative patterns, which have several matches; `Arguments` last. So a
    variable that patterns share is bound before a product is searched for it.

    Parameters
    ----------
    is_free
        Whether the pattern is an unbound logic variable.
    """
    if isinstance(pattern, Arguments):
        return 4, 0
    head = split(pattern).head
    if head is not None:
        return 3 if is_commutative(head) else 1, -height(pattern)
    return 2 if is_free else 0, 0


def takes_all_arguments(patterns: Sequence[Any]) -> bool:
    """Return whether the only argument of a pattern is an `Arguments`: it takes all of a node."""
    return len(patterns) == 1 and isinstance(patterns[0], Arguments)


def before_several(patterns: Sequence[Any]) -> tuple[Sequence[Any], Arguments | None]:
    """Return the patterns of the first arguments of a node, and the `Arguments` that takes those
    after them; None if there is none."""
    if patterns and isinstance(patterns[-1], Arguments):
        return patterns[:-1], patterns[-1]
    return patterns, None


def compound_parts(pattern: Any) -> Iterator[Any]:
    """Yield the compound patterns in `pattern`, itself first."""
    stack = [pattern]
    while stack:
        item = stack.pop()
        head, arguments, _ = split(item)
        if head is not None:
            yield item
            stack.extend(reversed(arguments))


def _may_have_heads(patterns: Sequence[Any], heads: Sequence[Any]) -> bool:
    """Return whether variables with these heads can match the patterns, in any order."""
    if len(patterns) == len(heads) == 2:
        return any(all(map(may_have_head, patterns, order)) for order in (heads, heads[::-1]))
    return all(any(may_have_head(p, head) for head in heads) for p in patterns)


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
    admits = getattr(getattr(condition, "function", None), "admits", None)
    if admits is None:
        return True
    is_about = type(condition) is not Where or any(
        v is p for v in condition.variables for p in patterns
    )
    return not is_about or bool(admits(heads))


def may_have_head(pattern: Any, head: Any) -> bool:
    """Return whether a variable with `head` can match `pattern`."""
    if is_variable(pattern):
        return True
    if isinstance(pattern, Literal | bool | int | float | complex):
        return head is Constant or (head is not None and head.repeats is not None)
    if isinstance(pattern, Variable):
        return pattern.head is head
    wanted = _op_in(pattern)
    return wanted is None or (isinstance(head, Op) and _may_be(wanted, head, {}))


def _op_in(pattern: Any) -> Any:
    """Return the op of a pattern; None for a leaf."""
    return pattern.car if type(pattern) is ConsPair else split(pattern).head


def _may_be(pattern: Any, found: Any, bound: dict[Any, Any]) -> bool:
    """Return whether an op, or a property of one, can match a pattern; add the bindings."""
    if pattern is found or isinstance(pattern, FunctionType):
        return True  # what the call of a function makes is not asked here
    if is_variable(pattern):
        return bool(bound.setdefault(pattern, found) == found)
    if isinstance(pattern, Literal):
        return pattern.is_value(found)
    if isinstance(pattern, Op) and pattern.relative is not None:
        return type(found) is pattern.relative
    cls, props, _ = split(pattern)
    if cls is None:
        is_open = type(pattern) is ConsPair or variables_of(pattern)
        return bool(is_open) or bool(pattern == found)
    names = getattr(cls, "__props__", None) or ()
    if not isinstance(cls, type) or len(names) != len(props):
        return True
    return type(found) is cls and all(
        _may_be(prop, getattr(found, name), bound) for name, prop in zip(names, props, strict=True)
    )


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
    pattern = _expression(reify(root, bindings))
    return None if isvar(pattern) else [Rule("", pattern, None, as_written=True)]


def _expression(pattern: Any) -> Any:
    """Return the pattern of a node as an expression; the open end of a list is an `Arguments`."""
    head, arguments, _ = split(pattern)
    if head is nth and len(arguments) == 2:
        return arguments[1]  # of any output
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


Path: TypeAlias = tuple[int, ...]


class Reason(StrEnum):
    """Why a law does not match; `MATCH` if it does."""

    MATCH = "it matches"
    LEAF = "nothing computes the variable"
    OUTPUTS = "the node has several outputs, and the pattern is about one"
    OP = "another op"
    PARAMETER = "another parameter of the op"
    ARITY = "another number of arguments"
    NUMBER = "another number, or none"
    DIFFERENT = "something else than what the same variable represents already"
    CONSTRAINT = "a variable of the pattern is constrained"
    PARTNER = "no argument is what the pattern looks for"
    LEFT_OVER = "arguments are left over"
    BROADCAST = "a number broadcasts what is beside it"
    GROUPING = "it would have to regroup"
    NOT_FINITE = "a constant is not finite"
    CONDITION = "a condition says no"
    READ = "a value is read elsewhere"
    COSTS = "the graph would cost more"
    GOAL = "a goal of the relation fails"
    COMPUTED = "a computed value is another one"
    PENDING = "a condition can't be decided"
    OPEN = "the result is open"
    BUILD = "the result can't be built"
    ROUNDED = "a number is rounded, beside numbers of a wider dtype"
    DTYPES = "more than one dtype"
    COMPLEX = "complex numbers"
    TYPE = "the result does not fit"
    SAME = "the result is what is there"
    DIRECTION = "there is no such direction"
    FILTER = "the node filter says no"
    BUDGET = "the search was given up"
    NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Failure:
    """Where and why an attempt to match failed.

    Attributes
    ----------
    path
        The place: from the root, the index of an input, of an input of that, and so on.
    wanted, found
        The part of the pattern there, and what the graph has.
    values
        The values that a guard was given, by name.
    """

    reason: Reason
    path: Path = ()
    wanted: Any = None
    found: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)
