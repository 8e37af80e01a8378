"""Tensors side by side, taken apart again, and filled with one value."""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import eq, lall

from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.search.variadic import argumentso
from relgraph.graph.unify import nth
from relgraph.tensor.assembly.allocation import Alloc
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.joined_parts import (
    are_own_lengths,
    has_empty_pieces,
    nonempty_pieces,
    one_after_the_other,
)
from relgraph.tensor.lawkit.layout.part_indices import is_known, neighbours
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars, relation

a, i, j, k, m, n, s, x, y, z = lvars("a i j k m n s x y z")
inner, lengths, more, pieces, rest = lvars("inner lengths more pieces rest")

MOST_PIECES = 4
"""Laws about all pieces of a split are there for as many pieces as this."""


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that holds for tensors of any dtype."""
    return law(name, lhs, rhs, *conditions, mixed=True, complex=True)


def joino(joined: Any, parts: Any) -> Any:
    """Construct the goal that `joined` is a number of `parts` side by side on the axis `a`."""
    return argumentso(joined, Join(a), parts)


@relation("join-of-join-first", depth=2)
def join_of_join_firsto(joined: Any, flat: Any) -> Any:
    """``join(0, join(0, x, y), z) → join(0, x, y, z)``"""
    return lall(
        joino(joined, cons(inner, rest)),
        joino(inner, pieces),
        computo(more, one_after_the_other, pieces, rest),
        joino(flat, more),
    )


@relation("join-of-join-second", depth=2)
def join_of_join_secondo(joined: Any, flat: Any) -> Any:
    """``join(0, x, join(0, y, z)) → join(0, x, y, z)``"""
    return lall(
        joino(joined, cons(x, cons(inner, rest))),
        joino(inner, pieces),
        computo(more, one_after_the_other, pieces, rest),
        joino(flat, cons(x, more)),
    )


@relation("join-of-join-third", depth=2)
def join_of_join_thirdo(joined: Any, flat: Any) -> Any:
    """``join(0, x, y, join(0, z, w)) → join(0, x, y, z, w)``"""
    return lall(
        joino(joined, cons(x, cons(y, cons(inner, rest)))),
        joino(inner, pieces),
        computo(more, one_after_the_other, pieces, rest),
        joino(flat, cons(x, cons(y, more))),
    )


@relation("join-with-nothing", depth=2)
def join_with_nothingo(joined: Any, fewer: Any) -> Any:
    """``join(0, x, y) → x``, if `y` is known to be empty"""
    return lall(
        joino(joined, pieces),
        whereo(has_empty_pieces, a, pieces),
        computo(more, nonempty_pieces, a, pieces),
        joino(fewer, more),
    )


FRONT, BACK, INSIDE = Slice(None, 2), Slice(2, None), Slice(1, 2)


@relation(
    "join-of-neighbours",
    depth=2,
    tries=[
        Join(0)(Subtensor((FRONT,))(x), Subtensor((BACK,))(x)),
        Join(0)(Subtensor((INSIDE,))(x), Subtensor((BACK,))(x), y),
        Join(1)(Subtensor((Slice(), FRONT))(x), Subtensor((Slice(), BACK))(x)),
    ],
)
def join_of_neighbourso(joined: Any, fewer: Any) -> Any:
    """``join(0, x[:k], x[k:]) → x[:]``, whatever `k` is; ``join(0, x[1:3], x[3:]) → x[1:]``"""
    return lall(
        joino(joined, cons(y, cons(z, rest))),
        eq(y, Subtensor(i)(x)),
        eq(z, Subtensor(j)(x)),
        computo(k, neighbours, a, i, j),
        whereo(is_known, k),
        joino(fewer, cons(Subtensor(k)(x), rest)),
    )


def is_whole(index: Any) -> bool:
    """Return whether an index takes everything."""
    return bool(index == ())


FLAT = (
    of_any("join-of-one", Join(a)(x), x),
    join_of_join_firsto,
    join_of_join_secondo,
    join_of_join_thirdo,
    join_with_nothingo,
    join_of_neighbourso,
    of_any(
        "join-of-halves",
        Join(a)(Subtensor(i)(x, n), Subtensor(j)(x, n)),
        x,
        computo(k, neighbours, a, i, j),
        whereo(is_whole, k),
    ),
)


def _of_pieces(count: int) -> tuple[Law, ...]:
    """Return the laws about a number of pieces, all of which a split gives or a join takes."""
    xs = lvars(" ".join(f"x{i}" for i in range(count)))
    split = Split(count, a)
    joined = Join(a)(*xs)
    parts = [nth(i, split(x, s)) for i in range(count)]
    known = whereo(are_own_lengths, s, a, *xs)
    return (
        of_any(f"join-of-split-{count}", Join(a)(*parts), x),
        *(
            of_any(f"split-of-join-{count}-{i}", nth(i, split(joined, s)), v, known)
            for i, v in enumerate(xs)
        ),
    )


SPLITS = (
    of_any("split-of-one", Split(1, a)(x, s), x),
    *(law for count in range(2, MOST_PIECES + 1) for law in _of_pieces(count)),
)


@relation(
    "join-of-allocs",
    depth=2,
    tries=[
        Join(0)(Alloc()(x, m), Alloc()(x, n)),
        Join(0)(Alloc()(x, m), Alloc()(x, n), Alloc()(x, m)),
        Join(0)(Alloc()(x, m), Alloc()(x, n), y),
    ],
)
def join_of_allocso(joined: Any, fewer: Any) -> Any:
    """``join(0, alloc(x, m), alloc(x, n)) → alloc(x, m + n)``, of a scalar `x`"""
    alloc = Alloc()
    return lall(
        argumentso(joined, Join(0), cons(y, cons(z, rest))),
        eq(y, alloc(x, m)),
        eq(z, alloc(x, n)),
        ranko(x, 0),
        argumentso(fewer, Join(0), cons(alloc(x, m + n), rest)),
    )


@relation("alloc-of-alloc", depth=2)
def alloc_of_alloco(full: Any, once: Any) -> Any:
    """``alloc(alloc(x, n), m, n) → alloc(x, m, n)``"""
    return lall(
        argumentso(full, Alloc(), cons(inner, lengths)),
        argumentso(inner, Alloc(), cons(x, more)),
        argumentso(once, Alloc(), cons(x, lengths)),
    )


FILLED = (join_of_allocso, alloc_of_alloco)
