"""The search: laws applied where an expression loses bits, until nothing better turns up.

Panchekha et al. (2015), section 4.3: the local error of an op is what it loses on the true values
of its arguments, rounded. Laws are applied there and just below and above. Those that make an
expression smaller or more accurate are applied wherever something is new, as all laws are by
`best`; here that would fill the e-graph with forms that lose as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from relgraph.formulas.expressions import (
    CONDITIONS,
    INPUT,
    NUMBER,
    OPS,
    Expr,
    apply,
    as_float,
    as_scaled_product,
    cost_of_op,
    folded,
    parts,
)
from relgraph.formulas.true_values import Known, bits_of_error
from relgraph.graph.utils import Deadline
from relgraph.search.equations import MOST_MATCHES, Equation
from relgraph.search.reals import Computed, RealClass, RealEGraph
from relgraph.search.saturation import Limits, Saturation, Stopped

Array = Any

_KEPT, _AT_ROOT = 4, 24
_TRIED = 3
_NEARLY = 0.1
"""Bits of error that do not count beside the size of an expression."""

_GAIN = 0.05
"""Bits that an expression has to save beside those that are kept."""

_SLACKS = (0.5, 2.0, 8.0)
"""How much worse, in bits, smaller expressions may be."""


def cost_of(expr: Expr) -> float:
    """Return how long an expression takes: each of its parts once."""
    return sum(map(cost_of_op, parts(expr)))


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
        if expr not in self._known:
            folded(expr, self._of_leaf, lambda op, *xs: op.scalar_op.ufunc(*xs), self._known)
        return self._known[expr]

    def _of_leaf(self, e: Expr) -> Array:
        return self.points.inputs[e.value] if e.op is INPUT else self.dtype.type(as_float(e.value))

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

    def __init__(self, graph: RealEGraph, largest: int) -> None:
        self.graph = graph
        self.values = Values(graph.points)
        self.largest = largest
        self._best: dict[RealClass, list[Candidate]] = {}
        self._errors: dict[tuple[RealClass, Expr], Candidate] = {}
        self._extra: dict[Expr, list[Expr]] = {}

    def of(self, c: RealClass) -> list[Candidate]:
        """Return what is kept of a class, the least error first."""
        return self._best.get(c.root(), [])

    def suggest(self, same_as: Expr, expr: Expr) -> None:
        """Consider an expression that is nearly equal to another, a series for instance."""
        self._extra.setdefault(same_as, []).append(expr)

    def sweep(self, root: RealClass) -> None:
        """Look at all classes below one again, the small ones first."""
        extra: dict[RealClass, list[RealClass]] = {}
        for same_as, exprs in self._extra.items():
            classes = {self.graph.find(e): None for e in exprs}
            extra.setdefault(self.graph.find(same_as), []).extend(classes)
        known: dict[RealClass, list[Candidate]] = {}
        for c, candidates in self._best.items():
            known.setdefault(c.root(), []).extend(candidates)
        self._best = known
        order = sorted(reachable(root, extra), key=lambda c: c.rank)
        # what represents a class is known before the class
        for c in [*order, *(c for c in extra if c in set(order))]:
            kept = _AT_ROOT if c is root else _KEPT
            found = dict.fromkeys(
                (x.expr for near in extra.get(c, ()) for x in self._best.get(near, ())[:2]), False
            )
            for e, exact in self._of_nodes(c):
                found[e] = exact or found.get(e, False)
            self._best[c] = self._chosen(c, found, kept)

    def _of_nodes(self, c: RealClass) -> Iterator[tuple[Expr, bool]]:
        """Yield expressions of a class, and whether they follow by laws alone."""
        for candidate in self._best.get(c, ()):
            yield candidate.expr, candidate.exact
        for node in c.all_nodes():
            classes = [a.root() for a in node.classes]
            if not classes:
                yield node.term, True
                continue
            tried = _TRIED if len(classes) < 3 else 2
            # what is nearly equal represents a whole, so that it is known what it replaced
            choices = [[x.expr for x in self._best.get(a, ()) if x.exact][:tried] for a in classes]
            for args in product(*choices):
                if sum(a.size for a in args) < self.largest:
                    yield apply(node.head, *args), True

    def _chosen(self, c: RealClass, exprs: Mapping[Expr, bool], kept: int) -> list[Candidate]:
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

    def _measured(self, c: RealClass, e: Expr) -> Array:
        if e.op in CONDITIONS:
            with_values = np.broadcast_to(np.asarray(self.values(e)), c.true.shape)
            wrong = with_values.astype(c.true.dtype) != c.true
            return np.where(wrong & ~np.isnan(c.true), 64.0, 0.0)
        errors = self.values.errors(e, c.true)
        return np.where(np.isnan(c.true), 0.0, errors)


def reachable(root: RealClass, near: Mapping[RealClass, Sequence[RealClass]]) -> list[RealClass]:
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
        most = gains.max()
        if most < _GAIN:
            break
        good = np.flatnonzero(gains >= max(most - _GAIN, _GAIN))
        best = min(good, key=lambda k: ordered[k].expr.weight)
        found.append(int(best))
        least = np.minimum(least, errors[best])
    found += [smallest(slack) for slack in (*_SLACKS, np.inf)[: count - len(found)]]
    return [ordered[k] for k in dict.fromkeys(found)]


_LOST = 0.1
"""Bits that an op has to lose in the mean for laws to be tried there."""

_ENOUGH = 0.15
"""Mean bits of error of the best form at each point with which the search is content."""

_HOPELESS = 40.0
"""Bits of error from which on no form is better than another."""

_ROUNDS_FOR_SIMPLER = 3

_SPELLINGS = ("mul-self", "pow-two")
"""Laws to the spelling that others are written for: they are applied everywhere before these."""


def _improves(equation: Equation) -> bool:
    """Return whether a law makes an expression smaller, or loses fewer bits by what it claims."""
    return equation.shrinks or (equation.law.sound == "stable" and not equation.backward)


_USES: tuple[Callable[[Equation], bool], ...] = (
    lambda e: e.name in _SPELLINGS and not e.backward,
    _improves,
    lambda e: not _improves(e),
)
"""The laws to spellings, those that improve an expression, and the others."""

_STOPPED = {
    "nodes": "there are as many nodes as there may be",
    "seconds": "the time is over",
}


class Search:
    """Looks for forms of an expression with less error.

    Parameters
    ----------
    expr
        The expression.
    points
        Where errors are measured.
    equations
        The laws, in the directions in which they may be applied.
    most_nodes
        How many nodes the e-graph may have.
    """

    def __init__(
        self, expr: Expr, points: Known, equations: Sequence[Equation], most_nodes: int
    ) -> None:
        self.expr = expr
        self.graph = RealEGraph(points)
        self.graph.add(expr).take_true(points.true)
        self.table = Table(self.graph, largest=3 * expr.size + 60)
        self._equations, self._most_nodes = equations, most_nodes
        self._rounds = 0
        self._inputs = len(points.inputs)
        self._expanded: dict[RealClass, int] = {}

    @property
    def root(self) -> RealClass:
        """The class of the expression."""
        found: RealClass = self.graph.find(self.expr)
        return found

    def suggest(self, same_as: Expr, expr: Expr) -> None:
        """Consider an expression that is nearly equal to a part, a series for instance."""
        self.graph.add(expr)
        self.table.suggest(same_as, expr)

    def run(self, rounds: int, end: Deadline) -> str:
        """Search for some rounds, or until a time, and return why it stopped."""
        spelling, improving, others = (self._saturation(use, end) for use in _USES)
        try:
            spelling.look_at_news()
            spelling.apply()
            improving.look_at_news()
            for _ in range(rounds):
                self.table.sweep(self.root)
                focus = self._focus()
                if not focus:
                    return "no part of the best forms loses bits"
                self._rounds += 1
                improving.look_at(focus)
                others.look_at(focus)
                others.apply()
                self._add_products(focus)
                for _ in range(3):
                    improving.apply()
                    improving.look_at_news()
        except Stopped as why:
            self.graph.rebuild()
            self.table.sweep(self.root)
            return _STOPPED[str(why)]
        self.table.sweep(self.root)
        return "all rounds are done"

    def _saturation(self, use: Callable[[Equation], bool], end: Deadline) -> Saturation:
        """Return what applies the laws of a use."""
        rules = [e for e in self._equations if use(e)]
        limits = Limits(self._most_nodes, seconds=end.left)
        return Saturation(self.graph, rules, limits, share=MOST_MATCHES)

    def _above(self, c: RealClass) -> list[RealClass]:
        return [self.graph.find(n.term) for n in c.root().readers[:12]]

    # -- where -------------------------------------------------------------------------------------

    def _focus(self) -> list[RealClass]:
        """Return the classes in which the best forms lose bits, with those just below and above."""
        candidates = self.table.of(self.root)
        least = np.min([x.errors for x in candidates], axis=0)
        # of several inputs no single one says which form is best
        if (least.mean() if self._inputs == 1 else candidates[0].mean) < _ENOUGH:
            # a simpler form may be as good, or one form in place of several
            if self._rounds >= _ROUNDS_FOR_SIMPLER:
                return []
            given = [x for x in candidates if x.expr is self.expr]
            candidates = (given or [x for x in candidates if x.exact])[:1]
            least = np.zeros_like(least)
        lost: dict[RealClass, float] = {}
        by_laws = [x for x in candidates if x.exact]
        for candidate in dict.fromkeys((*candidates[:2], *by_laws[:5])):
            # where it is among the best, and not good
            here = candidate.errors > 0.5
            if self._inputs == 1 and least.any():
                here &= np.minimum(candidate.errors, _HOPELESS) < least + 4
            for e, errors in self.local_errors(candidate.expr):
                c = self.graph.find(e)
                bits = float(errors[here].sum()) / len(here)
                lost[c] = max(lost.get(c, 0.0), bits)
        order = sorted(
            (c for c in lost if lost[c] > _LOST),
            key=lambda c: lost[c] / 3 ** self._expanded.get(c, 0),
        )
        found: dict[RealClass, None] = {}
        for c in order[::-1][:6]:
            self._expanded[c] = self._expanded.get(c, 0) + 1
            found[c] = None
            for node in c.all_nodes():
                found.update((a.root(), None) for a in node.classes)
            found.update((a, None) for a in self._above(c))
        return list(found)

    def local_errors(self, expr: Expr) -> list[tuple[Expr, Any]]:
        """Return the bits that each part of an expression loses of the true values of its
        arguments, at each point."""
        found = []
        for e in parts(expr):
            if e.op in (INPUT, NUMBER) or e.op in CONDITIONS:
                continue
            classes = [self.graph.add(a) for a in e.args]
            true = self.graph.add(e).true
            args = [
                c.true != 0 if a.op in CONDITIONS else c.true
                for a, c in zip(e.args, classes, strict=True)
            ]
            value = np.asarray(OPS[e.op].scalar_op.ufunc(*args), true.dtype)
            errors = bits_of_error(value, np.where(np.isnan(true), 0, true))
            found.append((e, np.where(np.isnan(true), 0, errors)))
        return found

    def _add_products(self, classes: Iterable[RealClass]) -> None:
        """Add the products of several factors as ones that neither over- nor underflow."""
        for c in classes:
            for candidate in self.table.of(c)[:2]:
                scaled = as_scaled_product(candidate.expr)
                if candidate.exact and scaled is not None:
                    self.graph.join(candidate.expr, scaled, Computed("scaled-product"))
        self.graph.rebuild()
