"""Nodes, ops and types as S-expressions: their registrations with cons, etuples and unification.

``add(x, y)`` is seen as ``etuple(add, x, y)``; an op or type with properties is again an
expression, ``etuple(CAReduce, add, None)``. Constants, inputs and ops without properties are
leaves. An output of a node with several is ``etuple(nth, 1, etuple(op, x, y))``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial, singledispatch
from types import FunctionType
from typing import Any

import numpy as np
from cons.core import ConsError, _car, _cdr
from etuples import etuple
from etuples.core import ExpressionTuple
from unification import Var
from unification.core import _unify, assoc
from unification.utils import transitive_get
from unification.variable import LVarType, isvar

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation import is_written
from relgraph.graph.op import Op
from relgraph.graph.traversal import equal_computations
from relgraph.graph.type import Type
from relgraph.graph.utils import LogicTerm, MetaObject


class NoItems(LogicTerm):
    """What a parameter of an op that is ``()`` is seen as; the only object is `NO_ITEMS`.

    It is equal to ``()``, and an op or type that is made with it gets ``()``. It is no sequence:
    kanren's goals that walk terms ask every sequence for its first item.
    """

    __slots__ = ()

    def apply_op(self, op: Any, arguments: Sequence[Any]) -> Any:
        return op(*[() if part is self else part for part in arguments])

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return other is self or (type(other) is tuple and not other)

    def __hash__(self) -> int:
        return hash(())

    def __repr__(self) -> str:
        return "()"

    def __reduce__(self) -> str:
        return "NO_ITEMS"


NO_ITEMS = NoItems()

_object_views: weakref.WeakKeyDictionary[MetaObject, ExpressionTuple] = weakref.WeakKeyDictionary()


def nth(index: int, outputs: Any) -> Any:
    """Return output `index` of several: how an expression speaks of one of them.

    Of a term for an op with several outputs it is a term: the same one for the default output.
    """
    if isinstance(outputs, LogicTerm):
        op = getattr(outputs, "op", None)
        if isinstance(op, Op) and op.default_output == index:
            return outputs
        return outputs.apply_op(nth, (index, outputs))
    node = outputs.owner if isinstance(outputs, Variable) else None
    if node is not None and node.op.default_output is not None:
        return node.outputs[index]  # the call of an op gave its default output
    return outputs[index]


def view(x: Variable | Apply | MetaObject) -> ExpressionTuple | None:
    """Return the S-expression that `x` is seen as, or None for a leaf.

    The expression is kept, and made anew when an input of the node has changed; evaluating it
    gives back `x`.
    """
    if isinstance(x, Variable):
        return None if x.owner is None else _variable_view(x, x.owner)
    if isinstance(x, Apply):
        return _node_view(x)
    if not x.__props__ or not getattr(x, "pure", True):
        return None
    known = _object_views.get(x)
    if known is None:
        # made of values alone: an expression that held `x` would keep its own key alive
        props = [NO_ITEMS if type(p) is tuple and not p else p for p in x.props()]
        known = _object_views[x] = etuple(type(x), *props)
    return known


def _node_view(node: Apply) -> ExpressionTuple:
    known = node.view
    if known is None or not _same_items(known._tuple[1:], node.inputs):
        single = len(node.outputs) == 1
        result = node.outputs[0] if single else list(node.outputs)
        known = node.view = etuple(node.op, *node.inputs, evaled_obj=result)
    return known


def _same_items(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


def _variable_view(var: Variable, node: Apply) -> ExpressionTuple:
    if len(node.outputs) == 1:
        return _node_view(node)
    if node.op.default_output == var.index:
        return etuple(node.op, *node.inputs, evaled_obj=var)
    return etuple(nth, var.index, _node_view(node), evaled_obj=var)


def _car_of(x: Any) -> Any:
    seen = view(x)
    if seen is None:
        raise ConsError(f"{x} is a leaf")
    return seen[0]


def _cdr_of(x: Any) -> ExpressionTuple:
    seen = view(x)
    if seen is None:
        raise ConsError(f"{x} is a leaf")
    # not a slice of the view: joined to its head again, a slice resets what its parent evaluates to
    return etuple(*seen[1:])


for _cls in (Variable, Apply, Op, Type):
    _car.add((_cls,), _car_of)
    _cdr.add((_cls,), _cdr_of)


Step = Callable[[Any, Any], tuple[Any, Any] | bool]
"""A step of the unification of two things: two others to unify in their place, or whether they
match."""

STEPS: dict[Any, Step] = {}
"""The steps, by the functions that make them for the unification library."""


def unify_by_step(step: Step, *pairs: tuple[Any, Any]) -> None:
    """Have the unification library unify what is of some pairs of classes, in either order, by a
    step."""

    def unifier(u: Any, v: Any, s: Mapping[Any, Any]) -> Generator[Any, Any, None]:
        found = step(u, v)
        if isinstance(found, bool):
            yield s if found else False
        else:
            yield _unify(*found, s)

    STEPS[unifier] = step
    for left, right in pairs:
        _unify.add((left, right, Mapping), unifier)
        _unify.add((right, left, Mapping), unifier)


@singledispatch
def meaning(head: Any, expression: ExpressionTuple, beside: Any) -> Any:
    """Return what an expression means that is headed by a function.

    `beside` is a variable of the kind that it is to match, or the class of one, or None.

    `relgraph.graph.kanren.terms` says it.

    Raises
    ------
    TypeError
        If that is not loaded.
    """
    raise TypeError(
        f"{head.__name__} is a function and no op: name the op in its place, or import "
        "relgraph.graph.kanren, which knows what functions mean"
    )


class Tracer:
    """What is in the place of a value that is known by questions alone; its trace answers them.

    See `relgraph.graph.kanren.partial_evaluation`.
    """

    __slots__ = ()
    trace: Any
    slot: int

    def __str__(self) -> str:
        return f"_{self.slot}"


def holds(predicate: Callable[..., Any], *values: Any) -> bool:
    """Return whether a predicate holds for some values, tracers among them."""
    for value in values:
        if isinstance(value, Tracer):
            return bool(value.trace.compute(predicate, *values))
    return bool(predicate(*values))


def _makes(op: Op, x: Any) -> bool:
    """Return whether a call of `op` makes a node, or the node of a variable."""
    node = x.owner if isinstance(x, Variable) else x
    return isinstance(node, Apply) and op.makes(node)


def seen_alike(u: Any, v: Any) -> tuple[Any, Any] | bool:
    """Return an expression, and something that is seen as one, as two expressions; False if they
    differ in any case.

    The head of an expression may be an op that is relative to its inputs. Beside a node that it
    makes, it is the op of the node. If it is a function, the expression means what that makes.
    """
    x, expression = (v, u) if type(u) is ExpressionTuple else (u, v)
    head = expression._tuple[0] if expression._tuple else None
    if type(head) is FunctionType and head is not nth:
        return x, meaning(head, expression, x)
    if isinstance(head, Op) and head.relative is not None and holds(partial(_makes, head), x):
        op = x.head if isinstance(x, Variable) else x.op
        expression = etuple(op, *expression._tuple[1:])
    seen = view(x)
    return False if seen is None else (seen, expression)


unify_by_step(seen_alike, *[(cls, ExpressionTuple) for cls in (Variable, Apply, Op, Type)])


def _expressions_alike(u: ExpressionTuple, v: ExpressionTuple) -> tuple[Any, Any]:
    """Return two expressions as they are compared: beside an op, a function means what it makes.

    ``etuple(at.dot, x, y)``, where ``at.dot`` is a function, thus matches what `etuplize` makes of
    a product.
    """
    heads = [x._tuple[0] if x._tuple else None for x in (u, v)]
    calls = [type(head) is FunctionType and head is not nth for head in heads]
    call, other = (u, v) if calls[0] else (v, u)
    if calls[0] is calls[1] or not isinstance(other._tuple[0], Op | ExpressionTuple):
        return u._tuple, v._tuple
    parts = (*call._tuple, *other._tuple)
    beside = next((x for x in parts if isinstance(x, Variable)), None)
    return meaning(call._tuple[0], call, beside), other


unify_by_step(_expressions_alike, (ExpressionTuple, ExpressionTuple))


def same_variable(u: Variable, v: Variable) -> bool:
    """Return whether two variables are one computation: the same, or built the same way."""
    if u is v:
        return True
    if u.head is not v.head or u.head is None:
        return False
    if isinstance(u, Constant):
        return u.equals(v)
    return equal_computations([u], [v], same_calls=True)


unify_by_step(lambda u, v: u is v or holds(same_variable, u, v), (Variable, Variable))


def _is_number(u: Any, v: Any) -> bool:
    """Return whether a variable is a constant all of whose elements are a number."""
    number, variable = (v, u) if isinstance(u, Variable) else (u, v)
    return holds(is_written, number, variable)


unify_by_step(_is_number, ((bool, int, float, complex), Variable))


class OwnLVarType(LVarType):  # type: ignore[misc]
    """The metaclass of our kinds of logic variable.

    By the library's own, every logic variable passes as an instance of every kind.
    """

    def __instancecheck__(cls, o: Any) -> bool:
        return issubclass(type(o), cls)


class ConstrainedVar(Var, metaclass=OwnLVarType):  # type: ignore[misc]
    """A logic variable that takes only what its constraint accepts.

    Parameters
    ----------
    constraint
        A predicate of one argument: what the variable is about to be bound to.
    token, prefix
        As for any logic variable.
    """

    __slots__ = ("constraint",)

    _refs: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()
    constraint: Callable[[Any], bool]

    def __new__(
        cls, constraint: Callable[[Any], bool], token: Any = None, prefix: str = ""
    ) -> ConstrainedVar:
        if token is None:
            token = f"{prefix}_{Var._id}"
            Var._id += 1
        key = (token, constraint)
        known = cls._refs.get(key)
        if known is None:
            known = object.__new__(cls)
            known.token = token
            known.constraint = constraint
            cls._refs[key] = known
        assert isinstance(known, ConstrainedVar)
        return known

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash((ConstrainedVar, self.token))

    def __repr__(self) -> str:
        name = getattr(self.constraint, "__name__", self.constraint)
        return f"ConstrainedVar({name}, {self.token})"

    __str__ = __repr__


def unify_constrained(u: Any, v: Any, s: Mapping[Any, Any]) -> Generator[Any, Any, None]:
    """Unify two things of which one is a constrained variable."""
    u_w, v_w = transitive_get(u, s), transitive_get(v, s)
    if isinstance(v_w, ConstrainedVar) and not isinstance(u_w, ConstrainedVar):
        u_w, v_w = v_w, u_w
    if u_w == v_w:
        yield s
    elif not isinstance(u_w, ConstrainedVar):
        yield _unify(u_w, v_w, s)
    elif isinstance(v_w, ConstrainedVar):
        both = ConstrainedVar(lambda x: u_w.constraint(x) and v_w.constraint(x))
        yield assoc(assoc(s, u_w, both), v_w, both)
    elif isvar(v_w):
        yield assoc(s, v_w, u_w)
    else:
        yield assoc(s, u_w, v_w) if holds(u_w.constraint, v_w) else False


_unify.add((ConstrainedVar, (ConstrainedVar, Var, object), Mapping), unify_constrained)
_unify.add((Var, ConstrainedVar, Mapping), unify_constrained)
_unify.add((object, ConstrainedVar, Mapping), unify_constrained)


def convert_strs_to_vars(x: Any, var_map: dict[str, Any] | None = None) -> Any:
    """Return a pattern with its strings replaced by logic variables, and tuples by etuples.

    Parameters
    ----------
    x
        A pattern in the documented form: tuples headed by an op, strings for variables,
        ``{"pattern": "x", "constraint": predicate}`` for a constrained one.
    var_map
        The variables by name; new ones are added, so that two patterns may share theirs.
    """
    names = {} if var_map is None else var_map

    def convert(y: Any) -> Any:
        if isinstance(y, str):
            return names.setdefault(y, Var())
        if isinstance(y, dict):
            name, constraint = y["pattern"], y["constraint"]
            if not isinstance(name, str):
                raise TypeError(f"a constrained pattern is a variable's name, not {name!r}")
            return names.setdefault(name, ConstrainedVar(constraint))
        if isinstance(y, tuple):
            return etuple(*(convert(e) for e in y))
        # a number of NumPy stands for what Python's does
        return y.item() if isinstance(y, np.number) else y

    return convert(x)


def eval_if_etuple(x: Any) -> Any:
    """Return what an expression evaluates to; anything else as it is."""
    return x.evaled_obj if isinstance(x, ExpressionTuple) else x
