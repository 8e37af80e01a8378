"""The shape of a result without the result: by what its op infers from its inputs.

One step at a time: a length becomes an expression of the lengths of the inputs, and so on until
only those of what is given are left. What takes arithmetic is done only if nothing else needs the
result itself, which would have its length for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanren.core import eq, lall

from relgraph.graph.kanren import argumentso, computo, one_cliento, whereo
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.extents import (
    element_at,
    elements_at,
    is_one_place,
    lifted_length,
    lifted_shape,
    lifts_length,
    lifts_plainly,
    lifts_shape,
    lifts_shape_plainly,
    names_element,
    names_elements,
    place_in,
)
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars, relation
from relgraph.tensor.shapes.shape import MakeVector, Shape_i, _shape

i, j, n, x, y = lvars("i j n x y")

_ROW = ("shape_promotion",)


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any, tags: Sequence[str] = ()) -> Law:
    """Return a law that holds for tensors of any dtype."""
    return law(name, lhs, rhs, *conditions, tags=(*_ROW, *tags), mixed=True, complex=True)


def lift(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that takes a shape of something to what that is made of."""
    return of_any(name, lhs, rhs, *conditions, tags=("inward",))


def length(axis: int) -> Any:
    """Return the length of an axis of `x`."""
    return Shape_i(axis)(x)


vector = MakeVector("int64")

LIFTS = (
    lift("length", Shape_i(i)(y), n, whereo(lifts_plainly, y, i), computo(n, lifted_length, y, i)),
    lift(
        "length-computed",
        Shape_i(i)(y),
        n,
        one_cliento(y),
        whereo(lifts_length, y, i),
        computo(n, lifted_length, y, i),
    ),
    lift("shape", _shape(y), n, whereo(lifts_shape_plainly, y), computo(n, lifted_shape, y)),
    lift(
        "shape-computed",
        _shape(y),
        n,
        one_cliento(y),
        whereo(lifts_shape, y),
        computo(n, lifted_shape, y),
    ),
)

VECTORS = (
    of_any(
        "element-of-shape",
        Subtensor(i)(_shape(x)),
        Shape_i(j)(x),
        whereo(is_one_place, i),
        computo(j, place_in, i, x),
    ),
    of_any("shape-of-lengths-1d", vector(length(0)), _shape(x), ranko(x, 1)),
    of_any("shape-of-lengths-2d", vector(length(0), length(1)), _shape(x), ranko(x, 2)),
    of_any("shape-of-lengths-3d", vector(length(0), length(1), length(2)), _shape(x), ranko(x, 3)),
)


@relation("element-of-vector", tags=_ROW, depth=2)
def element_of_vectoro(whole: Any, part: Any) -> Any:
    """``make_vector(a, b, c)[1] → b``"""
    dtype, elements, index, made = lvars("dtype elements index made")
    return lall(
        eq(whole, Subtensor(index)(made)),
        argumentso(made, MakeVector(dtype), elements),
        whereo(names_element, index, elements),
        computo(part, element_at, index, elements),
    )


@relation("part-of-vector", tags=_ROW, depth=2)
def part_of_vectoro(whole: Any, part: Any) -> Any:
    """``make_vector(a, b, c)[1:] → make_vector(b, c)``"""
    dtype, elements, index, kept, made = lvars("dtype elements index kept made")
    return lall(
        eq(whole, Subtensor(index)(made)),
        argumentso(made, MakeVector(dtype), elements),
        whereo(names_elements, index, elements),
        computo(kept, elements_at, index, elements),
        argumentso(part, MakeVector(dtype), kept),
    )


PARTS = (element_of_vectoro, part_of_vectoro)
