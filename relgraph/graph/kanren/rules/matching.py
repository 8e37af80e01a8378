"""Matching a pattern against a graph, modulo order and grouping where the ops allow it.

This is the plain matcher: it walks the pattern beside the graph, with backtracking. A pattern is a
`Term`, an etuple, a logic variable, a `Literal`, or a variable of a graph, which stands for itself.

Bindings are immutable dicts from logic variables to what they match. Under the key `INNER` they
keep the variables that a compound part of the pattern has matched, root first: type guards and
client guards ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from unification.core import assoc, reify, unify
from unification.utils import transitive_get
from unification.variable import isvar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.rules.rule import (
    Output,
    effort,
    flat_patterns,
    is_ac,
    is_commutative,
    split,
    takes_all_arguments,
)
from relgraph.graph.kanren.terms.term import Arguments, Literal
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar, same_variable

Bindings = dict[Any, Any]

INNER = "inner variables"


def match(
    pattern: Any, var: Variable, s: Bindings, regroup: bool = True, fgraph: Any = None
) -> Iterator[Bindings]:
    """Yield the bindings under which `pattern` is `var`.

    Parameters
    ----------
    s
        Bindings to start from; not changed.
    regroup
        Whether sums and products may be regrouped. Two arguments of a commutative op are swapped
        in any case.
    fgraph
        The graph that `var` is part of, if it is: what is read more than once stays whole in it.
    """
    for bindings, rest in _match_at(pattern, var, s, _Where(fgraph, regroup, at_root=False)):
        if not rest:
            yield bindings


def match_root(
    pattern: Any, var: Variable, s: Bindings, regroup: bool = True, fgraph: Any = None
) -> Iterator[tuple[Bindings, list[Variable]]]:
    """Like `match`, but a sum or product may hold more than the pattern mentions.

    Yields
    ------
    bindings, rest
        `rest` are the arguments that the pattern did not mention, to be carried along.
    """
    yield from _match_at(pattern, var, s, _Where(fgraph, regroup, at_root=True))


class _Where(NamedTuple):
    """Where something is matched: see `match`; and whether it is the root of the match."""

    fgraph: Any
    regroup: bool
    at_root: bool


def _match_at(
    pattern: Any, var: Variable, s: Bindings, where: _Where
) -> Iterator[tuple[Bindings, list[Variable]]]:
    node, parts = _compound(pattern, var)
    if node is None or parts is None:
        for bindings in _match_leaf(pattern, var, s):
            yield bindings, []
        return
    head, patterns = parts
    for bindings in _match_op(head, node.op, _with_inner(s, var)):
        if takes_all_arguments(patterns):
            flat = is_ac(head) and where.regroup and where.at_root
            every = flat_arguments(where.fgraph, node)[0] if flat else node.inputs
            for found in _match_all(patterns[0], every, bindings):
                yield found, []
        else:
            yield from _match_arguments(head, node, patterns, bindings, where)


def _match_all(pattern: Any, every: Sequence[Variable], s: Bindings) -> Iterator[Bindings]:
    """Match what stands for several arguments with all of them."""
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
        return  # a compound pattern, and `var` is not one
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


def _match_op(pattern: Any, op: Op, s: Bindings) -> Iterator[Bindings]:
    """Yield the bindings under which the head of a pattern is `op`."""
    if pattern is op:
        yield s
    elif isinstance(pattern, Op):
        return
    else:
        bound = unify(reify(pattern, s), op, {})
        if bound is not False:
            yield {**s, **bound}


def _match_arguments(
    head: Any, node: Apply, patterns: Sequence[Any], s: Bindings, where: _Where
) -> Iterator[tuple[Bindings, list[Variable]]]:
    if is_ac(head) and where.regroup:
        wanted = flat_patterns(head, patterns)
        if len(wanted) > 1:
            given, nested = flat_arguments(where.fgraph, node)
            if len(wanted) <= len(given):
                yield from _match_bag(node, wanted, given, _with_inner(s, *nested), where)
            return
    if takes_all_arguments(patterns):
        yield from ((found, []) for found in _match_all(patterns[0], node.inputs, s))
        return
    if len(patterns) != len(node.inputs):
        return
    for arguments in _orders(head, node.inputs):
        for bindings in _match_each(list(zip(patterns, arguments, strict=True)), s, where):
            yield bindings, []


def _orders(head: Any, arguments: Sequence[Variable]) -> Iterator[Sequence[Variable]]:
    """Yield the orders in which arguments match: both only where the pattern names the op."""
    yield arguments
    if is_commutative(head) and len(arguments) == 2 and arguments[0] is not arguments[1]:
        yield arguments[::-1]


def _match_each(
    pairs: list[tuple[Any, Variable]], s: Bindings, where: _Where
) -> Iterator[Bindings]:
    """Match patterns with arguments one to one, those that can fail fastest first."""
    if not pairs:
        yield s
        return
    i = min(range(len(pairs)), key=lambda k: _effort(pairs[k][0], s))
    pattern, var = pairs[i]
    others = pairs[:i] + pairs[i + 1 :]
    for bindings in match(pattern, var, s, where.regroup, where.fgraph):
        yield from _match_each(others, bindings, where)


def _effort(pattern: Any, s: Bindings) -> tuple[int, int]:
    return effort(pattern, _is_free(pattern, s))


def _is_free(pattern: Any, s: Bindings) -> bool:
    return bool(isvar(pattern) and isvar(transitive_get(pattern, s)))


def flat_arguments(fgraph: Any, node: Apply) -> tuple[Sequence[Variable], Sequence[Variable]]:
    """Return the arguments of a sum or product, those of nested ones of its type in their place.

    What is read more than once stays whole: a match that took it apart would be as long as all
    that is below it, once for each reader, and what is built of it would be, too.

    Parameters
    ----------
    fgraph
        The graph that `node` is in. Without one nobody knows who reads what, and only what stands
        there twice is whole the second time.

    Returns
    -------
    arguments, nested
        `nested` are the sums that were taken apart.
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
    """Return the sum or product of some arguments of a sum or product, to stand for one of them.

    It is None where it would have another dtype than `node`: two integers beside a float are added
    as floats, and as integers they may wrap around.
    """
    if len(arguments) == 1:
        return arguments[0]
    whole = node.op.make_node(*arguments).outputs[0]
    dtypes = [getattr(v.type, "dtype", None) for v in (whole, node.outputs[0])]
    return whole if dtypes[0] == dtypes[1] else None


