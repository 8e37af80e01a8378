"""Matching: the interpreting matcher of patterns, modulo associativity and commutativity.

It walks the pattern and the graph together, with backtracking, and defines what a match is for the
compiled one. A pattern is a `Term`, an etuple, a logic variable, a `Literal`, or a variable of a
graph, which matches itself.

Bindings are immutable dicts from logic variables to the variables that they match. Under the key
`INNER` they keep the variables that compound parts of the pattern have matched, root first, for the
guards of dtypes and clients; under `PARTS` each of them with that part, for conditions about it. An
observer is called for each part that does not match; under `MATCHED` it finds how many parts had
matched before.

`result_of` is the meaning of the guards of a match, `conditions_of` aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from etuples import etuple
from kanren.core import lall
from unification.core import assoc, reify, unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.goals import (
    Condition,
    Where,
    agree_each,
    built_variables,
    dtypes_admitted,
    finite_constants,
    hold_numbers,
    is_converted,
    is_real,
)
from relgraph.graph.kanren.rules import (
    Failure,
    Parts,
    Path,
    Reason,
    Rule,
    before_several,
    flat_patterns,
    head_of,
    is_ac,
    is_commutative,
    match_cost,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.state import extended, fast_unify, written_alike
from relgraph.graph.kanren.terms import Arguments, Literal, OpenAnswerError, build, variables_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

AccessPath: TypeAlias = tuple[tuple[Op, int | None], ...]
"""A path from a variable towards the leaves: at each step an op, and the index of an input; None
for any argument, where their order means nothing."""


class ArgumentIndex:
    """The arguments of a sum, by their ops and by what they read.

    Patterns that share a variable use it to find a pair of arguments without trying all pairs. It
    is filled at the first lookup.
    """

    __slots__ = ("_arguments", "_by_end", "_by_head", "_merged")

    def __init__(self, fgraph: Any, arguments: Sequence[Variable]) -> None:
        self._arguments = arguments
        self._merged = fgraph is not None and fgraph.merged
        self._by_head: dict[Any, list[tuple[int, Variable]]] | None = None
        self._by_end: dict[AccessPath, dict[Variable, list[tuple[int, Variable]]]] = {}

    def computed_by(self, op: Op) -> Sequence[tuple[int, Variable]]:
        """Return the arguments computed by `op`, in order, with their places."""
        if self._by_head is None:
            self._by_head = {}
            for place, var in enumerate(self._arguments):
                self._by_head.setdefault(var.head, []).append((place, var))
        return self._by_head.get(op, ())

    def reading(
        self, fgraph: Any, path: AccessPath, var: Variable
    ) -> Sequence[tuple[int, Variable]]:
        """Return the arguments from which a path leads to `var`, with their places.

        In a graph that is not kept merged an equal variable would do as well, and all arguments
        with the first op of the path are returned.
        """
        if not self._merged or var.head is Constant:
            return self.computed_by(path[0][0])
        found = self._by_end.get(path)
        if found is None:
            found = self._by_end[path] = {}
            for place, argument in self.computed_by(path[0][0]):
                for end in dict.fromkeys(_ends_of(path, argument, fgraph)):
                    found.setdefault(end, []).append((place, argument))
        return found.get(var, ())


_LAST: WeakKeyDictionary[Any, tuple[tuple[Variable, ...], ArgumentIndex]] = WeakKeyDictionary()


def index_of(fgraph: Any, arguments: Sequence[Variable]) -> ArgumentIndex:
    """Return an index of some arguments: the last one of a graph if that is of the same arguments.

    Each law that is tried on each client of a wide sum looks into that sum.
    """
    if not isinstance(fgraph, FunctionGraph):
        return ArgumentIndex(fgraph, arguments)
    wanted = tuple(arguments)
    known = _LAST.get(fgraph)
    if known is None or known[0] != wanted:
        known = _LAST[fgraph] = wanted, ArgumentIndex(fgraph, wanted)
    return known[1]


def _ends_of(path: AccessPath, var: Variable, fgraph: Any) -> Iterable[Variable]:
    """Return the variables that a path leads to from `var`."""
    ends: list[Variable] = [var]
    for op, i in path:
        nodes = [v.owner for v in ends if v.owner is not None and v.owner.op is op]
        if i is None:
            flat = [flat_arguments(fgraph, node)[0] for node in nodes if is_ac(op)]
            ends = [*chain.from_iterable([node.inputs for node in nodes]), *chain(*flat)]
        else:
            ends = [node.inputs[i] for node in nodes if i < len(node.inputs)]
    return ends


Bindings = dict[Any, Any]

INNER = "inner variables"

PARTS = "compound parts of the pattern, with the variables that they have matched"

MATCHED = "parts that have matched"


class LeftOver(list[Variable]):
    """The arguments of a sum or product that a match has left over, in order.

    Attributes
    ----------
    place
        How many of them stand before the first that was matched.
    """

    def __init__(self, arguments: Sequence[Variable] = (), place: int = 0) -> None:
        super().__init__(arguments)
        self.place = place

    def around(self, new: Any) -> list[Any]:
        """Return the arguments with `new` in the place of what was matched: sums and products
        round, overflow and underflow by their order."""
        return [*self[: self.place], new, *self[self.place :]]


Skip: TypeAlias = Callable[[Variable], Any]
Observer: TypeAlias = Callable[[Bindings, Failure, int], None]
"""A function that is called for each part of a pattern that does not match: with the bindings, the
reason, and how near it is to a match, to compare with parts at the same progress."""


def match(
    pattern: Any, var: Variable, s: Bindings, regroup: bool = True, fgraph: Any = None
) -> Iterator[Bindings]:
    """Yield the bindings under which `pattern` matches `var`.

    Parameters
    ----------
    s
        Bindings to start from; not changed.
    regroup
        Whether sums and products may be regrouped. Two arguments of a commutative op are swapped
        in any case.
    fgraph
        The graph of `var`, if there is one: a nested sum that is read more than once is not
        flattened.
    """
    yield from _match_whole(pattern, s, _Place(var, fgraph, regroup))


def match_root(
    pattern: Any,
    var: Variable,
    s: Bindings,
    regroup: bool = True,
    fgraph: Any = None,
    observer: Observer | None = None,
    skip: Skip | None = None,
) -> Iterator[tuple[Bindings, LeftOver]]:
    """Like `match`, but a sum or product may have more arguments than the pattern.

    Parameters
    ----------
    observer
        Is told what does not match. The bindings then have `MATCHED`.
    skip
        A function of a variable that returns the variable which it is a copy of, or anything else
        if it is none. The variable below is matched in the place of a copy.

    Yields
    ------
    bindings, rest
        `rest` are the arguments that are left over, which a replacement must keep.
    """
    at = _Place(var, fgraph, regroup, observer, at_root=True, skip=skip)
    yield from _match_at(pattern, s, at)


class _Place(NamedTuple):
    """A variable that is matched with a part of a pattern, and how.

    Attributes
    ----------
    at_root
        Whether the part is the root of the pattern.
    path
        The path to the variable from that at the root.
    keeps_shape
        Whether an op above works on more than an element, so that the numbers of the pattern must
        not broadcast what is beside them.
    skip
        See `match_root`.
    """

    var: Variable
    fgraph: Any
    regroup: bool
    observer: Observer | None = None
    at_root: bool = False
    path: Path = ()
    keeps_shape: bool = False
    skip: Skip | None = None

    def below(self, node: Apply, var: Variable, path: Path) -> _Place:
        """Return the place of `var`, which is at a path from `node`."""
        while self.skip is not None and isinstance(under := self.skip(var), Variable):
            var = under
        return self._replace(
            var=var,
            at_root=False,
            path=(*self.path, *path),
            keeps_shape=self.keeps_shape or not node.op.elementwise,
        )

    def passed(self, s: Bindings) -> Bindings:
        """Return bindings under which one more part of the pattern has matched."""
        return s if self.observer is None else {**s, MATCHED: s.get(MATCHED, 0) + 1}

    def failed(
        self, s: Bindings, reason: Reason, pattern: Any, found: Any = None, near: int = 0
    ) -> None:
        """Tell the observer that a part of the pattern does not match."""
        if self.observer is not None:
            what = self.var if found is None else found
            self.observer(s, Failure(reason, self.path, pattern, what), near)


def _match_whole(pattern: Any, s: Bindings, at: _Place) -> Iterator[Bindings]:
    """Yield the bindings under which nothing is left over."""
    for bindings, rest in _match_at(pattern, s, at):
        if rest:
            at.failed(bindings, Reason.LEFT_OVER, pattern, list(rest))
        else:
            yield bindings


def _match_at(pattern: Any, s: Bindings, at: _Place) -> Iterator[tuple[Bindings, LeftOver]]:
    parts, node = split(pattern), at.var.owner
    if parts.head is None:
        yield from ((bindings, LeftOver()) for bindings in _match_leaf(pattern, s, at))
    elif node is None:
        at.failed(s, Reason.OP if at.path else Reason.LEAF, pattern)
    elif not _is_output(parts.output, node, at.var):
        at.failed(s, Reason.OUTPUTS, pattern)
    else:
        for bindings in _match_op(pattern, parts.head, node, s, at):
            inner, matched = s.get(INNER, ()), s.get(PARTS, ())
            seen = {**bindings, INNER: (*inner, at.var), PARTS: (*matched, (pattern, at.var))}
            yield from _match_arguments(pattern, parts, node, seen, at)


def _is_output(wanted: int | None, node: Apply, var: Variable) -> bool:
    """Return whether a pattern of an output is about that one of `node` which `var` is."""
    plain = len(node.outputs) == 1 or node.op.default_output == var.index
    return plain if wanted is None else not plain and wanted == var.index


def _match_leaf(pattern: Any, s: Bindings, at: _Place) -> Iterator[Bindings]:
    bindings = fast_unify(pattern, at.var, s)
    if not isinstance(bindings, bool):
        yield at.passed(bindings)
        return
    wanted = transitive_get(pattern, s)
    reason = Reason.DIFFERENT if isinstance(wanted, Variable) else Reason.NUMBER
    # another constant is nearer to the one that is wanted than what is no constant
    near = int(isinstance(at.var, Constant) and not isinstance(wanted, ConstrainedVar))
    reason = Reason.CONSTRAINT if isinstance(wanted, ConstrainedVar) else reason
    at.failed(s, reason, pattern, near=near)


def _match_op(pattern: Any, head: Any, node: Apply, s: Bindings, at: _Place) -> Iterator[Bindings]:
    """Yield the bindings under which the head of a pattern is the op of `node`."""
    if isinstance(head, Op):
        bound: Any = {} if head.makes(node) else False
    else:
        bound = unify(reify(head, s), node.op, {})
    if bound is not False:
        yield at.passed({**s, **bound})
        return
    # an op of the right class is nearer to a match than another one
    of_class = head_of(pattern) is type(node.op)
    at.failed(s, Reason.PARAMETER if of_class else Reason.OP, pattern, near=int(of_class))


def _match_arguments(
    pattern: Any, parts: Parts, node: Apply, s: Bindings, at: _Place
) -> Iterator[tuple[Bindings, LeftOver]]:
    head, patterns, _ = parts
    if takes_all_arguments(patterns):
        flat = is_ac(head) and at.regroup and at.at_root
        every = flat_arguments(at.fgraph, node)[0] if flat else node.inputs
        for bindings in _match_all(pattern, patterns[0], every, s, at):
            yield bindings, LeftOver()
        return
    if is_ac(head) and at.regroup:
        wanted = flat_patterns(head, patterns)
        if len(wanted) > 1:
            given, nested = flat_arguments(at.fgraph, node)
            if len(wanted) > len(given):
                at.failed(s, Reason.ARITY, pattern)
            else:
                seen = {**s, INNER: (*s[INNER], *nested)}
                whole = _Sum(pattern, node, _flat_paths(node, nested), at)
                yield from _match_ac(whole, wanted, LeftOver(given, len(given)), seen)
            return
    first, rest = before_several(patterns)
    if len(first) > len(node.inputs) or (rest is None and len(first) < len(node.inputs)):
        at.failed(s, Reason.ARITY, pattern)
        return
    places = [at.below(node, var, (i,)) for i, var in enumerate(node.inputs[: len(first)])]
    for order in _orders(head, places):
        pairs = list(zip(first, order, strict=True))
        beside = [place.var for part, place in pairs if not is_number(part)]
        asks = at.keeps_shape and len(beside) < len(pairs)
        for bindings in _match_each(pairs, s):
            if asks and not numbers_keep_shape(node, beside):
                at.failed(bindings, Reason.BROADCAST, pattern)
            elif rest is None:
                yield bindings, LeftOver()
            else:
                others = node.inputs[len(first) :]
                for found in _match_all(pattern, rest, others, bindings, at):
                    yield found, LeftOver()


def _match_all(
    pattern: Any, part: Arguments, every: Sequence[Variable], s: Bindings, at: _Place
) -> Iterator[Bindings]:
    """Match an `Arguments` with all arguments, or all that are left."""
    if _is_free(part.of, s):
        yield at.passed(assoc(s, part.of, tuple(every)))
    elif agree_each(reify(part.of, s), every):
        yield at.passed(s)
    else:
        at.failed(s, Reason.DIFFERENT, pattern)


def _orders(head: Any, places: Sequence[_Place]) -> Iterator[Sequence[_Place]]:
    """Yield the orders in which to match arguments: two if the pattern names a commutative op."""
    yield places
    if is_commutative(head) and len(places) == 2 and places[0].var is not places[1].var:
        yield places[::-1]


def _match_each(pairs: list[tuple[Any, _Place]], s: Bindings) -> Iterator[Bindings]:
    """Match patterns with arguments one to one, in the order of `match_cost`."""
    if not pairs:
        yield s
        return
    i = min(range(len(pairs)), key=lambda k: _match_cost(pairs[k][0], s))
    pattern, place = pairs[i]
    for bindings in _match_whole(pattern, s, place):
        yield from _match_each(pairs[:i] + pairs[i + 1 :], bindings)


def is_number(pattern: Any) -> bool:
    """Return whether a pattern is a number."""
    return isinstance(pattern, Literal | bool | int | float | complex)


def numbers_keep_shape(node: Apply, beside: Sequence[Variable]) -> bool:
    """Return whether the numbers among the arguments of a node do not broadcast those `beside`.

    A law says ``sum(x + 1)`` of a number, and means the sum of as many terms as `x` has elements.
    Arguments of ops that are not elementwise do not broadcast each other.
    """
    if not beside or not node.op.elementwise:
        return True
    return bool(node.outputs[0].type.is_spanned_by([v.type for v in beside]))


def _match_cost(pattern: Any, s: Bindings) -> tuple[int, int]:
    return match_cost(pattern, _is_free(pattern, s))


def _is_free(pattern: Any, s: Bindings) -> bool:
    return bool(isvar(pattern) and isvar(transitive_get(pattern, s)))


def flat_arguments(fgraph: Any, node: Apply) -> tuple[Sequence[Variable], Sequence[Variable]]:
    """Return the arguments of a sum or product, with those of nested ones in their place.

    A nested sum that is read more than once is not flattened: otherwise each of its readers could
    be matched, and rebuilt, with all of its arguments.

    Parameters
    ----------
    fgraph
        The graph of `node`. Without one clients are not known; a nested sum that is an argument
        twice is flattened once then.

    Returns
    -------
    arguments, nested
        `nested` are the sums that were flattened.
    """
    kind, op = node.outputs[0].type, node.op
    for var in node.inputs:
        if var.head is op:
            break
    else:
        return node.inputs, ()
    # several laws look at one sum
    known = getattr(fgraph, "known", {})
    if node not in known:
        known[node] = _flattened(op, kind, node.inputs, None if fgraph is None else fgraph.clients)
    found: tuple[Sequence[Variable], Sequence[Variable]] = known[node]
    return found


def _flattened(
    op: Op, kind: Any, arguments: Sequence[Variable], clients: Any
) -> tuple[Sequence[Variable], Sequence[Variable]]:
    flat: list[Variable] = []
    nested: dict[Variable, None] = {}
    stack: list[Any] = list(arguments[::-1])
    while stack:
        var = stack.pop()
        if (
            var.head is op
            and (len(clients.get(var, ())) <= 1 if clients is not None else var not in nested)
            and (var.type is kind or var.type.in_same_class(kind))
        ):
            nested[var] = None
            stack.extend(var.owner.inputs[::-1])
        else:
            flat.append(var)
    return flat, tuple(nested)


def combine_arguments(node: Apply, arguments: Sequence[Variable]) -> Variable | None:
    """Return the op of `node` applied to some of its arguments; a single argument as it is.

    None if the result would have another dtype than `node`: two integers beside a float are added
    as floats, and as integers they may wrap around.
    """
    if len(arguments) == 1:
        return arguments[0]
    combined = node.op.make_node(*arguments).outputs[0]
    dtypes = [getattr(v.type, "dtype", None) for v in (combined, node.outputs[0])]
    return combined if dtypes[0] == dtypes[1] else None


def may_rebuild(template: Any) -> bool:
    """Return whether a template may build the node that was matched."""
    return isvar(template) or takes_all_arguments(split(template).arguments)


def rebuilds_same_node(template: Any, new: Any, old: Variable) -> bool:
    """Return whether a template that takes all arguments of a node, or is a variable that is
    computed, has built that node again."""
    if not may_rebuild(template) or not isinstance(new, Variable):
        return False
    if new.owner is None or old.owner is None:
        return False
    return new.owner.op is old.owner.op and new.owner.inputs == old.owner.inputs


def has_outside_clients(fgraph: Any, inner: Sequence[Variable], skip: Skip | None = None) -> bool:
    """Return whether an inner variable of a match, its root aside, has a client outside of it.

    Parameters
    ----------
    inner
        The variables that compound parts of the pattern have matched, root first.
    skip
        See `match_root`. The clients of a copy are clients of the variable.
    """
    nodes = {var.owner for var in inner}
    stack = list(inner[1:])
    while stack:
        for reader, _ in fgraph.clients[stack.pop()]:
            copies = () if isinstance(reader, str) else reader.outputs
            if skip is not None and copies and isinstance(skip(copies[0]), Variable):
                stack.extend(copies)
            elif reader not in nodes:
                return True
    return False


class _Sum(NamedTuple):
    """A sum or product that is matched with a pattern in any order and grouping.

    Attributes
    ----------
    paths
        The paths from `node` to its flattened arguments.
    """

    pattern: Any
    node: Apply
    paths: Mapping[Variable, Path]
    at: _Place


def _flat_paths(node: Apply, nested: Sequence[Variable]) -> dict[Variable, Path]:
    """Return the paths from a node to the arguments that `flat_arguments` returns.

    Of an argument that is read twice, it is the first one.
    """
    paths: dict[Variable, Path] = {}
    unopened = {node.outputs[0], *nested}
    stack: list[tuple[Path, Variable]] = [((), node.outputs[0])]
    while stack:
        path, var = stack.pop()
        if var in unopened and var.owner is not None:
            unopened.remove(var)
            stack.extend(((*path, i), v) for i, v in reversed([*enumerate(var.owner.inputs)]))
        else:
            paths.setdefault(var, path)
    return paths


def _match_ac(
    whole: _Sum,
    patterns: list[Any],
    arguments: LeftOver,
    s: Bindings,
    beside: tuple[Variable, ...] = (),
) -> Iterator[tuple[Bindings, LeftOver]]:
    """Match patterns with the arguments of a sum or product, in any order.

    A pattern with a head, or one that is bound, must match one of the arguments. Each free variable
    takes one argument, and the last one takes all that are left. Without a free variable, arguments
    may be left over at the root, but not below it. `beside` are the arguments that patterns other
    than numbers have taken so far.
    """
    node, at = whole.node, whole.at
    if not patterns:
        yield s, arguments
        return
    i = min(range(len(patterns)), key=lambda k: _match_cost(patterns[k], s))
    pattern, others = patterns[i], patterns[:i] + patterns[i + 1 :]
    if isinstance(pattern, Arguments):
        for found in _match_all(whole.pattern, pattern, arguments, s, at):
            yield found, LeftOver()
        return
    if not others and _is_free(pattern, s):
        combined = combine_arguments(node, arguments)
        if combined is None:
            at.failed(s, Reason.DTYPES, pattern)
            return
        path = whole.paths.get(combined, ())
        for found in _match_whole(pattern, s, at.below(node, combined, path)):
            yield found, LeftOver()
        return
    asks = at.keeps_shape and is_number(pattern) and not any(map(is_number, others))
    tried: list[Variable] = []
    matched = False
    for j, var in enumerate(arguments):
        if any(var is other for other in tried):
            continue
        tried.append(var)
        remaining = LeftOver([*arguments[:j], *arguments[j + 1 :]], min(arguments.place, j))
        now_beside = beside if is_number(pattern) else (*beside, var)
        for bindings in _match_whole(pattern, s, at.below(node, var, whole.paths[var])):
            matched = True
            for found, rest in _match_ac(whole, others, remaining, bindings, now_beside):
                if asks and not numbers_keep_shape(node, (*beside, *remaining)):
                    at.failed(found, Reason.BROADCAST, whole.pattern)
                else:
                    yield found, rest
    if not matched:
        # further than the failure of each argument, unless one nearly matched
        at.failed(s, Reason.PARTNER, pattern, list(arguments), near=2)


class Refused(Exception):
    """A guard of a rule does not hold.

    Attributes
    ----------
    failure
        Which, and why.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def conditions_of(rule: Rule, found: Bindings | None = None) -> list[Any]:
    """Return the conditions of a rule, among them that no constant that it binds is infinite or
    nan if it asks for that: before the first computation, which may rely on it, and after the
    predicates, which are cheaper.

    Parameters
    ----------
    found
        A match, as `match_root` yields it, for conditions about compound parts of the pattern.
    """
    asked = list(takewhile(lambda c: isinstance(c, Where), rule.conditions))
    finite = [Where(finite_constants, tuple(variables_of(rule.pattern)))] if rule.finite else []
    every = [*asked, *finite, *rule.conditions[len(asked) :]]
    return every if found is None else [_about(found.get(PARTS, ()), c) for c in every]


