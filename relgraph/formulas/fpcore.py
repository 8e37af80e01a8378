"""FPCore, the language of the benchmarks of floating-point formulas (fpbench.org).

Formulas of numbers and conditions, with ``let`` and ``if``; no loops and no arrays.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import reduce
from typing import Any

from relgraph.formulas.expressions import (
    COMPARISONS,
    CONDITIONS,
    INPUT,
    NUMBER,
    Expr,
    NotSupported,
    apply,
    as_float,
    named,
    names_for_parts,
    number,
)
from relgraph.formulas.parsing import (
    COMMON_NAMES,
    FPCORE_CONSTANTS,
    SCALAR_NAMES,
    WrongArguments,
    applied,
    exact_number,
)
from relgraph.graph.notation import (
    ATOM,
    INFIX,
    Applied,
    Formula,
    Language,
    Leaf,
    Written,
    formulas,
    separated,
    text_of,
)

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|#\|.*?\|#|;[^\n]*|[()\[\]]|[^\s()\[\]";]+', re.S)

_NAMES = {
    **{INFIX[name].symbol: name for name in ("add", "sub", "mul", "true_div")},
    "fmin": "minimum",
    "fmax": "maximum",
    "nearbyint": "round",
    "and": "and_",
    "or": "or_",
    "not": "invert",
    "if": "switch",
    **SCALAR_NAMES,
    **{name: name for name in COMMON_NAMES},
}
_COMPARISONS = {INFIX[name].symbol: name for name in COMPARISONS}
_WORDS = (*_NAMES, *_COMPARISONS, "sqr", "cube", "cotan", "fdim", "let", "let*")


@dataclass(frozen=True)
class Core:
    """A formula of a benchmark.

    Attributes
    ----------
    name
        What it is called.
    inputs
        The names of its arguments.
    expr
        What it computes.
    domain
        For which arguments, if for some alone.
    """

    name: str
    inputs: tuple[str, ...]
    expr: Expr
    domain: Expr | None

    def __str__(self) -> str:
        """Return it in FPCore. Numbers are rational, or decimals that are read as the same floats;
        ``let*`` names what occurs several times.

        Raises
        ------
        NotSupported
            If FPCore lacks a function that occurs; the message names it.
        """
        names = names_for_parts(_S_EXPRESSIONS, self.inputs)
        (body,) = formulas([self.expr], _view, _S_EXPRESSIONS, names)
        bound = " ".join(f"({name} {value})" for name, value in names.definitions)
        inner = f"(let* ({bound}) {body})" if bound else body
        properties = f':name "{self.name}"'
        if self.domain is not None:
            properties += f" :pre {text_of(self.domain, _view, _S_EXPRESSIONS)}"
        return f"(FPCore ({' '.join(self.inputs)}) {properties} {inner})"


class _SExpressions(Language):
    """S-expressions, in which a function is before its arguments."""

    def write(self, item: Written, arguments: Sequence[Formula]) -> Formula:
        if isinstance(item, Applied):
            return self.formula(ATOM, "(", *separated([item.name, *arguments], " "), ")")
        return super().write(item, arguments)

    def leaf(self, leaf: Leaf) -> Formula:
        return self.formula(ATOM, leaf.text)


_S_EXPRESSIONS = _SExpressions()
_WRITTEN = {
    **{name: word for word, name in reversed({**_NAMES, **_COMPARISONS}.items())},
    "neg": "-",
}


def word_of(op: str) -> str | None:
    """Return the name of a function in FPCore; None if it has none, or a sign for it."""
    word = _WRITTEN.get(op)
    return word if word is not None and word.isidentifier() else None


def is_written(e: Expr) -> bool:
    """Return whether FPCore has the op of an expression."""
    return not e.args or e.op == "sqr" or e.op in _WRITTEN


def _view(e: Expr) -> Written:
    """Return how FPCore writes an expression."""
    if e.op is INPUT:
        return Leaf(str(e.value))
    if e.op is NUMBER and isinstance(e.value, str):
        return Leaf({"inf": "INFINITY"}.get(e.value, e.value.upper()))
    if e.op is NUMBER:
        # a rational number where that is no longer
        return Leaf(min(str(e.value), repr(as_float(e.value)), key=len))
    if e.op == "sqr":
        return Applied("*", e.args * 2)
    if not is_written(e):
        raise NotSupported(f"FPCore has no function {e.op}")
    return Applied(_WRITTEN[e.op], e.args)


def forms(text: str) -> list[Any]:
    """Return the S-expressions of a text, as lists of lists and words."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token.startswith((";", "#|")):
            continue
        if token in "([":
            stack.append([])
            stack[-2].append(stack[-1])
        elif token in ")]":
            if len(stack) == 1:
                raise NotSupported("a bracket is closed that was not opened")
            stack.pop()
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise NotSupported("a bracket is not closed")
    return stack[0]


def from_fpcore(text: str) -> list[Core]:
    """Return the formulas of a text in FPCore.

    Raises
    ------
    NotSupported
        If one has a loop, an array or a function that is not known; the message names it and the
        formula.
    """
    return [core(form) for form in forms(text)]


