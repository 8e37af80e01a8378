"""Explanation: why a law does not match a variable, or how it does, and where in a graph.

The matcher, the guards and the search of goals are run with their failures kept. Of all attempts
the one that got furthest is reported: the one that had matched the most parts of the pattern when
it failed. The failure of a guard is further than any of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

from etuples.core import ExpressionTuple
from kanren.core import lall
from unification import var
from unification.core import reify, unify
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.goals import (
    EQ,
    Compute,
    Condition,
    Goal,
    Readers,
    Where,
    cells_of,
    code_of,
    finite_constants,
    fitted,
    found_in,
    isolated,
    name_of,
    outcomes,
    over_parts,
)
from relgraph.graph.kanren.matching import (
    MATCHED,
    Bindings,
    LeftOver,
    Refused,
    conditions_of,
    match_root,
    result_of,
)
from relgraph.graph.kanren.partial_evaluation import SECONDS, STEPS
from relgraph.graph.kanren.rules import Failure, Path, Reason, Rule
from relgraph.graph.kanren.state import Budget, GuardedState, SearchBudgetError, is_settled
from relgraph.graph.kanren.terms import OpenAnswerError, as_call, build, variables_of
from relgraph.graph.notation import algebra
from relgraph.graph.opt.base import note_failure, replaced
from relgraph.graph.utils import labelled
from relgraph.introspection import Displayed

if TYPE_CHECKING:
    from relgraph.graph.kanren.rewriters import KanrenRelationSub
    from relgraph.graph.opt.derivation import Step


@dataclass(frozen=True, eq=False)
class Explanation(Displayed):
    """Whether a law matches a variable, and why not. As a string, a few lines of text.

    Attributes
    ----------
    law, direction
        The name of the law, and ``forward`` or ``backward``.
    variable
        The variable.
    reason
        Why it does not match, or that it does. Of several attempts to match, the one that got
        furthest counts.
    path
        Where the pattern and the graph differ: ``(1, 0)`` is input 0 of input 1 of the node.
    wanted, found
        The part of the pattern there, and what the graph has, as algebra.
    values
        The values that a guard was given, by name: the variables of a condition, or a variable for
        each dtype.
    bindings
        If it matches, the values of its logic variables, by name.
    result
        If it matches, the replacement of the variable; else None.
    why
        The reason as a sentence, with the term at that place; empty if it matches.
    progress
        How far the match got: the parts of the pattern that matched, or the goals that held.
    within
        The loop in whose step the variable is computed; empty if there is none.
    text
        The lines.
    """

    law: str
    direction: str
    variable: Variable
    reason: Reason
    path: Path = ()
    wanted: str = ""
    found: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    bindings: Mapping[str, Any] = field(default_factory=dict)
    result: Variable | None = None
    why: str = ""
    progress: tuple[int, int] = (0, 0)
    within: str = ""
    text: str = ""

    @property
    def matches(self) -> bool:
        """Whether the law rewrites the variable."""
        return self.reason is Reason.MATCH

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class NoSuchDirection(AttributeError):
    """A law has no such direction: it would leave a variable without a value."""


UNUSED = Failure(Reason.FILTER, found="its results filter takes none of its answers")


def explain(
    rewriter: KanrenRelationSub,
    variable: Any,
    law: str,
    direction: str = "forward",
    fgraph: FunctionGraph | None = None,
) -> Explanation:
    """Return why `rewriter`, the law called `law` in `direction`, does not match `variable`.

    Parameters
    ----------
    fgraph
        The graph of the variable, for conditions about the clients of a value. Without one,
        every value has one client.

    Raises
    ------
    TypeError
        If `variable` is not a variable.
    """
    if not isinstance(variable, Variable):
        raise TypeError(f"{law} is asked about a Variable, not {variable!r}")
    return told(law, direction, variable, examined(rewriter, variable, fgraph), fgraph)


def examined(
    rewriter: KanrenRelationSub, variable: Variable, fgraph: FunctionGraph | None = None
) -> Diagnosis:
    """Return how `rewriter` rewrites a variable, or the failure of the attempt that got furthest.

    The result is that of its `transform`.
    """
    node, rule = variable.owner, getattr(rewriter, "rule", None)
    if node is None:
        wanted = None if rule is None else rule.pattern
        return Diagnosis(Failure(Reason.LEAF, (), wanted, variable))
    if not rewriter.node_filter(node):
        return Diagnosis(Failure(Reason.FILTER, found="its node filter leaves this node out"))
    rules = [rule] if rule is not None else _closed_rules(rewriter, node)
    try:
        tried = [diagnose(one, variable, fgraph) for one in rules]
        result = replacement(rewriter, variable, fgraph)
    except OpenAnswerError as error:
        return Diagnosis(Failure(Reason.OPEN, found=str(error)))
    except SearchBudgetError as error:
        return Diagnosis(Failure(Reason.BUDGET, found=str(error)))
    except Exception as error:
        note_failure(error, rewriter, node)
        raise
    if result is not None:
        matched = next((one.bindings for one in tried if one.failure is None), {})
        proof = getattr(getattr(rewriter, "law", None), "proof", None)
        shown = proof is not None and proof.holds
        note = f"as was shown for all values: {proof}" if shown else ""
        return Diagnosis(None, matched, result=result, note=note)
    unused = Failure(Reason.SAME, found=variable) if rewriter.takes_first else UNUSED
    if not rules:
        return diagnose_search(rewriter.kanren_relation, variable, unused, fgraph)
    nearest, rule = max(zip(tried, rules, strict=True), key=lambda pair: pair[0].progress)
    failure = nearest.failure or unused
    sides = f"{_shown(rule.pattern)} → {_shown(rule.template)}"
    note = f"of its {len(rules)} rules, {sides} is nearest"
    return nearest._replace(failure=failure, note=note if len(rules) > 1 else "")


def _closed_rules(rewriter: KanrenRelationSub, node: Apply) -> Sequence[Rule]:
    """Return the rules of a closed relation on a node; none if it is searched."""
    closed = rewriter.closed
    return () if closed is None or len(node.outputs) != 1 else closed.rules


def replacement(
    rewriter: KanrenRelationSub, variable: Variable, fgraph: FunctionGraph | None = None
) -> Variable | None:
    """Return what a rewriter replaces a variable by; None if it does not match."""
    node = variable.owner
    assert node is not None
    return replaced(node, rewriter.transform(fgraph, node)).get(variable)


def mismatch(place: Explanation, failure: Failure, fgraph: FunctionGraph) -> Explanation:
    """Return the explanation of a place where a law matches and is not applied all the same."""
    refused = Diagnosis(failure, progress=(2 * GUARDS, 0))
    return told(place.law, place.direction, place.variable, refused, fgraph)


def told(
    law: str,
    direction: str,
    variable: Variable,
    found: Diagnosis,
    fgraph: FunctionGraph | None = None,
) -> Explanation:
    """Return what was found out about a law and a variable, in words."""
    failure = found.failure or Failure(Reason.MATCH)
    bindings: dict[str, Any] = {}
    if found.result is None:
        says, why = "does not match", _sentence(failure, variable, fgraph)
        lines = [why, found.note]
    else:
        says, why = "matches", ""
        bindings = {str(v): x for v, x in found.bindings.items()}
        given = f"with {assigned(bindings)}" if bindings else ""
        lines = [given, f"and gives {algebra(found.result)}", found.note]
    first = f"{labelled(law, direction)} {says} {algebra(variable)}"
    return Explanation(
        law,
        direction,
        variable,
        failure.reason,
        path=failure.path,
        wanted=_shown(failure.wanted),
        found=_shown(failure.found),
        values=failure.values,
        bindings=bindings,
        result=found.result,
        why=why,
        progress=found.progress,
        text="\n  ".join([first, *filter(None, lines)]),
    )


def _shown(x: Any) -> str:
    """Return a part of a pattern, or of a graph, as algebra."""
    if x is None:
        return ""
    if isinstance(x, Variable):
        return algebra(x)
    if isinstance(x, ExpressionTuple):
        return as_call(x)
    return ", ".join(map(_shown, x)) if isinstance(x, list) else str(x)


def assigned(values: Mapping[str, Any]) -> str:
    """Return the values of logic variables as algebra: ``a = x, b = exp(y)``."""
    return ", ".join(f"{name} = {_shown(value)}" for name, value in values.items())


LONGEST = 50
"""The length limit, in characters, of a term in an explanation."""


def _place(path: Path, variable: Variable) -> str:
    """Return a path in words: the term that has the place as an argument."""
    if not path:
        return "at the root"
    for i in path[:-1]:
        if variable.owner is not None:
            variable = variable.owner.inputs[i]
    return f"in {algebra(variable, LONGEST)}"


def readers_of(variable: Variable, fgraph: FunctionGraph) -> str:
    """Return the clients of a variable in a graph, as algebra."""
    readers = [
        "the graph itself, as an output" if isinstance(node, str) else algebra(node.outputs[0], 40)
        for node, _ in fgraph.clients.get(variable, ())
    ]
    return " and by ".join(dict.fromkeys(readers))


def _sentence(failure: Failure, variable: Variable, fgraph: FunctionGraph | None) -> str:
    """Return a failure as a sentence."""
    reason, found, values = failure.reason, failure.found, failure.values
    if reason is Reason.LEAF:
        kind = "a constant" if isinstance(found, Constant) else "an input"
        wanted = "a node to look at" if failure.wanted is None else _shown(failure.wanted)
        return f"it is {kind}: nothing computes it, and the law wants {wanted}"
    if reason is Reason.DTYPES:
        dtypes = ", ".join(f"{dtype} ({_shown(v)})" for dtype, v in values.items())
        return f"the law holds within one dtype, and here are {len(values)}: {dtypes}"
    if reason is Reason.COMPLEX:
        dtype, of = next((d, v) for d, v in values.items() if d.startswith("complex"))
        return f"the law is not stated for complex numbers, and {_shown(of)} is {dtype}"
    if reason is Reason.TYPE:
        kind = getattr(found, "type", type(found).__name__)
        wanted = _shown(failure.wanted)
        return f"the result {_shown(found)} is of type {kind}, which does not fit {wanted}"
    if reason is Reason.READ:
        assert fgraph is not None
        return (
            f"{_shown(found)} is read elsewhere too, by {readers_of(found, fgraph)}: "
            f"the condition {_shown(failure.wanted)} says no"
        )
    if reason is Reason.COSTS:
        stays = failure.wanted
        why = (
            ""
            if stays is None or fgraph is None
            else (f": {_shown(stays)} stays, since it is read by {readers_of(stays, fgraph)}")
        )
        return f"it matches, but with {_shown(found)} the graph would cost more{why}"
    not_found = [name for name, value in values.items() if value is None]
    if reason is Reason.CONDITION and not_found:
        return f"{' and '.join(not_found)} finds nothing"
    where = _place(failure.path, variable)
    with_ = f" ({assigned(values)})" if values else ""
    return _SENTENCES.get(reason, "{found}").format(
        where=where, wanted=_shown(failure.wanted), found=_shown(found), with_=with_
    )


_WANTED = "{where} the law wants {wanted}{with_}, and the graph has {found}"

_SENTENCES = {
    Reason.OUTPUTS: "{where} is {found}, one output of several, and the law wants {wanted}",
    Reason.OP: _WANTED,
    Reason.PARAMETER: "{where} the op is the right one with other parameters: the law wants "
    "{wanted}, and the graph has {found}",
    Reason.ARITY: "{where} the number of arguments differs: the law wants {wanted}, and the graph "
    "has {found}",
    Reason.NUMBER: _WANTED,
    Reason.DIFFERENT: _WANTED,
    Reason.CONSTRAINT: "{where} the pattern's constraint does not accept {found}",
    Reason.PARTNER: "{where} none of the arguments {found} is {wanted}{with_}",
    Reason.LEFT_OVER: "{where} the law wants {wanted} and no more, and {found} is left over",
    Reason.BROADCAST: "a number of the law would represent a constant that broadcasts what is "
    "beside it, below an op that works on more than an element",
    Reason.ROUNDED: "a constant is {wanted} as a narrower dtype rounds it: another number beside "
    "what it stands with",
    Reason.GROUPING: "regrouped it would match, but an exact law may swap two arguments and never "
    "regroups: {wanted} against {found}",
    Reason.NOT_FINITE: "the law holds for finite values, and {wanted} = {found}",
    Reason.CONDITION: "the condition {wanted} says no{with_}",
    Reason.COMPUTED: "{wanted} is computed to be {found}{with_}",
    Reason.PENDING: "the condition {wanted} can't be decided: a variable of it stays open",
    Reason.BUILD: "the result {wanted} can't be built: {found}",
    Reason.SAME: "the result is what is there already",
    Reason.GOAL: "the goal {wanted} of the relation fails{with_}",
    Reason.NO_ANSWER: "the relation has no answer here; it is searched, and a search says no more",
}


_NEAREST = 3
_SHOWN = 3


class Places(NamedTuple):
    """Where a law matches, from the outputs on, and the nearest of the other places.

    A place is near if at least its op is that of the law.
    """

    matches: list[Explanation]
    nearest: list[Explanation]


def places(rewriter: KanrenRelationSub, law: str, direction: str, fgraph: FunctionGraph) -> Places:
    """Return where in a graph `rewriter`, the law called `law` in `direction`, matches."""
    matches: list[tuple[Variable, Diagnosis]] = []
    others: list[tuple[Variable, Diagnosis]] = []
    for node in reversed(fgraph.toposort()):
        for variable in node.outputs:
            found = examined(rewriter, variable, fgraph)
            (others if found.result is None else matches).append((variable, found))
    near = [one for one in others if one[1].progress > (0, 0)]
    nearest = nlargest(_NEAREST, near, key=lambda one: one[1].progress)
    # the sentences are written for these only
    return Places(
        [told(law, direction, *one, fgraph) for one in matches],
        [told(law, direction, *one, fgraph) for one in nearest],
    )


@dataclass(frozen=True, eq=False)
class GraphExplanation(Displayed):
    """Where in a graph a law matches, and where it nearly does. As a string, a few lines of text.

    Attributes
    ----------
    law, direction
        The name of the law, and ``forward`` or ``backward``.
    outputs
        The graph, in which equal nodes are one.
    places
        Where it matches, each with its bindings and its result, those near the outputs first.
    nearest
        The nearest of the other places, three at most; each has the first place where the law and
        the graph part, or what refused the match. If none is near, the first output.
    taken
        By its number among `places` the step of the default mode that rewrites what a match needs
        before the law does.
    applied
        The steps of the default mode that apply the law.
    notes
        What else there is to say, one sentence each; see `relgraph.explain`.
    """

    law: str
    direction: str
    outputs: Sequence[Variable]
    places: Sequence[Explanation] = ()
    nearest: Sequence[Explanation] = ()
    taken: Mapping[int, Step] = field(default_factory=dict)
    applied: Sequence[Step] = ()
    notes: Sequence[str] = ()

    @property
    def matches(self) -> bool:
        """Whether the law matches in the graph as it is."""
        return bool(self.places)

    @property
    def heading(self) -> str:
        """Where the law matches, in a few words."""
        name = labelled(self.law, self.direction)
        if self.places:
            count = len(self.places)
            return f"{name} matches in {'one place' if count == 1 else f'{count} places'}"
        one = algebra(self.outputs[0]) if len(self.outputs) == 1 else "the graph"
        return f"{name} matches nowhere in {one}"

    @property
    def text(self) -> str:
        """The lines."""
        lines = [self.heading]
        for i, place in enumerate(self.places[:_SHOWN]):
            lines.append(f"  {_matched(place)}")
            if i in self.taken:
                lines.append(f"    {taken_by(self.taken[i])}")
        if len(self.places) > _SHOWN:
            lines.append(f"  and in {len(self.places) - _SHOWN} more")
        if self.nearest:
            lines.append("the nearest of the others:" if self.places else "the nearest places:")
            lines += [f"  {_where(place)}: {_why(place)}" for place in self.nearest]
        if self.applied:
            lines.append(f"{self.times_applied}:")
            lines += [f"  {step.before} → {step.after}" for step in self.applied[:_SHOWN]]
        return "\n".join([*lines, *self.notes])

    @property
    def times_applied(self) -> str:
        """How often the default mode applies the law, in words."""
        count = len(self.applied)
        often = {1: "once", 2: "twice"}.get(count, f"{count} times")
        return f"the default mode applies it {often}"

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def taken_by(step: Step) -> str:
    """Return in words that a step comes before a law."""
    change = f"{step.before} → {step.after}" if step.before != step.after else "it reads the same"
    return f"but the default mode applies {step.label} first: {change}"


def _where(place: Explanation) -> str:
    return (f"{place.within}, " if place.within else "") + algebra(place.variable, LONGEST)


def _why(place: Explanation) -> str:
    """Return why there is no match, without the whole place, which a line begins with."""
    return place.why.removeprefix("at the root ").removeprefix(
        f"in {algebra(place.variable, LONGEST)} "
    )


def _matched(place: Explanation) -> str:
    assert place.result is not None
    with_ = f", with {assigned(place.bindings)}" if place.bindings else ""
    return f"{_where(place)} → {algebra(place.result, LONGEST)}{with_}"


Progress = tuple[int, int]

GUARDS = 1_000_000
"""The progress of an attempt that has matched all of its pattern."""


class Diagnosis(NamedTuple):
    """The outcome of all attempts to match: a failure, or bindings, and how far it got.

    Attributes
    ----------
    result
        What a rewriter puts in the place of the variable.
    note
        What else there is to say.
    """

    failure: Failure | None
    bindings: Bindings = {}
    progress: Progress = (0, 0)
    result: Variable | None = None
    note: str = ""


ATTEMPTS = 20_000
"""After so many failures of parts of a pattern no further matches are looked for."""


class _EnoughError(Exception):
    """There were so many attempts that the furthest one will do."""


class _Furthest:
    """The failure of the attempt that got furthest; an observer of `matching`."""

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self.progress: Progress = (-1, 0)
        self._left = ATTEMPTS

    def matches(
        self, pattern: Any, var: Variable, regroup: bool, fgraph: FunctionGraph | None = None
    ) -> Iterator[tuple[Bindings, LeftOver]]:
        """Yield what `match_root` yields until there were too many attempts."""
        try:
            yield from match_root(pattern, var, {}, regroup, fgraph, self)
        except _EnoughError:
            return

    def __call__(self, s: Bindings, failure: Failure, near: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise _EnoughError
        progress = (s.get(MATCHED, 0), near)
        if progress > self.progress:
            shared = {
                str(v): s[v]
                for v in variables_of(failure.wanted)
                if v in s and isinstance(s[v], Variable)
            }
            self.keep(replace(failure, values=shared), progress)

    def keep(self, failure: Failure | None, progress: Progress) -> None:
        if progress > self.progress:
            self.failure, self.progress = failure, progress


def diagnose(rule: Rule, var: Variable, fgraph: FunctionGraph | None = None) -> Diagnosis:
    """Return how `rule` matches `var`, or the failure of the attempt that got furthest.

    Conditions about the clients of a value are evaluated on `fgraph`; without one they hold.
    """
    furthest = _Furthest()
    for s, rest in furthest.matches(rule.pattern, var, rule.regroup, fgraph):
        verdict = _verdict(rule, var, s, rest, fgraph)
        if verdict.failure is None:
            return verdict
        furthest.keep(verdict.failure, verdict.progress)
    failure, progress = furthest.failure, furthest.progress
    missed = not rule.regroup and progress[0] < GUARDS
    if missed and next(match_root(rule.pattern, var, {}, regroup=True), None) is not None:
        place = () if failure is None else failure.path
        failure = Failure(Reason.GROUPING, place, rule.pattern, var)
    return Diagnosis(failure, {}, progress)


def _verdict(
    rule: Rule, var: Variable, s: Bindings, rest: LeftOver, fgraph: FunctionGraph | None
) -> Diagnosis:
    """Return what the guards of a rule say of a match."""
    bindings = {v: x for v, x in s.items() if isvar(v)}
    watch = _Watch(var)
    conditions = lall(*conditions_of(rule, s))
    answer = next(watch.solutions(conditions, GuardedState(bindings, fgraph=fgraph)), None)
    if answer is None:
        return Diagnosis(watch.furthest.failure, bindings, (GUARDS, 0))
    try:
        new = result_of(rule, var, s, rest, answer)
    except Refused as refused:
        return Diagnosis(refused.failure, bindings, (GUARDS + 1, 0))
    misfit = _misfit(new, var, rule.template)
    if misfit is not None:
        return Diagnosis(misfit, bindings, (GUARDS + 2, 0))
    named = dict.fromkeys([*variables_of((rule.pattern, rule.template)), *bindings])
    return Diagnosis(None, {v: reify(v, answer) for v in named}, (GUARDS + 3, 0))


def _misfit(new: Any, var: Variable, wanted: Any = None) -> Failure | None:
    """Return why a result does not replace a variable: it is open, does not fit, or is that very
    variable; None if it does."""
    try:
        result = fitted(build(new), var)
    except OpenAnswerError as error:
        return Failure(Reason.OPEN, (), wanted, str(error))
    if result is None:
        return Failure(Reason.TYPE, (), var.type, new)
    return Failure(Reason.SAME, found=result) if result is var else None


def refusal(condition: Condition, state: Any) -> Failure:
    """Return the failure of a condition in a state, with the values of its variables."""
    values = {str(v): reify(v, state) for v in variables_of(condition.variables)}
    if isinstance(condition, Where) and condition.function is finite_constants:
        name, value = next((v, x) for v, x in values.items() if not finite_constants(x))
        return Failure(Reason.NOT_FINITE, (), name, value, {name: value})
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


def diagnose_search(relation: Any, old: Variable, unused: Failure, fgraph: Any = None) -> Diagnosis:
    """Return why a search finds no answer of a relation that can replace a variable.

    If the search finds answers, but none that can replace the variable, the reason is that of the
    last answer. Otherwise it is the failure of the goal before which most other goals succeeded;
    among equations, of the one in whose pattern most parts matched.

    Parameters
    ----------
    relation
        A function of a variable and a logic variable that returns a goal.
    old
        The variable.
    unused
        The reason if an answer could replace it.
    fgraph
        Its graph.
    """
    watch, q = _Watch(old), var()
    start = GuardedState(budget=Budget(name_of(relation), STEPS, SECONDS), fgraph=fgraph)
    try:
        for state in watch.solutions(relation(old, q), start):
            watch.furthest.keep(_misfit(reify(q, state), old) or unused, (GUARDS + 1, 0))
    except SearchBudgetError:
        pass  # what was reached until then
    failure = watch.furthest.failure or Failure(Reason.NO_ANSWER)
    return Diagnosis(failure, {}, max(watch.furthest.progress, (0, 0)))


class _Watch:
    """Keeps the failure of the goal that was reached last."""

    def __init__(self, root: Variable) -> None:
        self.root = root
        self.furthest = _Furthest()

    def solutions(self, goal: Goal, start: GuardedState) -> Iterator[GuardedState]:
        """Yield the states in which `goal` holds, of which all that is delayed is decided."""
        for state in outcomes(goal, start, self.watched):
            if is_settled(state):
                yield state
            else:
                self.furthest.keep(Failure(Reason.PENDING, (), state.delayed[0]), (GUARDS, 0))

    def watched(self, goal: Any, passed: int = 0) -> Goal:
        """Return a goal with the solutions of `goal`, which notes what in it fails.

        Parameters
        ----------
        passed
            How many goals hold before this one.
        """
        parts = over_parts(goal, lambda part, i: self.watched(part, passed + i))
        return (lambda s: self._run(goal, s, passed)) if parts is None else parts

    def _run(self, goal: Any, s: Any, passed: int) -> Iterator[Any]:
        holds = False
        for after in isolated(goal)(s):
            holds = True
            yield after
        if not holds and passed >= self.furthest.progress[0]:
            failure, parts = self._failure(goal, s)
            self.furthest.keep(failure, (passed, parts))

    def _failure(self, goal: Any, s: Any) -> tuple[Failure, int]:
        """Return the failure of a goal in a state, and how many parts of a pattern matched."""
        if isinstance(goal, Compute):
            found = unify(goal.out, goal.computed(goal.values(s), s.fgraph), dict(s.data))
            return (found is not False and _rejected(s, found)) or refusal(goal, s), 0
        if isinstance(goal, Condition):
            return refusal(goal, s), 0
        if code_of(goal) is not EQ:
            given = {k: reify(v, s) for k, v in _arguments(goal).items()}
            seen = {k: v for k, v in given.items() if not isvar(v)}
            return Failure(Reason.GOAL, wanted=name_of(goal), values=seen), 0
        u, v = reify(tuple(cells_of(goal)[name] for name in ("u", "v")), s)
        bindings = unify(u, v, {})
        if bindings is not False:
            rejected = _rejected(s, {**s.data, **bindings})
            return rejected or Failure(Reason.GOAL, wanted="eq"), 0
        for pattern, seen in ((u, v), (v, u)):
            if isinstance(seen, Variable) and not isinstance(pattern, Variable):
                furthest = _Furthest()
                matches = furthest.matches(pattern, seen, False)
                if seen is self.root and next(matches, None) is None and furthest.failure:
                    return furthest.failure, furthest.progress[0]
        return Failure(Reason.GOAL, wanted="eq", values={"u": u, "v": v}), 0


def _rejected(s: Any, bindings: Any) -> Failure | None:
    """Return the failure of the delayed condition, or of the constraint of kanren, that rejects
    bindings; None if none does."""
    state = GuardedState(bindings, fgraph=s.fgraph)
    for condition in s.delayed:
        if condition.decide(state) is False:
            return refusal(condition, state)
    for store in s.constraints.values():
        held = {str(v): reify(v, bindings) for v in store.lvar_constraints}
        for v in [v for v in bindings if v not in s.data]:
            if not store.copy().post_unify_check(bindings, v, bindings[v], old_state=s):
                return Failure(Reason.CONDITION, wanted=store.op_str, values=held)
    return None


def _arguments(goal: Any) -> dict[str, Any]:
    """Return what a goal closes over, functions aside, by name."""
    if not getattr(goal, "__closure__", None):
        return {}
    return {k: v for k, v in cells_of(goal).items() if not callable(v) or isvar(v)}
