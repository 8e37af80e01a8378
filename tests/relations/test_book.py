"""Each law in the book, both sides evaluated."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from unification.core import reify

import relations
from relgraph.graph.kanren.building import build
from relgraph.graph.kanren.laws import Law, NoSuchDirection
from relgraph.graph.kanren.terms import variables_of
from relgraph.graph.reference import evaluate
from relgraph.tensor import dvector

BOOK = {
    law.name: law for law in (*relations.CANONICALIZE, *relations.STABILIZE, *relations.SPECIALIZE)
}
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-9, -1e-9, 3.0, 40.0, -40.0, np.inf, -np.inf, np.nan]
FINITE = [v for v in EDGES if np.isfinite(v)]


def sides(law: Law):
    """Return the two sides on fresh vectors, with values for them and all intermediates."""
    names = [v for v in variables_of((law.lhs, law.rhs)) if str(v) != "a"]
    values = np.array(list(itertools.product(EDGES, repeat=len(names)))).T
    fresh = {v: dvector(str(v)) for v in names}
    axis = {v: None for v in variables_of((law.lhs, law.rhs)) if str(v) == "a"}
    left, right = (build(reify(side, {**fresh, **axis})) for side in (law.lhs, law.rhs))
    return left, right, dict(zip(fresh.values(), values, strict=True))


def value(side, givens):
    if not hasattr(side, "owner"):
        return np.asarray(side, dtype="float64")
    with np.errstate(all="ignore"):
        return np.asarray(evaluate([side], givens)[0])


def largest(side, givens):
    """Return the magnitude of the largest intermediate value, at least 1."""
    size = np.float64(1.0)
    stack = [side]
    while stack:
        var = stack.pop()
        size = np.fmax(size, np.abs(value(var, givens)))
        if var.owner is not None:
            stack.extend(var.owner.inputs)
    return size


def finite_everywhere(side, givens):
    """Return where every intermediate value is finite."""
    if not hasattr(side, "owner") or side.owner is None:
        return True
    ok = True
    stack = [side]
    while stack:
        var = stack.pop()
        if var.owner is not None:
            ok = ok & np.isfinite(value(var, givens))
            stack.extend(var.owner.inputs)
    return ok


@pytest.mark.parametrize("name", list(BOOK))
def test_both_sides_agree(name):
    law = BOOK[name]
    left, right, givens = sides(law)
    a, b = np.broadcast_arrays(value(left, givens), value(right, givens))
    if law.sound == "exact":
        assert a.dtype == b.dtype
        same = (a.view("i8") == b.view("i8")) | (np.isnan(a) & np.isnan(b))
        assert same.all(), {str(k): v[~same][:3] for k, v in givens.items()}
        return
    ok = finite_everywhere(left, givens) & finite_everywhere(right, givens)
    for v in givens.values():
        ok = ok & np.isfinite(v)
    ok = np.broadcast_to(ok, a.shape)
    assert ok.any(), "no case was compared"
    tolerance = (1e-6 if law.sound == "stable" else 1e-12) * largest(left, givens)
    close = np.zeros(a.shape, dtype=bool)
    close[ok] = np.abs(a[ok] - b[ok]) <= np.broadcast_to(tolerance, a.shape)[ok]
    assert close[ok].all(), {str(k): v[ok & ~close][:3] for k, v in givens.items()}


@pytest.mark.parametrize("name", list(BOOK))
def test_both_directions_match_what_they_build(name):
    law = BOOK[name]
    left, right, _ = sides(law)
    assert law.forward.transform(None, left.owner) is not False
    try:
        backward = law.backward
    except NoSuchDirection:
        return
    assert backward.transform(None, right.owner) is not False


def test_names_are_unique():
    every = {id(law): law for law in BOOK.values()}
    for law in (*relations.CANONICALIZE, *relations.STABILIZE, *relations.SPECIALIZE):
        assert id(law) in every, f"two laws are called {law.name}"


def test_phases_hold_laws():
    assert all(
        isinstance(law, Law)
        for law in (*relations.CANONICALIZE, *relations.STABILIZE, *relations.SPECIALIZE)
    )