def _about(parts: Sequence[tuple[Any, Variable]], condition: Any) -> Any:
    """Return a condition on variables where it is on parts of the pattern."""
    if not isinstance(condition, Condition):
        return condition
    return condition.on(tuple([_matched_by(parts, v) for v in condition.variables]))


def _matched_by(parts: Sequence[tuple[Any, Variable]], term: Any) -> Any:
    """Return the variable that a part of the pattern has matched; other terms as they are."""
    if split(term).head is None:
        return term
    return next((var for part, var in parts if written_alike(part, term)), term)


def result_of(rule: Rule, var: Variable, s: Bindings, rest: LeftOver, answer: Any) -> Any:
    """Return what a rule builds in the place of a variable that it has matched.

    Parameters
    ----------
    s, rest
        The match, as `match_root` yields it.
    answer
        A state in which `conditions_of` the rule hold.

    Returns
    -------
    new
        The result; a term if it has open logic variables.

    Raises
    ------
    Refused
        If the result can't be built, or by `check_result`.
    """
    term = reify(rule.template, answer)
    if rest and var.owner is not None:
        term = etuple(var.owner.op, *rest.around(term))
    try:
        new = build(term)
    except OpenAnswerError:
        new = term  # an answer in a search; as a replacement it will be refused
    except (TypeError, ValueError, OverflowError) as error:
        if not rule.one_dtype:
            raise
        # what can't be built does not have one dtype throughout
        raise Refused(Failure(Reason.BUILD, (), rule.template, str(error))) from None
    computed = [v for c in rule.conditions if isinstance(c, Condition) for v in c.binds]
    bound = [x for v, x in s.items() if isvar(v)]
    check_result(rule, var, s.get(INNER, ()), (*bound, *rest, *reify(computed, answer)), new)
    return new


