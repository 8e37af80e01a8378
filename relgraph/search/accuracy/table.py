"""For each class of an e-graph the few expressions that are best somewhere, by their errors.

What a class holds is put together from what the classes of the arguments hold, measured at all
points at once, and kept if it is the best at some of them: "the candidates that are best at some
point" of Panchekha et al. (2015), here for each part of the expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from relgraph.search.accuracy.egraph.graph import EClass, EGraph
from relgraph.search.accuracy.expressions import (
    CONDITIONS,
    COSTS,
    INPUT,
    NUMBER,
    OPS,
    OTHER_COST,
    Expr,
    apply,
    as_float,
    parts,
)
from relgraph.search.accuracy.truth.ordinals import bits_of_error
from relgraph.search.accuracy.truth.settling import Known

Array = Any

_KEPT, _AT_ROOT = 4, 24
_TRIED = 3
_NEARLY = 0.1
"""Bits of error that do not count beside the size of an expression."""

_SLACKS = (0.5, 2.0, 8.0)
"""How much worse, in bits, smaller expressions may be."""


def cost_of(expr: Expr) -> float:
    """Return how long an expression takes: each of its parts once."""
    return sum(COSTS.get(e.op, OTHER_COST) for e in parts(expr))


class Values:
    """The values of expressions at some points, each computed once.

    Parameters
    ----------
    points
        The points.
    """

    def __init__(self, points: Known) -> None:
        self.points = points
        self.dtype = points.true.dtype
        self._known: dict[Expr, Array] = {}

    def __call__(self, expr: Expr) -> Array:
        """Return the values of an expression, one for each point or one for all."""
        found = self._known.get(expr)
        if found is None:
            below = () if all(a in self._known for a in expr.args) else parts(expr)
            for e in (*below, expr):
                if e not in self._known:
                    self._known[e] = self._computed(e)
            found = self._known[expr]
        return found

    def _computed(self, e: Expr) -> Array:
        if e.op is INPUT:
            return self.points.inputs[e.value]
        if e.op is NUMBER:
            return self.dtype.type(as_float(e.value))
        return OPS[e.op].scalar_op.ufunc(*[self._known[a] for a in e.args])

    def errors(self, expr: Expr, true: Array | None = None) -> Array:
        """Return the bits of error of an expression at each point."""
        true = self.points.true if true is None else true
        found = np.asarray(self(expr))
        if found.shape != true.shape:
            found = np.broadcast_to(found, true.shape)
        if found.dtype != true.dtype:
            found = found.astype(true.dtype)
        return bits_of_error(found, true)


class Candidate:
    """An expression of a class, and its errors.

    Attributes
    ----------
    expr
        The expression.
    errors
        Its bits of error at each point.
    mean
        Their mean.
    exact
        Whether it follows by laws alone: no part is a series.
    """

    __slots__ = ("errors", "exact", "expr", "mean")

    def __init__(self, expr: Expr, errors: Array, exact: bool = True) -> None:
        self.expr = expr
        self.errors = errors
        self.mean = float(errors.mean())
        self.exact = exact


class Table:
    """The best expressions of each class.

    Parameters
    ----------
    graph
        The e-graph.
    largest
        How many nodes an expression may have.
    """

    def __init__(self, graph: EGraph, largest: int) -> None:
        self.graph = graph
        self.values = Values(graph.points)
        self.largest = largest
        self._best: dict[EClass, list[Candidate]] = {}
        self._errors: dict[tuple[EClass, Expr], Candidate] = {}
        self._extra: dict[Expr, list[Expr]] = {}

    def of(self, c: EClass) -> list[Candidate]:
        """Return what is kept of a class, the least error first."""
        return self._best.get(c.root(), [])

    def suggest(self, same_as: Expr, expr: Expr) -> None:
        """Consider an expression that is nearly equal to another, a series for instance."""
        self._extra.setdefault(same_as, []).append(expr)

    def sweep(self, root: EClass) -> None:
        """Look at all classes below one again, the small ones first."""
        extra: dict[EClass, list[EClass]] = {}
        for same_as, exprs in self._extra.items():
            classes = {self.graph.find(e): None for e in exprs}
            extra.setdefault(self.graph.find(same_as), []).extend(classes)
        known: dict[EClass, list[Candidate]] = {}
        for c, candidates in self._best.items():
            known.setdefault(c.root(), []).extend(candidates)
        self._best = known
        order = sorted(reachable(root, extra), key=lambda c: c.smallest.size)
        # what stands for a class is known before the class
        for c in [*order, *(c for c in extra if c in set(order))]:
            kept = _AT_ROOT if c is root else _KEPT
            found = dict.fromkeys(
                (x.expr for near in extra.get(c, ()) for x in self._best.get(near, ())[:2]), False
            )
            for e, exact in self._of_nodes(c):
                found[e] = exact or found.get(e, False)
            self._best[c] = self._chosen(c, found, kept)

    def _of_nodes(self, c: EClass) -> Iterator[tuple[Expr, bool]]:
        """Yield expressions of a class, and whether they follow by laws alone."""
        for candidate in self._best.get(c, ()):
            yield candidate.expr, candidate.exact
        for node in c.all_nodes():
            classes = [a.root() for a in node.classes]
            if not classes:
                yield node.expr, True
                continue
            tried = _TRIED if len(classes) < 3 else 2
            # what is nearly equal stands for a whole, so that it is known what it replaced
            choices = [[x.expr for x in self._best.get(a, ()) if x.exact][:tried] for a in classes]
            for args in product(*choices):
                if sum(a.size for a in args) < self.largest:
                    yield apply(node.expr.op, *args), True

    def _chosen(self, c: EClass, exprs: Mapping[Expr, bool], kept: int) -> list[Candidate]:
        found = []
        for e, exact in exprs.items():
            known = self._errors.get((c, e))
            if known is None:
                known = self._errors[c, e] = Candidate(e, self._measured(c, e), exact)
            known.exact = known.exact or exact
            found.append(known)
        best = chosen(found, kept)
        by_laws = [x for x in found if x.exact]
        if by_laws and not any(x.exact for x in best):
            best.append(min(by_laws, key=lambda x: x.mean))
        return best

    def _measured(self, c: EClass, e: Expr) -> Array:
        if e.op in CONDITIONS:
            with_values = np.broadcast_to(np.asarray(self.values(e)), c.true.shape)
            wrong = with_values.astype(c.true.dtype) != c.true
            return np.where(wrong & ~np.isnan(c.true), 64.0, 0.0)
        errors = self.values.errors(e, c.true)
        return np.where(np.isnan(c.true), 0.0, errors)


def reachable(root: EClass, near: Mapping[EClass, Sequence[EClass]]) -> list[EClass]:
    """Return the classes of which expressions of a class are made, or of others `near` to one."""
    seen = {root: None}
    stack = [root]
    while stack:
        c = stack.pop()
        below = [a.root() for node in c.all_nodes() for a in node.classes]
        for a in (*below, *near.get(c, ())):
            if a not in seen:
                seen[a] = None
                stack.append(a)
    return list(seen)


def chosen(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return a few of some expressions: one that is nearly the best in the mean, those that do most
    where the others are bad, and small ones that are not much worse."""
    if len(candidates) < 2:
        return list(candidates)
    ordered = sorted(candidates, key=lambda x: (round(x.mean, 2), x.expr.weight))

    def smallest(slack: float) -> int:
        most = ordered[0].mean + slack
        return min(
            (k for k, x in enumerate(ordered) if x.mean <= most),
            key=lambda k: ordered[k].expr.weight,
        )

    errors = np.array([x.errors for x in ordered])
    found = [smallest(_NEARLY)]
    least = errors[found[0]]
    while len(found) < count:
        gains = np.maximum(least - errors, 0).mean(axis=1)
        best = int(gains.argmax())
        if gains[best] < 0.05:
            break
        found.append(best)
        least = np.minimum(least, errors[best])
    found += [smallest(slack) for slack in (*_SLACKS, np.inf)[: count - len(found)]]
    return [ordered[k] for k in dict.fromkeys(found)]