def core(form: Any) -> Core:
    """Return a formula that stands as an S-expression.

    Raises
    ------
    NotSupported
        See `from_fpcore`.
    """
    name, arguments, properties = _head(form)
    env = {a: named(a) for a in arguments}
    before = properties.get(":pre")
    try:
        body = expression(form[-1], env)
        if body.op in CONDITIONS:
            raise NotSupported("a condition has no error in bits")
        domain = None if before is None else expression(before, env)
        if domain is not None and domain.op not in CONDITIONS:
            raise NotSupported("what stands after :pre is no condition")
    except (NotSupported, RecursionError) as error:
        raise NotSupported(f"in {name}: {error}") from None
    return Core(name, tuple(arguments), body, domain)


def name_of(form: Any) -> str:
    """Return what a formula that stands as an S-expression is called."""
    try:
        return _head(form)[0]
    except NotSupported:
        return f"{form}"[:60]


def _head(form: Any) -> tuple[str, list[str], dict[str, Any]]:
    """Return the name of a formula, its arguments and its properties."""
    rest = list(form[1:]) if isinstance(form, list) and form[:1] == ["FPCore"] else []
    name = rest.pop(0) if rest and isinstance(rest[0], str) else "formula"
    if len(rest) < 2 or not isinstance(rest[0], list):
        raise NotSupported(f"{form} is no formula, which starts with (FPCore (arguments…)"[:200])
    properties = dict(zip(rest[1:-1:2], rest[2:-1:2], strict=False))
    name = str(properties.get(":name", name)).strip('"')
    arguments = [a[-1] if isinstance(a, list) and a[:1] == ["!"] else a for a in rest[0]]
    for a in arguments:
        if not isinstance(a, str):
            raise NotSupported(f"in {name}: the argument {a} is an array")
    return name, arguments, properties


def rational(token: str) -> Fraction | None:
    """Return the number that a word writes."""
    try:
        if token.lower().lstrip("+-").startswith("0x"):
            return Fraction(float.fromhex(token))
    except ValueError:
        return None
    return exact_number(re.sub(r"(?<=\d)f0$", "", token))


def expression(form: Any, env: dict[str, Expr]) -> Expr:
    """Return the expression that an S-expression writes, of what the words in it mean: what `env`
    has of them is no constant."""
    if isinstance(form, str):
        return _word(form, env)
    head = form[0] if form and isinstance(form[0], str) else None
    if head in ("!", "cast") and len(form) > 1:
        return expression(form[-1], env)
    if head in ("let", "let*"):
        return _let(form, env)
    if head is None:
        raise NotSupported(f"{form} applies no function")
    if head not in _WORDS:
        near = get_close_matches(head, _WORDS, n=1, cutoff=0.8)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise NotSupported(f"{head} is no function of numbers that is known{hint}")
    args = [expression(a, env) for a in form[1:]]
    try:
        return _applied(head, args)
    except WrongArguments as error:
        raise NotSupported(str(error)) from None


def _word(word: str, env: dict[str, Expr]) -> Expr:
    if word in env:
        return env[word]
    value = rational(word)
    if value is not None:
        return number(value)
    if word in FPCORE_CONSTANTS:
        return FPCORE_CONSTANTS[word]
    if word.upper() in FPCORE_CONSTANTS:
        hint = f"; the constant is {word.upper()}"
    else:
        hint = f"; the arguments are {', '.join(env)}" if env else ""
    raise NotSupported(f"{word} is neither an argument nor a constant{hint}")


def _let(form: Any, env: dict[str, Expr]) -> Expr:
    inner = dict(env)
    try:
        head, bound, body = form
        for name, value in bound:
            inner[str(name)] = expression(value, inner if head == "let*" else env)
    except ValueError as error:
        if isinstance(error, NotSupported):
            raise
        raise NotSupported(f"{form} is no ({form[0]} ((name value)…) body)"[:200]) from None
    return expression(body, inner)


def _applied(head: str, args: list[Expr]) -> Expr:
    if head == "-" and len(args) == 1:
        return applied("neg", args, head)
    if head in _COMPARISONS:
        return _chain(head, args)
    if head in ("sqr", "cube"):
        (one,) = applied("sqr", args, head).args
        return _folded("mul", [one] * (2 if head == "sqr" else 3), head)
    if head == "cotan":
        return apply("true_div", number(1), applied("tan", args, head))
    if head == "fdim":
        apart = applied("sub", args, head)
        return apply("switch", apply("gt", *args), apart, number(0))
    if head in ("+", "-", "*", "/", "and", "or") and args:
        return _folded(_NAMES[head], args, head)
    return applied(_NAMES[head], args, head)


def _folded(name: str, args: Sequence[Expr], word: str) -> Expr:
    return reduce(lambda a, b: applied(name, [a, b], word), args)


def _chain(word: str, args: Sequence[Expr]) -> Expr:
    """Return the condition that each argument stands in a relation to the next; to all others for
    ``!=``."""
    name = _COMPARISONS[word]
    pairs = itertools.combinations(args, 2) if name == "neq" else itertools.pairwise(args)
    found = [applied(name, pair, word) for pair in pairs]
    if not found:
        raise WrongArguments(f"{word} takes 2 arguments or more, not {len(args)}")
    return reduce(lambda a, b: apply("and_", a, b), found)
