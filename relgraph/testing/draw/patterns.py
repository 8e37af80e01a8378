"""Random graphs that an optimizer's laws match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from unification.variable import isvar

import relgraph.scalar as scalar
import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules.rule import Output, Rule, split
from relgraph.graph.kanren.terms.term import Literal
from relgraph.graph.op import Op
from relgraph.graph.opt.base import Rewriter
from relgraph.testing.draw.builder import Builder
from relgraph.testing.draw.parameters import PARAMETERS, role_of

_DEEPEST = 12


def patterns_in(rewriter: Rewriter) -> list[Any]:
    """Return what the laws that a rewriter is made of match, each once."""
    found: dict[int, Any] = {}
    stack: list[Any] = [rewriter]
    while stack:
        item = stack.pop()
        stack.extend(item.summary_children())
        for rule in _rules(item):
            if split(rule.pattern) is not None:
                found[id(rule.pattern)] = rule.pattern
    return list(found.values())


def _rules(rewriter: Any) -> Sequence[Rule]:
    rule = getattr(rewriter, "rule", None)
    if isinstance(rule, Rule):
        return [rule]
    relation = getattr(rewriter, "kanren_relation", None)
    return relation.extraction("forward").rules if isinstance(relation, Relation) else ()


def recipes_of(rewriter: Rewriter) -> list[Callable[[Builder], Any]]:
    """Return a recipe for each pattern of a rewriter's laws."""
    return [partial(build_pattern, pattern) for pattern in patterns_in(rewriter)]


def build_pattern(pattern: Any, b: Builder) -> Any:
    """Return a graph of the form of a pattern, built upon what there is.

    Raises
    ------
    TypeError
        If what was drawn does not go together.
    """
    first = b.pick()
    return _Pattern(b, first).build(pattern, "tensor", 0)


class _Pattern:
    """A pattern while a graph for it is built."""

    def __init__(self, b: Builder, first: Any) -> None:
        self._b = b
        self._first = first
        self._bound: dict[Any, Any] = {}

    def build(self, pattern: Any, role: str, depth: int) -> Any:
        """Return what stands for a part of the pattern."""
        if depth > _DEEPEST:
            raise TypeError("a pattern goes too deep")
        if isvar(pattern):
            if pattern not in self._bound:
                self._bound[pattern] = self._argument(role)
            return self._bound[pattern]
        if isinstance(pattern, Literal):
            return self._number(pattern.value)
        if isinstance(pattern, bool | int | float | complex):
            return self._number(pattern)
        parts = split(pattern)
        if parts is None:
            if isinstance(pattern, Variable):
                return pattern
            raise TypeError(f"nothing stands for {pattern!r}")
        head, patterns = parts
        output = head.index if isinstance(head, Output) else None
        head = head.op if isinstance(head, Output) else head
        cls, name = _named(head)
        arguments = [
            self.build(p, role_of(cls, name, i)[0], depth + 1) for i, p in enumerate(patterns)
        ]
        made = self._op(head, arguments)(*arguments)
        if output is None:
            return made
        several = made if isinstance(made, list) else made.owner.outputs
        return several[output]

    def _number(self, value: Any) -> Any:
        # Now and then as an array, which a pattern sees through.
        if self._b.chance(4) and isinstance(value, float | int):
            return at.constant(value, dtype=self._first.type.dtype)
        return value

    def _op(self, head: Any, arguments: list[Any]) -> Any:
        if isinstance(head, Op):
            return head
        parts = split(head)
        if parts is None:
            raise TypeError(f"nothing stands for the op {head!r}")
        cls, props = parts
        return cls(*[
            self._property(cls, name, prop, arguments)
            for name, prop in zip(cls.__props__, props, strict=True)
        ])  # fmt: skip

    def _property(self, cls: Any, name: str, prop: Any, arguments: list[Any]) -> Any:
        if isinstance(prop, Literal):
            return prop.value
        if not isvar(prop):
            parts = split(prop)
            return prop if parts is None else self._op(prop, arguments)
        if prop not in self._bound:
            draw = PARAMETERS.get((cls.__name__, name))
            if draw is None:
                raise TypeError(f"nothing stands for {name} of {cls.__name__}")
            known = [v if isinstance(v, Variable) else at.constant(v) for v in arguments]
            self._bound[prop] = draw(Random(self._b.below(1000)), known)
        return self._bound[prop]

    def _argument(self, role: str) -> Any:
        b = self._b
        if role == "length":
            return self._length()
        if role == "shape":
            return b.pick().shape
        if role == "index":
            return at.constant(b.choose((0, -1, 1)))
        if role == "indices":
            return at.constant(b.choose(([0], [0, 0, -1], [1, 0])))
        if role in ("condition", "truth") and b.chance(2):
            return b.choose((at.gt, at.le, at.eq))(self._first, b.partner(self._first))
        if not self._bound:
            return self._first
        found = b.partner(self._first)
        return found if isinstance(found, Variable) else at.as_tensor_variable(found)

    def _length(self) -> Any:
        b = self._b
        like = b.pick(lambda v: v.type.ndim >= 1)
        if like is None or b.chance(3):
            return at.constant(b.choose((1, 2, 3)))
        axis = b.below(like.type.ndim)
        return at.shape_i(like, axis) if b.chance(2) else at.constant(b.shape(like)[axis])


def _named(head: Any) -> tuple[type | None, str]:
    """Return the class of an op, and what an elementwise one does with the elements."""
    if isinstance(head, Op):
        props = head.props()
        inner = props[0] if props and isinstance(props[0], scalar.ScalarOp) else None
        return type(head), "" if inner is None else inner.name
    parts = split(head)
    return (parts[0], "") if parts is not None and isinstance(parts[0], type) else (None, "")
