"""Matching: the interpreting matcher of patterns, modulo associativity and commutativity.

It walks the pattern and the graph together, with backtracking, and defines what a match is for the
compiled one. A pattern is a `Term`, an etuple, a logic variable, a `Literal`, or a variable of a
graph, which matches itself.

Bindings are immutable dicts from logic variables to the variables that they match. Under the key
`INNER` they keep the variables that compound parts of the pattern have matched, root first, for the
guards of dtypes and clients.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from unification.core import assoc, reify, unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.rules import (
    Output,
    flat_patterns,
    is_ac,
    is_commutative,
    match_cost,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.terms import Arguments, Literal
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar, same_variable

AccessPath: TypeAlias = tuple[tuple[Op, int], ...]
"""A path from a variable towards the leaves: at each step an op, and the index of an input."""


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

    def reading(self, path: AccessPath, var: Variable) -> Sequence[tuple[int, Variable]]:
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
                end = _end_of(path, argument)
                if end is not None:
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


def _end_of(path: AccessPath, var: Variable) -> Variable | None:
    """Return the variable that a path leads to from `var`, or None if there is none."""
    for op, i in path:
        node = var.owner
        if node is None or node.op is not op or i >= len(node.inputs):
            return None
        var = node.inputs[i]
    return var


Bindings = dict[Any, Any]

INNER = "inner variables"


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
    for bindings, rest in _match_at(pattern, var, s, _Context(fgraph, regroup, at_root=False)):
        if not rest:
            yield bindings


def match_root(
    pattern: Any, var: Variable, s: Bindings, regroup: bool = True, fgraph: Any = None
) -> Iterator[tuple[Bindings, LeftOver]]:
    """Like `match`, but a sum or product may have more arguments than the pattern.

    Yields
    ------
    bindings, rest
        `rest` are the arguments that are left over, which a replacement must keep.
    """
    yield from _match_at(pattern, var, s, _Context(fgraph, regroup, at_root=True))


class _Context(NamedTuple):
    """The parameters of `match`, and where in the pattern the match is.

    Attributes
    ----------
    at_root
        Whether the pattern is the root of the match.
    keeps_shape
        Whether an op above works on more than an element, so that the numbers of the pattern must
        not broadcast what is beside them.
    """

    fgraph: Any
    regroup: bool
    at_root: bool
    keeps_shape: bool = False

    def below(self, node: Apply) -> _Context:
        """Return the context for the inputs of `node`."""
        keeps_shape = self.keeps_shape or not node.op.elementwise
        return _Context(self.fgraph, self.regroup, False, keeps_shape)


def _match_at(
    pattern: Any, var: Variable, s: Bindings, context: _Context
) -> Iterator[tuple[Bindings, LeftOver]]:
    node, parts = _compound(pattern, var)
    if node is None or parts is None:
        for bindings in _match_leaf(pattern, var, s):
            yield bindings, LeftOver()
        return
    head, patterns = parts
    for bindings in _match_op(head, node, _with_inner(s, var)):
        if takes_all_arguments(patterns):
            flat = is_ac(head) and context.regroup and context.at_root
            every = flat_arguments(context.fgraph, node)[0] if flat else node.inputs
            for found in _match_all(patterns[0], every, bindings):
                yield found, LeftOver()
        else:
            yield from _match_arguments(head, node, patterns, bindings, context)


def _match_all(pattern: Any, every: Sequence[Variable], s: Bindings) -> Iterator[Bindings]:
    """Match an `Arguments` with all arguments."""
    if _is_free(pattern.of, s):
        yield assoc(s, pattern.of, tuple(every))
    elif reify(pattern.of, s) == tuple(every):
        yield s


def _compound(pattern: Any, var: Variable) -> tuple[Apply | None, Any]:
    """Return the node of `var`, and the head and arguments of `pattern`, if both are compound."""
    parts, node = split(pattern), var.owner
    if parts is None or node is None:
        return None, None
    plain = len(node.outputs) == 1 or node.op.default_output == var.index
    if isinstance(parts[0], Output):
        if plain or parts[0].index != var.index:
            return None, None
        return node, (parts[0].op, parts[1])
    return (node, parts) if plain else (None, None)


def _with_inner(s: Bindings, *inner: Variable) -> Bindings:
    return {**s, INNER: (*s.get(INNER, ()), *inner)}


def _match_leaf(pattern: Any, var: Variable, s: Bindings) -> Iterator[Bindings]:
    if split(pattern) is not None:
        return  # a compound pattern does not match a leaf
    pattern = transitive_get(pattern, s)
    if isinstance(pattern, ConstrainedVar):
        if pattern.constraint(var):
            yield assoc(s, pattern, var)
    elif isvar(pattern):
        yield assoc(s, pattern, var)
    elif isinstance(pattern, Literal):
        if pattern.matches(var):
            yield s
    elif isinstance(pattern, Variable):
        if same_variable(pattern, var):
            yield s
    elif isinstance(pattern, bool | int | float | complex) and Literal(pattern).matches(var):
        yield s


def _match_op(pattern: Any, node: Apply, s: Bindings) -> Iterator[Bindings]:
    """Yield the bindings under which the head of a pattern is the op of `node`."""
    if isinstance(pattern, Op):
        if pattern.makes(node):
            yield s
    else:
        bound = unify(reify(pattern, s), node.op, {})
        if bound is not False:
            yield {**s, **bound}


def _match_arguments(
    head: Any, node: Apply, patterns: Sequence[Any], s: Bindings, context: _Context
) -> Iterator[tuple[Bindings, LeftOver]]:
    if is_ac(head) and context.regroup:
        wanted = flat_patterns(head, patterns)
        if len(wanted) > 1:
            given, nested = flat_arguments(context.fgraph, node)
            if len(wanted) <= len(given):
                start = LeftOver(given, len(given))
                yield from _match_ac(node, wanted, start, _with_inner(s, *nested), context)
            return
    if takes_all_arguments(patterns):
        yield from ((found, LeftOver()) for found in _match_all(patterns[0], node.inputs, s))
        return
    if len(patterns) != len(node.inputs):
        return
    for arguments in _orders(head, node.inputs):
        pairs = list(zip(patterns, arguments, strict=True))
        beside = [var for pattern, var in pairs if not is_number(pattern)]
        asks = context.keeps_shape and node.op.elementwise and len(beside) < len(pairs)
        if not asks or numbers_keep_shape(node, beside):
            for bindings in _match_each(pairs, s, context.below(node)):
                yield bindings, LeftOver()


def _orders(head: Any, arguments: Sequence[Variable]) -> Iterator[Sequence[Variable]]:
    """Yield the orders in which to match arguments: two if the pattern names a commutative op."""
    yield arguments
    if is_commutative(head) and len(arguments) == 2 and arguments[0] is not arguments[1]:
        yield arguments[::-1]


def _match_each(
    pairs: list[tuple[Any, Variable]], s: Bindings, context: _Context
) -> Iterator[Bindings]:
    """Match patterns with arguments one to one, in the order of `match_cost`."""
    if not pairs:
        yield s
        return
    i = min(range(len(pairs)), key=lambda k: _match_cost(pairs[k][0], s))
    pattern, var = pairs[i]
    others = pairs[:i] + pairs[i + 1 :]
    for bindings in _match_below(pattern, var, s, context):
        yield from _match_each(others, bindings, context)


def _match_below(pattern: Any, var: Variable, s: Bindings, context: _Context) -> Iterator[Bindings]:
    for bindings, rest in _match_at(pattern, var, s, context):
        if not rest:
            yield bindings


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
        The graph of `node`. Without one it is not known who reads a variable; a nested sum that is
        an argument twice is flattened once then.

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
    flat: list[Variable] = []
    nested: dict[Variable, None] = {}
    stack = node.inputs[::-1]
    clients = None if fgraph is None else fgraph.clients
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
    parts = split(template)
    return isvar(template) if parts is None else takes_all_arguments(parts[1])


def rebuilds_same_node(template: Any, new: Any, old: Variable) -> bool:
    """Return whether a template that takes all arguments of a node, or is a variable that is
    computed, has built that node again."""
    if not may_rebuild(template) or not isinstance(new, Variable):
        return False
    if new.owner is None or old.owner is None:
        return False
    return new.owner.op is old.owner.op and new.owner.inputs == old.owner.inputs


def has_outside_clients(fgraph: Any, inner: Sequence[Variable]) -> bool:
    """Return whether an inner variable of a match, its root aside, has a client outside of it.

    Parameters
    ----------
    inner
        The variables that compound parts of the pattern have matched, root first.
    """
    nodes = {var.owner for var in inner}
    return any(reader not in nodes for var in inner[1:] for reader, _ in fgraph.clients[var])


def _match_ac(
    node: Apply,
    patterns: list[Any],
    arguments: LeftOver,
    s: Bindings,
    context: _Context,
    beside: tuple[Variable, ...] = (),
) -> Iterator[tuple[Bindings, LeftOver]]:
    """Match patterns with the arguments of a sum or product, in any order.

    A pattern with a head, or one that is bound, must match one of the arguments. Each free variable
    takes one argument, and the last one takes all that are left. Without a free variable, arguments
    may be left over at the root, but not below it. `beside` are the arguments that patterns other
    than numbers have taken so far.
    """
    if not patterns:
        if not arguments or context.at_root:
            yield s, arguments
        return
    i = min(range(len(patterns)), key=lambda k: _match_cost(patterns[k], s))
    pattern, others = patterns[i], patterns[:i] + patterns[i + 1 :]
    if isinstance(pattern, Arguments):
        if arguments:
            yield from ((found, LeftOver()) for found in _match_all(pattern, arguments, s))
        return
    if not others and _is_free(pattern, s):
        combined = combine_arguments(node, arguments)
        if combined is not None:
            found_below = _match_below(pattern, combined, s, context.below(node))
            yield from ((found, LeftOver()) for found in found_below)
        return
    asks = (
        context.keeps_shape
        and node.op.elementwise
        and is_number(pattern)
        and not any(map(is_number, others))
    )
    tried: list[Variable] = []
    for j, var in enumerate(arguments):
        if any(var is other for other in tried):
            continue
        tried.append(var)
        remaining = LeftOver([*arguments[:j], *arguments[j + 1 :]], min(arguments.place, j))
        if asks and not numbers_keep_shape(node, (*beside, *remaining)):
            continue
        now_beside = beside if is_number(pattern) else (*beside, var)
        for bindings in _match_below(pattern, var, s, context.below(node)):
            yield from _match_ac(node, others, remaining, bindings, context, now_beside)
