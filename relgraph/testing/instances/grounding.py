"""Graphs that the rules of a law speak of: patterns with their variables replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from unification.core import reify, unify
from unification.variable import isvar

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules.rule import Output, Rule, is_bag, is_swappable, split
from relgraph.graph.kanren.search.goals import Compute, Where
from relgraph.graph.kanren.terms.term import Arguments, Literal
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar
from relgraph.tensor.lawkit.guards.numbers import real_number
from relgraph.testing.draw.leaves import KINDS, Leaves, Ungrounded
from relgraph.testing.draw.parameters import PARAMETERS, Parameters, role_of
from relgraph.testing.draw.samples import Slot

_SUMMANDS = (
    ("leaf", 3.0),
    ("number", 1.5),
    ("mul", 1.5),
    ("nested", 1.0),
    ("neg", 1.0),
    ("sqr", 0.5),
    ("sqrt", 0.3),
    ("power", 0.5),
    ("sub", 0.5),
    ("true_div", 0.5),
    ("add", 0.5),
)

# How often another argument is drawn in the place of one that a condition refuses.
_REDRAWN = 20


@dataclass
class Grounded:
    """A graph for a pattern.

    Attributes
    ----------
    root
        What the pattern stands for.
    slots
        The inputs of the graph.
    leaves
        Where the pattern ends: what was put in the place of variables, numbers, and arguments of
        sums that it does not mention.
    bound
        What was put in the place of each logic variable.
    """

    root: Variable
    slots: list[Slot]
    leaves: list[Variable]
    bound: dict[Any, Any]


class Grounder(Leaves):
    """Makes graphs for the pattern of a rule.

    Parameters
    ----------
    rule
        Its pattern is grounded; its conditions guide that.
    random
        Where chance comes from.
    mixed
        Whether inputs may be of several dtypes.
    parameters
        How to draw the parameters of ops, before those of `PARAMETERS`.
    """

    def __init__(
        self,
        rule: Rule,
        random: Random,
        mixed: bool = False,
        parameters: Parameters | None = None,
    ) -> None:
        super().__init__(random, mixed, rule.complex)
        self.rule = rule
        self._parameters = {**PARAMETERS, **(parameters or {})}
        self._roles = roles_in(rule.pattern)
        self._ranks = ranks_for(rule.pattern, self._ranks)
        self._own: dict[Any, list[Where]] = {}
        for condition in rule.conditions:
            if isinstance(condition, Where) and len(condition.variables) == 1:
                self._own.setdefault(condition.variables[0], []).append(condition)

    def ground(self) -> Grounded:
        """Return a graph for the pattern.

        Raises
        ------
        Ungrounded
            If an op does not take what was drawn for it.
        """
        self._begin()
        d = self._d
        root = self._of(self.rule.pattern, at_root=True)
        if not isinstance(root, Variable) or root.owner is None:
            raise Ungrounded("what was drawn is no node")
        return Grounded(root, d.slots, d.leaves, d.bound)

    def guarded_numbers(self) -> tuple[float, ...]:
        """Return the numbers that stand for variables with conditions in the last graph."""
        bound = (self._d.bound.get(v) for v in self._own)
        found = [real_number(v) for v in bound if isinstance(v, Variable)]
        return tuple([n for n in found if n is not None])

    # -- patterns --------------------------------------------------------------------------

    def _of(self, pattern: Any, at_root: bool = False, role: str = "tensor") -> Any:
        if isvar(pattern):
            return self._variable(pattern)
        if isinstance(pattern, Literal | bool | int | float | complex):
            return self._leaf(self._number(getattr(pattern, "value", pattern)))
        parts = split(pattern)
        if parts is None:
            return pattern
        head, patterns = parts
        if isinstance(head, Output):
            return self._output(head, patterns)
        arguments = []
        for p in patterns:
            arguments += self._every(p, head) if isinstance(p, Arguments) else [self._of(p)]
        op = self._op(head, arguments)
        if not isinstance(op, Op):
            raise Ungrounded(f"{op} is not an op")
        if is_bag(head) and self.rule.regroup:
            return self._bag(op, arguments, at_root)
        swaps = is_swappable(head) and len(arguments) == 2 and not self.rule.as_written
        if swaps and self.choices.chance(50):
            arguments.reverse()
        return self._apply(op, arguments)

    def _output(self, head: Output, patterns: Sequence[Any]) -> Any:
        """Return one output of several; the node is shared by all patterns that name it."""
        arguments = [self._of(p) for p in patterns]
        op = self._op(head.op, arguments)
        key = (op, tuple(arguments))
        made = self._d.nodes.get(key)
        if made is None:
            try:
                made = self._d.nodes[key] = op.make_node(*arguments).outputs
            except (TypeError, ValueError, IndexError, OverflowError) as error:
                raise Ungrounded(f"{op} does not take what was drawn") from error
        if head.index >= len(made):
            raise Ungrounded(f"{op} has no output {head.index}")
        return made[head.index]

    def _every(self, pattern: Arguments, head: Any) -> list[Any]:
        """Return arguments of a sum or product for all that a pattern does not name."""
        bound = self._d.bound
        if pattern.of not in bound:
            count = self.choices.among((1, 2, 2, 3, 3, 4))
            bound[pattern.of] = tuple([self._summand(head, 2) for _ in range(count)])
        return list(bound[pattern.of])

    def _summand(self, head: Any, depth: int) -> Any:
        """Return what stands in sums and products: multiples, powers, signs, the same again."""
        how = self.choices.pick("summand", _SUMMANDS) if depth else "leaf"
        if how == "number":
            value = self.choices.among((0, 1, 2, -1, 3, 0.5, -2))
            return self._leaf(self._number(value))
        if how == "leaf":
            known = [v for v in self._d.leaves if v.owner is None and not hasattr(v, "data")]
            if known and self.choices.chance(50):
                return self.choices.among(known)
            return self._leaf(self._input(self._d.dtype, self._length_of_axes()))
        parts = [self._summand(head, depth - 1)]
        if how in ("sqr", "neg", "sqrt"):
            return self._apply(getattr(at, how), parts)
        if how == "power":
            exponent = self._number(self.choices.among((2, 3, -1, 0.5, 1)))
            return self._apply(at.pow, [*parts, self._leaf(exponent)])
        parts.append(self._summand(head, depth - 1))
        nested = head if isinstance(head, Op) else at.add
        return self._apply(nested if how == "nested" else getattr(at, how), parts)

    def _bag(self, op: Op, arguments: Sequence[Any], at_root: bool) -> Any:
        """Return `arguments` under `op`: in another order, grouped, at the root with more."""
        flat: list[Any] = []
        for argument in arguments:
            if isinstance(argument, Variable) and argument.head is op and self.choices.chance(50):
                assert argument.owner is not None
                flat.extend(argument.owner.inputs)
            else:
                flat.append(argument)
        if at_root and self.choices.chance(25):
            flat.append(self._leaf(self._tensor("variable", None)))
        if self.choices.chance(70):
            self._random.shuffle(flat)
        while len(flat) > 2 and self.choices.chance(30):
            flat[:2] = [self._apply(op, flat[:2])]
        return self._apply(op, flat)

    def _op(self, head: Any, arguments: Sequence[Any]) -> Any:
        if isvar(head):
            return self._parameter(head, lambda: _elementwise(self._random, arguments))
        parts = split(head)
        if parts is None:
            return head
        cls, props = parts
        if not isinstance(cls, type):
            raise Ungrounded(f"the op {head} is open")
        names: Any = getattr(cls, "__props__", None) or ()
        values = []
        for name, prop in zip(names, props, strict=False):
            values.append(self._prop(cls, name, prop, arguments))
        try:
            return cls(*values)
        except (TypeError, ValueError, IndexError) as error:
            raise Ungrounded(f"{cls.__name__} does not take what was drawn") from error

    def _prop(self, cls: type, name: str, prop: Any, arguments: Sequence[Any]) -> Any:
        if isinstance(prop, Literal):
            return prop.value
        if not isvar(prop):
            return self._op(prop, arguments) if split(prop) is not None else prop
        own = [self._parameters.get((c.__name__, name)) for c in cls.__mro__]
        alike = [f for (_, known), f in self._parameters.items() if known == name]
        draw = next((f for f in (*own, *alike) if f is not None), None)
        if draw is None:
            raise Ungrounded(
                f"nothing is known of the parameter {name} of {cls.__name__}: "
                "say how to draw it (`parameters`)"
            )
        known = draw
        return self._parameter(prop, lambda: known(self._random, arguments))

    def _parameter(self, v: Any, draw: Callable[[], Any]) -> Any:
        bound = self._d.bound
        if v not in bound:
            self._compute()
        if v not in bound:
            bound[v] = draw()
        return bound[v]

    def _compute(self) -> None:
        """Bind what a condition computes from what is bound."""
        bound = self._d.bound
        for condition in self.rule.conditions:
            if not isinstance(condition, Compute) or all(v in bound for v in condition.binds):
                continue
            if all(not isvar(v) or v in bound for v in condition.variables):
                given = [bound[v] if isvar(v) else v for v in condition.variables]
                try:
                    found = unify(condition.out, condition.computed(tuple(given)), {})
                except Exception as error:
                    raise Ungrounded(f"{condition} is not defined there") from error
                if found is not False:
                    bound.update({v: reify(v, found) for v in condition.binds})

    def _draw_what_gives(self, v: Any) -> None:
        """Draw the tensors that a condition computes `v` from, where `v` stands before them."""
        for condition in self.rule.conditions:
            if isinstance(condition, Compute) and v in condition.binds:
                for u in condition.variables:
                    if isvar(u) and u != v and self._roles.get(u, ("", 0))[0] == "tensor":
                        self._variable(u)

    def _suited(self, v: Any) -> Any:
        """Return something for a variable, if possible what the conditions on it alone admit."""
        d = self._d
        slots, leaves = len(d.slots), len(d.leaves)
        made = self._argument(v)
        for _ in range(_REDRAWN):
            if all(_holds(condition, made) for condition in self._own.get(v, ())):
                break
            del d.slots[slots:], d.leaves[leaves:]
            made = self._argument(v)
        return made

    def _argument(self, v: Any) -> Any:
        """Return an argument of the kind that a variable stands for."""
        role, position = self._roles.get(v, ("tensor", 0))
        made = self._special(role, position, v)
        if made is not None:
            return made
        bound = self._d.bound.values()
        others = [x for x in bound if isinstance(x, Variable) and x in self._d.leaves]
        if others and self.choices.chance(8):
            return self.choices.among(others)
        return self._tensor(self.choices.pick((v, "kind"), KINDS), v)

    def _variable(self, v: Any) -> Any:
        bound = self._d.bound
        if v not in bound:
            self._draw_what_gives(v)
            self._compute()
        if v in bound:
            value = bound[v]
            return self._leaf(self._number(value)) if isinstance(value, int | float) else value
        made = self._suited(v)
        if isinstance(v, ConstrainedVar) and not v.constraint(made):
            raise Ungrounded(f"the constraint of {v} refuses what was drawn")
        bound[v] = made
        return self._leaf(made)


def _holds(condition: Where, value: Any) -> bool:
    try:
        return bool(condition.predicate(value))
    except Exception:  # what it can't be asked about is refused by the law as a whole
        return True


def _elementwise(random: Random, arguments: Sequence[Any]) -> Op:
    made: Op = at.Elemwise(PARAMETERS["Elemwise", "scalar_op"](random, arguments))
    return made


def roles_in(pattern: Any) -> Mapping[Any, tuple[str, int]]:
    """Return what kind of argument each logic variable of a pattern is, and which one of them."""
    found: dict[Any, tuple[str, int]] = {}
    stack = [pattern]
    while stack:
        parts = split(stack.pop())
        if parts is None:
            continue
        head, patterns = parts
        cls, name = _named(head)
        for position, p in enumerate(patterns):
            if isvar(p):
                if found.get(p, ("tensor", 0))[0] == "tensor":
                    found[p] = role_of(cls, name, position)
            else:
                stack.append(p)
    return found


def ranks_for(pattern: Any, usual: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    """Return how often to draw each rank, so that what a pattern takes from tensors is there.

    Parameters
    ----------
    usual
        Ranks and weights for patterns that ask for none.
    """
    lengths = depth = 0
    stack = [(pattern, 0)]
    while stack:
        part, above = stack.pop()
        parts = split(part)
        if parts is None:
            continue
        head, patterns = parts
        name = getattr(_named(head)[0], "__name__", "")
        lengths = max(lengths, len(patterns) - 1 if name == "Alloc" else 0)
        above += name == "CAReduce"
        depth = max(depth, above)
        stack += [(p, above) for p in patterns]
    least = max(lengths, depth + 1 if depth > 1 else 0)
    return [(rank, weight + 6.0 * (rank == least > 0)) for rank, weight in usual]


def _named(head: Any) -> tuple[type | None, str]:
    if isinstance(head, Output):
        return _named(head.op)
    if isinstance(head, Op):
        return type(head), str(getattr(getattr(head, "scalar_op", None), "name", ""))
    parts = split(head)
    if parts is not None and isinstance(parts[0], type):
        return parts[0], ""
    return None, ""
