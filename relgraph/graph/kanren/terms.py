"""Terms: logic variables, literals and ops applied to them, and graphs that are built from them.

``lvars("x y", ops)`` gives logic variables that support Python's operators. An operator, or an op
called on a logic variable, gives a `Term`. A term unifies as its etuple, but is neither an etuple
nor a sequence, whose ``+`` and ``*`` would concatenate and repeat. `build` makes variables of terms
that are ground. `graph.unify` learns here what unifies with a term, and what a function means.
"""

from __future__ import annotations

import enum
import itertools
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from types import FunctionType
from typing import Any, ClassVar, NoReturn

from cons.core import ConsPair, _car, _cdr, cons
from etuples import etuple
from etuples.core import ExpressionTuple
from unification import Var, var
from unification.core import _reify, _unify, _unify_Var_object, construction_sentinel
from unification.variable import _glv, isvar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.notation import (
    Applied,
    Leaf,
    Operators,
    Pieces,
    Written,
    filled,
    graph_view,
    is_written,
    roundings,
    same_number,
    text_of,
)
from relgraph.graph.op import Op
from relgraph.graph.type import Type
from relgraph.graph.unify import (
    ConstrainedVar,
    OwnLVarType,
    holds,
    meaning,
    unify_by_step,
    unify_constrained,
)
from relgraph.graph.utils import AsksForType, LogicTerm


class Place(enum.Enum):
    """Stands in the arguments of a call, and in their text, for the next term."""

    TERM = "{}"

    def __repr__(self) -> str:
        return self.value


class Call:
    """The head of a term for the call of a function: what it makes depends on types.

    Parameters
    ----------
    function
        The function.
    layout
        Its arguments, those by position and those by name, with a `Place` for each term.

    Attributes
    ----------
    exists
        Whether there has ever been one: most programs have none, and nothing looks for them then.
    """

    __slots__ = ("function", "layout")
    exists: ClassVar[bool] = False

    def __init__(self, function: Callable[..., Any], layout: tuple[Any, Any]) -> None:
        self.function = function
        self.layout = layout
        Call.exists = True

    def __call__(self, *values: Any) -> Any:
        """Call the function with values in the places of the terms."""
        args, kwargs = _filled(self.layout, iter(values))
        return self.function(*args, **kwargs)

    def written(self, terms: Sequence[Any]) -> Written:
        """Return how the call is written, given the terms."""
        args, kwargs = self.layout
        rest = iter(terms)
        texts = [repr(value) for value in args]
        texts += [f"{name}={value!r}" for name, value in kwargs.items()]
        holes = [[next(rest) for _ in range(text.count(Place.TERM.value))] for text in texts]
        pieces = [Pieces(tuple(filled(*both))) for both in zip(texts, holes, strict=True)]
        return Applied(str(self), pieces)

    def __reduce__(self) -> tuple[Any, ...]:
        return Call, (self.function, self.layout)

    def __str__(self) -> str:
        return self.function.__name__

    __repr__ = __str__


def called(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Call, list[Any]]:
    """Return the head of the term for a call, and the terms among its arguments, in order."""
    terms: list[Any] = []
    layout = _laid_out((tuple(args), dict(kwargs)), terms)
    return Call(function, layout), terms


def _laid_out(part: Any, terms: list[Any]) -> Any:
    if not isinstance(part, LogicTerm):
        return _mapped(part, lambda item: _laid_out(item, terms))
    terms.append(part)
    return Place.TERM


def _filled(part: Any, values: Iterator[Any]) -> Any:
    if part is Place.TERM:
        return next(values)
    return _mapped(part, lambda item: _filled(item, values))


def _mapped(part: Any, change: Callable[[Any], Any]) -> Any:
    """Return a sequence, a dict or a slice with its items changed; anything else as it is."""
    if type(part) in (tuple, list):
        return type(part)([change(item) for item in part])
    if type(part) is dict:
        return {name: change(item) for name, item in part.items()}
    if type(part) is slice:
        return slice(change(part.start), change(part.stop), change(part.step))
    return part


_fresh_numbers = itertools.count(1)

_IS_VAR: dict[type, bool] = {}


def is_variable(x: Any) -> bool:
    """Return whether `x` is a logic variable, by its class alone."""
    cls = type(x)
    known = _IS_VAR.get(cls)
    if known is None:
        known = _IS_VAR[cls] = issubclass(cls, Var)
    return known


