"""Formulas and conditions in Python's syntax, read without running them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from relgraph.search.accuracy.expressions import CONDITIONS, OPS, Expr, apply, named, number
from relgraph.search.accuracy.notation.names import SCALAR_NAMES

_OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "true_div",
    ast.Pow: "pow",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "neq",
    ast.USub: "neg",
    ast.Not: "invert",
    ast.Invert: "invert",
}
_OTHER_NAMES = {
    **SCALAR_NAMES,
    "absolute": "abs",
    "square": "sqr",
    "power": "pow",
    "ln": "log",
    "where": "switch",
    "min": "minimum",
    "max": "maximum",
}
_ARGUMENTS = {"switch": 3, "fma": 3, **dict.fromkeys(("pow", "arctan2", "hypot", "minimum"), 2)}
_NUMBERS = {"pi": "pi", "e": "e", "inf": "inf", "nan": "nan"}


class FormulaError(ValueError):
    """A text that is no formula; the message says what in it is not known."""


def parsed(text: str) -> Expr:
    """Return the formula or the condition that a text writes.

    Names are inputs, ``pi`` and ``e`` numbers. Functions have NumPy's names or those of Python's
    `math`. Numbers are the decimals that are written. ``and``, ``or``, ``not`` and chained
    comparisons are conditions, as are ``&``, ``|`` and ``~``.

    Raises
    ------
    FormulaError
        If it is none.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _expr(tree, text.strip())
    except (SyntaxError, ValueError, RecursionError) as error:
        if isinstance(error, FormulaError):
            raise
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise FormulaError(f"{text!r} is no formula: {reason}") from None


def _expr(tree: ast.expr, text: str) -> Expr:
    for kind, read in _READERS.items():
        if isinstance(tree, kind):
            return read(tree, text)
    raise FormulaError(
        f"{_part(tree, text)} is neither arithmetic, nor a function, nor a condition"
    )


def _part(tree: ast.expr, text: str) -> str:
    return repr(ast.get_source_segment(text, tree) or text)


def _name(tree: Any, text: str) -> Expr:
    return number(_NUMBERS[tree.id]) if tree.id in _NUMBERS else named(tree.id)


def _constant(tree: Any, text: str) -> Expr:
    if isinstance(tree.value, bool):
        return number(int(tree.value))
    if not isinstance(tree.value, int | float):
        raise FormulaError(f"{_part(tree, text)} is no number")
    # the decimal that is written, not the float that is nearest to it
    written = ast.get_source_segment(text, tree) or repr(tree.value)
    try:
        return number(Fraction(written.replace("_", "")))
    except ValueError:
        return number(Fraction(tree.value))


def _operation(tree: Any, text: str) -> Expr:
    name = _operator(tree.op, tree, text)
    sides = _expr(tree.left, text), _expr(tree.right, text)
    if name in ("and_", "or_") and not all(s.op in CONDITIONS for s in sides):
        raise FormulaError(f"{_part(tree, text)}: conditions beside & and | stand in brackets")
    return apply(name, *sides)


def _sign(tree: Any, text: str) -> Expr:
    inner = _expr(tree.operand, text)
    return inner if isinstance(tree.op, ast.UAdd) else apply(_OPERATORS[type(tree.op)], inner)


def _operator(op: Any, tree: Any, text: str) -> str:
    if type(op) not in _OPERATORS:
        raise FormulaError(f"{_part(tree, text)} has an operator that is not known")
    return _OPERATORS[type(op)]


def _junction(tree: Any, text: str) -> Expr:
    name = "and_" if isinstance(tree.op, ast.And) else "or_"
    first, *rest = (_expr(v, text) for v in tree.values)
    for value in rest:
        first = apply(name, first, value)
    return first


def _comparison(tree: Any, text: str) -> Expr:
    operands = [_expr(v, text) for v in (tree.left, *tree.comparators)]
    found = None
    for op, a, b in zip(tree.ops, operands, operands[1:], strict=False):
        one = apply(_operator(op, tree, text), a, b)
        found = one if found is None else apply("and_", found, one)
    assert found is not None
    return found


def _choice(tree: Any, text: str) -> Expr:
    return apply("switch", *(_expr(v, text) for v in (tree.test, tree.body, tree.orelse)))


def _call(tree: Any, text: str) -> Expr:
    function = tree.func.attr if isinstance(tree.func, ast.Attribute) else None
    if isinstance(tree.func, ast.Name):
        function = tree.func.id
    name = _OTHER_NAMES.get(str(function), str(function))
    if function is None or name not in OPS:
        raise FormulaError(f"there is no function {_part(tree.func, text)}")
    args = [_expr(a, text) for a in tree.args]
    count = _ARGUMENTS.get(name, OPS[name].scalar_op.nin)
    if tree.keywords or len(args) != count:
        raise FormulaError(f"{function} takes {count} argument{'s' * (count != 1)}")
    return apply(name, *args)


_READERS: dict[type, Callable[[Any, str], Expr]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BinOp: _operation,
    ast.UnaryOp: _sign,
    ast.BoolOp: _junction,
    ast.Compare: _comparison,
    ast.IfExp: _choice,
    ast.Call: _call,
}
