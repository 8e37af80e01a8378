"""Variants of an instance: the same graph, where something else stands in the place of a tensor.

What a logic variable stands for lies in memory as users' arrays do only where it is an input. Where
a guard admits no input, because it asks for what is never negative, say, or for a number, memory
layouts come by these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation.numbers import number_of
from relgraph.testing.draw.arrays import edge_numbers
from relgraph.testing.instances.arguments.state import CannotInstantiate, InstantiatedPattern
from relgraph.testing.instances.cells import KINDS
from relgraph.testing.instances.input_values import InputSpec
from relgraph.testing.instances.instance import Instance
from relgraph.testing.instances.instance_search import InstanceSearch
from relgraph.testing.instances.retyped import (
    in_dtype,
    rebuilt,
    reshaped,
    retyped,
    with_length,
    with_number,
)

# Of fewer graphs it is not said that a logic variable never stands for an input.
_FEW_GRAPHS = 4
# How many graphs lose the elements of an axis.
_EMPTIED = 2
# Functions of an input that guards admit in its place, the one with the most values first.
_FUNCTIONS = (at.abs, at.exp)
# A vector that has room for all edge values, and a shape in which arrays have every order of axes.
_ROOM_FOR_EDGES = (32,)
_THREE_AXES = (3, 2, 2)

# Kinds of all inputs but one, with the dtypes that one is given.
_BESIDE = (
    ("float64", ("float32", "float16", "int64", "int8")),
    ("float32", ("float64", "float16", "int64", "int8")),
    ("float16", ("float64", "float32", "int64", "int8")),
    ("signed", ("float64", "float32", "float16")),
    ("bool", ("float64", "float32", "float16")),
)

# How many constants beside float64 are given other dtypes, and which.
_WITH_CONSTANTS = 4
_OF_CONSTANTS = ("float32", "int64", "uint8")

View = Callable[[Any], Any]


def complex_too(search: InstanceSearch) -> Iterator[Instance]:
    """Yield the instances with inputs of float64, and the same graphs of complex numbers."""
    for home in [i for i in search.instances if any(c.kind == "float64" for c in i.free_cells)]:
        yield home
        yield from _found(
            search, home, partial(retyped, dtypes=KINDS["float64"], dtype="complex128")
        )


def with_inputs_of_others(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances of float64 with one input or constant of another dtype, each one in turn.

    Of a law about several dtypes also instances of other kinds with one input of another one.
    """
    for home, constant in _beside_constants(search)[:_WITH_CONSTANTS]:
        for dtype in _OF_CONSTANTS:
            yield from _found(search, home, partial(in_dtype, dtype=dtype, only=constant))
    for kind, others in _BESIDE if search.direction.mixed else _BESIDE[:1]:
        for home in [i for i in _of_kind(search, kind) if len(i.inputs) > 1][:1]:
            for var in home.graph.inputs_in(KINDS[kind]):
                for dtype in others:
                    yield from _found(search, home, partial(in_dtype, dtype=dtype, only=var))


def _beside_constants(search: InstanceSearch) -> list[tuple[Instance, Constant]]:
    """Return the instances where all is float64, some of it inputs and some constants, with each of
    the constants."""
    homes = [i for i in search.instances if i.free_cells and _is_of_kind(i, "float64")]
    return [(i, v) for i in homes for v in i.graph.tensors if isinstance(v, Constant)]


