"""Answers of relations as formulas: etuples and terms, which may hold logic variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from etuples.core import ExpressionTuple

from relgraph.graph.basic import Variable
from relgraph.graph.utils import LogicTerm


def is_answer(item: Any) -> bool:
    """Return whether `item` is an expression that a relation answers with, but not a variable."""
    return isinstance(item, ExpressionTuple | LogicTerm)


def answer_text(answer: Any, operators: Mapping[str, str], formula: Callable[[Any], str]) -> str:
    """Return an answer as a formula.

    Parameters
    ----------
    answer
        An etuple, a term or a logic variable.
    operators
        The names of the ops that are written between, or before, their arguments, and how.
    formula
        Returns the formula of a variable.
    """
    texts: list[str] = []
    stack: list[Any] = [iter([answer])]
    # An expression is written when its parts have been: no recursion, however deep it is.
    pending: list[tuple[str, int]] = []
    while stack:
        item = next(stack[-1], _END)
        if item is _END:
            stack.pop()
            if pending:
                name, first = pending.pop()
                texts[first:] = [_written(name, texts[first:], operators)]
            continue
        parts = _parts(item)
        if parts is None:
            texts.append(formula(item) if isinstance(item, Variable) else str(item))
        else:
            head, arguments = parts
            pending.append((head, len(texts)))
            stack.append(arguments)
    (text,) = texts
    return text


_END = object()


def _parts(item: Any) -> tuple[str, Iterator[Any]] | None:
    """Return the name of the op and the arguments of an expression; None for a leaf."""
    etuple = getattr(item, "etuple", item)
    if not isinstance(etuple, ExpressionTuple) or not etuple._tuple:
        return None
    head, *arguments = etuple._tuple
    name = str(head) if not isinstance(head, ExpressionTuple) else _op_text(head)
    return name, iter(arguments)


def _op_text(head: ExpressionTuple) -> str:
    """Return an op with parameters, which is an expression itself."""
    kind, *parameters = head._tuple
    inner = ", ".join(map(str, parameters))
    return f"{getattr(kind, '__name__', kind)}{{{inner}}}"


def _written(name: str, arguments: Sequence[str], operators: Mapping[str, str]) -> str:
    sign = operators.get(name)
    if sign is None:
        return f"{name}({', '.join(arguments)})"
    if len(arguments) == 1:
        return f"({sign}{arguments[0]})"
    return f"({f' {sign} '.join(arguments)})"
