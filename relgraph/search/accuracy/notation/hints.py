"""What to write instead of what is no formula: powers, products and functions as other languages
and paper have them."""

from __future__ import annotations

import ast
import keyword
import re
from difflib import get_close_matches

from relgraph.search.accuracy.expressions import OPS
from relgraph.search.accuracy.notation.names import COMMON_NAMES, OTHER_NAMES

_WORDS = frozenset(keyword.kwlist) - {"and", "or", "not", "if", "else", "True", "False", "None"}
_NAMES = tuple(name for name in dict.fromkeys((*COMMON_NAMES, *OTHER_NAMES, *OPS)))
_ELSEWHERE = {
    **dict.fromkeys(("cot", "cotan", "ctg"), "1 / tan"),
    **dict.fromkeys(("sec", "secant"), "1 / cos"),
    **dict.fromkeys(("csc", "cosec"), "1 / sin"),
    **{"tg": "tan", "arctg": "arctan", "lg": "log10", "ld": "log2", "sgn": "sign"},
    **dict.fromkeys(("root", "sqroot", "squareroot"), "sqrt"),
}
"""Functions that have another name here, or none, and what to write."""

_FUNCTION = "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
_OPERAND = r"(\w+|\([^()]*\))"
_NO_OPERATOR = r"(?!(?:and|or|if|else|not)\b)"
_NUMBER = r"((?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"

_RAISED, _DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"
_SYMBOLS = {
    **dict.fromkeys("×·⋅∗", "*"),
    **dict.fromkeys("÷∕", "/"),
    **dict.fromkeys("−–", "-"),
    **{"≤": "<=", "≥": ">=", "≠": "!=", "∞": "inf", "&&": " and ", "||": " or ", "<>": "!="},
    **dict(zip("₀₁₂₃₄₅₆₇₈₉", _DIGITS, strict=False)),
}
_REWRITTEN = (
    (rf"[{_RAISED}]+", lambda m: "^" + m[0].translate(str.maketrans(_RAISED, _DIGITS)), ""),
    ("|".join(map(re.escape, _SYMBOLS)), lambda m: _SYMBOLS[m[0]], "Python's syntax has no {0}"),
    (rf"√\s*{_OPERAND}", lambda m: f"sqrt({m[1].strip('()')})", "a root is a function"),
    (
        rf"\b({_FUNCTION})\s*(?:\^|\*\*)\s*(\w+)\s*{_OPERAND}",
        lambda m: f"{m[1]}({m[3].strip('()')})**{m[2]}",
        "a function has its argument before its power",
    ),
    (r"\^", "**", "a power is written **"),
    (r"\|([^|]+)\|", r"abs(\1)", "a magnitude is a function"),
    (
        rf"\b({_FUNCTION})\s+{_NO_OPERATOR}(\w+)",
        r"\1(\2)",
        "a function has its argument in brackets",
    ),
    (rf"{_NUMBER}\s*{_NO_OPERATOR}(?=[A-Za-z_(])", r"\1*", "a product is written *"),
    (rf"\)\s*{_NO_OPERATOR}(?=[\w(])", ")*", "a product is written *"),
    (
        rf"\b{_NO_OPERATOR}(?!(?:{_FUNCTION})\b)([A-Za-z_]\w*)\s+{_NO_OPERATOR}(?=[\w(])",
        r"\1*",
        "a product is written *",
    ),
)
"""What is written otherwise in Python's syntax, how, and why."""


def syntax_hint(text: str) -> str:
    """Return what is wrong with a text that Python does not read; nothing if that is not known."""
    if not text:
        return "it is empty"
    for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", text):
        if word in _WORDS:
            return f"{word} is a word of Python's own; an input may be called {word}_"
    if re.search(r"(?<![<>=!:])=(?!=)", text):
        return "a comparison is written ==, and of an equation only the side that is computed"
    if re.search(r"[-+*/<>&,]$", text):
        return "there is nothing after the last operator"
    return _rewritten(text).removeprefix("; ")


def _rewritten(text: str) -> str:
    """Return, after a semicolon, how Python's syntax has what a text writes otherwise, if that is
    seen."""
    why = ""
    new = text
    for pattern, instead, reason in _REWRITTEN:
        found = re.search(pattern, new)
        if found is not None:
            new = re.sub(pattern, instead, new)
            why = why or reason.format(found[0])
    try:
        ast.parse(new, mode="eval")
    except (SyntaxError, ValueError):
        return ""
    return f"; {why}: {new}" if why else ""


def operator_hint(tree: ast.expr, text: str) -> str:
    """Return what to write instead of an expression that is none here, after a semicolon; nothing
    if that is not known."""
    if isinstance(tree, ast.Lambda):
        return "; lambda is a word of Python's own; an input may be called lambda_"
    if isinstance(tree, ast.Tuple):
        return "; decimals have a point, and there is one formula at a time"
    if isinstance(tree, ast.Compare):
        return _range_hint(tree)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitXor | ast.BitOr):
        return _rewritten(text)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.FloorDiv | ast.Mod):
        quotient = ast.unparse(ast.BinOp(tree.left, ast.Div(), tree.right))
        remainder = f"fmod({ast.unparse(tree.left)}, {ast.unparse(tree.right)})"
        return f"; there are floor({quotient}) and {remainder}"
    return ""


def _range_hint(tree: ast.Compare) -> str:
    (operand,) = tree.comparators[:1]
    if isinstance(operand, ast.List | ast.Tuple) and len(operand.elts) == 2:
        low, high = map(ast.unparse, operand.elts)
        return f"; a range is written {low} <= {ast.unparse(tree.left)} <= {high}"
    return ""


def function_hint(name: str) -> str:
    """Return which function may be meant, after a semicolon."""
    if name in _ELSEWHERE:
        return f"; write {_ELSEWHERE[name]}(…)"
    near = get_close_matches(name.lower(), _NAMES, n=1, cutoff=0.8)
    return f"; did you mean {near[0]}?" if near else ""


def product_hint(tree: ast.Call) -> str:
    """Return the product that a call may be meant as, after a semicolon."""
    first = ast.unparse(tree.func)
    first = f"({first})" if isinstance(tree.func, ast.BinOp) else first
    return f"; a product is written {first}*({', '.join(map(ast.unparse, tree.args))})"
