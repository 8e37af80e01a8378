"""What a closed relation comes down to: a pattern, a template and the conditions between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from etuples.core import ExpressionTuple
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.search.goals import Compute, Condition, OneClient, Where
from relgraph.graph.kanren.terms.term import Arguments, Literal, Term, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import nth


@dataclass(frozen=True)
class Rule:
    """One way in which a relation rewrites.

    Attributes
    ----------
    name
        What it is called.
    pattern, template
        What is matched and what is built: terms, etuples, logic variables, numbers, variables.
    conditions
        What has to hold of, or is computed from, what was matched.
    regroup
        Whether sums and products match in any grouping (see `matching`).
    as_written
        Whether the pattern matches as it stands: the arguments of a commutative op in order, and
        no constant for a bare number (a `Literal` is another matter).
    one_dtype
        Whether it fires only where the root and all intermediates have one dtype.
    complex
        Whether it fires on complex dtypes.
    finite
        Whether it binds no constant that isn't finite.
    one_client
        Whether what is matched below the root must not be read from elsewhere.
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
        """The `Op` at the root of the pattern, the class of ops there, or None if it is open."""
        return head_of(self.pattern)

    @property
    def output(self) -> int | None:
        """Which of several outputs of its node it replaces, if the pattern says so."""
        parts = split(self.pattern)
        return parts[0].index if parts is not None and isinstance(parts[0], Output) else None

    @property
    def collapses(self) -> bool:
        """Whether it replaces a node by a variable further down, whoever else reads that."""
        head, patterns = split(self.pattern) or (None, ())
        return (
            isinstance(head, Op)
            and not is_ac(head)
            and not takes_all_arguments(patterns)
            and isvar(self.template)
            and self.template in variables_of(self.pattern)
            and not self.one_client
            and not any(isinstance(c, OneClient) for c in self.conditions)
        )

    @property
    def depth(self) -> int:
        """How many levels of nodes the pattern looks at, nested sums being one.

        A function whose attribute `depth` says so looks as far into what it is given.
        """
        asked = [c.function for c in self.conditions if type(c) is Compute]
        asked += [c.predicate for c in self.conditions if type(c) is Where]
        further = [getattr(function, "depth", 0) for function in asked]
        # who else reads what the lowest nodes read is one level further
        asks_readers = any(isinstance(c, OneClient) for c in self.conditions)
        return height(self.pattern) + max([*further, int(asks_readers)], default=0)

    @property
    def inspected_pairs(self) -> frozenset[tuple[Any, Any]] | None:
        """The pairs of an op and the op of an input whose inputs it looks at; None if any."""
        if self.one_client or self.conditions:
            return None
        pairs = {
            (head_of(part), head_of(inner))
            for part in compound_parts(self.pattern)
            for inner in (split(part) or ((), ()))[1]
            if split(inner) is not None
        }
        return None if any(None in pair for pair in pairs) else frozenset(pairs)

    @property
    def required_ops(self) -> frozenset[Any]:
        """The ops, and classes of ops, that its pattern names."""
        return frozenset(map(head_of, compound_parts(self.pattern))) - {None}

    @property
    def required_numbers(self) -> frozenset[Literal]:
        """The numbers among the arguments of its root: those in the pattern, and those that a
        condition says an argument is."""
        parts = split(self.pattern)
        if parts is None:
            return frozenset()
        head, patterns = parts
        every = flat_patterns(head, patterns) if self.regroup and is_ac(head) else patterns
        asked = {
            getattr(c.predicate, "number", None)
            for c in self.conditions
            if type(c) is Where and any(c.variables[0] is p for p in every)
        }
        stated = [p for p in every if isinstance(p, Literal)]
        return frozenset([*stated, *map(Literal, asked - {None})])

    @property
    def subsumes_nested(self) -> bool:
        """Whether it does to a sum with other sums nested in it what it does to these.

        A condition on a variable that stands for an argument, or for all that is left, might hold
        of a part of the sum and not of all of it.
        """
        parts = split(self.pattern)
        if parts is not None and self.regroup and takes_all_arguments(parts[1]):
            return True
        if parts is None or not self.regroup or self.one_client or not is_ac(parts[0]):
            return False
        alone = {p for p in flat_patterns(*parts) if isvar(p)}
        return all(
            isinstance(c, Condition) and alone.isdisjoint(c.variables) for c in self.conditions
        )


