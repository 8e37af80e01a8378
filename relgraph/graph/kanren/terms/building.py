"""Building variables of a graph from the answers of a relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cons.core import ConsPair
from etuples.core import ExpressionTuple
from unification.variable import isvar

from relgraph.graph.kanren.terms.term import Arguments, Literal, Term
from relgraph.graph.op import Op


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
        parts = _parts(item)
        if parts is None:
            values.append(_leaf(item))
        else:
            stack.append((_CALL, len(parts), item))
            stack.extend(reversed(parts))
    (value,) = values
    return value


def _parts(item: Any) -> list[Any] | None:
    """Return the head and arguments of an expression that is not evaluated yet; else None."""
    if isinstance(item, Term):
        return _expanded([item.op, *item.args])
    if isinstance(item, ExpressionTuple):
        known = item._evaled_obj is not ExpressionTuple.null
        return None if known or not item._tuple else _expanded(item._tuple)
    if isinstance(item, list) and item and _is_head(item[0]):
        return list(item)
    if type(item) is ConsPair:
        raise OpenAnswerError(f"the answer holds {item}, whose end is open")
    return None


def _expanded(parts: Iterable[Any]) -> list[Any]:
    """Return the parts of an expression, with the variables of an `Arguments` in its place."""
    expanded: list[Any] = []
    for part in parts:
        if isinstance(part, Arguments) and isinstance(part.of, tuple | list):
            expanded.extend(part.of)
        else:
            expanded.append(part.of if isinstance(part, Arguments) else part)
    return expanded


def _is_head(item: Any) -> bool:
    return isinstance(item, Op | Term | ExpressionTuple)


def _leaf(item: Any) -> Any:
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
    """Return an answer as text, an expression as the call that it stands for."""
    parts = _parts(answer)
    if parts is None or isinstance(answer, Term):
        return str(answer)
    head, *arguments = parts
    name = getattr(head, "__name__", None) or as_call(head)
    return f"{name}({', '.join(map(as_call, arguments))})"
