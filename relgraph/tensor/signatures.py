"""Which lengths of an op's inputs have to be equal, and the shapes of its outputs.

A signature names the last axes of each input and output, as that of a generalized ufunc in NumPy:
``"(m,k),(k,n)->(m,n)"``. An axis whose name ends with a question mark is missing in an input of
lower rank. Axes in front of the named ones are those of a stack, along which an input broadcasts if
its length is known to be 1. An elementwise op names no axes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.type import Shape

Axis = str | int
"""The name of an axis, or the number of an axis of a stack, counted from the end."""

Core = tuple[str, ...]
"""The named axes of an input or output."""

Place = tuple[int, int]
"""The position of an input, and that of one of its axes."""


class Signature(NamedTuple):
    """The named axes of inputs and outputs."""

    inputs: tuple[Core, ...]
    outputs: tuple[Core, ...]


@cache
def parsed(signature: str) -> Signature:
    """Return a signature that is given as text."""
    sides = [
        tuple(tuple(re.findall(r"\w+\??", core)) for core in re.findall(r"[(\[].*?[)\]]", side))
        for side in signature.split("->")
    ]
    return Signature(*sides)


def axes_of(core: Core, ndim: int) -> tuple[Axis, ...]:
    """Return the axes of an input of some rank."""
    named = tuple(axis for axis in core if ndim >= len(core) or not axis.endswith("?"))
    return (*range(len(named) - ndim, 0), *named)


@lru_cache(4000)
def places_of_axes(
    cores: tuple[Core, ...], static: tuple[Shape, ...]
) -> Mapping[Axis, Sequence[Place]]:
    """Return for each axis the places of its length, which have to be equal.

    Inputs that broadcast along an axis are left out; if all do, there is no place.

    Parameters
    ----------
    cores
        The named axes of each input.
    static
        The static shapes of the inputs.
    """
    found: dict[Axis, list[Place]] = {}
    for i, (core, shape) in enumerate(zip(cores, static, strict=True)):
        for position, axis in enumerate(axes_of(core, len(shape))):
            places = found.setdefault(axis, [])
            if shape[position] != 1 or isinstance(axis, str):
                places.append((i, position))
    return found


def common_lengths(
    what: Any,
    inputs: Sequence[Any],
    static: Sequence[Shape],
    shapes: Sequence[Shape],
    cores: tuple[Core, ...],
    error: type[Exception] = ValueError,
) -> dict[Axis, int | None]:
    """Return the length of each axis; None if it is not known.

    Parameters
    ----------
    what
        The op, for the error.
    inputs
        Variables, or what the error calls inputs.
    static, shapes
        Their static shapes, and their shapes: the same, or those of values.
    cores
        The named axes of each input.
    error
        The class of the error.

    Raises
    ------
    Exception
        If lengths differ that have to be equal.
    """
    found: dict[Axis, int | None] = {}
    for axis, places in places_of_axes(cores, tuple(static)).items():
        known: dict[int, Place] = {}
        for i, position in places:
            n = shapes[i][position]
            if n is not None:
                known.setdefault(n, (i, position))
        if len(known) > 1:
            raise error(f"{what}: {_difference(inputs, shapes, known, isinstance(axis, int))}")
        found[axis] = next(iter(known)) if known else None if places else 1
    return found


def _difference(
    inputs: Sequence[Any], shapes: Sequence[Shape], known: Mapping[int, Place], is_of_stack: bool
) -> str:
    (n, (i, p)), (m, (j, q)) = list(known.items())[:2]
    if i == j:
        shape = tuple(shapes[i])
        return f"the matrices of input {i} are not square: {n} rows and {m} columns (shape {shape})"
    if m == 1 and is_of_stack:
        (n, i, p), (m, j, q) = (m, j, q), (n, i, p)
    (x, p), (y, q) = _as_written(inputs[i], p), _as_written(inputs[j], q)
    text = f"axis {p} of input {i} ({x}) has length {n}, axis {q} of input {j} ({y}) has length {m}"
    if n != 1 or not is_of_stack:
        return text
    return text + (undeclared(x.type, p) if isinstance(x, Variable) else DECLARED)


def _as_written(x: Any, axis: int) -> tuple[Any, int]:
    """Return an input and an axis of it as they were before axes were put in front to align it."""
    while isinstance(x, Variable) and x.owner is not None:
        order = getattr(x.owner.op, "new_order", None)
        if order is None or order[axis] == "x":
            break
        x, axis = x.owner.inputs[0], order[axis]
    return x, axis


DECLARED = "; only an axis whose length is known to be 1 broadcasts"


def undeclared(kind: Any, axis: int) -> str:
    """Return the end of an error about an axis of length 1 whose type does not say so."""
    shape = tuple(1 if k == axis else n for k, n in enumerate(kind.shape))
    return f"{DECLARED}: declare TensorType({kind.dtype!r}, {shape}), or use specify_shape"


def broadcast_shape(
    what: Any,
    inputs: Sequence[Any],
    static: Sequence[Shape],
    shapes: Sequence[Shape],
    error: type[Exception] = ValueError,
) -> tuple[Any, ...]:
    """Return the shape to which inputs broadcast; for the parameters see `common_lengths`."""
    lengths = common_lengths(what, inputs, static, shapes, ((),) * len(static), error)
    return tuple([lengths[axis] for axis in range(-len(lengths), 0)])


def check_broadcast(
    node: Apply, value: Any, target: Sequence[int], position: int = 1, of: str = "the part"
) -> None:
    """Raise a ValueError if a value of an input does not broadcast to a shape.

    Parameters
    ----------
    position
        The position of the input.
    of
        What has the shape, for the error.
    """
    if value.shape != target:
        var = node.inputs[position]
        met = [(of, (None,) * len(target), target), (var, var.type.shape, value.shape)]
        inputs, static, shapes = zip(*(met if position else met[::-1]), strict=True)
        broadcast_shape(node.op, inputs, static, shapes)


def met_lengths(
    static: Sequence[Shape], shapes: Sequence[Any], cores: tuple[Core, ...]
) -> dict[Axis, Any]:
    """Return the length of each axis in terms of symbolic shapes: the first of equal ones.

    For the parameters see `common_lengths`.
    """
    return {
        axis: shapes[places[0][0]][places[0][1]] if places else 1
        for axis, places in places_of_axes(cores, tuple(static)).items()
    }


def met_shape(static: Sequence[Shape], shapes: Sequence[Any]) -> tuple[Any, ...]:
    """Return the shape to which inputs of symbolic shapes broadcast; see `met_lengths`."""
    lengths = met_lengths(static, shapes, ((),) * len(static))
    return tuple([lengths[axis] for axis in range(-len(lengths), 0)])


@lru_cache(4000)
def places_of_outputs(
    signature: str, static: tuple[Shape, ...]
) -> Sequence[Sequence[Place | None]] | None:
    """Return where the lengths of outputs stand among those of inputs, and None for a length of 1.

    It is None if an output has an axis that no input has.
    """
    cores, outputs = parsed(signature)
    places = places_of_axes(cores, static)
    axes = output_axes(places, outputs)
    if any(axis not in places for core in axes for axis in core):
        return None
    return [[places[axis][0] if places[axis] else None for axis in core] for core in axes]


@lru_cache(4000)
def pairs_of_places(signature: str, static: tuple[Shape, ...]) -> Sequence[tuple[Place, Place]]:
    """Return pairs of places of lengths that have to be equal."""
    places = places_of_axes(parsed(signature).inputs, static).values()
    return [(where[0], other) for where in places for other in where[1:]]


def output_axes(known: Collection[Axis], outputs: Sequence[Core]) -> list[tuple[Axis, ...]]:
    """Return the axes of each output, given those of the inputs."""
    stack = sorted(axis for axis in known if isinstance(axis, int))
    return [
        (*stack, *(axis for axis in core if axis in known or not axis.endswith("?")))
        for core in outputs
    ]


def equal_lengths(
    static: Sequence[Shape], shapes: Sequence[Any], cores: tuple[Core, ...]
) -> list[list[Any]]:
    """Return the groups of lengths that have to be equal; see `met_lengths`."""
    return [
        [shapes[i][position] for i, position in places]
        for places in places_of_axes(cores, tuple(static)).values()
        if places
    ]