class _Spoken(Operators, LogicTerm):
    """The base class of terms: it has the operators and methods of variables."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a method or a property of the variables whose ops this one has."""
        owner = None if name.startswith("_") else getattr(self._ops, "owner", None)
        found = None if owner is None else vars(owner).get(name)
        bind = getattr(type(found), "__get__", None)
        if bind is not None:
            return bind(found, self, owner)
        raise AttributeError(f"{self} has no {name!r}: it is part of a law")

    def apply_op(self, op: Any, arguments: Sequence[Any]) -> Term:
        return Term(op, arguments, self._ops)

    def apply_function(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Term:
        call, terms = called(function, args, kwargs)
        return Term(call, terms, self._ops)

    @property
    def type(self) -> NoReturn:
        raise AsksForType(
            f"{self} is part of a law and represents tensors of every shape: what this function "
            "makes of it depends on the shape, so write it by functions that don't ask for one"
        )


class LogicVariable(_Spoken, Var, metaclass=OwnLVarType):  # type: ignore[misc]
    """A logic variable of a law, with Python's operators.

    Parameters
    ----------
    token
        Its name. Variables of one name are one variable; a law renames its own at each use.
    ops
        The ops that Python's operators build.
    """

    __slots__ = ("_ops",)
    __iter__ = None  # type: ignore[assignment]

    _refs: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()

    def __new__(cls, token: str, ops: Any = None) -> LogicVariable:
        key = (token, id(ops))
        known = cls._refs.get(key)
        if known is None:
            known = object.__new__(cls)
            known.token = token
            known._ops = ops
            cls._refs[key] = known
        assert isinstance(known, LogicVariable)
        return known

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a logic variable and has no truth value")

    def fresh(self) -> LogicVariable:
        """Return a new variable, named after this one, that is in no term yet."""
        new = object.__new__(LogicVariable)
        new.token = f"{self.token}_{next(_fresh_numbers)}"
        new._ops = self._ops
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return LogicVariable, (self.token, self._ops)

    def __str__(self) -> str:
        return str(self.token)

    def __repr__(self) -> str:
        return f"~{self.token}"


class Literal:
    """A number in a term; it matches any constant whose every element is that number.

    Numbers are compared by value and kind: True is not 1, 1 is 1.0, nan is nan, 0.0 is not -0.0.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def is_value(self, other: Any) -> bool:
        """Return whether `other` is this number."""
        return same_number(self.value, other)

    def may_be(self, number: Any) -> bool:
        """Return whether a constant that this matches may have the value `number`."""
        if self.is_value(number):
            return True
        inexact = isinstance(self.value, (float, complex))
        return inexact and any(same_number(r, number) for r in roundings(self.value).values())

    def matches(self, var: Any) -> bool:
        """Return whether `var` is a constant all of whose elements are this number, as the dtype
        of `var` holds it."""
        if isinstance(var, Variable):
            return is_written(self.value, var)
        if isinstance(var, Literal):
            return self.is_value(var.value)
        return isinstance(var, bool | int | float | complex) and self.is_value(var)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self.is_value(other.value)

    def __hash__(self) -> int:
        return hash((Literal, "nan" if self.value != self.value else self.value))

    def __repr__(self) -> str:
        return repr(self.value)


class Term(_Spoken):
    """An op applied to logic variables, terms, numbers and variables.

    Parameters
    ----------
    op
        An `Op`, a term for one (``CAReduce(add, axis_lv)``), or a logic variable.
    arguments
        Its arguments. Numbers become `Literal`.
    ops
        The ops that Python's operators build.
    """

    __slots__ = ("_etuple", "_ops", "args", "op", "parts")
    __iter__ = None  # type: ignore[assignment]

    def __init__(self, op: Any, arguments: Sequence[Any], ops: Any) -> None:
        self.op = op
        self.args = tuple(_as_part(arg) for arg in arguments)
        self._ops = ops
        self._etuple: ExpressionTuple | None = None
        self.parts: Any = None  # kept by `rules.split`

    def __call__(self, *arguments: Any) -> Term:
        """Apply a term for an op (``CAReduce(add, axis_lv)``) to arguments."""
        return Term(self, arguments, self._ops)

    @property
    def etuple(self) -> ExpressionTuple:
        """This term as an etuple."""
        if self._etuple is None:
            self._etuple = etuple(*(_as_etuple(part) for part in (self.op, *self.args)))
        return self._etuple

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.op, self.args, self._ops)

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a term of a law and has no truth value")

    def __str__(self) -> str:
        return text_of(self, term_view)

    __repr__ = __str__


def term_view(item: Any) -> Written:
    """Return how a part of a law or an answer is written: a term or an etuple by its op and its
    arguments."""
    parts = _as_applied(item)
    if parts is not None:
        head, arguments = parts
        if isinstance(head, Op):
            written = head.applied(arguments)
            return written if isinstance(written, Written) else term_view(written)
        if isinstance(head, Call):
            return head.written(arguments)
        return Applied(*_named_head(head, arguments))
    if isinstance(item, Literal):
        return Leaf(str(item), "name" if isinstance(item.value, bool) else "number")
    part = item.item if isinstance(item, _Argument) else item
    known = isinstance(part, Variable) and not part.opaque
    return graph_view(part) if known else Leaf(str(part))


@dataclass(frozen=True, eq=False, slots=True)
class _Argument:
    """A part that is compared by what is in it: this is not."""

    item: Any


def _as_applied(item: Any) -> tuple[Any, Sequence[Any]] | None:
    """Return the head and the arguments of an expression, as items; None for a leaf, and for a
    list of arguments, which begins with a variable of a graph."""
    parts = expression_parts(item.item if isinstance(item, _Argument) else item)
    if not parts or isinstance(parts[0], Variable):
        return None
    return parts[0], [as_item(arg) for arg in parts[1:]]


def as_item(part: Any) -> Any:
    """Return a part of a term or an answer as an item that `term_view` views."""
    return _Argument(part) if isinstance(part, ExpressionTuple | tuple | list) else part


def _named_head(head: Any, arguments: Sequence[Any]) -> tuple[str, Sequence[Any], str]:
    """Return the name of what is no op, its arguments and its parameters, which may be logic
    variables."""
    parts = _as_applied(head)
    if parts is None:
        return getattr(head, "__name__", None) or str(head), arguments, ""
    kind, props = parts
    texts = list(map(as_call, props))
    if isinstance(kind, type) and issubclass(kind, Op):
        name, parameters = kind.head_with(texts)
        return name, arguments, parameters
    return getattr(kind, "__name__", str(kind)), arguments, ", ".join(texts)


def has_calls(side: Any) -> bool:
    """Return whether there is a call of a function in a side of a law."""
    return (
        Call.exists
        and isinstance(side, Term)
        and (isinstance(side.op, Call) or any(has_calls(arg) for arg in side.args))
    )


class Arguments(LogicTerm):
    """Several arguments of an op, matched or built together; see `several`.

    Attributes
    ----------
    of
        A logic variable, or the tuple of variables that is its value.
    """

    __slots__ = ("of",)
    __iter__ = None

    def __init__(self, of: Any) -> None:
        self.of = of

    def apply_op(self, op: Any, arguments: Sequence[Any]) -> Any:
        return self.of.apply_op(op, arguments)

    def __str__(self) -> str:
        return f"*{self.of}"

    __repr__ = __str__


def several(of: LogicVariable) -> Arguments:
    """Return a pattern for all remaining arguments of an op; `of` is bound to the tuple of them.

    ``add(several(xs))`` is a sum of any length, and ``mul(2, several(xs))`` a product of 2 and at
    least one more argument. Of an op that does not commute they are those after the ones that are
    written: ``Alloc()(x, several(lengths))``. In a law that regroups, the arguments of nested sums
    are among them, except those of a sum that is read more than once.

    Raises
    ------
    TypeError
        If `of` is neither a logic variable, as `lvars` makes it, nor computed.
    """
    if not isinstance(of, LogicTerm):
        raise TypeError(f"several: wanted is a logic variable, as lvars makes it, not {of!r}")
    return Arguments(of)


def _as_part(arg: Any) -> Any:
    cls = arg.__class__
    if cls is LogicVariable or cls is Term:
        return arg  # `isinstance` asks the abstract base classes below, slowly
    if isinstance(arg, bool | int | float | complex):
        return Literal(arg)
    if isinstance(arg, Number):  # one of NumPy's
        return Literal(arg.item())  # type: ignore[attr-defined]
    if isinstance(arg, ExpressionTuple):
        raise TypeError(f"{arg} is an etuple: inside a term, call the op on logic variables")
    return arg


def _as_etuple(part: Any) -> Any:
    return part.etuple if isinstance(part, Term) else part


def expression_parts(item: Any) -> Sequence[Any]:
    """Return the head and the arguments of an expression: a term, an etuple, or a list headed by an
    op (kanren's `mapo` and `nullo` make lists). Of anything else none."""
    cls = item.__class__  # `isinstance` asks the abstract base classes of etuples, slowly
    if cls is Term:
        return (item.op, *item.args)
    if cls is ExpressionTuple:
        return item._tuple  # type: ignore[no-any-return]
    is_expression = cls is list and item and isinstance(item[0], Op | Term | ExpressionTuple)
    return item if is_expression else ()


def parts_of(item: Any) -> Sequence[Any]:
    """Return the parts of a term, an etuple, a sequence or a cons pair; of anything else none."""
    cls = type(item)
    if cls is Term:
        return (item.op, *item.args)
    if cls is Arguments:
        return (item.of,)
    if issubclass(cls, tuple | list):
        return item  # type: ignore[no-any-return]
    if cls is ExpressionTuple:
        return item._tuple  # type: ignore[no-any-return]
    return (item.car, item.cdr) if cls is ConsPair else ()


def with_parts(item: Any, parts: Sequence[Any]) -> Any:
    """Return something of the kind of `item` with other parts; see `parts_of`."""
    if isinstance(item, Term):
        return Term(parts[0], parts[1:], item._ops)
    if isinstance(item, Arguments):
        return Arguments(*parts)
    if type(item) is ConsPair:  # lists pass as instances
        return cons(*parts)
    return etuple(*parts) if isinstance(item, ExpressionTuple) else type(item)(parts)


def leaves_of(part: Any) -> Iterator[Any]:
    """Yield the logic variables in a term or any other part of one, from left to right."""
    stack = [part]
    while stack:
        item = stack.pop()
        # `isvar` is slow, and only knows of more inside `unification.variables`
        if is_variable(item) or (_glv and isvar(item)):
            yield item
        else:
            stack.extend(reversed(parts_of(item)))


def variables_of(part: Any) -> list[LogicVariable]:
    """Return the logic variables in a term or any other part of one, each once, in order."""
    return list(dict.fromkeys(leaves_of(part)))


def renamed(part: Any, names: Mapping[Any, Any]) -> Any:
    """Return `part` with logic variables replaced, inside terms, etuples and tuples too."""
    if is_variable(part) or (_glv and isvar(part)):
        return names.get(part, part)
    parts = parts_of(part)
    if not parts or (isinstance(part, ExpressionTuple) and not variables_of(part)):
        return part
    return with_parts(part, [renamed(item, names) for item in parts])


def fresh_variable(v: Any) -> Any:
    """Return a variable of the kind of `v` that is in no term yet."""
    if isinstance(v, LogicVariable):
        return v.fresh()
    return ConstrainedVar(v.constraint) if isinstance(v, ConstrainedVar) else var()


def logic_variables(names: str, ops: Any = None) -> list[LogicVariable]:
    """Return logic variables with the given names.

    Parameters
    ----------
    names
        Names separated by blanks or commas: ``"x y z"``.
    ops
        The ops that Python's operators build.
    """
    words = names.replace(",", " ").split()
    if not words:
        raise ValueError("lvars wants names, like lvars('x y')")
    return [LogicVariable(word, ops) for word in words]


unify_by_step(
    lambda u, v: (_as_etuple(u), _as_etuple(v)),
    *[(Term, cls) for cls in (Term, ExpressionTuple, Variable, Apply, Op, Type)],
)

_car.add((Term,), lambda term: term.etuple[0])
_cdr.add((Term,), lambda term: etuple(*term.etuple[1:]))


@_reify.register(Term, Mapping)  # type: ignore[untyped-decorator]
def _reify_term(term: Term, s: Mapping[Any, Any]) -> Generator[Any, Any, None]:
    yield _reify(term.etuple, s)


@_reify.register(Arguments, Mapping)  # type: ignore[untyped-decorator]
def _reify_arguments(part: Arguments, s: Mapping[Any, Any]) -> Generator[Any, Any, None]:
    of = yield _reify(part.of, s)
    yield construction_sentinel
    yield Arguments(of)


unify_by_step(lambda u, v: (u.of, v.of), (Arguments, Arguments))


def _is_literal(u: Any, v: Any) -> bool:
    literal, other = (u, v) if isinstance(u, Literal) else (v, u)
    return holds(literal.matches, other)


unify_by_step(_is_literal, (Literal, Literal), (Literal, object))
# registered too, since (Literal, object) and (object, Var) are ambiguous
for _var, _with_var in ((Var, _unify_Var_object), (ConstrainedVar, unify_constrained)):
    _unify.add((Literal, _var, Mapping), _with_var)
    _unify.add((_var, Literal, Mapping), _with_var)


class OpenAnswerError(ValueError):
    """An answer contains a logic variable where a value is needed."""


_CALL = object()


def build(answer: Any, call: Callable[[list[Any], Any], Any] | None = None) -> Any:
    """Return the value of an answer: its expressions evaluated, literals as numbers.

    Expressions are etuples, terms, and lists headed by an op (kanren's `mapo` and `nullo` make
    lists). The walk does not recurse.

    Parameters
    ----------
    answer
        An answer of a relation.
    call
        A function that evaluates an expression, given the values of its parts and the expression;
        by default the first part is called with the others.

    Raises
    ------
    OpenAnswerError
        If the answer contains a logic variable.

    Examples
    --------
    >>> import relgraph.tensor as at
    >>> from relgraph import build, pprint
    >>> from etuples import etuple
    >>> x, y = at.dvectors("x", "y")
    >>> pprint(build(etuple(at.mul, y, etuple(at.exp, x))))
    '(y * exp(x))'
    """
    call = call or _call
    values: list[Any] = []
    stack: list[Any] = [answer]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple) and item and item[0] is _CALL:
            _, count, source = item
            evaluated = values[len(values) - count :]
            del values[len(values) - count :]
            values.append(call(evaluated, source))
            continue
        parts = parts_to_evaluate(item)
        if parts is None:
            values.append(leaf_value(item))
        else:
            stack.append((_CALL, len(parts), item))
            stack.extend(reversed(parts))
    (value,) = values
    return value


def parts_to_evaluate(item: Any) -> list[Any] | None:
    """Return the head and arguments of an expression that is not evaluated yet; else None."""
    if type(item) is ConsPair:
        raise OpenAnswerError(f"the answer holds {item}, whose end is open")
    if type(item) is ExpressionTuple and item._evaled_obj is not ExpressionTuple.null:
        return None
    parts = expression_parts(item)
    return _expanded(parts) if parts else None


def _expanded(parts: Iterable[Any]) -> list[Any]:
    """Return the parts of an expression, with the variables of an `Arguments` in its place."""
    expanded: list[Any] = []
    for part in parts:
        if isinstance(part, Arguments) and isinstance(part.of, tuple | list):
            expanded.extend(part.of)
        else:
            expanded.append(part.of if isinstance(part, Arguments) else part)
    return expanded


def leaf_value(item: Any) -> Any:
    """Return the value of a part of an answer that is no expression, or is evaluated already."""
    if isinstance(item, Literal):
        return item.value
    if isvar(item):
        raise OpenAnswerError(f"the answer leaves {item!r} open")
    if isinstance(item, ExpressionTuple):
        return item.evaled_obj
    return item


def _call(parts: list[Any], source: Any) -> Any:
    head, *args = parts
    if not callable(head):
        raise TypeError(f"{source} is headed by {head!r}, which can't be called")
    return head(*args)


def as_call(answer: Any) -> str:
    """Return an answer as text."""
    return text_of(as_item(answer), term_view)


@meaning.register(FunctionType)
def _meaning_of_call(
    function: Any, expression: ExpressionTuple, beside: Variable | type[Variable]
) -> ExpressionTuple | Any:
    """Return what a call of a function means, as an expression.

    Parameters
    ----------
    function
        The head of `expression`.
    beside
        A variable of the kind that the expression is to match, or its class: its operators are
        those in the function.

    Raises
    ------
    TypeError
        If the function can't be called on logic variables.
    """
    places: dict[Any, LogicVariable] = {}
    arguments = [
        _stand_in(part, places, getattr(beside, "_ops", None)) for part in expression._tuple[1:]
    ]
    try:
        meant = function(*arguments)
    except Exception as error:
        raise TypeError(
            f"{as_call(expression)} calls a function that is no op, and can't be matched: {error}"
        ) from error
    if has_calls(meant):
        raise TypeError(
            f"{as_call(expression)} calls a function that is no op, and can't be matched: what it "
            "makes depends on a shape, of which only a law states the rank"
        )
    names = {stand_in: part for part, stand_in in places.items()}
    if isinstance(meant, Term):
        return renamed(meant, names).etuple
    return names.get(meant, meant) if isinstance(meant, LogicVariable) else meant


def _stand_in(part: Any, places: dict[Any, LogicVariable], ops: Any) -> Any:
    """Return what a function may be called on in the place of a part of an expression."""
    if isvar(part) and not isinstance(part, LogicVariable):
        if part not in places:
            places[part] = logic_variables("v", ops)[0].fresh()
        return places[part]
    if not isinstance(part, ExpressionTuple) or not part._tuple:
        return part
    head, *arguments = (_stand_in(item, places, ops) for item in part._tuple)
    return head(*arguments) if isinstance(head, Op | FunctionType) else Term(head, arguments, ops)
