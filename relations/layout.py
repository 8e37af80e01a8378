"""Shapes, axes, and values that are repeated, reshaped or put side by side.

A length becomes an expression of the lengths of the inputs, and so on until only those of what is
given are left. Where that takes arithmetic it is done only if nothing else reads the result: once
it is computed, its length is there for nothing.

Fills, which repeat a value in the shape of a template, move outward until none is needed.
``second(a, x)`` is `x`, filled into the shape of the template `a`. An elementwise op is applied to
`x` and not to all the copies of it: the fill is done afterwards, or not at all where another
argument has the shape anyway.

A dimshuffle costs nothing itself, but hides what it is about. So it goes toward the leaves, through
every elementwise op that nothing else reads.
"""

from __future__ import annotations

from functools import partial
from operator import add, attrgetter, getitem
from typing import Any

from kanren.core import eq, lall

from relations.kit import layout as kit
from relations.kit.guards import covers_shapeo
from relations.kit.type_guards import ranko
from relations.kit.vocabulary import any_dtype_law, lvars, relation
from relgraph.graph.kanren import argumentso, computed, computo, one_cliento, several, whereo
from relgraph.graph.unify import nth
from relgraph.tensor import DimShuffle, Elemwise, second
from relgraph.tensor.assembly import Alloc, Join, Split
from relgraph.tensor.basic import merged_lengths
from relgraph.tensor.shapes import MakeVector, Reshape, Shape_i, SpecifyShape, _shape
from relgraph.tensor.subtensor import Slice, Subtensor

# -- shapes and lengths ----------------------------------------------------------------------------

i, j, n, o, x, xs, y, ys = lvars("i j n o x xs y ys")

_ROW = ("shape_promotion",)


shape_law = partial(any_dtype_law, tags=_ROW)
"""`law` about shapes, of tensors of any dtype."""

lift = partial(any_dtype_law, tags=(*_ROW, "inward"))
"""`law` that makes of the shape of a result an expression of its op's inputs."""


def length(axis: int) -> Any:
    """Return the length of an axis of `x`."""
    return Shape_i(axis)(x)


vector = MakeVector("int64")

made = MakeVector(o)(several(xs))

LENGTHS = (
    # exp(x).shape[0] → x.shape[0], alloc(x, m, 3).shape[1] → 3, and where nothing else reads the
    # join, join(0, x, z).shape[0] → x.shape[0] + z.shape[0]
    lift("length", Shape_i(i)(y), computed(kit.length_from_inputs, y, i)),
    # exp(x).shape → x.shape, the shape of a draw → the size that it was given, and where nothing
    # else reads the product, dot(x, z).shape → make_vector(x.shape[0], z.shape[1])
    lift("shape", _shape(y), computed(kit.shape_from_inputs, y)),
    # x.shape[0] → shape_i(x, 0), x.shape[-1] → shape_i(x, 1) of a matrix
    shape_law("element-of-shape", Subtensor(i)(_shape(x)), Shape_i(computed(kit.axis_at, i, x))(x)),
    shape_law(
        "shape-of-lengths",
        vector(several(xs)),
        # make_vector(x.shape[0], x.shape[1]) → shape(x), of a matrix x
        _shape(computed(kit.tensor_of_lengths, xs)),
        tries=[vector(*map(length, range(n))) for n in (1, 2, 3)],
    ),
    # make_vector(a, b, c)[1] → b, make_vector(a, b, c)[1:] → make_vector(b, c)
    shape_law("element-of-vector", Subtensor(i)(made), computed(kit.element_at, i, xs)),
    shape_law(
        "part-of-vector",
        Subtensor(i)(made),
        MakeVector(o)(several(computed(kit.elements_at, i, xs))),
    ),
)


# -- fills -----------------------------------------------------------------------------------------

a, b, p, s, z, zs = lvars("a b p s z zs")

f = Elemwise(s, ())
"""Any elementwise op that overwrites no argument."""


fill_law = partial(any_dtype_law, tags=("fill_cut",))
"""`law` about fills, of tensors of any dtype."""

fill = second(b, x)
allocated = Alloc()(x, several(ys))
"""An allocation of any rank."""
COPIES = (fill, DimShuffle(n, o)(fill), Alloc()(x, several(zs)))

widest = computed(kit.widest_template, xs)
"""Of the templates; a fill of one that it does not cover stays."""


