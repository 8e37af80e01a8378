"""Fast unification and reification: one loop instead of the unification library's generators.

The results are those of the library. What it does for the most common pairs of classes is written
out here, over one copy of the substitution. All other pairs are left to the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cons.core import ConsError, ConsPair, car, cdr, cons
from cons.unify import _unify_Cons
from etuples.core import ExpressionTuple
from etuples.dispatch import _unify_ExpressionTuple
from unification import Var
from unification.core import (
    _reify,
    _unify,
    _unify_Iterable,
    _unify_Var_object,
    stream_eval,
)
from unification.variable import _glv

import relgraph.graph.kanren.terms.function_calls  # noqa: F401  (registers what they mean)
from relgraph.graph.kanren.terms.term import _unify_literal
from relgraph.graph.unify import (
    _unify_seen,
    _unify_variables,
    same_variable,
    seen_alike,
    unify_number,
)

Bindings = dict[Any, Any]

_UNIFY_EQUAL = _unify.dispatch(object, object, Mapping)
_REIFY_UNCHANGED = _reify.dispatch(object, Mapping)
_REST = object()
_MISSING = object()

_LISTS = (tuple, list)

_UNIFIERS: dict[tuple[type, type], Any] = {}
_IS_VAR: dict[type, bool] = {}
_IS_UNCHANGED: dict[type, bool] = {}

# Deeper terms are left to the library, which does not recurse.
_MAX_RECURSION = 50


def _unifier_for(u: type, v: type) -> Any:
    """Return the library's function for a pair of classes, and keep it."""
    found = _UNIFIERS[u, v] = _unify.dispatch(u, v, dict)
    return found


def is_variable(x: Any) -> bool:
    """Return whether `x` is a logic variable, by its class alone."""
    cls = type(x)
    known = _IS_VAR.get(cls)
    if known is None:
        known = _IS_VAR[cls] = issubclass(cls, Var)
    return known


def _walk(x: Any, s: Bindings) -> Any:
    """Return what `x` is bound to, through chains of variables; itself if it is not bound."""
    while is_variable(x):
        bound = s.get(x, _MISSING)
        if bound is _MISSING:
            return x
        x = bound
    return x


def fast_unify(u: Any, v: Any, s: Bindings) -> Bindings | bool:
    """Return what `unification.unify` returns: `s` itself, a larger copy, or False."""
    if _glv:
        return stream_eval(_unify(u, v, s))  # type: ignore[no-any-return]
    data = s
    stack = [(u, v)]
    while stack:
        u, v = stack.pop()
        if u is _REST:
            try:
                u, v = cdr(v[0]), cdr(v[1])
            except ConsError:
                return False
        unifier = _UNIFIERS.get((type(u), type(v))) or _unifier_for(type(u), type(v))
        if unifier is _UNIFY_EQUAL:
            if not (u == v):  # noqa: SIM201  (as in the library: a tracer records the question)
                return False
        elif u is v:
            continue
        elif unifier is _unify_Var_object:
            u, v = _walk(u, data), _walk(v, data)
            if u is v or (is_variable(u) and u == v):
                continue
            if not is_variable(u):
                u, v = v, u
            if not is_variable(u):
                stack.append((v, u))
                continue
            if data is s:
                data = s.copy()
            data[u] = v
        elif unifier is _unify_ExpressionTuple or (
            unifier is _unify_Iterable and type(u) in _LISTS
        ):
            left = u._tuple if type(u) is ExpressionTuple else u
            right = v._tuple if type(v) is ExpressionTuple else v
            if len(left) != len(right):
                return False
            stack.extend(zip(reversed(left), reversed(right), strict=True))
        elif unifier is _unify_seen:
            pair = seen_alike(u, v)
            if pair is None:
                return False
            stack.append(pair)
        elif unifier is _unify_Cons and not isinstance(u, Iterator) and not isinstance(v, Iterator):
            try:
                first = car(u), car(v)
            except ConsError:
                return False
            stack.append((_REST, (u, v)))
            stack.append(first)
        elif unifier is _unify_variables:
            if not same_variable(u, v):
                return False
        elif unifier is unify_number or unifier is _unify_literal:
            if unifier(u, v, data) is False:
                return False
        else:
            found = stream_eval(_unify(u, v, data))
            if found is False:
                return False
            data = found
    return data


def fast_reify(x: Any, s: Bindings) -> Any:
    """Return what `unification.reify` returns: `x` with the values of its logic variables."""
    if _glv:
        return stream_eval(_reify(x, s))
    return _reified(x, s, 0)


def _reified(x: Any, s: Bindings, depth: int) -> Any:
    x = _walk(x, s)
    cls = type(x)
    if _IS_VAR[cls] if cls in _IS_VAR else is_variable(x):
        return x
    if depth < _MAX_RECURSION:
        if cls is ExpressionTuple:
            return _reified_expression(x, s, depth + 1)
        if cls in _LISTS:
            return cls([_reified(item, s, depth + 1) for item in x])
        if cls is ConsPair:
            return cons(_reified(x.car, s, depth + 1), _reified(x.cdr, s, depth + 1))
    unchanged = _IS_UNCHANGED.get(cls)
    if unchanged is None:
        unchanged = _IS_UNCHANGED[cls] = _reify.dispatch(cls, dict) is _REIFY_UNCHANGED
    return x if unchanged else stream_eval(_reify(x, s))


def _reified_expression(x: ExpressionTuple, s: Bindings, depth: int) -> ExpressionTuple:
    items = x._tuple
    new = [_reified(item, s, depth) for item in items]
    changed = [i for i, item in enumerate(items) if new[i] is not item]
    if not changed:
        return x
    made = ExpressionTuple(new)
    if all(is_variable(items[i]) for i in changed):
        # `cons` of the head and this tail then still finds the expression it was taken from
        made._parent = x._parent
    return made
