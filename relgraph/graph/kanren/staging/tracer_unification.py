"""Unification of tracers: as that of the values they stand for, with as few questions as possible.

Importing this module registers it with cons and unification, as `graph.unify` does for variables.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from types import FunctionType
from typing import Any

from cons.core import ConsError, ConsPair, _car, _cdr
from etuples import etuple
from etuples.core import ExpressionTuple
from unification.core import _unify, assoc
from unification.utils import transitive_get

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.staging.tracers import ValueTracer, VariableTracer
from relgraph.graph.kanren.terms.term import Literal, Term
from relgraph.graph.op import Op
from relgraph.graph.unify import NUMBERS, ConstrainedVar, meaning, nth, same_variable


def _car_of(x: VariableTracer) -> Any:
    if not isinstance(x.head, Op):
        raise ConsError(f"{x} is a leaf")
    return x.head


def _cdr_of(x: VariableTracer) -> ExpressionTuple:
    node = x.owner
    if node is None:
        raise ConsError(f"{x} is a leaf")
    return etuple(*node.inputs)


_car.add((VariableTracer,), _car_of)
_cdr.add((VariableTracer,), _cdr_of)


def _may_have_head(tracer: VariableTracer, head: Any, s: Any) -> bool:
    """Return False if a variable is not the result of the op, or of the class, that `head` is."""
    head = transitive_get(head, s)
    if isinstance(head, Term | ExpressionTuple):
        parts = (head.etuple if isinstance(head, Term) else head)._tuple
        head = transitive_get(parts[0], s) if parts else None
    if isinstance(head, Op) and head.relative is not None:
        return True
    return tracer.may_be_made_by(head)


def _is_made_by(op: Op, var: Variable) -> bool:
    return var.owner is not None and op.makes(var.owner)


def _unify_expression(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    # the head first: if it differs, there is no need to ask more
    tracer, expression = (u, v) if isinstance(u, VariableTracer) else (v, u)
    expression = expression.etuple if isinstance(expression, Term) else expression
    parts = expression._tuple
    if parts and type(parts[0]) is FunctionType and parts[0] is not nth:
        meant = meaning(parts[0], expression, tracer.trace.values[tracer.slot])
        yield _unify(tracer, meant, s)
        return
    if not parts or not _may_have_head(tracer, parts[0], s) or not isinstance(tracer.head, Op):
        yield False
        return
    head = parts[0]
    if isinstance(head, Op) and head.relative is not None:
        made = tracer.trace.test(partial(_is_made_by, head), tracer)
        s = s if made else False
    else:
        s = yield _unify(tracer.head, head, s)
    node = tracer.owner if s is not False else None
    if node is None or len(node.inputs) != len(parts) - 1:
        yield False
        return
    for given, wanted in zip(node.inputs, parts[1:], strict=True):
        s = yield _unify(given, wanted, s)
        if s is False:
            return
    yield s


for _cls in (ExpressionTuple, Term):
    _unify.add((VariableTracer, _cls, Mapping), _unify_expression)
    _unify.add((_cls, VariableTracer, Mapping), _unify_expression)


def _unify_cons(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    tracer, pair = (u, v) if isinstance(u, VariableTracer) else (v, u)
    if not _may_have_head(tracer, pair.car, s) or not isinstance(tracer.head, Op):
        yield False
        return
    s = yield _unify(tracer.head, pair.car, s)
    if s is False:
        return
    yield _unify(_cdr_of(tracer), pair.cdr, s)


_unify.add((VariableTracer, ConsPair, Mapping), _unify_cons)
_unify.add((ConsPair, VariableTracer, Mapping), _unify_cons)


def _unify_same(u: Any, v: Any, s: Any) -> Any:
    trace = (u if isinstance(u, VariableTracer) else v).trace
    return s if u is v or trace.test(same_variable, u, v) else False


_unify.add((VariableTracer, (VariableTracer, Variable), Mapping), _unify_same)
_unify.add((Variable, VariableTracer, Mapping), _unify_same)


def _unify_number(u: Any, v: Any, s: Any) -> Any:
    number, other = (v, u) if isinstance(u, VariableTracer | ValueTracer) else (u, v)
    literal = number if isinstance(number, Literal) else Literal(number)
    return s if other.trace.test(literal.matches, other) else False


for _cls in (VariableTracer, ValueTracer):
    _unify.add((Literal, _cls, Mapping), _unify_number)
    _unify.add((_cls, Literal, Mapping), _unify_number)
_unify.add((NUMBERS, VariableTracer, Mapping), _unify_number)
_unify.add((VariableTracer, NUMBERS, Mapping), _unify_number)


def _unify_constrained(u: Any, v: Any, s: Any) -> Generator[Any, Any, None]:
    constrained, other = (u, v) if isinstance(u, ConstrainedVar) else (v, u)
    known = transitive_get(constrained, s)
    if not isinstance(known, ConstrainedVar):
        yield _unify(known, other, s)
    else:
        holds = other.trace.test(known.constraint, other)
        yield assoc(s, known, other) if holds else False


_unify.add((ConstrainedVar, VariableTracer, Mapping), _unify_constrained)
_unify.add((VariableTracer, ConstrainedVar, Mapping), _unify_constrained)
