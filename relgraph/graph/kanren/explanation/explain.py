"""`explain`: why a law does not match a variable, or how it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from unification import var
from unification.core import reify

from relgraph.displayed import Displayed
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.explanation.diagnosis import diagnose
from relgraph.graph.kanren.explanation.failures import Diagnosis, Failure, Path, Reason
from relgraph.graph.kanren.rules.matching import match_root
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.state import Budget, GuardedState, SearchBudgetError, is_settled
from relgraph.graph.kanren.staging.partial_evaluation import StagingMismatch, rules_out
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.notation.algebra import algebra
from relgraph.graph.op import Op

if TYPE_CHECKING:
    from relgraph.graph.kanren.relation_rewriter import KanrenRelationSub


@dataclass(frozen=True, eq=False)
class Explanation(Displayed):
    """Whether a law matches a variable, and why not. As a string, a few lines of text.

    Attributes
    ----------
    law, direction
        The name of the law, and ``forward`` or ``backward``.
    variable
        The variable.
    matches
        Whether the law rewrites the variable.
    reason
        Why not, as a `Reason`. Of several attempts to match, the one that got furthest counts.
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
    notes
        What else there is to say, one sentence each; see `relgraph.compile.explain`.
    text
        The lines.
    """

    law: str
    direction: str
    variable: Variable
    matches: bool
    reason: Reason
    path: Path = ()
    wanted: str = ""
    found: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    bindings: Mapping[str, Any] = field(default_factory=dict)
    result: Variable | None = None
    notes: tuple[str, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class NoSuchDirection(AttributeError):
    """A law has no such direction: it would leave a variable without a value."""


class Explainable:
    """The base class of relations and laws, which have two directions to explain."""

    name: str

    def explain(self, variable: Any, direction: str = "forward") -> Explanation:
        """Return why this does not match `variable`, or its bindings and result if it does.

        Parameters
        ----------
        variable
            A variable of a graph; its node is what is matched.
        direction
            ``forward`` or ``backward``.

        Raises
        ------
        TypeError
            If `variable` is not a variable.
        """
        checked_direction(direction)
        try:
            rewriter = getattr(self, direction)
        except NoSuchDirection as why:
            report = _Report(self.name, direction, variable)
            return report.mismatch(Failure(Reason.DIRECTION, found=str(why)))
        return explain(rewriter, variable, self.name, direction)


def checked_direction(direction: str) -> None:
    """Raise an error unless `direction` is ``forward`` or ``backward``.

    Raises
    ------
    ValueError
        If it is not.
    """
    if direction not in ("forward", "backward"):
        raise ValueError(f"a direction is forward or backward, not {direction!r}")


def explain(
    rewriter: KanrenRelationSub, variable: Any, law: str, direction: str = "forward"
) -> Explanation:
    """Return why `rewriter`, the law called `law` in `direction`, does not match `variable`.

    Raises
    ------
    TypeError
        If `variable` is not a variable.
    """
    if not isinstance(variable, Variable):
        raise TypeError(f"{law} is asked about a Variable, not {variable!r}")
    report = _Report(law, direction, variable)
    rule = getattr(rewriter, "rule", None)
    if variable.owner is None:
        return report.mismatch(
            Failure(Reason.LEAF, (), None if rule is None else rule.pattern, variable)
        )
    if rule is not None:
        return report.by_rules(rewriter, [rule])
    return _explain_relation(report, rewriter)


def _explain_relation(report: _Report, rewriter: KanrenRelationSub) -> Explanation:
    node = report.variable.owner
    assert node is not None
    if not rewriter.node_filter(node):
        return report.mismatch(Failure(Reason.FILTER, found="its node filter leaves this node out"))
    closed = rewriter.closed
    if closed is not None and len(node.outputs) == 1:
        return report.by_rules(rewriter, closed.rules)
    if closed is None and len(node.outputs) == 1:
        try:
            if rules_out(rewriter.kanren_relation, node):
                return report.mismatch(Failure(Reason.STRUCTURE, found=report.variable))
        except StagingMismatch:
            pass  # the structure does not decide, and the search below will
    return report.by_search(rewriter)


class _Report:
    """Makes the `Explanation` for one law and variable."""

    def __init__(self, law: str, direction: str, variable: Variable) -> None:
        self.name = law if direction == "forward" else f"{law} (backward)"
        self.about: dict[str, Any] = {"law": law, "direction": direction, "variable": variable}
        self.variable = variable

    def match(self, bindings: Mapping[Any, Any], result: Variable) -> Explanation:
        named = {str(v): x for v, x in bindings.items()}
        lines = [f"{self.name} matches {algebra(self.variable)}"]
        if named:
            lines.append(f"  with {_assigned(named)}")
        lines.append(f"  and gives {algebra(result)}")
        return Explanation(
            **self.about,
            matches=True,
            reason=Reason.MATCH,
            bindings=named,
            result=result,
            text="\n".join(lines),
        )

    def mismatch(self, failure: Failure, note: str = "") -> Explanation:
        lines = [f"{self.name} does not match {algebra(self.variable)}", f"  {_sentence(failure)}"]
        if note:
            lines.append(f"  {note}")
        return Explanation(
            **self.about,
            matches=False,
            reason=failure.reason,
            path=failure.path,
            wanted=_shown(failure.wanted),
            found=_shown(failure.found),
            values=failure.values,
            text="\n".join(lines),
        )

    def by_rules(self, rewriter: KanrenRelationSub, rules: Sequence[Rule]) -> Explanation:
        """Explain a rewriter by its rules; the result is that of its `transform`."""
        node = self.variable.owner
        assert node is not None
        found = [diagnose(rule, self.variable) for rule in rules]
        result = self.result(rewriter.transform(_GRAPH_OF_USED, node))
        if result is not None:
            matched = next((d for d in found if d.failure is None), None)
            return self.match({} if matched is None else matched.bindings, result)
        k = max(range(len(found)), key=lambda i: _rank(found[i]))
        failure = found[k].failure
        if failure is None:
            matches = match_root(rules[k].pattern, self.variable, {}, rules[k].regroup)
            no_match = next(matches, None) is None
            reason = Reason.BROADCAST if no_match else Reason.NO_ANSWER
            failure = Failure(reason, found=self.variable)
        nearest = f"of its {len(rules)} rules, {rules[k].pattern} → {rules[k].template} is nearest"
        return self.mismatch(failure, nearest if len(rules) > 1 else "")

    def by_search(self, rewriter: KanrenRelationSub) -> Explanation:
        """Explain a relation that has no rules, by a search."""
        node = self.variable.owner
        assert node is not None
        try:
            answer = rewriter.search(_GRAPH_OF_USED, node)
            result = self.result(answer)
            return (
                self.mismatch(self.why_no_answer(rewriter))
                if result is None
                else self.match({}, result)
            )
        except OpenAnswerError as error:
            return self.mismatch(Failure(Reason.OPEN, found=str(error)))
        except SearchBudgetError as error:
            return self.mismatch(Failure(Reason.BUDGET, found=str(error)))

    def result(self, answer: Any) -> Variable | None:
        """Return the replacement of the variable in a rewriter's answer, if any."""
        if isinstance(answer, dict):
            return answer.get(self.variable)
        at = self.variable.index
        if not isinstance(answer, list) or at is None or at >= len(answer):
            return None
        found: Variable | None = answer[at]
        return found

    def why_no_answer(self, rewriter: KanrenRelationSub) -> Failure:
        """Return why no answer of a relation is a replacement."""
        old, q, held = self.variable, var(), None
        for state in rewriter.kanren_relation(old, q)(GuardedState(budget=Budget(self.name))):
            if not is_settled(state):
                held = state.delayed[0]
                continue
            new = build(reify(q, state))
            fitted = None if isinstance(new, Op) else old.type.fit(new, old)
            if fitted is None:
                return Failure(Reason.TYPE, (), old.type, new)
            if fitted is old:
                return Failure(Reason.SAME, found=old)
            return Failure(Reason.FILTER, found="its results filter takes none of its answers")
        reason = Reason.NO_ANSWER if held is None else Reason.PENDING
        return Failure(reason, (), held, old)


