"""What the terms of a law say to its check: the seed, never from a name, and where it decides."""

from __future__ import annotations

import functools
import math
import re
import zlib
from collections.abc import Iterable
from typing import Any

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules.rule import compound_parts, split
from relgraph.graph.kanren.search.goals import Compute, Condition
from relgraph.graph.kanren.terms.term import Literal, logic_variables, renamed, variables_of
from relgraph.testing.draw.guessed_patterns import ops_in_code

# Some objects print the place that they have in memory.
_ADDRESS = re.compile(r"0x[0-9a-f]+")

_ORDER = ("lt", "le", "gt", "ge")
_MOST_THRESHOLDS = 4
# The last terms of a series show near the radius inside of which it is taken.
_BESIDE = (1.0, 15 / 16, 17 / 16)


def seed_of(law: Relation) -> int:
    """Return a seed for the check of a law.

    It is the same in each run, and the same for a law of another name with other names of its
    variables. That of a relation follows from its rules, or if it has no finite list of them from
    the terms it is tried on, or from the ops that its code refers to.
    """
    if isinstance(law, Law):
        parts: Iterable[Any] = [law.lhs, law.rhs, *law.conditions]
    else:
        rules = law.extraction("forward").rules
        parts = [part for rule in rules for part in (rule.pattern, rule.template)]
        parts = parts or law.tries or [str(op) for op in ops_in_code(law.goal)]
    return zlib.crc32(structure_text(parts).encode())


def structure_text(parts: Iterable[Any]) -> str:
    """Return terms and conditions as text, with variables named by their order of appearance."""
    parts = list(parts)
    variables = variables_of([_mentioned(part) for part in parts])
    names = {v: logic_variables(f"_{i}")[0] for i, v in enumerate(variables)}
    return _ADDRESS.sub("", "; ".join(_text(part, names) for part in parts))


def _mentioned(part: Any) -> Any:
    """Return what holds the variables of a condition, or a term itself."""
    if not isinstance(part, Condition):
        return part
    return [part.out if isinstance(part, Compute) else None, *part.variables]


def _text(part: Any, names: dict[Any, Any]) -> str:
    if not isinstance(part, Condition):
        return (
            _function_text(part)
            if callable(part) and not variables_of(part)
            else str(renamed(part, names))
        )
    function = getattr(part, "function", None) or getattr(part, "predicate", type(part))
    return f"{_function_text(function)} {renamed(_mentioned(part), names)}"


def _function_text(function: Any) -> str:
    if isinstance(function, functools.partial):
        return f"{_function_text(function.func)} {function.args}"
    return str(getattr(function, "__qualname__", function))


def numbers_where_it_decides(*terms: Any) -> tuple[float, ...]:
    """Return the numbers that terms compare something with, and others a little less and more.

    ``switch(abs(x) < 0.03, series, formula)`` has to be tried around 0.03 and -0.03. Of more than
    `_MOST_THRESHOLDS` sizes the first ones count.
    """
    sizes: dict[float, None] = {}
    for part in [part for term in terms for part in compound_parts(term)]:
        head, arguments = split(part) or (None, ())
        if str(head) in _ORDER:
            numbers = [a.value for a in arguments if isinstance(a, Literal)]
            sizes.update(dict.fromkeys(abs(float(n)) for n in numbers if n and abs(n) < math.inf))
    thresholds = list(sizes)[:_MOST_THRESHOLDS]
    return tuple(sign * n * beside for n in thresholds for beside in _BESIDE for sign in (1, -1))