def with_edge_numbers(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances with each edge value where a logic variable stands for constants only.

    Where ops work element by element the inputs are vectors with room for all edge values.
    """
    for v in _always(search, lambda value: _is_constant(value) or number_of(value) is not None):
        for home in _homes_with_constant(search, v)[:1]:
            constant: Any = home.graph.bindings[v]
            for number in edge_numbers(constant.type.dtype):
                yield from _with_room(
                    search, _found(search, home, partial(with_number, v=constant, number=number))
                )


def with_laid_out_numbers(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances whose numbers are arrays, where a logic variable stands for numbers only, or
    for constants.

    Their axes lie in memory in each order, or the first one has the stride 0. Other instances than
    those of ops that work element by element have none.
    """
    bindings = [instance.graph.bindings for instance in search.instances]
    fixed = [v for v in bindings[0] if all(_is_fixed(b[v]) for b in bindings)]
    homes = [
        i
        for i in (_of_kind(search, "float64") or search.instances if fixed else ())
        if all(_is_number(i.graph.bindings[v]) for v in fixed)
    ]
    for home in sorted(homes, key=lambda i: i.computed)[:1]:
        for number in (_by_columns, _in_another_order, _as_rows):
            yield from _found(search, home, partial(reshaped, shape=_THREE_AXES, number=number))


def with_functions(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances where a logic variable that is never an input stands for a function of one.

    Of inputs of float64. Where ops work element by element they are vectors with room for all edge
    values.
    """
    for v in _always(search, lambda value: not _is_input(value)):
        for extents in (("rank 2", "rank 1"), ("length 1",)):
            for home in _homes_with_result(search, v, extents)[:1]:
                yield from _with_room(search, _with_views_of(search, home, v, _plain))


def with_nothing(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances where the axes of one length have no elements: beside a column of three rows
    a row may have none, and beside a row the column."""
    homes = sorted(_of_kind(search, "float64"), key=lambda i: -len(_lengths(i)))
    for home in homes[:_EMPTIED]:
        for length in _lengths(home):
            yield from _found(search, home, partial(with_length, length=length, other=0))


def _lengths(instance: Instance) -> list[int]:
    """Return the lengths of the axes of the inputs that have several elements."""
    return sorted({n for spec in instance.inputs for n in spec.shape if n > 1})


def with_views(search: InstanceSearch) -> Iterator[Instance]:
    """Yield instances where a logic variable that is never an input stands for a view of a function
    of one: reversed, transposed, with gaps, with a new axis."""
    for v in _always(search, lambda value: not _is_input(value)):
        for extent in ("rank 2", "rank 1"):
            for home in _homes_with_result(search, v, (extent,))[:1]:
                yield from _with_views_of(search, home, v, _views)


def _with_room(search: InstanceSearch, instances: Iterable[Instance]) -> Iterator[Instance]:
    for instance in instances:
        yield from search.over(_ROOM_FOR_EDGES, instance) or [instance]


def _with_views_of(search: InstanceSearch, home: Instance, v: Any, views: Any) -> list[Instance]:
    """Return instances with views of the first function of an input that a law admits there."""
    tensor = home.graph.bindings[v]
    shape = home.shape_of(tensor)
    for function in () if shape is None else _FUNCTIONS:
        changes = [
            partial(_with_view, v=tensor, shape=of_input, view=view)
            for of_input, view in views(function, shape)
        ]
        made = [i for change in changes for i in _found(search, home, change)]
        if made:
            return made
    return []


def _always(search: InstanceSearch, admitted: Callable[[Any], bool]) -> list[Any]:
    """Return the logic variables for tensors that stand for what is admitted in all instances."""
    bindings = [instance.graph.bindings for instance in search.instances]
    if len(bindings) < _FEW_GRAPHS:
        return []
    return [
        v
        for v in bindings[0]
        if all(isinstance(b.get(v), Variable) and admitted(b[v]) for b in bindings)
    ]


def _is_constant(value: Any) -> bool:
    return isinstance(value, Constant)


def _is_fixed(value: Any) -> bool:
    return _is_constant(value) or _is_number(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, Variable):
        return number_of(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_input(value: Any) -> bool:
    return value.owner is None and not isinstance(value, Constant)


def _of_kind(search: InstanceSearch, kind: str, extent: str = "") -> list[Instance]:
    """Return the instances that are wholly of a kind, and of an extent if one is given."""
    cells = [(i, i.wholly) for i in search.instances]
    return [i for i, c in cells if c and c.kind == kind and (not extent or c.extent == extent)]


def _is_of_kind(instance: Instance, kind: str) -> bool:
    """Return whether all tensors of an instance are of a kind, constants too."""
    return {cell.kind for cell in instance.cells} == {kind}


def _homes_with_constant(search: InstanceSearch, v: Any) -> list[Instance]:
    """Return the instances where a logic variable is a constant itself: first those of float64,
    and those of inputs where the other variables stand."""
    homes = [i for i in search.instances if isinstance(i.graph.bindings[v], Constant)]
    floats = [i for i in homes if _is_of_kind(i, "float64")]
    return sorted(floats or homes, key=lambda i: (-len(i.inputs), i.computed, -_numbers_apart(i)))


def _numbers_apart(instance: Instance) -> int:
    """Return how many different numbers the constants are: what another one is divided by shall
    not become another one with it."""
    constants = [v for v in instance.graph.tensors if isinstance(v, Constant)]
    return len({v.data.tobytes() for v in constants})


def _homes_with_result(search: InstanceSearch, v: Any, extents: tuple[str, ...]) -> list[Instance]:
    """Return the instances of float64 and some extents where an op gives a logic variable."""
    found = [i for extent in extents for i in _of_kind(search, "float64", extent)]
    return [i for i in found if i.graph.bindings[v].owner is not None]


def _found(search: InstanceSearch, home: Instance, change: Any) -> Iterator[Instance]:
    instance = search.rebuilt(home, change)
    if instance is not None:
        yield instance


# -- arrays of one number ------------------------------------------------------------------------


def _by_columns(number: Any, shape: tuple[int, ...]) -> Any:
    return at.constant(np.full(shape, number, number.dtype, order="F"))


def _in_another_order(number: Any, shape: tuple[int, ...]) -> Any:
    """Return an array whose axes lie in memory in neither their own order nor the opposite one."""
    first, second, *others = shape
    return at.constant(np.full((second, first, *others), number).swapaxes(0, 1))


def _as_rows(number: Any, shape: tuple[int, ...]) -> Any:
    """Return a part without the first axis, and a new axis in its place, which has the stride 0."""
    return at.constant(np.full(shape[1:], number)).dimshuffle("x", *range(len(shape) - 1))


# -- views ---------------------------------------------------------------------------------------


def _plain(function: Any, shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], View]]:
    yield shape, function


def _views(function: Any, shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], View]]:
    """Yield for each view of a result of a shape the shape of the input it is made of."""
    if not shape:
        return
    backwards = (slice(None, None, -1),) * len(shape)
    yield shape, lambda x: function(x)[backwards]
    yield (*shape[:-1], 2 * shape[-1]), lambda x: function(x)[..., ::2]
    if len(shape) == 2:
        yield shape[::-1], lambda x: function(x).dimshuffle(1, 0)
        yield shape[1:], lambda x: function(x).dimshuffle("x", 0)


def _with_view(
    graph: InstantiatedPattern, v: Any, shape: tuple[int, ...], view: View
) -> InstantiatedPattern:
    """Return a graph with a view of what an op makes of a new input in the place of a variable."""
    new = at.TensorType(v.type.dtype, (None,) * len(shape))("of_view")
    made = view(new)
    if made.type.dtype != v.type.dtype:
        raise CannotInstantiate(f"{made} has another dtype than {v}")
    return rebuilt(graph, [*graph.inputs, InputSpec(new, shape)], {v: made})