FILLS = (
    fill_law(
        "fill-cut", second(a, x), x, covers_shapeo(x, a), whereo(kit.is_not_allocated_like, x, a)
    ),
    fill_law(
        "fill-cut-in-operands",
        f(several(xs)),
        # f(second(a, x), y) → f(x, y), f(alloc(x, n, m), y) → f(x, y)
        f(several(computed(kit.without_copies, xs))),
        tries=[*(f(y, copies) for copies in COPIES), *(f(copies, y) for copies in COPIES)],
    ),
    # all at once, since a sum of many may have many fills
    fill_law(
        "fill-sink",
        f(several(xs)),
        # f(second(a, x), second(b, y), z) → second(a, f(x, y, z))
        second(widest, f(several(computed(kit.unfilled, widest, xs)))),
        whereo(kit.is_total, s, xs),
        tries=[f(fill), f(fill, y), f(y, fill), f(fill, y, z), f(y, second(a, y), fill)],
    ),
    # second(exp(x) + c, y) → second(x, y): what is filled into the shape of a result needs the
    # shape alone; most fills go before that
    any_dtype_law(
        "fill-like",
        second(a, y),
        second(computed(kit.shape_source, a), y),
        tags=("fill_cut", "late"),
    ),
    # second(a, x) → alloc(x, *a.shape)
    fill_law("fill-known", second(a, x), computed(kit.alloc_like, x, a)),
    # alloc(x, *x.shape) → x
    fill_law("alloc-unneeded", allocated, x, whereo(kit.has_lengths, x, ys)),
    # alloc([[2]], n, m) → alloc(2, n, m)
    fill_law("alloc-smaller", allocated, Alloc()(computed(kit.without_first_axes, x), several(ys))),
    # alloc(x, 1, 1) → x.dimshuffle("x", "x")
    fill_law("alloc-of-ones", allocated, computed(kit.with_first_axes, x, ys)),
    # second(alloc(x, n, m), y) → alloc(y, n, m)
    fill_law(
        "alloc-fill", second(allocated, y), Alloc()(y, several(ys)), whereo(kit.stretches_to, y, ys)
    ),
)


# -- reshapes and declared shapes ------------------------------------------------------------------

m, t = lvars("m t")


reshape_law = partial(any_dtype_law, tags=("reshape_chain",))

RESHAPES = (
    reshape_law("reshape-chain", Reshape(n)(Reshape(m)(x, s), t), Reshape(n)(x, t)),
    reshape_law(
        "reshape-of-dimshuffle",
        Reshape(n)(DimShuffle(m, o)(x), t),
        Reshape(n)(x, t),
        whereo(kit.keeps_memory_order, o),
    ),
    # identities
    # reshape(x, [1, 1]) → x.dimshuffle("x", "x")
    reshape_law("reshape-of-one", Reshape(n)(x, t), computed(kit.one_element_reshaped, x, t)),
    reshape_law("reshape-to-own-shape", Reshape(n)(x, _shape(x)), x),
    reshape_law("reshape-to-known-shape", Reshape(n)(x, t), x, whereo(kit.is_shape_of, t, x)),
    # declarations
    reshape_law("specify-known-shape", SpecifyShape(s)(x), x, whereo(kit.is_known_shape_of, s, x)),
    reshape_law(
        "specify-shape-twice",
        SpecifyShape(s)(SpecifyShape(t)(x)),
        SpecifyShape(computed(merged_lengths, s, t))(x),  # of (2, None) and (None, 3): (2, 3)
    ),
)


# -- orders of axes --------------------------------------------------------------------------------

shuffle = DimShuffle(n, o)
shuffled_twice, composed = shuffle(DimShuffle(m, p)(x)), computed(kit.composed_order, o, p)

ORDERS = (
    # at once, and while a graph is copied: gradients take away the axes that they have added
    any_dtype_law("dimshuffles-cancel", shuffled_twice, x, whereo(kit.undoes_order, m, o, p)),
    any_dtype_law("dimshuffle-of-dimshuffle", shuffled_twice, DimShuffle(m, composed)(x)),
    any_dtype_law("dimshuffle-unneeded", shuffle(x), x, whereo(kit.is_identity_order, n, o)),
)


elementwise = f(several(xs))
each_moved = f(several(computed(kit.each_dimshuffled, n, o, xs)))
read_once, of_few_ops = one_cliento(elementwise), whereo(kit.are_made_of_few_ops, xs)

LIFTS = (
    # (x + y).T → x.T + y.T, for any order, where nothing else reads x + y; where few ops make x and
    # y, this need not wait for the rest
    any_dtype_law("dimshuffle-of-few-ops", shuffle(elementwise), each_moved, read_once, of_few_ops),
    any_dtype_law(
        "dimshuffle-of-elemwise", shuffle(elementwise), each_moved, read_once, tags=("inward",)
    ),
)