@dataclass(frozen=True)
class Output:
    """The head of a pattern for one output of several: ``nth(1, op(x))``."""

    index: int
    op: Any


def split(pattern: Any) -> tuple[Any, tuple[Any, ...]] | None:
    """Return the head and the arguments of a compound pattern, or None for a leaf."""
    if isinstance(pattern, Term):
        return _parts(pattern.op, pattern.args)
    if isinstance(pattern, ExpressionTuple) and len(pattern):
        return _parts(pattern[0], tuple(pattern[1:]))
    if isinstance(pattern, list) and pattern and isinstance(pattern[0], Op):
        return pattern[0], tuple(pattern[1:])
    return None


def _parts(head: Any, arguments: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    if head is nth and len(arguments) == 2:
        index, inner = arguments[0], split(arguments[1])
        index = index.value if isinstance(index, Literal) else index
        if isinstance(index, int) and inner is not None:
            return Output(index, inner[0]), inner[1]
    return head, arguments


def head_of(pattern: Any) -> Any:
    """Return the `Op`, or the class of ops, that heads a compound pattern; None if it is open."""
    parts = split(pattern)
    if parts is None:
        return None
    head = parts[0].op if isinstance(parts[0], Output) else parts[0]
    if isinstance(head, Op):
        return head
    inner = split(head)
    return inner[0] if inner is not None and isinstance(inner[0], type) else None


def height(pattern: Any) -> int:
    """Return how many levels of nodes a pattern spans."""
    parts = split(pattern)
    return 0 if parts is None else 1 + max(map(height, parts[1]), default=0)


def is_ac(head: Any) -> bool:
    """Return whether `head` is an op whose arguments are a bag: any order, any grouping."""
    return isinstance(head, Op) and head.commutative and head.associative


def is_commutative(head: Any) -> bool:
    """Return whether `head` is an op that is declared commutative."""
    return isinstance(head, Op) and head.commutative


def flat_patterns(op: Op, patterns: Sequence[Any]) -> list[Any]:
    """Return the arguments of a nested pattern of one op, as one list."""
    flat: list[Any] = []
    for pattern in patterns:
        parts = split(pattern)
        if parts is not None and parts[0] is op:
            flat.extend(flat_patterns(op, parts[1]))
        else:
            flat.append(pattern)
    return flat


def effort(pattern: Any, is_free: bool) -> tuple[int, int]:
    """Rank patterns that are to be matched: what is bound or can fail first, and of two that can,
    the one that says more; regroupable sub-patterns last.

    A variable that another pattern shares is so bound before a product is searched for it.

    Parameters
    ----------
    is_free
        Whether the pattern is a logic variable that is not bound yet.
    """
    if isinstance(pattern, Arguments):
        return 4, 0
    parts = split(pattern)
    if parts is not None:
        return 3 if is_commutative(parts[0]) else 1, -height(pattern)
    return 2 if is_free else 0, 0


def takes_all_arguments(patterns: Sequence[Any]) -> bool:
    """Return whether the arguments of a pattern are all the arguments of a node, together."""
    return len(patterns) == 1 and isinstance(patterns[0], Arguments)


def only_flattens(pattern: Any, template: Any) -> bool:
    """Return whether a template gives all arguments together, as its pattern takes them."""
    one, other = split(pattern), split(template)
    if (
        one is None
        or other is None
        or not (takes_all_arguments(one[1]) and takes_all_arguments(other[1]))
    ):
        return False
    return one[0] is other[0] and one[1][0].of is other[1][0].of


def rule_might_match(rule: Rule, node: Apply) -> bool:
    """Return whether `rule` can match some node with the op of `node` and its inputs' ops."""
    op: Any = node.op
    heads = [v.head for v in node.inputs]
    parts = split(rule.pattern)
    root = rule.root
    if parts is None or root is None:
        return True
    of_class = isinstance(root, type) and issubclass(type(op), root)
    if root is not op and not (of_class and _op_fits(rule, parts[0], op)):
        return False
    if rule.regroup and is_ac(parts[0]):
        if op in heads:
            return True  # an argument may be any level down
        if only_flattens(rule.pattern, rule.template):
            return False  # all it does is to take nested sums apart
        return might_match_sum(rule, heads)
    if not all(_may_hold(c, heads, parts[1]) for c in rule.conditions):
        return False
    if takes_all_arguments(parts[1]):
        return True
    if len(parts[1]) != len(heads) or not _may_repeat(parts[1], heads):
        return False
    if is_ac(op) and len(heads) > 2:
        # the answer is kept for all orders of the inputs (see `opt.dispatch`)
        return all(any(_may_have_head(p, head) for head in heads) for p in parts[1])
    orders = [heads]
    if is_commutative(parts[0]) and len(heads) == 2:
        orders.append(heads[::-1])
    return any(
        all(_may_have_head(p, head) for p, head in zip(parts[1], order, strict=True))
        for order in orders
    )


def might_match_sum(rule: Rule, heads: Sequence[Any]) -> bool:
    """Return whether `rule`, which regroups, can match a sum of terms with these heads, nested
    sums having been taken apart."""
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
    """Return whether variables with these heads can match some patterns, in any order."""
    if len(patterns) == len(heads) == 2:
        return any(all(map(_may_have_head, patterns, order)) for order in (heads, heads[::-1]))
    return all(any(_may_have_head(p, head) for head in heads) for p in patterns)


def _may_repeat(patterns: Sequence[Any], heads: Sequence[Any]) -> bool:
    """Return whether a variable that stands among some patterns twice may do so here."""
    variables = [p for p in patterns if isvar(p)]
    return len(set(variables)) == len(variables) or len(set(heads)) < len(heads)


def _may_hold(condition: Any, heads: Sequence[Any], patterns: Sequence[Any]) -> bool:
    """Return whether a condition may hold of arguments with these heads.

    A function that has nothing to do with some of them has a `suits` that tells by the heads; so
    does a predicate, which then has to be about one of the arguments themselves.
    """
    if type(condition) is Where:
        suits = getattr(condition.predicate, "suits", None)
        if suits is not None and not any(v is p for v in condition.variables for p in patterns):
            return True
    else:
        suits = getattr(getattr(condition, "function", None), "suits", None)
    return suits is None or bool(suits(heads))


def _may_have_head(pattern: Any, head: Any) -> bool:
    """Return whether a variable with `head` can match `pattern`."""
    if isvar(pattern):
        return True
    if isinstance(pattern, Literal | bool | int | float | complex):
        return head is Constant or (head is not None and head.repeats is not None)
    if isinstance(pattern, Variable):
        return pattern.head is head
    parts = split(pattern)
    if parts is None:
        return True
    wanted = head_of(pattern)
    if wanted is None:
        return isinstance(head, Op)
    return wanted is head or (isinstance(wanted, type) and _may_be(parts[0], head, {}))


def _op_fits(rule: Rule, pattern: Any, op: Op) -> bool:
    """Return whether `op` can match the op of the pattern's root, as far as conditions that speak
    of that alone let it."""
    bound: dict[Any, Any] = {}
    if not _may_be(pattern, op, bound):
        return False
    for condition in rule.conditions:
        if not isinstance(condition, Where) or any(v not in bound for v in condition.variables):
            # a condition may take for granted that those before it hold
            break
        if not condition.predicate(*[bound[v] for v in condition.variables]):
            return False
    return True


def _may_be(pattern: Any, found: Any, bound: dict[Any, Any]) -> bool:
    """Return whether an op, or a part of one, can match a pattern; note what that binds."""
    if isinstance(pattern, Output):
        pattern = pattern.op
    if isvar(pattern):
        return bool(bound.setdefault(pattern, found) == found)
    if isinstance(pattern, Literal):
        return pattern.is_value(found)
    parts = split(pattern)
    if parts is None:
        return bool(variables_of(pattern)) or bool(pattern == found)
    cls, props = parts
    names = getattr(cls, "__props__", None) or ()
    if not isinstance(cls, type) or len(names) != len(props):
        return True
    return type(found) is cls and all(
        _may_be(prop, getattr(found, name), bound) for name, prop in zip(names, props, strict=True)
    )


def compound_parts(pattern: Any) -> Iterator[Any]:
    """Yield the compound patterns in `pattern`, itself first."""
    stack = [pattern]
    while stack:
        item = stack.pop()
        parts = split(item)
        if parts is not None:
            yield item
            stack.extend(reversed(parts[1]))
