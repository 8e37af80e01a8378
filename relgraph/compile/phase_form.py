"""Laws in the form in which a phase leaves what they match.

A phase that comes before a law may write its left side in another way: `canonicalize` makes
``sin(a) ** 2`` into ``sqr(sin(a))``, and a law about the former would never fire again. What a
phase makes of the left side is found out by running it on that, over tensors of float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.graph.basic import Variable, io_toposort
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Law, OpenAnswerError, build
from relgraph.graph.kanren.relations import SOUNDNESS
from relgraph.graph.kanren.terms import Literal, LogicVariable, Term, renamed, variables_of
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op
from relgraph.graph.opt import GlobalOptimizer, Recorder
from relgraph.tensor import TensorType

_VECTOR = TensorType("float64", (None,))
# Of this rank, axes from the front and from the end are told apart.
_CUBE = TensorType("float64", (None, None, None))


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
    after = left_side_after(law, optimizer)
    if after is None or not after.can_be_matched:
        return None
    claims = [law.sound, *(classes.get(name, "exact") for name in after.steps)]
    sound = max(claims, key=SOUNDNESS.index)
    tags = [tag for tag in law.tags if tag not in SOUNDNESS]
    domain = law.domain if sound == "domain" else None
    return Law(
        law.name,
        after.term,
        law.rhs,
        *law.conditions,
        tags=tags,
        sound=sound,
        mixed=law.mixed,
        complex=law.complex,
        domain=domain,
    )


@dataclass(frozen=True)
class LeftSide:
    """The left side of a law as an optimizer writes it.

    Attributes
    ----------
    term
        A term; or a variable or number, if the optimizer has left no more.
    steps
        The names of what the optimizer applied.
    rank
        The rank of tensors on which it is written so; None if that is the same for all.
    can_be_matched
        Whether a law may have `term` for its left side: for every rank, and with all variables.
    """

    term: Any
    steps: Sequence[str]
    rank: int | None
    can_be_matched: bool


def left_side_after(law: Law, optimizer: GlobalOptimizer) -> LeftSide | None:
    """Return the left side of a law as an optimizer writes it.

    None if it leaves the left side as it is, or does what the law does, or if that can't be found
    out.
    """
    if not isinstance(law.lhs, Term) or _has_open_parameters(law.lhs):
        return None
    relative = _RelativeOps()
    kind = _CUBE if relative.are_in(law.lhs) else _VECTOR
    leaves = {v: kind(str(v)) for v in variables_of(law.lhs)}
    try:
        written = build(renamed(law.lhs, leaves), relative.call)
        graph = FunctionGraph(list(leaves.values()), [written], clone=True)
    except (OpenAnswerError, TypeError, ValueError):
        return None
    names = dict(zip(graph.inputs, leaves, strict=True))
    before = _as_term(graph.outputs[0], names, relative)
    recorder = Recorder(texts=False)
    graph.attach_feature(recorder)
    optimizer.optimize(graph)
    steps = recorder.derivation([optimizer])
    found = _as_term(graph.outputs[0], names, relative)
    if found is None or str(found) in (str(before), str(law.rhs)):
        return None
    rank = None if relative.all_known else kind.ndim
    complete = isinstance(found, Term) and set(variables_of(found)) == set(leaves)
    return LeftSide(found, [step.name for step in steps], rank, rank is None and complete)


def _ops_of(term: Term) -> Iterator[Any]:
    """Yield the ops of a term, which may be terms of their parameters."""
    stack: list[Any] = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Term):
            yield part.op
            stack.extend(part.args)


def _has_open_parameters(term: Term) -> bool:
    """Return whether an op of a term, or one of its parameters, is a logic variable."""
    return any(variables_of(op) for op in _ops_of(term))


class _RelativeOps:
    """The relative ops of a term, by the ops that they are in a graph.

    Attributes
    ----------
    all_known
        Whether for each op of a node that was asked about it is known how a law writes it.
    """

    def __init__(self) -> None:
        self.all_known = True
        self._written: dict[Op, Op | None] = {}

    def are_in(self, term: Term) -> bool:
        """Return whether there are any in a term."""
        return any(isinstance(op, Op) and op.relative is not None for op in _ops_of(term))

    def call(self, parts: list[Any], source: Any) -> Any:
        """Return an op applied to arguments, and note what a relative one is there."""
        head, *arguments = parts
        made = head(*arguments)
        if isinstance(head, Op) and head.relative is not None:
            op = made.owner.op
            self._written[op] = head if self._written.get(op, head) is head else None
        return made

    def as_written(self, op: Op) -> Op:
        """Return the op of a node as a law writes it; as it is if that can't be told."""
        written = self._written.get(op)
        if written is not None:
            return written
        alike = any(type(op) is known.relative for known in self._written.values() if known)
        if alike or op in self._written:
            self.all_known = False
        return op


def _as_term(var: Variable, names: dict[Variable, LogicVariable], relative: _RelativeOps) -> Any:
    """Return what a variable is computed from as a term; None if part of it can't be said in one.

    Numbers denote themselves, however they are broadcast.
    """
    ops = next(iter(names.values()))._ops
    terms: dict[Variable, Any] = dict(names)

    def term(v: Variable) -> Any:
        number = number_of(v) if v not in terms else None
        return terms.get(v, v) if number is None else Literal(_plain(number))

    for node in io_toposort(list(names), [var]):
        if len(node.outputs) != 1:
            return None
        if number_of(node.outputs[0]) is None:
            parts = [term(v) for v in node.inputs]
            terms[node.outputs[0]] = Term(relative.as_written(node.op), parts, ops)
    return term(var)


def _plain(number: Any) -> Any:
    """Return a number as it was written: the tensors of float64 have made 2 into 2.0. Users do
    not write a large one with all its digits."""
    whole = isinstance(number, float) and number.is_integer() and 0 < abs(number) < 1e15
    return int(number) if whole else number
