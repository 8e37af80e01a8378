"""What makes sense as a parameter of an op, and as an argument of it.

A law may leave an op's parameter to a logic variable (``sum_(x, axis=a)``). Then a value for it is
drawn by the function that a table names for the class of the op and the parameter; callers of a
check can give functions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import relgraph.scalar as scalar
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.tensor.indexing.indices import Placeholder, Slice

Draw = Callable[[Random, Sequence[Any]], Any]
"""Takes a source of random choices and the arguments of the op; returns a parameter."""

Parameters = Mapping[tuple[str, str], Draw]
"""Functions by the name of the op's class and the name of the parameter."""


def _rank(arguments: Sequence[Any]) -> int:
    return int(arguments[0].type.ndim) if arguments else 0


def axes(random: Random, arguments: Sequence[Any]) -> Any:
    """Return axes of a reduction: None, or a sorted tuple of some."""
    ndim = _rank(arguments)
    count = random.randint(0, ndim)
    if ndim == 0 or count == ndim or random.random() < 0.2:
        return None
    return tuple(sorted(random.sample(range(ndim), max(count, 1))))


def axis(random: Random, arguments: Sequence[Any]) -> int:
    """Return one axis, from 0 on."""
    return random.randrange(max(_rank(arguments), 1))


def axis_or_none(random: Random, arguments: Sequence[Any]) -> Any:
    """Return one axis or None."""
    return None if random.random() < 0.3 else axis(random, arguments)


def softmax_axes(random: Random, arguments: Sequence[Any]) -> Any:
    """Return what softmax takes: None, an axis, counted from the end as well, or several."""
    return random.choice([None, -1, axis(random, arguments), axis(random, arguments)])