def results_of(
    rule: Rule, var: Variable, s: Any, fgraph: Any = None, skip: Skip | None = None
) -> Iterator[tuple[Any, Any]]:
    """Yield what a rule builds in the place of a variable, one result for each match.

    Parameters
    ----------
    s
        The state of a search, of any class.
    skip
        See `match_root`.

    Yields
    ------
    answer, new
        The state with the values of the logic variables, and the result; see `result_of`.
    """
    for found, rest in match_root(rule.pattern, var, {}, rule.regroup, fgraph, skip=skip):
        if rule.one_client and has_outside_clients(fgraph, found.get(INNER, ()), skip):
            continue
        start = extended(s, {v: x for v, x in found.items() if v not in (INNER, PARTS)})
        for answer in lall(*conditions_of(rule, found))(start) if start is not False else ():
            try:
                new = result_of(rule, var, found, rest, answer)
            except Refused:
                continue
            yield answer, new


def check_result(
    rule: Rule, var: Variable, inner: Sequence[Variable], given: Sequence[Any], new: Any
) -> None:
    """Check what a rule has built in the place of a variable that it has matched.

    Parameters
    ----------
    inner
        The variables that compound parts of the pattern have matched.
    given
        The values of logic variables, and the arguments that were left over.
    new
        The result.

    Raises
    ------
    Refused
        If a number in the pattern is rounded, the dtypes are not those that the rule admits, or
        the result is the node that was matched.
    """
    matched = (var, *inner)
    if rule.rounded_numbers and not hold_numbers(matched, rule.rounded_numbers):
        wanted = " or ".join(map(repr, rule.rounded_numbers))
        raise Refused(Failure(Reason.ROUNDED, wanted=wanted))
    values = (*matched, *built_variables(given, new))
    if not dtypes_admitted(values, rule.one_dtype, rule.complex):
        raise Refused(_failure_of_dtypes(rule, values))
    if rebuilds_same_node(rule.template, new, var):
        raise Refused(Failure(Reason.SAME, found=new))


def _failure_of_dtypes(rule: Rule, values: Sequence[Variable]) -> Failure:
    """Return that variables are complex, or have several dtypes, with one variable for each."""
    first: dict[str, Variable] = {}
    for var in values:
        dtype = getattr(var.type, "dtype", None)
        if dtype is not None and not is_converted(var):
            first.setdefault(str(dtype), var)
    is_complex = not rule.complex and not all(map(is_real, first))
    return Failure(Reason.COMPLEX if is_complex else Reason.DTYPES, values=first)