joined = Join(a)(several(xs))
common = computed(kit.common_dimshuffle, a, xs)
rank, order = (computed(attrgetter(name), common) for name in ("input_ndim", "new_order"))


# -- joins, splits, and allocations next to each other ---------------------------------------------

sizes = lvars("sizes")
both = computed(kit.adjacent_slices_as_one, a, i, j)

FRONT, BACK, INSIDE = Slice(None, 2), Slice(2, None), Slice(1, 2)


def _split_of_join(axis: int, *parts: Any) -> Any:
    lengths = vector(*(Shape_i(axis)(v) for v in parts))
    return Split(len(parts), axis)(Join(axis)(*parts), lengths)


@relation(
    "split-of-join",
    depth=2,
    tries=[nth(0, _split_of_join(0, x, y)), nth(1, _split_of_join(1, x, y, z))],
)
def split_of_joino(part: Any, piece: Any) -> Any:
    """``split(join(0, x, y), sizes)[1] → y``, if `sizes` are the lengths of the pieces"""
    k, whole, count, pieces = lvars("k whole count pieces")
    return lall(
        eq(part, nth(k, Split(count, a)(whole, sizes))),
        argumentso(whole, Join(a), pieces),
        whereo(kit.are_lengths_of, sizes, a, pieces),
        computo(piece, getitem, pieces, k),
    )


JOINS = (
    any_dtype_law("join-of-one", Join(a)(x), x),
    any_dtype_law(
        "join-of-joins",
        joined,
        # join(0, x, join(0, y, z)) → join(0, x, y, z), wherever they stand
        Join(a)(several(computed(kit.pieces_of_joins, a, xs))),
        tries=[Join(a)(x, Join(a)(y, z)), Join(0)(Join(0)(x, y), z)],
    ),
    any_dtype_law(
        "join-with-nothing",
        joined,
        # join(0, x, y) → x, if y is known to be empty
        Join(a)(several(computed(kit.nonempty_pieces, a, xs))),
    ),
    any_dtype_law(
        "join-of-neighbours",
        Join(a)(Subtensor(i)(x), Subtensor(j)(x), several(ys)),
        # join(0, x[:k], x[k:]) → x[:], whatever k is; join(0, x[1:3], x[3:]) → x[1:]
        Join(a)(Subtensor(both)(x), several(ys)),
        tries=[
            Join(0)(Subtensor((FRONT,))(x), Subtensor((BACK,))(x)),
            Join(0)(Subtensor((INSIDE,))(x), Subtensor((BACK,))(x), y),
            Join(1)(Subtensor((Slice(), FRONT))(x), Subtensor((Slice(), BACK))(x)),
        ],
    ),
    # join(0, x[:n], x[n:]) → x
    any_dtype_law(
        "join-of-halves",
        Join(a)(Subtensor(i)(x, n), Subtensor(j)(x, n)),
        x,
        whereo(kit.is_everything, both),
    ),
    any_dtype_law("split-of-one", Split(1, a)(x, sizes), x),
    any_dtype_law(
        "join-of-split",
        Join(a)(several(xs)),
        computed(kit.split_into, a, xs),  # join(0, *split(x, sizes)) → x
        tries=[Join(a)(*(nth(i, Split(n, a)(x, sizes)) for i in range(n))) for n in (2, 3)],
    ),
    split_of_joino,
    # filled
    # join(0, alloc(x, m), alloc(x, n)) → alloc(x, m + n)
    any_dtype_law(
        "join-of-allocs",
        Join(0)(Alloc()(x, m), Alloc()(x, n), several(ys)),
        Join(0)(Alloc()(x, computed(add, m, n)), several(ys)),
        ranko(x, 0),
        tags=("priced",),  # the sum of two lengths
    ),
    # alloc(alloc(x, n), m, n) → alloc(x, m, n)
    any_dtype_law(
        "alloc-of-alloc", Alloc()(Alloc()(x, several(xs)), several(ys)), Alloc()(x, several(ys))
    ),
    # all are looked at at once: they may be a hundred thousand
    any_dtype_law(
        "join-of-dimshuffles",
        joined,
        # join(1, x.T, y.T) → join(0, x, y).T
        DimShuffle(rank, order)(
            Join(computed(getitem, order, a))(several(computed(kit.before_each, xs)))
        ),
        tries=[Join(a)(DimShuffle(n, o)(x), DimShuffle(n, o)(y))],
    ),
)