def new_order(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an order of axes with new ones among them, some that broadcast left out."""
    shape = arguments[0].type.shape if arguments else ()
    kept = [i for i, n in enumerate(shape) if n != 1 or random.random() < 0.5]
    kind = random.randrange(4)
    if kind == 0:  # what elementwise ops do to line up their inputs
        return ("x",) * random.randint(0, 2) + tuple(range(len(shape)))
    if kind > 1:
        random.shuffle(kept)
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        kept.insert(random.randint(0, len(kept)), "x")  # type: ignore[arg-type]
    return tuple(kept)


def _part(random: Random) -> Any:
    def number(low: int, high: int) -> Any:
        return random.choice([None, random.randint(low, high)])

    how = random.random()
    if how < 0.3:
        return random.choice([0, 0, 1, -1])
    if how < 0.6:  # what is before a place, or behind it
        place = random.choice([1, 1, 2])
        return random.choice([Slice(None, place), Slice(place, None), Slice()])
    step = random.choice([None, None, None, 1, 2, -1, -1, -2])
    return Slice(number(-3, 3), number(-3, 4), step)


_INPUTS = (
    Placeholder.INTEGER,
    Placeholder.INTEGER,
    Slice(None, Placeholder.INTEGER),
    Slice(Placeholder.INTEGER, None),
)


def index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index into the first argument that takes the remaining ones as its inputs."""
    ndim, inputs = _rank(arguments), len(arguments) - 1
    entries = [_part(random) for _ in range(random.randint(min(1, ndim), ndim))]
    taken = [random.choice(_INPUTS) for _ in range(inputs)]
    return (*taken, *entries[inputs:])


def assigned_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index for an op whose second argument are new values."""
    return index_list(random, [arguments[0], *arguments[2:]])


def array_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index in which all inputs are arrays of integers, slices between them."""
    entries: list[Any] = []
    for _ in arguments[1:]:
        if random.random() < 0.2:
            entries.append(Slice())
        entries.append(Placeholder.ARRAY)
    return tuple(entries)


def assigned_array_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return the same for an op whose second argument are new values."""
    return array_index_list(random, [arguments[0], *arguments[2:]])


_REAL = ("float64", "float32", "int64", "int8", "bool", "uint8") * 3
_COMMON = (*_REAL, "float16", "int32", "uint64", "complex128", "complex128", "complex64")


def dtype(random: Random, arguments: Sequence[Any]) -> str:
    """Return a dtype, often that of the first argument; for a complex one, often a complex one."""
    own = arguments[0].type.dtype if arguments else "float64"
    if own.startswith("complex") and random.random() < 0.5:
        return random.choice(["complex64", "complex128"])
    return random.choice([*[own] * 7, *_COMMON])


def static_shape(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a shape that the first argument may have, some lengths left open."""
    return tuple(n if random.random() < 0.5 else None for n in arguments[0].type.shape)


def flag(random: Random, arguments: Sequence[Any]) -> bool:
    """Return True or False."""
    return random.random() < 0.5


def not_inplace(random: Random, arguments: Sequence[Any]) -> bool:
    """Return False: the reference does not run ops that destroy an input."""
    return False


def ndim(random: Random, arguments: Sequence[Any]) -> int:
    """Return the length of the second argument, a shape; else a small number."""
    length = arguments[1].type.shape[0] if len(arguments) > 1 and arguments[1].type.ndim else None
    return random.randint(0, 3) if length is None else int(length)


# SciPy's polygamma of a large first argument does not come to an end.
_EVERY = [
    op for op in vars(scalar).values() if isinstance(op, ScalarOp) and op is not scalar.polygamma
]


def scalar_op(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a scalar op of as many inputs."""
    count = len(arguments)
    fits = [op for op in _EVERY if op.nout == 1 and (op.nin == count or op.nin < 0 < count - 1)]
    return random.choice(fits)


def reducing_op(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a scalar op that reductions combine elements with."""
    return random.choice([op for op in _EVERY if isinstance(op, FoldOp)])


PARAMETERS: dict[tuple[str, str], Draw] = {
    ("CAReduce", "scalar_op"): reducing_op,
    ("CAReduce", "axis"): axes,
    ("Argmax", "axis"): axis_or_none,
    ("Argmin", "axis"): axis_or_none,
    ("Cumulate", "scalar_op"): lambda random, arguments: random.choice([scalar.add, scalar.mul]),
    ("Cumulate", "axis"): axis,
    ("Softmax", "axis"): softmax_axes,
    ("LogSoftmax", "axis"): softmax_axes,
    ("LogSumExp", "axis"): softmax_axes,
    ("DimShuffle", "input_ndim"): lambda random, arguments: _rank(arguments),
    ("DimShuffle", "new_order"): new_order,
    ("Elemwise", "scalar_op"): scalar_op,
    ("Elemwise", "inplace_pattern"): lambda random, arguments: (),
    ("Cast", "dtype"): dtype,
    ("Subtensor", "idx_list"): index_list,
    ("IncSubtensor", "idx_list"): assigned_index_list,
    ("AdvancedSubtensor", "idx_list"): array_index_list,
    ("AdvancedIncSubtensor", "idx_list"): assigned_array_index_list,
    ("IncSubtensor", "inplace"): not_inplace,
    ("AdvancedIncSubtensor", "inplace"): not_inplace,
    ("IncSubtensor", "set_instead_of_inc"): flag,
    ("AdvancedIncSubtensor", "set_instead_of_inc"): flag,
    ("Join", "axis"): axis,
    ("Sort", "axis"): axis,
    ("ArgSort", "axis"): axis,
    ("Split", "axis"): axis,
    ("Split", "len_splits"): lambda random, arguments: random.randint(1, 3),
    ("Reshape", "ndim"): ndim,
    ("SpecifyShape", "shape"): static_shape,
    ("Shape_i", "i"): axis,
    ("MakeVector", "dtype"): lambda random, arguments: random.choice(["int64", "float64"]),
    ("ARange", "dtype"): lambda random, arguments: random.choice(["int64", "float64"]),
    ("Eye", "dtype"): dtype,
    ("Assert", "message"): lambda random, arguments: random.choice(["no", "not so"]),
}

# Arguments that are not just any tensor: by class of the op and, from there on, position.
_ROLES: dict[str, tuple[int, str]] = {
    "Alloc": (1, "length"),
    "Eye": (0, "length"),
    "ARange": (0, "length"),
    "MakeVector": (0, "length"),
    "Reshape": (1, "shape"),
    "Split": (1, "pieces"),
    "Subtensor": (1, "index"),
    "IncSubtensor": (2, "index"),
    "AdvancedSubtensor": (1, "indices"),
    "AdvancedIncSubtensor": (2, "indices"),
    "Assert": (1, "truth"),
}
_LOGICAL = ("and_", "or_", "xor", "invert")


def role_of(cls: type | None, scalar_name: str, position: int) -> tuple[str, int]:
    """Return what kind of argument an op takes at a position, and which one of them that is.

    Parameters
    ----------
    cls
        The class of the op, or None if that is open.
    scalar_name
        What an elementwise op does with the elements.

    Returns
    -------
    role, number
        ``length``, ``shape``, ``pieces``, ``index``, ``indices``, ``condition``, ``truth``,
        ``logical``, or ``tensor``.
    """
    if scalar_name == "switch" and position == 0:
        return "condition", 0
    if scalar_name in _LOGICAL:
        return "logical", position
    first, role = _ROLES.get(cls.__name__, (0, "tensor")) if cls is not None else (0, "tensor")
    return ("tensor", position) if position < first else (role, position - first)
