"""Diagnosis: why a rule or a relation does not match a variable.

The search of `matching`, the guards and `solutions` are run with their failures kept. Of all
attempts the one that got furthest is reported: the one that had matched the most parts of the
pattern when it failed. The failure of a guard is further than any of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from etuples import etuple
from kanren.core import ifa, lconj_seq, ldisj_seq
from unification import var
from unification.core import reify, unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.goals import (
    CONJ,
    DISJ,
    EQ,
    IFA,
    ZZZ,
    Compute,
    Condition,
    Each,
    Goal,
    Readers,
    built_variables,
    cells_of,
    code_of,
    finite_constants,
    found_in,
    goals_of,
    hold_numbers,
    is_converted,
    is_real,
    isolated,
    name_of,
    solutions,
)
from relgraph.graph.kanren.matching import (
    INNER,
    _is_free,
    _match_cost,
    combine_arguments,
    flat_arguments,
    match,
    match_root,
    rebuilds_same_node,
)
from relgraph.graph.kanren.partial_evaluation import SECONDS, STEPS
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
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError, guarded
from relgraph.graph.kanren.terms import Arguments, OpenAnswerError, build, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

Path = tuple[int, ...]
Bindings = dict[Any, Any]

GUARDS = 1_000_000
"""The progress of an attempt that has matched all of its pattern."""


class Reason(StrEnum):
    """Why a law does not match; `MATCH` if it does."""

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


class Diagnosis(NamedTuple):
    """The outcome of all attempts to match: a failure, or bindings and a result."""

    failure: Failure | None
    bindings: Bindings
    result: Variable | None
    progress: tuple[int, int]


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


# Under this key the bindings keep the number of parts of the pattern that have matched.
_DONE = "parts that have matched"


class _Place(NamedTuple):
    """A variable of the graph, and the path to it from the root."""

    path: Path
    var: Variable


def diagnose(rule: Rule, var: Variable, fgraph: FunctionGraph | None = None) -> Diagnosis:
    """Return how `rule` matches `var`, or the failure of the attempt that got furthest.

    Conditions that ask who reads a value are decided by `fgraph`; without one they hold.
    """
    matcher = _DiagnosingMatcher(rule.regroup)
    start = {_DONE: 0, INNER: ()}
    for bindings, rest in matcher.match_at(rule.pattern, _Place((), var), start):
        matched = dict(bindings)
        del matched[_DONE]
        inner = matched.pop(INNER) or (var,)
        left = [place.var for place in rest]
        verdict = GuardChecks(rule, var, inner, left, fgraph).check(matched)
        if verdict.failure is None:
            return verdict
        matcher.keep_failure(verdict.failure, verdict.progress)
    failure, progress = matcher.furthest, matcher.progress
    if not rule.regroup and progress[0] < GUARDS and _matches_regrouped(rule, var):
        place = () if failure is None else failure.path
        failure = Failure(Reason.GROUPING, place, rule.pattern, var)
    return Diagnosis(failure, {}, None, progress)


def part(pattern: Any, var: Variable) -> tuple[Failure | None, int]:
    """Return where a pattern and a variable part, and how many parts have matched before."""
    matcher = _DiagnosingMatcher(regroup=False)
    for _ in matcher.match(pattern, _Place((), var), {_DONE: 0, INNER: ()}):
        return None, 0
    return matcher.furthest, matcher.progress[0]


def _matches_regrouped(rule: Rule, var: Variable) -> bool:
    return next(match_root(rule.pattern, var, {}, True), None) is not None


class _DiagnosingMatcher:
    """The search for matches: those of `matching.match_root`, in that order."""

    def __init__(self, regroup: bool) -> None:
        self.regroup = regroup
        self.furthest: Failure | None = None
        self.progress = (-1, 0)

    def keep_failure(self, failure: Failure, progress: tuple[int, int]) -> None:
        if progress > self.progress:
            self.furthest, self.progress = failure, progress

    def note_failure(
        self, s: Bindings, reason: Reason, at: _Place, wanted: Any, found: Any = None, rank: int = 0
    ) -> None:
        """Keep a failure if it is further than the last; of equally far ones the rank decides."""
        progress = (s[_DONE], rank)
        if progress > self.progress:
            shared = {
                str(v): s[v] for v in variables_of(wanted) if v in s and isinstance(s[v], Variable)
            }
            what = at.var if found is None else found
            self.keep_failure(Failure(reason, at.path, wanted, what, shared), progress)

    def match(self, pattern: Any, at: _Place, s: Bindings) -> Iterator[Bindings]:
        for bindings, rest in self.match_at(pattern, at, s):
            if not rest:
                yield bindings
            else:
                left = [place.var for place in rest]
                self.note_failure(bindings, Reason.LEFT_OVER, at, pattern, left)

    def match_at(
        self, pattern: Any, at: _Place, s: Bindings
    ) -> Iterator[tuple[Bindings, list[_Place]]]:
        parts = split(pattern)
        if parts is None:
            for bindings in self.match_leaf(pattern, at, s):
                yield bindings, []
            return
        node = at.var.owner
        if node is None:
            self.note_failure(s, Reason.OP if at.path else Reason.LEAF, at, pattern)
        elif not _is_output(parts[0], node, at.var):
            self.note_failure(s, Reason.OUTPUTS, at, pattern)
        else:
            head, patterns = parts
            head = head.op if isinstance(head, Output) else head
            for bindings in self.match_op(pattern, head, node, at, s):
                seen = {**bindings, INNER: (*s[INNER], at.var)}
                yield from self.match_arguments(pattern, node, patterns, at, seen)

    def match_op(
        self, pattern: Any, head: Any, node: Apply, at: _Place, s: Bindings
    ) -> Iterator[Bindings]:
        if isinstance(head, Op):
            bound: Any = {} if head.makes(node) else False
        else:
            bound = unify(reify(head, s), node.op, {})
        if bound is not False:
            yield {**s, **bound, _DONE: s[_DONE] + 1}
            return
        of_class = head_of(pattern) is type(node.op)
        # an op of the right class is nearer to a match than another one
        self.note_failure(
            s, Reason.PARAMETER if of_class else Reason.OP, at, pattern, rank=of_class
        )

    def match_leaf(self, pattern: Any, at: _Place, s: Bindings) -> Iterator[Bindings]:
        found = False
        for bindings in match(pattern, at.var, s, self.regroup):
            found = True
            yield {**bindings, _DONE: s[_DONE] + 1}
        if not found:
            self.note_failure(s, _leaf_reason(pattern, s), at, pattern)

    def match_arguments(
        self, pattern: Any, node: Apply, patterns: Sequence[Any], at: _Place, s: Bindings
    ) -> Iterator[tuple[Bindings, list[_Place]]]:
        head: Any = (split(pattern) or (None, ()))[0]
        op: Any = head.op if isinstance(head, Output) else head
        if takes_all_arguments(patterns):
            alone = is_ac(op) and self.regroup and not at.path
            every = tuple(flat_arguments(None, node)[0] if alone else node.inputs)
            lv = patterns[0].of
            if _is_free(lv, s) or s[lv] == every:
                yield {**s, lv: every, _DONE: s[_DONE] + 1}, []
            else:
                self.note_failure(s, Reason.DIFFERENT, at, pattern)
            return
        if is_ac(op) and self.regroup:
            wanted = flat_patterns(op, patterns)
            if len(wanted) > 1:
                given, nested = _flat(node, at.path)
                if len(wanted) <= len(given):
                    seen = {**s, INNER: (*s[INNER], *nested)}
                    yield from self.match_ac(op, wanted, given, at, seen)
                else:
                    self.note_failure(s, Reason.ARITY, at, pattern)
                return
        if len(patterns) != len(node.inputs):
            self.note_failure(s, Reason.ARITY, at, pattern)
            return
        places = _places(node, at.path)
        orders = [places]
        if is_commutative(op) and len(places) == 2 and places[0].var is not places[1].var:
            orders.append(places[::-1])
        for order in orders:
            for bindings in self.match_each(list(zip(patterns, order, strict=True)), s):
                yield bindings, []

    def match_each(self, pairs: list[tuple[Any, _Place]], s: Bindings) -> Iterator[Bindings]:
        if not pairs:
            yield s
            return
        i = min(range(len(pairs)), key=lambda k: _match_cost(pairs[k][0], s))
        pattern, place = pairs[i]
        for bindings in self.match(pattern, place, s):
            yield from self.match_each(pairs[:i] + pairs[i + 1 :], bindings)

    def match_ac(
        self, op: Op, patterns: list[Any], places: list[_Place], at: _Place, s: Bindings
    ) -> Iterator[tuple[Bindings, list[_Place]]]:
        if not patterns:
            yield s, places
            return
        i = min(range(len(patterns)), key=lambda k: _match_cost(patterns[k], s))
        pattern, others = patterns[i], patterns[:i] + patterns[i + 1 :]
        if isinstance(pattern, Arguments):
            if places and _is_free(pattern.of, s):
                yield {**s, pattern.of: tuple(place.var for place in places)}, []
            return
        if not others and _is_free(pattern, s):
            one = len(places) == 1
            assert at.var.owner is not None
            made = combine_arguments(at.var.owner, [place.var for place in places])
            if made is None:
                self.note_failure(s, Reason.DTYPES, at, pattern)
                return
            for bindings in self.match(pattern, places[0] if one else _Place(at.path, made), s):
                yield bindings, []
            return
        tried: list[Variable] = []
        found = False
        for j, place in enumerate(places):
            if any(place.var is other for other in tried):
                continue
            tried.append(place.var)
            for bindings in self.match(pattern, place, s):
                found = True
                yield from self.match_ac(op, others, places[:j] + places[j + 1 :], at, bindings)
        if not found:
            among = [place.var for place in places]
            # further than the failure of each argument, unless one nearly matched
            self.note_failure(s, Reason.PARTNER, at, pattern, among, rank=2)


def _is_output(head: Any, node: Apply, var: Variable) -> bool:
    """Return whether a pattern with this head is about that output of `node` which `var` is."""
    plain = len(node.outputs) == 1 or node.op.default_output == var.index
    return not plain and head.index == var.index if isinstance(head, Output) else plain


def _leaf_reason(pattern: Any, s: Bindings) -> Reason:
    value = transitive_get(pattern, s)
    if isinstance(value, ConstrainedVar):
        return Reason.CONSTRAINT
    return Reason.DIFFERENT if isinstance(value, Variable) else Reason.NUMBER


def _places(node: Apply, path: Path) -> list[_Place]:
    return [_Place((*path, i), var) for i, var in enumerate(node.inputs)]


def _flat(node: Apply, path: Path) -> tuple[list[_Place], list[Variable]]:
    """Return what `matching.flat_arguments` does, with the path to each argument."""
    kind, op = node.outputs[0].type, node.op
    flat: list[_Place] = []
    nested: dict[Variable, None] = {}
    stack = _places(node, path)[::-1]
    while stack:
        place = stack.pop()
        inner = place.var.owner
        alike = inner is not None and inner.op is op and place.var.type.in_same_class(kind)
        if inner is not None and alike and place.var not in nested:
            nested[place.var] = None
            stack.extend(reversed(_places(inner, place.path)))
        else:
            flat.append(place)
    return flat, list(nested)


Progress = tuple[int, int]


def goal_failure(
    relation: Any, old: Variable, fgraph: Any = None
) -> tuple[Failure | None, Progress]:
    """Return the failure of the goal that a search for an answer reached last, of those that fail.

    It is reached after the most other goals, and, if it is an equation, after the most parts of
    its pattern have matched.

    Parameters
    ----------
    relation
        A function of a variable and a logic variable that returns a goal.
    old
        The variable.
    fgraph
        Its graph.

    Returns
    -------
    failure, progress
        None if no goal fails; and how many goals and parts of the pattern held before.
    """
    watch = _Watch(old)
    start = GuardedState(budget=Budget(name_of(relation), STEPS, SECONDS), fgraph=fgraph)
    try:
        for _ in solutions(relation(old, var()), start, lambda goal: watch.watched(goal, 0)):
            pass
    except SearchBudgetError:
        pass  # what was reached until then
    return watch.furthest, watch.progress


class _Watch:
    """Keeps the failure of the goal that was reached last."""

    def __init__(self, root: Variable) -> None:
        self.root = root
        self.furthest: Failure | None = None
        self.progress: Progress = (-1, 0)

    def watched(self, goal: Any, passed: int) -> Goal:
        """Return a goal with the solutions of `goal`, which notes what in it fails.

        Parameters
        ----------
        passed
            How many goals hold before this one.
        """
        if isinstance(goal, Each):
            related = goal.relation
            return goal.with_relation(lambda x, y: self.watched(related(x, y), passed))
        code = code_of(goal)
        if code is CONJ:
            return lconj_seq(self.watched(g, passed + i) for i, g in enumerate(goals_of(goal)))
        if code is DISJ:
            return ldisj_seq(self.watched(g, passed) for g in goals_of(goal))
        cells = cells_of(goal) if code in (ZZZ, IFA) else {}
        if code is ZZZ:
            make = cells["gctor"]
            return lambda s: self.watched(make(*cells["args"], **cells["kwargs"]), passed)(s)
        if code is IFA:
            return ifa(self.watched(cells["g1"], passed), self.watched(cells["g2"], passed))
        return lambda s: self._run(goal, s, passed)

    def _run(self, goal: Any, s: Any, passed: int) -> Iterator[Any]:
        holds = False
        for after in isolated(goal)(s):
            holds = True
            yield after
        if not holds and passed >= self.progress[0]:
            failure, parts = self._failure(goal, s)
            if (passed, parts) > self.progress:
                self.furthest, self.progress = failure, (passed, parts)

    def _failure(self, goal: Any, s: Any) -> tuple[Failure, int]:
        """Return the failure of a goal in a state, and how many parts of a pattern matched."""
        if isinstance(goal, Condition):
            return refusal(goal, s), 0
        if code_of(goal) is not EQ:
            given = {k: reify(v, s) for k, v in _arguments(goal).items()}
            seen = {k: v for k, v in given.items() if not isvar(v)}
            return Failure(Reason.GOAL, wanted=name_of(goal), values=seen), 0
        u, v = reify(tuple(cells_of(goal)[name] for name in ("u", "v")), s)
        bindings = unify(u, v, {})
        if bindings is not False:
            return _rejected(s, {**s.data, **bindings}), 0
        for pattern, seen in ((u, v), (v, u)):
            if isinstance(seen, Variable) and not isinstance(pattern, Variable):
                failure, parts = part(pattern, seen)
                if failure is not None and seen is self.root:
                    return failure, parts
        return Failure(Reason.GOAL, wanted="eq", values={"u": u, "v": v}), 0


def _rejected(s: Any, bindings: Any) -> Failure:
    """Return which delayed condition rejects the bindings that an equation gives."""
    state = GuardedState(bindings, fgraph=s.fgraph)
    for condition in s.delayed:
        if condition.decide(state) is False:
            return refusal(condition, state)
    return Failure(Reason.GOAL, wanted="eq")


def _arguments(goal: Any) -> dict[str, Any]:
    """Return what a goal closes over, functions aside, by name."""
    if not getattr(goal, "__closure__", None):
        return {}
    return {k: v for k, v in cells_of(goal).items() if not callable(v) or isvar(v)}