def same_again(template: Any, new: Any, old: Variable) -> bool:
    """Return whether a template with all of a node's arguments has built the node that is there."""
    parts = split(template)
    if parts is None or not takes_all_arguments(parts[1]) or not isinstance(new, Variable):
        return False
    if new.owner is None or old.owner is None:
        return False
    return new.owner.op is old.owner.op and new.owner.inputs == old.owner.inputs


def has_outside_clients(fgraph: Any, inner: Sequence[Variable]) -> bool:
    """Return whether a variable inside a match, its root aside, is read from outside of it.

    Parameters
    ----------
    inner
        The variables that compound parts of the pattern matched, root first.
    """
    nodes = {var.owner for var in inner}
    return any(reader not in nodes for var in inner[1:] for reader, _ in fgraph.clients[var])


def _match_bag(
    node: Apply, patterns: list[Any], arguments: Sequence[Variable], s: Bindings, where: _Where
) -> Iterator[tuple[Bindings, list[Variable]]]:
    """Match patterns with a bag of arguments.

    A pattern with a head, or one that is bound already, is looked up among the arguments; of the
    free variables each takes one argument, and the last takes all that remains. Where there is no
    free variable the rest is carried along at the root, and is a mismatch further down.
    """
    if not patterns:
        if not arguments or where.at_root:
            yield s, list(arguments)
        return
    i = min(range(len(patterns)), key=lambda k: _effort(patterns[k], s))
    pattern, others = patterns[i], patterns[:i] + patterns[i + 1 :]
    if isinstance(pattern, Arguments):
        if arguments:
            yield from ((found, []) for found in _match_all(pattern, arguments, s))
        return
    if not others and _is_free(pattern, s):
        whole = combine_arguments(node, arguments)
        if whole is not None:
            yield from ((found, []) for found in match(pattern, whole, s, True, where.fgraph))
        return
    tried: list[Variable] = []
    for j, var in enumerate(arguments):
        if any(var is other for other in tried):
            continue
        tried.append(var)
        remaining = [*arguments[:j], *arguments[j + 1 :]]
        for bindings in match(pattern, var, s, True, where.fgraph):
            yield from _match_bag(node, others, remaining, bindings, where)


__all__ = ["INNER", "Bindings", "match", "match_root"]
