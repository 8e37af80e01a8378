"""Guard checks: what must hold of a match besides the pattern, with the failure if it does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from etuples import etuple
from unification.core import reify
from unification.variable import isvar

from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.explanation.failures import (
    GUARDS,
    Bindings,
    Diagnosis,
    Failure,
    Reason,
)
from relgraph.graph.kanren.rules.matching import rebuilds_same_node
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Compute, Condition, Readers, found_in
from relgraph.graph.kanren.search.match_checks import (
    built_variables,
    finite_constants,
    hold_numbers,
    is_converted,
    is_real,
)
from relgraph.graph.kanren.search.state import GuardedState, guarded
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.kanren.terms.term import variables_of
from relgraph.graph.op import Op


class GuardChecks:
    """The guards of a rule on one match.

    Parameters
    ----------
    inner
        The variables that compound parts of the pattern have matched, root first.
    rest
        The arguments of the root that are left over.
    fgraph
        The graph of the variable; without one, no condition asks who reads a value.
    """

    def __init__(
        self,
        rule: Rule,
        var: Variable,
        inner: Sequence[Variable],
        rest: Sequence[Variable],
        fgraph: FunctionGraph | None = None,
    ) -> None:
        self.rule = rule
        self.var = var
        self.inner = inner
        self.rest = rest
        self.fgraph = fgraph
        self.passed = 0

    def check(self, bindings: Bindings) -> Diagnosis:
        """Check the guards in the order in which a law does, and build the result."""
        bindings = {v: x for v, x in bindings.items() if isvar(v)}
        try:
            answer = self.check_conditions(bindings)
            self.passed += 1
            if self.rule.finite:
                self.check_finite(bindings)
            self.passed += 1
            result = self.fit_result(self.build_result(answer), bindings)
        except _Refused as refused:
            return Diagnosis(refused.failure, bindings, None, (GUARDS + self.passed, 0))
        values = {v: reify(v, answer) for v in self.variables(bindings)}
        return Diagnosis(None, values, result, (GUARDS + self.passed, 0))

    def variables(self, bindings: Bindings) -> Iterable[Any]:
        wanted = [self.rule.pattern, self.rule.template]
        return dict.fromkeys([*variables_of(tuple(wanted)), *bindings])

    def check_conditions(self, bindings: Bindings) -> Any:
        """Return the state in which all conditions hold, each decided as soon as it can be."""
        state: Any = GuardedState(bindings, fgraph=self.fgraph)
        pending: list[Any] = list(self.rule.conditions)
        while pending:
            for i, condition in enumerate(pending):
                if isinstance(condition, Condition):
                    after = condition.decide(state)
                else:
                    after = next(iter(condition(state)), False)
                if after is False:
                    raise _Refused(refusal(condition, state))
                if after is not None:
                    del pending[i]
                    state = guarded(after)
                    break
            else:
                raise _Refused(Failure(Reason.PENDING, wanted=pending[0]))
        return state

    def check_finite(self, bindings: Bindings) -> None:
        for variable, value in bindings.items():
            if not finite_constants([value]):
                raise _Refused(
                    Failure(Reason.NOT_FINITE, (), variable, value, {str(variable): value})
                )

    def build_result(self, answer: Any) -> Any:
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
            # what can't be built does not have one dtype throughout
            raise _Refused(Failure(Reason.BUILD, (), self.rule.template, str(error))) from None

    def fit_result(self, new: Any, bindings: Bindings) -> Variable:
        if not hold_numbers((self.var, *self.inner), self.rule.rounded_numbers):
            wanted = " or ".join(map(repr, self.rule.rounded_numbers))
            raise _Refused(Failure(Reason.ROUNDED, wanted=wanted))
        self.check_dtypes(new, bindings)
        self.passed += 1
        fitted = None if isinstance(new, Op) else self.var.type.fit(new, self.var)
        if fitted is None:
            raise _Refused(Failure(Reason.TYPE, (), self.var.type, new))
        if fitted is self.var or rebuilds_same_node(self.rule.template, fitted, self.var):
            raise _Refused(Failure(Reason.SAME, (), None, fitted))
        assert isinstance(fitted, Variable)
        return fitted

    def check_dtypes(self, new: Any, bindings: Bindings) -> None:
        """Check that there is one dtype, and no complex one (see `laws.law`)."""
        made = built_variables((*bindings.values(), *self.rest), new)
        first: dict[str, Variable] = {}
        for v in (self.var, *self.inner, *made):
            dtype = getattr(v.type, "dtype", None)
            if dtype is not None and not is_converted(v):
                first.setdefault(str(dtype), v)
        if not self.rule.complex and not all(map(is_real, first)):
            raise _Refused(Failure(Reason.COMPLEX, values=first))
        if self.rule.one_dtype and len(first) > 1:
            raise _Refused(Failure(Reason.DTYPES, values=first))


def refusal(condition: Any, state: Any) -> Failure:
    """Return the failure of a condition in a state, with the values of its variables."""
    if not isinstance(condition, Condition):
        return Failure(Reason.CONDITION, wanted=condition)
    values = {str(v): reify(v, state) for v in variables_of(condition.variables)}
    fgraph = getattr(state, "fgraph", None)
    if isinstance(condition, Readers) and fgraph is not None:
        (read,) = condition.values(state)
        read = found_in(fgraph, read)
        shared = len(fgraph.clients.get(read, ())) > 1
        return Failure(Reason.READ if shared else Reason.CONDITION, (), condition, read, values)
    if not isinstance(condition, Compute):
        return Failure(Reason.CONDITION, wanted=condition, values=values)
    computed = condition.computed(condition.values(state), fgraph)
    values.update((str(v), reify(v, state)) for v in condition.binds)
    return Failure(Reason.COMPUTED, wanted=condition, found=computed, values=values)


class _Refused(Exception):
    """A guard has failed."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure
