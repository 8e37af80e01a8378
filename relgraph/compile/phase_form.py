"""Laws in the form in which a phase leaves what they match.

A phase that comes before a law may write its left side in another way: `canonicalize` makes
``sin(a) ** 2`` into ``sqr(sin(a))``, and a law about the former would never fire again. What a
phase makes of the left side is found out by running it on that, over vectors of float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Law, OpenAnswerError, build
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.graph.kanren.terms.term import Literal, LogicVariable, Term, renamed, variables_of
from relgraph.graph.notation.numbers import number_of
from relgraph.graph.opt import GlobalOptimizer, Recorder
from relgraph.tensor import TensorType

_VECTOR = TensorType("float64", (None,))


def left_by(law: Law, optimizer: GlobalOptimizer, classes: Mapping[str, str]) -> Law | None:
    """Return a law as it has to be written to match what an optimizer leaves of its left side.

    Parameters
    ----------
    law
        The law.
    optimizer
        What is applied to a graph before the law is.
    classes
        The soundness classes of the laws that `optimizer` applies, by name.

    Returns
    -------
    law
        One of the same name and conditions, which claims what the law and those that led to its
        form claim together. None if the optimizer leaves the left side as it is, or takes a
        variable out of it; or if that can't be found out, since the left side has parameters of
        ops that are open.
    """
    if not isinstance(law.lhs, Term):
        return None
    leaves = {v: _VECTOR(str(v)) for v in variables_of(law.lhs)}
    try:
        written = build(renamed(law.lhs, leaves))
        graph = FunctionGraph(list(leaves.values()), [written], clone=True)
    except (OpenAnswerError, TypeError, ValueError):
        return None
    names = dict(zip(graph.inputs, leaves, strict=True))
    before = _as_term(graph.outputs[0], names)
    recorder = Recorder()
    graph.attach_feature(recorder)
    optimizer.optimize(graph)
    steps = recorder.derivation([optimizer])
    found = _as_term(graph.outputs[0], names)
    if not isinstance(found, Term) or str(found) in (str(before), str(law.rhs)):
        return None
    if set(variables_of(found)) != set(leaves):
        return None
    sound = max([law.sound, *(classes.get(s.name, "exact") for s in steps)], key=SOUNDNESS.index)
    tags = [tag for tag in law.tags if tag not in SOUNDNESS]
    domain = law.domain if sound == "domain" else None
    return Law(
        law.name, found, law.rhs, law.conditions, tags, sound, law.mixed, law.complex, domain
    )


def _as_term(var: Variable, names: dict[Variable, LogicVariable]) -> Any:
    """Return what a variable is computed from as a term; None if part of it can't be said in one.

    Numbers stand for themselves, however they are broadcast.
    """
    ops = next(iter(names.values()))._ops
    terms: dict[Variable, Any] = dict(names)
    stack = [var]
    while stack:
        top = stack[-1]
        if top in terms:
            stack.pop()
            continue
        number = number_of(top)
        node = top.owner
        if number is not None:
            terms[top] = Literal(_plain(number))
        elif isinstance(top, Constant) or node is None:
            terms[top] = top
        elif len(node.outputs) != 1:
            return None
        else:
            waiting = [v for v in node.inputs if v not in terms]
            stack.extend(waiting)
            if not waiting:
                terms[top] = Term(node.op, [terms[v] for v in node.inputs], ops)
    return terms[var]


def _plain(number: Any) -> Any:
    """Return a number as it was written: the vectors of float64 have made 2 into 2.0."""
    whole = isinstance(number, float) and number.is_integer() and number != 0
    return int(number) if whole else number
