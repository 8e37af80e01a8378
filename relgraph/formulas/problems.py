"""Problems: a formula, its inputs, their dtype, and a domain.

A formula is a text, a graph or a `Core`; a domain is a text, a graph, or bounds by name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import relgraph.tensor as at
from relgraph.formulas.expressions import (
    CONDITIONS,
    Expr,
    NotSupported,
    apply,
    from_graph,
    inputs_of,
    name_of,
    named,
    number,
    written,
)
from relgraph.formulas.fpcore import Core
from relgraph.formulas.parsing import FormulaError, names_compared, parsed
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.traversal import graph_inputs


@dataclass(frozen=True, eq=False)
class Problem:
    """A formula to be improved.

    Attributes
    ----------
    expr
        The expression.
    variables
        What it is computed of.
    names
        Their names in the expression.
    dtype
        What is computed in.
    domain
        The condition on the inputs, None if there is none.
    """

    expr: Expr
    variables: tuple[Variable, ...]
    names: tuple[str, ...]
    dtype: str
    domain: Expr | None


def problem_of(
    output: Any,
    inputs: Sequence[Variable | str] | None = None,
    domain: Any = None,
    dtype: str | None = None,
    others: Collection[str] = (),
) -> Problem:
    """Return the problem that the arguments of `improve` state.

    Parameters
    ----------
    output, inputs, domain, dtype
        See `improve`.
    others
        Names that are inputs if the expression is a text: those of which points are given.

    Raises
    ------
    NotSupported
        If it has other inputs or ops than there are.
    FormulaError
        If a text is no formula, or the domain no condition.
    """
    if isinstance(output, str):
        expr = parsed(output, {*_names_of(inputs), *_declared_by(domain), *others})
        found = _of_text(expr, inputs, dtype, inputs_of(expr))
    elif isinstance(output, Core):
        expr = output.expr
        found = _of_text(expr, inputs, dtype, output.inputs)
    elif isinstance(output, Variable):
        expr, variables, names, kind = _of_graph(output, inputs, dtype)
        found = variables, names, kind
    else:
        raise TypeError(f"{output!r} is neither a variable nor a text")
    if expr.op in CONDITIONS:
        raise FormulaError(f"{written(expr)!r} is a condition, and has no error in bits")
    if found[2] not in ("float64", "float32"):
        raise NotSupported(f"errors are measured in float64 and float32, not in {found[2]}")
    if domain is None and isinstance(output, Core):
        return Problem(expr, *found, output.domain)
    return Problem(expr, *found, _condition(domain, *found[:2]))


def _names_of(inputs: Sequence[Variable | str] | None) -> tuple[str, ...]:
    """Return the names of declared inputs of a text.

    Raises
    ------
    TypeError
        If one is neither a name nor a variable that has one.
    """
    if isinstance(inputs, str | Variable):
        raise TypeError(f"inputs are a list of names or variables, not {inputs!r}")
    names = [v if isinstance(v, str) else getattr(v, "name", None) for v in inputs or ()]
    for v, name in zip(inputs or (), names, strict=True):
        if not isinstance(name, str):
            raise TypeError(f"the input {v!r} of a text is neither a name nor a named variable")
    return tuple(map(str, names))


def _declared_by(domain: Any) -> set[str]:
    """Return the names that a domain shows to be inputs."""
    if isinstance(domain, str):
        return names_compared(domain)
    return {k for k in domain if isinstance(k, str)} if isinstance(domain, Mapping) else set()


def _of_text(
    expr: Expr, inputs: Sequence[Variable | str] | None, dtype: str | None, known: Sequence[str]
) -> tuple[tuple[Variable, ...], tuple[str, ...], str]:
    """Return the variables that the inputs of a text are, their names and the dtype."""
    names = tuple(known) if inputs is None else _names_of(inputs)
    unknown = [n for n in inputs_of(expr) if n not in names]
    if unknown:
        raise FormulaError(f"{written(expr)!r} has {', '.join(unknown)}, which is no input")
    if len(set(names)) < len(names):
        raise FormulaError(f"the inputs {', '.join(names)} have a name twice")
    given = [v for v in inputs or () if isinstance(v, Variable)]
    kind = dtype or _common_dtype(given) or "float64"
    made = (v if isinstance(v, Variable) else None for v in inputs or names)
    variables = (
        at.TensorType(kind, (None,))(n) if v is None else v
        for n, v in zip(names, made, strict=True)
    )
    return tuple(variables), names, kind


def _of_graph(
    output: Variable, inputs: Sequence[Any] | None, dtype: str | None
) -> tuple[Expr, tuple[Variable, ...], tuple[str, ...], str]:
    if inputs is None:
        inputs = [v for v in graph_inputs([output]) if not isinstance(v, Constant)]
    for v in inputs:
        if not isinstance(v, Variable):
            raise TypeError(f"the inputs of a graph are variables, not {v!r}")
    kind = dtype or _common_dtype(inputs or [output]) or "float64"
    names = _different([name_of(v, k) for k, v in enumerate(inputs)])
    return from_graph(output, inputs, names), tuple(inputs), names, kind


def _common_dtype(variables: Sequence[Any]) -> str | None:
    """Return the dtype of some variables, None if they have several."""
    kinds = {str(v.type.dtype) for v in variables}
    return kinds.pop() if len(kinds) == 1 else None


def _different(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that differ."""
    found: list[str] = []
    for name in names:
        other, k = name, 2
        while other in found:
            other, k = f"{name}_{k}", k + 1
        found.append(other)
    return tuple(found)


def _condition(domain: Any, variables: Sequence[Any], names: Sequence[str]) -> Expr | None:
    """Return the domain as an expression.

    Raises
    ------
    NotSupported
        If it has inputs that the expression does not have.
    """
    if domain is None or (isinstance(domain, Mapping) and not domain):
        return None
    if isinstance(domain, str):
        found = parsed(domain, names)
    elif isinstance(domain, Variable):
        found = from_graph(domain, variables, names)
    elif isinstance(domain, Mapping):
        found = _box(domain, variables, names)
    else:
        raise TypeError(f"a domain is a text, a condition or bounds by name, not {domain!r}")
    if found.op not in CONDITIONS:
        raise FormulaError(f"the domain {written(found)!r} is no condition, as x > 0 is")
    others = set(inputs_of(found)) - set(names)
    if others:
        raise NotSupported(f"the domain has {', '.join(sorted(others))}, which is no input")
    return found


def _box(domain: Mapping[Any, Any], variables: Sequence[Any], names: Sequence[str]) -> Expr:
    """Return the condition that inputs lie between bounds."""
    found = []
    for key, bounds in domain.items():
        known = [n for n, v in zip(names, variables, strict=True) if v is key]
        name = named(key if isinstance(key, str) else known[0] if known else str(key))
        try:
            low, high = (number(b if isinstance(b, Fraction) else float(b)) for b in bounds)
        except (TypeError, ValueError):
            raise FormulaError(f"the bounds of {key} are two numbers, not {bounds!r}") from None
        found += [apply("le", low, name), apply("le", name, high)]
    return reduce(lambda a, b: apply("and_", a, b), found)
