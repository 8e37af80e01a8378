"""The shape of a result without the result: as its op infers it from the inputs.

A length becomes an expression of the lengths of the inputs, and so on until only those of what is
given are left. Where that takes arithmetic it is done only if nothing else reads the result: once
it is computed, its length is there for nothing.
"""

from __future__ import annotations

from typing import Any

from kanren.core import eq, lall

from relgraph.graph.kanren import argumentso, computo, one_cliento, whereo
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.shapes import (
    axis_at,
    element_at,
    elements_in,
    has_length_of_input,
    has_shape_of_input,
    infers_length,
    infers_shape,
    is_one_integer,
    is_position_in,
    is_slice_of,
    length_from_inputs,
    shape_from_inputs,
)
from relgraph.tensor.lawkit.vocabulary import Law, any_dtype_law, lvars, relation
from relgraph.tensor.shapes.shape import MakeVector, Shape_i, _shape

i, j, n, x, y = lvars("i j n x y")

_ROW = ("shape_promotion",)


def shape_law(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about shapes, of tensors of any dtype."""
    return any_dtype_law(name, lhs, rhs, *conditions, tags=_ROW)


def lift(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that makes of the shape of a result an expression of its op's inputs."""
    return any_dtype_law(name, lhs, rhs, *conditions, tags=(*_ROW, "inward"))


def length(axis: int) -> Any:
    """Return the length of an axis of `x`."""
    return Shape_i(axis)(x)


vector = MakeVector("int64")

LIFTS = (
    lift(
        "length",
        Shape_i(i)(y),
        n,  # exp(x).shape[0] → x.shape[0], alloc(x, m, 3).shape[1] → 3
        whereo(has_length_of_input, y, i),
        computo(n, length_from_inputs, y, i),
    ),
    lift(
        "length-computed",
        Shape_i(i)(y),
        n,  # join(0, x, z).shape[0] → x.shape[0] + z.shape[0]
        one_cliento(y),
        whereo(infers_length, y, i),
        computo(n, length_from_inputs, y, i),
    ),
    lift(
        "shape",
        _shape(y),
        n,  # exp(x).shape → x.shape, the shape of a draw → the size that it was given
        whereo(has_shape_of_input, y),
        computo(n, shape_from_inputs, y),
    ),
    lift(
        "shape-computed",
        _shape(y),
        n,  # dot(x, z).shape → make_vector(x.shape[0], z.shape[1])
        one_cliento(y),
        whereo(infers_shape, y),
        computo(n, shape_from_inputs, y),
    ),
)

VECTORS = (
    shape_law(
        "element-of-shape",
        Subtensor(i)(_shape(x)),
        Shape_i(j)(x),  # x.shape[0] → shape_i(x, 0), x.shape[-1] → shape_i(x, 1) of a matrix
        whereo(is_one_integer, i),
        computo(j, axis_at, i, x),
    ),
    shape_law("shape-of-lengths-1d", vector(length(0)), _shape(x), ranko(x, 1)),
    shape_law("shape-of-lengths-2d", vector(length(0), length(1)), _shape(x), ranko(x, 2)),
    shape_law(
        "shape-of-lengths-3d", vector(length(0), length(1), length(2)), _shape(x), ranko(x, 3)
    ),
)


@relation("element-of-vector", tags=_ROW, depth=2)
def element_of_vectoro(whole: Any, part: Any) -> Any:
    """``make_vector(a, b, c)[1] → b``"""
    dtype, elements, index, made = lvars("dtype elements index made")
    return lall(
        eq(whole, Subtensor(index)(made)),
        argumentso(made, MakeVector(dtype), elements),
        whereo(is_position_in, index, elements),
        computo(part, element_at, index, elements),
    )


@relation("part-of-vector", tags=_ROW, depth=2)
def part_of_vectoro(whole: Any, part: Any) -> Any:
    """``make_vector(a, b, c)[1:] → make_vector(b, c)``"""
    dtype, elements, index, kept, made = lvars("dtype elements index kept made")
    return lall(
        eq(whole, Subtensor(index)(made)),
        argumentso(made, MakeVector(dtype), elements),
        whereo(is_slice_of, index, elements),
        computo(kept, elements_in, index, elements),
        argumentso(part, MakeVector(dtype), kept),
    )


PARTS = (element_of_vectoro, part_of_vectoro)