class _ClientsOfUsed(dict[Any, Any]):
    """The clients of a graph in which every variable has one."""

    def __missing__(self, key: Any) -> list[Any]:
        return [("output", 0)]

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key]  # that of dict does not ask `__missing__`


_GRAPH_OF_USED = SimpleNamespace(clients=_ClientsOfUsed(), merged=False)


def _rank(diagnosis: Diagnosis) -> tuple[bool, tuple[int, int]]:
    return diagnosis.failure is None, diagnosis.progress


def _shown(x: Any) -> str:
    """Return a part of a pattern, or of a graph, as algebra."""
    if x is None:
        return ""
    if isinstance(x, Variable):
        return algebra(x)
    return ", ".join(map(_shown, x)) if isinstance(x, list) else str(x)


def _assigned(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_shown(value)}" for name, value in values.items())


def _place(path: Path) -> str:
    """Return a path in words."""
    steps = " of ".join(f"argument {i}" for i in reversed(path))
    return f"in {steps}" if steps else "at the root"


def _type_of(x: Any) -> str:
    return str(getattr(x, "type", type(x).__name__))


def _sentence(failure: Failure) -> str:
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
        return (
            f"the result {_shown(found)} is of type {_type_of(found)}, which does not fit "
            f"{_shown(failure.wanted)}"
        )
    where = _place(failure.path)
    with_ = f" ({_assigned(values)})" if values else ""
    return _SENTENCES[reason].format(
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
    Reason.BROADCAST: "a number of the law would stand for a constant that broadcasts what is "
    "beside it, below an op that works on more than an element",
    Reason.ROUNDED: "a constant is {wanted} as a narrower dtype rounds it: another number beside "
    "what it stands with",
    Reason.GROUPING: "regrouped it would match, but an exact law may swap two arguments and never "
    "regroups: {wanted} against {found}",
    Reason.NOT_FINITE: "the law holds for finite values, and {wanted} = {found}",
    Reason.CONDITION: "the condition {wanted} says no{with_}",
    Reason.COMPUTED: "{wanted} is computed to be {found}{with_}",
    Reason.PENDING: "the condition {wanted} can't be decided: a variable of it stays open",
    Reason.OPEN: "{found}",
    Reason.BUILD: "the result {wanted} can't be built: {found}",
    Reason.SAME: "the result is what is there already",
    Reason.DIRECTION: "{found}",
    Reason.FILTER: "{found}",
    Reason.STRUCTURE: "the relation has no answer for any node of this op and these ops below",
    Reason.BUDGET: "{found}",
    Reason.NO_ANSWER: "the relation has no answer here; it is searched, and a search says no more",
}
