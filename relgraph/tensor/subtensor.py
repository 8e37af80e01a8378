"""Basic indexing by integers and slices: `Subtensor`, `IncSubtensor`, and their hashable indices.

``x[...]`` is parsed into the `idx_list` of the indexing ops.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.notation import Applied
from relgraph.graph.op import TypedOp
from relgraph.graph.type import disconnected
from relgraph.graph.utils import LogicTerm, MethodNotDefined
from relgraph.scalar.type import is_discrete
from relgraph.tensor.assembly import zeros_like
from relgraph.tensor.basic import as_tensor_variable, static_int
from relgraph.tensor.math import cast, clip, ge, lt, maximum, minimum, switch
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.reductions import sum_like
from relgraph.tensor.shapes import as_length, greater
from relgraph.tensor.signatures import broadcast_shape, check_broadcast, met_shape
from relgraph.tensor.type import TensorType


class Placeholder(enum.Enum):
    """Stands in an index for the next index input of the node."""

    INTEGER = "i"
    ARRAY = "array"

    def __repr__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Slice:
    """A hashable slice; a `Placeholder` marks a part that is an input of the node.

    A step of 1 is kept as None: slices that select the same are equal.
    """

    start: int | Placeholder | None = None
    stop: int | Placeholder | None = None
    step: int | Placeholder | None = None

    def __post_init__(self) -> None:
        if self.step == 1:
            object.__setattr__(self, "step", None)

    def parts(self) -> tuple[int | Placeholder | None, ...]:
        """Return start, stop and step."""
        return self.start, self.stop, self.step

    @property
    def goes_forward(self) -> bool:
        """Whether the slice is known to take elements in their order."""
        return self.step is None or (isinstance(self.step, int) and self.step > 0)

    def __repr__(self) -> str:
        return self.text(repr)

    def text(self, part_text: Callable[[Any], str]) -> str:
        """Return the slice as text, of the texts of its parts."""
        start, stop, step = ("" if p is None else part_text(p) for p in self.parts())
        return f"{start}:{stop}" + (f":{step}" if step else "")


Entry = int | Slice | Placeholder | None
"""The index of one axis; None adds an axis."""

IndexList = tuple[Entry, ...]
"""The index of the first axes."""


def goes_forward(index: IndexList) -> bool:
    """Return whether no slice of an index is known to go, or may go, backward."""
    return all(entry.goes_forward for entry in index if isinstance(entry, Slice))


WHOLE = Slice()
"""The slice of a whole axis."""


def index_string(entries: Sequence[Any], part_text: Callable[[Any], str] = repr) -> str:
    """Return an index as it would be written between square brackets, of the texts of parts."""
    return ", ".join(
        e.text(part_text) if isinstance(e, Slice) else "..." if e is Ellipsis else part_text(e)
        for e in entries
    )


def part_of(entries: Sequence[Any], x: Any, indices: Sequence[Any]) -> Any:
    """Return how a part of `x` is written; `x` itself if it is the whole."""
    if all(entry == WHOLE for entry in entries):
        return x
    text = index_string(entries, lambda p: "{}" if isinstance(p, Placeholder) else repr(p))
    return Applied("subtensor", (x, *indices), text, form="index")


def placeholders(entries: IndexList) -> Iterator[Placeholder]:
    """Yield the placeholders of an index, in the order of the index inputs."""
    for entry in entries:
        for part in entry.parts() if isinstance(entry, Slice) else (entry,):
            if isinstance(part, Placeholder):
                yield part


def concrete_index(entries: IndexList, values: Sequence[Any]) -> tuple[Any, ...]:
    """Return an index for NumPy: the placeholders are replaced by the values of the inputs."""
    return tuple(symbolic_index(entries, values, int))


def within(part: slice, length: int) -> slice:
    """Return a slice of an axis with bounds and a step that are not beyond its length."""
    places = range(*part.indices(length))
    if not places:
        return slice(0, 0)
    step = places.step if len(places) > 1 else 1
    last = places[-1] + (1 if step > 0 else -1)
    return slice(places[0], None if last < 0 else last, step)


def symbolic_index(
    entries: IndexList, inputs: Sequence[Any], integer: Callable[[Any], Any] = lambda v: v
) -> list[Any]:
    """Return an index with the placeholders replaced by the index inputs of a node, of which those
    for integers are converted by `integer`."""
    rest = iter(inputs)

    def value(part: Any) -> Any:
        if not isinstance(part, Placeholder):
            return part
        given = next(rest)
        return integer(given) if part is Placeholder.INTEGER else given

    return [
        slice(value(e.start), value(e.stop), value(e.step)) if isinstance(e, Slice) else value(e)
        for e in entries
    ]


def parse_index(key: Any, ndim: int | None) -> tuple[tuple[Any, ...], list[Any]]:
    """Return an index as an `IndexList`, and the variables of its placeholders.

    Parameters
    ----------
    key
        The index: what stands between the square brackets.
    ndim
        The rank of the tensor that is indexed; None if it is not known. Then an ellipsis stays in
        the index, unless it is the last entry.

    Raises
    ------
    IndexError
        If there are too many indices, or several ellipses.
    TypeError
        If a part of `key` is no index.
    ValueError
        If the step of a slice is 0.
    """
    parts = _known_masks_as_places(list(key)) if isinstance(key, tuple) else [key]
    inputs: list[Any] = []
    entries: list[Any] = [part if part is Ellipsis else _entry(part, inputs) for part in parts]
    if entries.count(Ellipsis) > 1:
        raise IndexError(f"[{key}] has more than one ellipsis")
    if ndim is not None:
        return filled_ellipsis(entries, inputs, ndim), inputs
    if entries and entries[-1] is Ellipsis:
        entries.pop()
    return tuple(entries) if Ellipsis in entries else _without_whole_axes(entries), inputs


def _known_masks_as_places(parts: list[Any]) -> list[Any]:
    """Return an index with integers for the masks whose values are known, if there are more arrays.

    How many elements such a mask has is known then, and whether that broadcasts with the others.
    """
    arrays = [part for part in parts if _is_array(part)]
    if len(arrays) < 2:
        return parts
    found: list[Any] = []
    for part in parts:
        value = part.data if isinstance(part, Constant) else part
        if _is_array(part) and not isinstance(value, Variable | LogicTerm):
            value = np.asarray(value)
            found += np.nonzero(value) if value.dtype == bool and value.ndim else [part]
        else:
            found.append(part)
    return found


def _is_array(part: Any) -> bool:
    if isinstance(part, Variable):
        return getattr(part.type, "ndim", 0) > 0
    return isinstance(part, list) or (isinstance(part, np.ndarray) and part.ndim > 0)


def filled_ellipsis(entries: list[Any], inputs: Sequence[Any], ndim: int) -> IndexList:
    """Return an index with whole axes in the place of an ellipsis, and without those at its end.

    Parameters
    ----------
    entries, inputs
        The index, and the variables of its placeholders.
    ndim
        The rank of the tensor that is indexed.

    Raises
    ------
    IndexError
        If there are more indices than axes.
    """
    consumed = _consumed(entries, inputs)
    if consumed > ndim:
        raise IndexError(
            f"{consumed} indices [{index_string(entries)}] for a tensor of {ndim} dimensions"
        )
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        if consumed == ndim:
            _check_apart(entries, at)
        entries[at : at + 1] = [WHOLE] * (ndim - consumed)
    return _without_whole_axes(entries)


def _check_apart(entries: Sequence[Any], at: int) -> None:
    """Raise if an ellipsis for no axes stands between arrays.

    NumPy takes the arrays for ones that are apart then, and has their axes first.
    """
    sides = [
        any(isinstance(e, int | Placeholder) for e in side)
        for side in (entries[:at], entries[at + 1 :])
    ]
    others = any(e is None or isinstance(e, Slice) for e in entries)
    if Placeholder.ARRAY in entries and all(sides) and others:
        raise IndexError(
            f"[{index_string(entries)}]: the ellipsis between arrays replaces no axes; "
            "leave it out, or write where the axes of the arrays go"
        )


def _without_whole_axes(entries: list[Any]) -> IndexList:
    while entries and entries[-1] == WHOLE:
        entries.pop()
    return tuple(entries)


def _entry(part: Any, inputs: list[Any]) -> Entry:
    if part is None:
        return None
    if isinstance(part, slice):
        start, stop, step = (_slice_part(p, inputs) for p in (part.start, part.stop, part.step))
        if step == 0:
            raise ValueError("the step of a slice is 0")
        return Slice(start, stop, step)
    if isinstance(part, bool | np.bool):
        raise TypeError(f"{part} is no index: wanted are integers, slices, None, ... and arrays")
    known = static_int(part)
    if known is not None:
        return known
    if isinstance(part, LogicTerm):
        inputs.append(part)
        return Placeholder.INTEGER
    v = as_tensor_variable(part)
    kind = np.dtype(v.type.dtype).kind
    if isinstance(part, list | tuple) and not part:
        v, kind = as_tensor_variable(np.zeros(0, dtype="int64")), "i"
    if kind not in "biu" or (kind == "b" and v.type.ndim == 0):
        raise TypeError(f"{part} is no index: it is a {v.type}")
    inputs.append(v)
    return Placeholder.INTEGER if v.type.ndim == 0 else Placeholder.ARRAY


def _slice_part(part: Any, inputs: list[Any]) -> int | Placeholder | None:
    v = None if part is None else as_length(part, "a slice")
    if v is None or isinstance(v, int):
        return v
    inputs.append(v)
    return Placeholder.INTEGER


def _consumed(entries: Sequence[Any], inputs: Sequence[Any]) -> int:
    """Return the number of axes that an index is for; a mask is for as many as it has."""
    rest = iter(inputs)
    total = 0
    for e in entries:
        if e is None or e is Ellipsis:
            continue
        if isinstance(e, Slice):
            for part in e.parts():
                if isinstance(part, Placeholder):
                    next(rest)
        elif isinstance(e, Placeholder):
            total += axes_taken(next(rest)) - 1
        total += 1
    return total


def axes_taken(v: Any) -> int:
    """Return the number of axes that an index variable is for: the rank of a mask, else 1."""
    if isinstance(v, LogicTerm):
        return 1
    kind = v.type if isinstance(v, Variable) else v
    return int(kind.ndim) if kind.dtype == "bool" else 1


def static_length(n: int | None, s: Slice) -> int | None:
    """Return the length of a slice of an axis of length `n`; None if it is not known."""
    if n is None or any(isinstance(p, Placeholder) for p in s.parts()):
        return None
    return len(range(*slice(*s.parts()).indices(n)))


def symbolic_length(n: Any, s: slice) -> Any:
    """Return the length of a slice of an axis: an int, or an expression of variables.

    Parameters
    ----------
    n
        The length of the axis: an int or a variable.
    s
        A slice of ints and variables.
    """
    s = slice(*[_as_int64(part) for part in (s.start, s.stop, s.step)])
    if s.step in (None, 1) and (s.start is None or s.stop is None):
        return _length_to_an_end(n, s)
    if s.step is None or isinstance(s.step, int):
        return _length_one_way(n, s, 1 if s.step is None else s.step)
    up = _length_one_way(n, slice(s.start, s.stop), maximum(s.step, 1))
    down = _length_one_way(n, slice(s.start, s.stop), clip(s.step, 1 - 2**63, -1), backward=True)
    return switch(ge(s.step, 0), up, down)


def _as_int64(part: Any) -> Any:
    """Return a part of a slice such that counting from it does not wrap around."""
    if isinstance(part, Variable):
        kept: Any = part
        return cast(minimum(part, 2**63 - 1) if kept.type.dtype == "uint64" else part, "int64")
    return part


def _length_to_an_end(n: Any, s: slice) -> Any:
    """Return the length of ``[start:]`` or ``[:stop]``."""
    if s.start is None and s.stop is None:
        return n
    if isinstance(n, int) or not isinstance(end := s.stop if s.start is None else s.start, int):
        return _length_one_way(n, s, 1)
    skipped = -end if s.start is None else end
    if (end < 0) == (s.start is None):
        return maximum(n - skipped, 0)
    return minimum(-skipped, n)


def _length_one_way(n: Any, s: slice, step: Any, backward: bool = False) -> Any:
    """Return the length of a slice whose step has a known sign.

    Parameters
    ----------
    step
        The step: an int, or a variable whose sign `backward` tells.
    """
    if not backward and not (isinstance(step, int) and step < 0):
        start = 0 if s.start is None else _clip(s.start, n, 0, n)
        stop = n if s.stop is None else _clip(s.stop, n, 0, n)
        if isinstance(step, int) and step == 1:
            return greater(stop - start, 0)
        # The step may be as large as an int64 is: nothing is added to it.
        return greater((stop - start - 1) // step + 1, 0)
    start = n - 1 if s.start is None else _clip(s.start, n, -1, n - 1)
    stop = -1 if s.stop is None else _clip(s.stop, n, -1, n - 1)
    return greater((start - stop - 1) // -step + 1, 0)


def _clip(bound: Any, n: Any, least: Any, most: Any) -> Any:
    """Return a bound of a slice, counted from the front and clipped to ``[least, most]``."""
    if all(isinstance(v, int) for v in (bound, n)):
        return min(max(bound + n if bound < 0 else bound, least), most)
    if isinstance(bound, int):
        from_front = bound + n if bound < 0 else bound
    else:
        from_front = switch(lt(bound, 0), bound + n, bound)
    return minimum(maximum(from_front, least), most)


def check_index_inputs(op: Any, indices: Sequence[Any]) -> list[Any]:
    """Return the index inputs of a node as variables.

    Parameters
    ----------
    op
        An indexing op.
    indices
        Its index inputs.

    Raises
    ------
    TypeError
        If the inputs do not match the placeholders of the op: in number, as integers or arrays.
    """
    expected = list(placeholders(op.idx_list))
    if len(indices) != len(expected):
        raise TypeError(f"{op} takes {len(expected)} index inputs, not {len(indices)}")
    variables = [as_tensor_variable(v) for v in indices]
    for v, placeholder in zip(variables, expected, strict=True):
        is_scalar = v.type.ndim == 0
        if not is_discrete(v.type.dtype) or is_scalar is not (placeholder is Placeholder.INTEGER):
            raise TypeError(f"{op}: the index {v} is a {v.type}")
    return variables


def check_assignable(op: Any, x: TensorType, y: TensorType, part: TensorType) -> None:
    """Check that values of type `y` can be assigned to a part of a tensor of type `x`.

    Raises
    ------
    TypeError
        If the dtype of `x` can't hold that of `y`, or `y` has more axes than the part.
    ValueError
        If the static length of an axis of `y` is neither 1 nor that of the part.
    """
    if np.promote_types(x.dtype, y.dtype) != x.dtype:
        raise TypeError(f"{op}: {y.dtype} values don't fit into a tensor of {x.dtype}; cast them")
    if y.ndim > part.ndim:
        raise TypeError(f"{op}: a {y} can't be broadcast to the part, which is a {part}")
    broadcast_shape(op, [part, y], [(None,) * part.ndim, y.shape], [part.shape, y.shape])


def _position_of_array_axes(entries: IndexList) -> int:
    """Return the position of the axes that the arrays of an index add to the result.

    As in NumPy, they replace the arrays if these and the integers stand side by side; if not, they
    come first.
    """
    arrays = [i for i, e in enumerate(entries) if isinstance(e, int | Placeholder)]
    if arrays[-1] - arrays[0] != len(arrays) - 1:
        return 0
    return sum(1 for e in entries[: arrays[0]] if e is None or isinstance(e, Slice))


class BaseSubtensor(TypedOp):
    """Base class of the ops that select a part of a tensor; see `Subtensor`."""

    __props__ = ("idx_list",)

    connected_inputs = (0,)
    name = "subtensor"

    def __init__(self, idx_list: IndexList) -> None:
        self.idx_list = tuple(idx_list)

    def __str__(self) -> str:
        return f"{self.name}{{{index_string(self.idx_list)}}}"

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        x, *indices = arguments
        return part_of(self.idx_list, x, indices)

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [as_tensor_variable(inputs[0]), *check_index_inputs(self, inputs[1:])]

    def changed(self, inplace: bool = False, set_instead_of_inc: bool = False) -> Any:
        """Return the op that changes the part."""
        raise MethodNotDefined(f"{type(self).__name__} does not say what changes its part")

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x, *indices = input_types

        def broadcast(arrays: Sequence[TensorType]) -> tuple[int | None, ...]:
            shapes = [(None,) if t.dtype == "bool" else t.shape for t in arrays]
            return broadcast_shape(self, arrays, shapes, shapes, IndexError)

        def length(n: int | None, entry: Slice, given: slice) -> int | None:
            return static_length(n, entry)

        return [TensorType(x.dtype, self.shape_of_part(x.shape, indices, length, broadcast))]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        def broadcast(arrays: Sequence[Any]) -> tuple[Any, ...]:
            known = dict(zip(map(id, node.inputs), shapes, strict=True))
            masks = [v.type.dtype == "bool" for v in arrays]
            pairs = list(zip(arrays, masks, strict=True))
            static = [(None,) if is_mask else v.type.shape for v, is_mask in pairs]
            of_values = [(sum_(v),) if is_mask else known[id(v)] for v, is_mask in pairs]
            return met_shape(static, of_values)

        def length(n: Any, entry: Slice, given: slice) -> Any:
            return symbolic_length(n, given)

        return [self.shape_of_part(shapes[0], node.inputs[1:], length, broadcast)]

    def shape_of_part(
        self,
        shape: Sequence[Any],
        indices: Sequence[Any],
        length: Callable[..., Any],
        broadcast: Callable[[Sequence[Any]], Sequence[Any]],
    ) -> tuple[Any, ...]:
        """Return the shape of a part.

        Parameters
        ----------
        shape, indices
            The shape of the tensor, and the index inputs as variables or types.
        length
            Takes the length of an axis, and a slice with its placeholders and with the inputs in
            their place; returns the length of the slice.
        broadcast
            Returns the shape to which index arrays broadcast.
        """
        axis, sliced, arrays = 0, [], []
        given = symbolic_index(self.idx_list, indices)
        for entry, value in zip(self.idx_list, given, strict=True):
            if entry is None:
                sliced.append(1)
                continue
            if axis >= len(shape):
                raise IndexError(f"{self}: too many indices for {len(shape)} axes")
            if isinstance(entry, Slice):
                sliced.append(length(shape[axis], entry, value))
            elif isinstance(entry, Placeholder):
                arrays.append(value)
                axis += axes_taken(value) - 1
            axis += 1
        if not arrays:
            return (*sliced, *shape[axis:])
        at = _position_of_array_axes(self.idx_list)
        return (*sliced[:at], *broadcast(arrays), *sliced[at:], *shape[axis:])

    def input_gradients(self, g: Any, out: Any, x: Any, *indices: Any) -> list[Any]:
        gx = self.changed()(zeros_like(x, g.type.dtype), g, *indices)
        return [gx, *[disconnected() for _ in indices]]


class Subtensor(BaseSubtensor):
    """A part of a tensor, selected by integers and slices. It is a view.

    The inputs are the tensor, and an integer of rank 0 for each placeholder.

    Parameters
    ----------
    idx_list
        For each of the first axes an int, a `Slice`, or a `Placeholder` for an integer that is an
        input; a part of a `Slice` may be a placeholder too.
    """

    view_map = {0: [0]}

    def __init__(self, idx_list: IndexList) -> None:
        super().__init__(idx_list)
        constant = not any(True for _ in placeholders(self.idx_list))
        self._index = concrete_index(self.idx_list, ()) if constant else None

    def changed(self, inplace: bool = False, set_instead_of_inc: bool = False) -> Any:
        return IncSubtensor(self.idx_list, inplace, set_instead_of_inc)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        x = input_types[0]
        if len(self.idx_list) > x.ndim:
            raise IndexError(f"{self}: {len(self.idx_list)} indices for a {x}")
        for axis, (entry, n) in enumerate(zip(self.idx_list, x.shape, strict=False)):
            if isinstance(entry, int) and n is not None and not -n <= entry < n:
                raise IndexError(f"{self}: axis {axis} has length {n}, so there's no {entry}")
        return super().output_types(*input_types)

    def compute(self, node: Apply, x: Any, *indices: Any) -> Any:
        known = self._index
        index = concrete_index(self.idx_list, indices) if known is None else known
        return np.asarray(take_part(node, x, index))


def take_part(node: Apply, x: Any, index: Any) -> Any:
    """Return ``x[index]``.

    Raises
    ------
    IndexError
        If an index is out of bounds; the message names the variable and its shape.
    """
    try:
        return x[index]
    except IndexError as error:
        raise IndexError(f"{node.op}: {node.inputs[0]} has shape {x.shape}: {error}") from None


class BaseIncSubtensor(TypedOp):
    """Base class of the ops that change a part of a tensor; see `IncSubtensor`."""

    __props__ = ("idx_list", "inplace", "set_instead_of_inc")

    keeps_shape = True
    connected_inputs = (0, 1)

    def __init__(
        self, idx_list: IndexList, inplace: bool = False, set_instead_of_inc: bool = False
    ) -> None:
        self.idx_list = tuple(idx_list)
        self.set_inplace(inplace)
        self.set_instead_of_inc = set_instead_of_inc

    def part(self) -> Any:
        """Return the op that selects the part."""
        raise MethodNotDefined(f"{type(self).__name__} does not say which part it changes")

    def kept(self, g: Any, indices: Sequence[Any]) -> Any:
        """Return the part of the gradient `g` that belongs to the values that the op takes."""
        return self.part()(g, *indices)

    def __str__(self) -> str:
        name = self.name.format("set" if self.set_instead_of_inc else "inc")
        return f"{name}{'_inplace' if self.inplace else ''}{{{index_string(self.idx_list)}}}"

    def applied(self, arguments: Sequence[Any], output: int | None = None) -> Any:
        x, y, *indices = arguments
        name = self.head()[0].removeprefix("advanced_")
        return Applied(name, (part_of(self.idx_list, x, indices), y))

    def as_inputs(self, *inputs: Any) -> list[Any]:
        x, y = (as_tensor_variable(v) for v in inputs[:2])
        return [x, y, *check_index_inputs(self, inputs[2:])]

    def output_types(self, x: TensorType, y: TensorType, *indices: TensorType) -> list[TensorType]:
        (part,) = self.part().output_types(x, *indices)
        check_assignable(self, x, y, part)
        return [x]

    def input_gradients(self, g: Any, out: Any, _x: Any, y: Any, *indices: Any) -> list[Any]:
        gx = g
        if self.set_instead_of_inc:
            zero = np.zeros((), dtype=g.type.dtype)
            gx = type(self)(self.idx_list, set_instead_of_inc=True)(g, zero, *indices)
        gy = sum_like(self.kept(g, indices), y)
        return [gx, gy, *[disconnected() for _ in indices]]


class IncSubtensor(BaseIncSubtensor):
    """A tensor with new values added to a part of it, or with the part set to new values.

    The inputs are the tensor, the values and the index inputs. The dtype of the tensor must be able
    to hold that of the values. An axis of the values broadcasts if its static length is 1.

    Parameters
    ----------
    idx_list
        The part, as for `Subtensor`.
    inplace
        Whether to overwrite the tensor.
    set_instead_of_inc
        Whether to set the part instead of adding to it.
    """

    name = "{}_subtensor"

    def part(self) -> Any:
        return Subtensor(self.idx_list)

    def compute(self, node: Apply, x: Any, y: Any, *indices: Any) -> Any:
        index = concrete_index(self.idx_list, indices)
        out = x if self.inplace else x.copy()
        part = take_part(node, out, (*index, ...))
        check_broadcast(node, y, part.shape)
        if self.set_instead_of_inc:
            part[...] = y
        else:
            part += y
        return out
