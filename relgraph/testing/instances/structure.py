"""What the terms of a law say to its check: the seed, which is never from a name."""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Iterable
from typing import Any

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.search.goals import Compute, Condition
from relgraph.graph.kanren.terms.term import logic_variables, renamed, variables_of
from relgraph.testing.draw.guessed_patterns import ops_in_code

# Some objects print the place that they have in memory.
_ADDRESS = re.compile(r"0x[0-9a-f]+")


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
