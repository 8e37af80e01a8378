"""Whether two terms mean the same: they differ where nothing is read, or in how a sign is written.

What is used is true of floating-point numbers: rounding does not depend on the sign, sums and
products of two may be swapped, and within a branch that a condition chose it still holds.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren.terms import Literal, Term

Facts = dict[tuple[str, str, Any], bool]
"""For comparisons, by op, left side as text and right side, how they come out."""

EVEN = frozenset(["abs", "cos", "cosh", "sqr", "cosm1"])
ODD = frozenset(
    ["sin", "tan", "sinh", "tanh", "arctan", "arcsin", "arcsinh", "arctanh", "erf", "x_less_sin"]
)
_UPWARDS = frozenset(["gt", "ge"])
_ORDER = frozenset(["lt", "le"]) | _UPWARDS


def mean_the_same(a: Any, b: Any) -> bool:
    """Return whether two terms give equal numbers, up to the sign of a zero."""
    return _signed(chosen(a, {})) == _signed(chosen(b, {}))


def chosen(term: Any, facts: Facts) -> Any:
    """Return a term without the branches that what is known excludes."""
    if not isinstance(term, Term):
        return term
    if str(term.op) != "switch":
        return Term(term.op, [chosen(arg, facts) for arg in term.args], term._ops)
    condition, then, otherwise = term.args
    condition = chosen(condition, facts)
    known = _decided(condition, facts)
    if known is not None:
        return chosen(then if known else otherwise, facts)
    branches = [chosen(then, {**facts, **_facts(condition, True)})]
    branches.append(chosen(otherwise, {**facts, **_facts(condition, False)}))
    return Term(term.op, [condition, *branches], term._ops)


def _compared(condition: Any) -> tuple[str, str, Any] | None:
    if not isinstance(condition, Term) or len(condition.args) != 2:
        return None
    left, right = condition.args
    return str(condition.op), repr(_signed(left)), getattr(right, "value", str(right))


def _facts(condition: Any, holds: bool) -> Facts:
    compared = _compared(condition)
    return {} if compared is None else {compared: holds}


def _decided(condition: Any, facts: Facts) -> bool | None:
    """Return how a condition comes out by the facts, or None."""
    compared = _compared(condition)
    if compared is None:
        return None
    if compared in facts:
        return facts[compared]
    op, left, number = compared
    if op not in _ORDER or not isinstance(number, int | float):
        return None
    for (known_op, known_left, bound), holds in facts.items():
        same = known_left == left and (known_op in _UPWARDS) == (op in _UPWARDS)
        if same and known_op in _ORDER and isinstance(bound, int | float):
            # x < 1 says that x < 2 and x <= 1; that it is not says that neither is x < 0
            easier = number - bound if op in ("lt", "le") else bound - number
            strict = known_op in ("lt", "gt")
            as_strict = op in ("lt", "gt")
            if holds and (easier > 0 or (easier == 0 and (strict or not as_strict))):
                return True
            if not holds and (easier < 0 or (easier == 0 and (as_strict or not strict))):
                return False
    return None


def _signed(term: Any) -> tuple[int, Any]:
    """Return a sign, and a key for a term up to the sign."""
    if isinstance(term, Literal):
        value = term.value
        if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
            return -1, repr(-value)
        return 1, repr(value)
    if not isinstance(term, Term):
        return 1, str(term)
    name, parts = str(term.op), [_signed(arg) for arg in term.args]
    if name == "neg":
        return -parts[0][0], parts[0][1]
    if name in EVEN:
        return 1, (name, parts[0][1])
    if name in ODD:
        return parts[0][0], (name, parts[0][1])
    if name in ("mul", "true_div"):
        keys = [key for _, key in parts]
        sign = 1
        for s, _ in parts:
            sign *= s
        return sign, (name, *(sorted(keys, key=repr) if name == "mul" else keys))
    if name in ("add", "sub") and len(parts) == 2:
        first, (s, key) = parts
        summands = sorted([first, (-s if name == "sub" else s, key)], key=lambda p: repr(p[1]))
        sign = summands[0][0]
        return sign, ("add", *((sign * s, key) for s, key in summands))
    if name in ("maximum", "minimum", "add", "eq", "neq"):
        parts = sorted(parts, key=repr)
    return 1, (name, *parts)
