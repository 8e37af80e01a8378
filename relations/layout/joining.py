"""Joins of tensors along an axis, splits of them, and allocations next to each other."""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import eq, lall

from relgraph.graph.kanren import argumentso, computo, whereo
from relgraph.graph.unify import nth
from relgraph.tensor.assembly.creation import Alloc
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.joining import (
    adjacent_slices_as_one,
    are_lengths_of,
    concatenated,
    has_empty_pieces,
    is_everything,
    nonempty_pieces,
)
from relgraph.tensor.lawkit.vocabulary import Law, any_dtype_law, lvars, relation

a, i, j, m, n, x, y, z = lvars("a i j m n x y z")
both, every, inner, inner_lengths = lvars("both every inner inner_lengths")
lengths, pieces, rest, sizes = lvars("lengths pieces rest sizes")

MOST_PIECES = 4
"""There are laws about all pieces of a split into so many, at most."""


def joino(joined: Any, parts: Any) -> Any:
    """Construct the goal that `joined` is the join of `parts` on the axis `a`."""
    return argumentso(joined, Join(a), parts)


@relation("join-of-join-first", depth=2)
def join_of_join_firsto(joined: Any, flat: Any) -> Any:
    """``join(0, join(0, x, y), z) → join(0, x, y, z)``"""
    return lall(
        joino(joined, cons(inner, rest)),
        joino(inner, pieces),
        computo(every, concatenated, pieces, rest),
        joino(flat, every),
    )


@relation("join-of-join-second", depth=2)
def join_of_join_secondo(joined: Any, flat: Any) -> Any:
    """``join(0, x, join(0, y, z)) → join(0, x, y, z)``"""
    return lall(
        joino(joined, cons(x, cons(inner, rest))),
        joino(inner, pieces),
        computo(every, concatenated, pieces, rest),
        joino(flat, cons(x, every)),
    )


@relation("join-of-join-third", depth=2)
def join_of_join_thirdo(joined: Any, flat: Any) -> Any:
    """``join(0, x, y, join(0, z, w)) → join(0, x, y, z, w)``"""
    return lall(
        joino(joined, cons(x, cons(y, cons(inner, rest)))),
        joino(inner, pieces),
        computo(every, concatenated, pieces, rest),
        joino(flat, cons(x, cons(y, every))),
    )


NO_ROWS, NO_COLUMNS = Subtensor((Slice(0, 0),)), Subtensor((Slice(), Slice(0, 0)))


@relation(
    "join-with-nothing",
    depth=2,
    tries=(Join(0)(x, NO_ROWS(y)), Join(0)(NO_ROWS(x), y, z), Join(1)(x, NO_COLUMNS(y))),
)
def join_with_nothingo(joined: Any, fewer: Any) -> Any:
    """``join(0, x, y) → x``, if `y` is known to be empty"""
    return lall(
        joino(joined, pieces),
        whereo(has_empty_pieces, a, pieces),
        computo(rest, nonempty_pieces, a, pieces),
        joino(fewer, rest),
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
        computo(both, adjacent_slices_as_one, a, i, j),
        whereo(is_found, both),
        joino(fewer, cons(Subtensor(both)(x), rest)),
    )


FLAT = (
    any_dtype_law("join-of-one", Join(a)(x), x),
    join_of_join_firsto,
    join_of_join_secondo,
    join_of_join_thirdo,
    join_with_nothingo,
    join_of_neighbourso,
    any_dtype_law(
        "join-of-halves",
        Join(a)(Subtensor(i)(x, n), Subtensor(j)(x, n)),
        x,  # join(0, x[:n], x[n:]) → x
        computo(both, adjacent_slices_as_one, a, i, j),
        whereo(is_everything, both),
    ),
)


def _of_pieces(count: int) -> tuple[Law, ...]:
    """Return the laws about a join of a number of pieces and a split into as many.

    ``join(0, *split(x, sizes)) → x``, and for each piece ``split(join(0, x0, x1), sizes)[0] → x0``,
    if `sizes` are the lengths of the pieces.
    """
    xs = lvars("".join(f"x{i}," for i in range(count)))
    split = Split(count, a)
    joined = Join(a)(*xs)
    parts = [nth(i, split(x, sizes)) for i in range(count)]
    own_sizes = whereo(are_lengths_of, sizes, a, *xs)
    return (
        any_dtype_law(f"join-of-split-{count}", Join(a)(*parts), x),
        *(
            any_dtype_law(f"split-of-join-{count}-{i}", nth(i, split(joined, sizes)), v, own_sizes)
            for i, v in enumerate(xs)
        ),
    )


SPLITS = (
    any_dtype_law("split-of-one", Split(1, a)(x, sizes), x),
    *(law for count in range(2, MOST_PIECES + 1) for law in _of_pieces(count)),
)


@relation(
    "join-of-allocs",
    tags=("priced",),  # the sum of two lengths
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
        argumentso(inner, Alloc(), cons(x, inner_lengths)),
        argumentso(once, Alloc(), cons(x, lengths)),
    )


FILLED = (join_of_allocso, alloc_of_alloco)
