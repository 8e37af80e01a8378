"""What has to hold of a match besides the pattern, and what is told about what doesn't."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from etuples import etuple
from unification.core import reify
from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.rules.matching import same_again
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Compute, Condition
from relgraph.graph.kanren.search.guards import finite_constants, is_converted, is_real, made_from
from relgraph.graph.kanren.search.state import GuardedState, guarded
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.kanren.terms.term import variables_of
from relgraph.graph.op import Op

Path = tuple[int, ...]
Bindings = dict[Any, Any]

GUARDS = 1_000_000
"""The progress of an attempt that has matched all of its pattern."""


class Reason(StrEnum):
    """Why a law does not match, or that it does."""

    MATCH = "it matches"
    LEAF = "nothing computes the variable"
    OUTPUTS = "the node has several outputs, and the pattern is about one"
    OP = "another op"
    PARAMETER = "another parameter of the op"
    ARITY = "another number of arguments"
    NUMBER = "another number, or none"
    DIFFERENT = "something else than what the same variable stands for already"
    CONSTRAINT = "a variable of the pattern is constrained"
    PARTNER = "no argument is what the pattern looks for"
    LEFT_OVER = "arguments are left over"
    GROUPING = "it would have to regroup"
    NOT_FINITE = "a constant is not finite"
    CONDITION = "a condition says no"
    COMPUTED = "a computed value is another one"
    PENDING = "a condition can't be decided"
    OPEN = "the result is open"
    BUILD = "the result can't be built"
    DTYPES = "more than one dtype"
    COMPLEX = "complex numbers"
    TYPE = "the result does not fit"
    SAME = "the result is what is there"
    DIRECTION = "there is no such direction"
    FILTER = "the node filter says no"
    STRUCTURE = "the structure is ruled out"
    BUDGET = "the search was given up"
    NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Failure:
    """Where and why one attempt ended.

    Attributes
    ----------
    path
        From the root to the place: which input, and of that which input, and so on.
    wanted, found
        The part of the pattern, and what the graph has there.
    values
        What a guard saw, by name.
    """

    reason: Reason
    path: Path = ()
    wanted: Any = None
    found: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)


class Diagnosis(NamedTuple):
    """What became of the attempts: a failure, or bindings and a result."""

    failure: Failure | None
    bindings: Bindings
    result: Variable | None
    progress: tuple[int, int]


class Guards:
    """What has to hold of a match besides the pattern; see `rules.Rule`."""

    def __init__(
        self, rule: Rule, var: Variable, inner: Sequence[Variable], rest: Sequence[Variable]
    ) -> None:
        self.rule = rule
        self.var = var
        self.inner = inner
        self.rest = rest
        self.stage = 0

    def judge(self, bindings: Bindings) -> Diagnosis:
        """Go through the guards in the order in which a law does."""
        named = {v: x for v, x in bindings.items() if isvar(v)}
        try:
            answer = self.conditions(named)
            self.stage += 1
            if self.rule.finite:
                self.finite(named)
            self.stage += 1
            result = self.fitted(self.built(answer), named)
        except _Refused as refused:
            return Diagnosis(refused.failure, named, None, (GUARDS + self.stage, 0))
        values = {v: reify(v, answer) for v in self.variables(named)}
        return Diagnosis(None, values, result, (GUARDS + self.stage, 0))

    def variables(self, named: Bindings) -> Iterable[Any]:
        wanted = [self.rule.pattern, self.rule.template]
        return dict.fromkeys([*variables_of(tuple(wanted)), *named])

    def conditions(self, named: Bindings) -> Any:
        """Return the state in which all conditions hold, each decided once it can be."""
        state: Any = GuardedState(named)
        pending: list[Any] = list(self.rule.conditions)
        while pending:
            for i, condition in enumerate(pending):
                if isinstance(condition, Condition):
                    after = condition.decide(state)
                else:
                    after = next(iter(condition(state)), False)
                if after is False:
                    raise _Refused(_refusal(condition, state))
                if after is not None:
                    del pending[i]
                    state = guarded(after)
                    break
            else:
                raise _Refused(Failure(Reason.PENDING, wanted=pending[0]))
        return state

    def finite(self, named: Bindings) -> None:
        for variable, value in named.items():
            if not finite_constants([value]):
                raise _Refused(
                    Failure(Reason.NOT_FINITE, (), variable, value, {str(variable): value})
                )

    def built(self, answer: Any) -> Any:
        term = reify(self.rule.template, answer)
        if self.rest and self.var.owner is not None:
            term = etuple(self.var.owner.op, term, *self.rest)
        try:
            return build(term)
        except OpenAnswerError as error:
            raise _Refused(Failure(Reason.OPEN, (), self.rule.template, str(error))) from None
        except (TypeError, ValueError) as error:
            if not self.rule.one_dtype:
                raise
            # what can't be built is not of one dtype throughout
            raise _Refused(Failure(Reason.BUILD, (), self.rule.template, str(error))) from None

    def fitted(self, new: Any, named: Bindings) -> Variable:
        self.dtypes(new, named)
        self.stage += 1
        fitted = None if isinstance(new, Op) else self.var.type.fit(new, self.var)
        if fitted is None:
            raise _Refused(Failure(Reason.TYPE, (), self.var.type, new))
        if fitted is self.var or same_again(self.rule.template, fitted, self.var):
            raise _Refused(Failure(Reason.SAME, (), None, fitted))
        assert isinstance(fitted, Variable)
        return fitted

    def dtypes(self, new: Any, named: Bindings) -> None:
        """Refuse more than one dtype, and complex ones, as `laws.law` says."""
        made = made_from((*named.values(), *self.rest), new)
        first: dict[str, Variable] = {}
        for v in (self.var, *self.inner, *made):
            dtype = getattr(v.type, "dtype", None)
            if dtype is not None and not is_converted(v):
                first.setdefault(str(dtype), v)
        if not self.rule.complex and not all(map(is_real, first)):
            raise _Refused(Failure(Reason.COMPLEX, values=first))
        if self.rule.one_dtype and len(first) > 1:
            raise _Refused(Failure(Reason.DTYPES, values=first))


def _refusal(condition: Any, state: Any) -> Failure:
    """Return how a condition failed, with what it saw."""
    if not isinstance(condition, Condition):
        return Failure(Reason.CONDITION, wanted=condition)
    values = {str(v): reify(v, state) for v in variables_of(condition.variables)}
    if not isinstance(condition, Compute):
        return Failure(Reason.CONDITION, wanted=condition, values=values)
    computed = condition.computed(reify(condition.variables, state))
    values.update((str(v), reify(v, state)) for v in condition.binds)
    return Failure(Reason.COMPUTED, wanted=condition, found=computed, values=values)


class _Refused(Exception):
    """A guard says no."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure
