"""Diagnosis: why a rule does not match a variable, by the search of `matching` with failures kept.

Of all attempts, the one that got furthest is kept: the one that had matched the most parts of the
pattern when it failed. The failure of a guard is further than any of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from unification.core import reify, unify
from unification.utils import transitive_get

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.explanation.failures import (
    GUARDS,
    Bindings,
    Diagnosis,
    Failure,
    Path,
    Reason,
)
from relgraph.graph.kanren.explanation.guard_checks import GuardChecks
from relgraph.graph.kanren.rules.matching import (
    INNER,
    _is_free,
    _match_cost,
    combine_arguments,
    flat_arguments,
    match,
    match_root,
)
from relgraph.graph.kanren.rules.rule import (
    Output,
    Rule,
    flat_patterns,
    head_of,
    is_ac,
    is_commutative,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.terms.term import Arguments, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

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
