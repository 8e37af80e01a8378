"""What a match of a rule says: two variables that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unification.core import reify, unify

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.rules.matching import (
    combine_arguments,
    is_number,
    numbers_keep_shape,
)
from relgraph.graph.kanren.rules.rule import Output, Rule, is_fixed, split
from relgraph.graph.kanren.search.goals import Compute, Readers, Where
from relgraph.graph.kanren.search.match_checks import (
    agree,
    built_variables,
    dtypes_admitted,
    finite_constants,
    fitted,
    hold_numbers,
)
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.kanren.terms.term import Arguments, Literal, is_variable, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import NO_ITEMS
from relgraph.search.egraph.terms import EGraph
from relgraph.search.translation.patterns import Leaf, Part, Query


class _NoMatch(Exception):
    """What egglog has found is no match: the law asks for more than facts say."""


_NOT_BUILT = (_NoMatch, TypeError, ValueError, OverflowError, OpenAnswerError)


class Instance:
    """A rule whose heads are certain ops.

    Parameters
    ----------
    rule, parts
        The rule, and its pattern.
    ops
        The op of each part, with the index of the output that it stands for.
    heads
        The values of the variables in the heads.
    query
        What egglog is asked.
    """

    def __init__(
        self,
        rule: Rule,
        parts: Sequence[Part],
        ops: Sequence[tuple[Op, int]],
        heads: dict[Any, Any],
        query: Query,
    ) -> None:
        self.rule = rule
        self.heads = heads
        self.query = query
        self._parts = parts
        self._ops = dict(zip(map(id, parts), ops, strict=True))
        self._index = {id(part): i for i, part in enumerate(parts)}

    def sides(self, egraph: EGraph, match: Sequence[int]) -> tuple[Variable, Variable] | None:
        """Return what a match is about and what is equal to it; None if a condition says no."""
        try:
            return _Sides(self, egraph, match).made()
        except _NOT_BUILT:
            return None

    def op_of(self, part: Part) -> tuple[Op, int]:
        """Return the op of a part, and the index of its output."""
        return self._ops[id(part)]

    def index_of(self, part: Part) -> int:
        """Return the place of a part among all."""
        return self._index[id(part)]

    @property
    def root(self) -> Part:
        return self._parts[0]


class _Sides:
    """The two sides of a rule for one match."""

    def __init__(self, instance: Instance, egraph: EGraph, match: Sequence[int]) -> None:
        self._instance, self._egraph, self._rule = instance, egraph, instance.rule
        self._values: dict[Any, Any] = dict(instance.heads)
        self._of_leaves: dict[tuple[int, int], int] = {}
        self._sums: dict[int, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._inner: list[Variable] = []
        for value, (_, (kind, *what)) in zip(match, instance.query.columns, strict=True):
            if kind == "class":
                self._values[what[0]] = egraph.representative(value)
            elif kind == "leaf":
                self._of_leaves[what[0], what[1]] = value
            elif kind == "sum":
                self._sums[what[0]] = value
            else:
                self._places[what[0], what[1]] = value

    def made(self) -> tuple[Variable, Variable] | None:
        rule = self._rule
        old, rest = self._built_part(self._instance.root, at_root=True, below_others=False)
        if not self._conditions_hold():
            return None
        if rule.rounded_numbers and not hold_numbers(self._inner, rule.rounded_numbers):
            return None
        given = [v for v in (*self._values.values(), *rest) if isinstance(v, Variable | tuple)]
        new = self._built(rule.template)
        if rest:
            new = self._instance.op_of(self._instance.root)[0].make_node(new, *rest).outputs[0]
        if rule.one_dtype or not rule.complex:
            every = (*self._inner, *built_variables(given, new))
            if not dtypes_admitted(every, rule.one_dtype, rule.complex):
                return None
        result = fitted(new, old)
        return None if result is None or result is old else (old, result)

    # -- the left side -------------------------------------------------------------------------

    def _built_part(
        self, part: Part, at_root: bool, below_others: bool
    ) -> tuple[Variable, list[Variable]]:
        """Return the variable that a part has matched, and the arguments that it left at the root.

        Parameters
        ----------
        below_others
            Whether an op above works on more than an element (see `rules.matching`).

        Raises
        ------
        _NoMatch
            If it has matched none.
        """
        place = len(self._inner)
        op, index = self._instance.op_of(part)
        below = below_others or not op.elementwise
        rest: list[Variable] = []
        if part.regrouped:
            arguments, rest = self._arguments_of_sum(part, below, at_root)
        else:
            arguments = [self._argument(part, j, below) for j in range(len(part.arguments))]
        var = self._applied(op, index, arguments)
        node = var.owner
        head = part.head.op if isinstance(part.head, Output) else part.head
        if node is None or (isinstance(head, Op) and not head.makes(node)):
            raise _NoMatch
        if below_others and op.elementwise:
            self._check_shape(part, node)
        self._inner.insert(place, var)
        return var, rest

    def _check_shape(self, part: Part, node: Apply) -> None:
        """Raise if the numbers of a part broadcast what is beside them."""
        i = self._instance.index_of(part)
        numbers = [j for j, a in enumerate(part.arguments) if isinstance(a, Leaf)]
        taken = [self._places[i, j] for j in numbers] if part.regrouped else numbers
        beside = [v for k, v in enumerate(node.inputs) if k not in taken]
        if numbers and not numbers_keep_shape(node, beside):
            raise _NoMatch

    def _argument(self, part: Part, j: int, below: bool) -> Variable:
        argument = part.arguments[j]
        if isinstance(argument, Part):
            return self._built_part(argument, at_root=False, below_others=below)[0]
        if isinstance(argument, Leaf) and is_number(argument.pattern):
            constant = self._egraph.constant(self._of_leaves[self._instance.index_of(part), j])
            if constant is None:
                raise _NoMatch
            return constant
        found: Variable
        found = argument.pattern if isinstance(argument, Leaf) else self._values[argument]
        return found

    def _arguments_of_sum(
        self, part: Part, below: bool, at_root: bool
    ) -> tuple[list[Variable], list[Variable]]:
        """Return the arguments of a sum or product, and those that no pattern takes."""
        i = self._instance.index_of(part)
        node = self._egraph.variables[self._sums[i]].owner
        children = self._egraph.children(self._sums[i])
        arguments = [self._egraph.representative(k) for k in children]
        left = list(range(len(arguments)))
        for j, _ in enumerate(part.arguments):
            if j != part.taker:
                arguments[self._places[i, j]] = self._argument(part, j, below)
                left.remove(self._places[i, j])
        others = [arguments[k] for k in left]
        if part.taker is None:
            if others and not at_root:
                raise _NoMatch
            return arguments, others
        taken = combine_arguments(node, others) if node is not None and others else None
        if taken is None:
            raise _NoMatch
        self._values[part.arguments[part.taker]] = taken
        return arguments, []

    def _applied(self, op: Op, index: int, arguments: Sequence[Variable]) -> Variable:
        numbers = [self._egraph.add(v) for v in arguments]
        known = self._egraph.known(op, index, numbers)
        if known is not None:
            return known
        made: Variable = op.make_node(*arguments).outputs[index]
        return made

    # -- conditions ----------------------------------------------------------------------------

    def _conditions_hold(self) -> bool:
        waiting = list(self._rule.conditions)
        asked_constants = False
        while waiting:
            later = []
            for condition in waiting:
                if not asked_constants and isinstance(condition, Compute):
                    asked_constants = True  # computations may rely on it
                    if self._rule.finite and not finite_constants(self._values.values()):
                        return False
                given = self._given(condition.variables)
                if given is None:
                    later.append(condition)
                elif not self._holds(condition, given):
                    return False
            if len(later) == len(waiting):
                return False
            waiting = later
        return not self._rule.finite or finite_constants(self._values.values())

    def _given(self, arguments: Sequence[Any]) -> list[Any] | None:
        """Return the values of the arguments of a condition; None if one is open."""
        found = []
        for argument in arguments:
            value = argument
            if is_variable(argument):
                value = self._values.get(argument, argument)
            elif variables_of(argument):
                value = reify(argument, self._values)
            if is_variable(value) or variables_of(value):
                return None
            found.append(_value(value))
        return found

    def _holds(self, condition: Any, values: Sequence[Any]) -> bool:
        if isinstance(condition, Readers):
            return True
        if isinstance(condition, Where):
            return bool(condition.predicate(*values))
        value = condition.computed(tuple(values))
        known = reify(condition.out, self._values)
        if isinstance(known, Variable):
            return bool(agree(known, value))
        found = unify(condition.out, value, self._values)
        if found is False:
            return False
        self._values = dict(found)
        return True

    # -- the right side ------------------------------------------------------------------------

    def _built(self, template: Any) -> Any:
        if is_variable(template):
            if template not in self._values:
                raise OpenAnswerError(f"{template} is open")
            return self._values[template]
        if isinstance(template, Literal):
            return template.value
        parts = split(template)
        if parts is None:
            return template
        head, patterns = parts
        arguments: list[Any] = []
        for pattern in patterns:
            if isinstance(pattern, Arguments):
                arguments.extend(self._built(pattern.of))
            else:
                arguments.append(self._built(pattern))
        if isinstance(head, Output):
            return self._op(head.op)(*arguments, return_list=True)[head.index]
        if is_fixed(head) and head.nout == 1:
            return head.make_node(*arguments).outputs[0]
        return self._op(head)(*arguments)

    def _op(self, head: Any) -> Any:
        if isinstance(head, Op):
            return head
        parts = split(head)
        if parts is None:
            return self._built(head)
        cls, properties = parts
        return cls(*[self._op(p) if split(p) is not None else self._built(p) for p in properties])


def _value(given: Any) -> Any:
    """Return what a condition is given: a term as the variable that it stands for."""
    if given is NO_ITEMS:
        return ()
    return given if isinstance(given, Variable | tuple | Op) else build(given)
