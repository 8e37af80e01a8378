"""Random parameters (`__props__`) of ops.

A pattern may have a logic variable for a parameter of an op: ``at.sum(x, axis=a)``. A function from
the table `PARAMETERS` draws a value for it; `check_relation` takes further functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import relgraph.scalar as scalar
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.tensor.indexing.indices import Placeholder, Slice

Draw = Callable[[Random, Sequence[Any]], Any]
"""Takes a source of randomness and the arguments of the op; returns a parameter."""

Parameters = Mapping[tuple[str, str], Draw]
"""Functions by the name of the class of the op and the name of the parameter."""


def _rank(arguments: Sequence[Any]) -> int:
    return int(arguments[0].type.ndim) if arguments else 0


def axes(random: Random, arguments: Sequence[Any]) -> Any:
    """Return axes of a reduction: None, or a sorted tuple of axes."""
    ndim = _rank(arguments)
    count = random.randint(0, ndim)
    if ndim == 0 or count == ndim or random.random() < 0.2:
        return None
    return tuple(sorted(random.sample(range(ndim), max(count, 1))))


def axis(random: Random, arguments: Sequence[Any]) -> int:
    """Return one axis, counted from the front."""
    return random.randrange(max(_rank(arguments), 1))


def axis_or_none(random: Random, arguments: Sequence[Any]) -> Any:
    """Return one axis or None."""
    return None if random.random() < 0.3 else axis(random, arguments)


def softmax_axis(random: Random, arguments: Sequence[Any]) -> Any:
    """Return the axis of a softmax: None, -1, or an axis counted from the front."""
    return random.choice([None, -1, axis(random, arguments), axis(random, arguments)])


def new_order(random: Random, arguments: Sequence[Any]) -> Any:
    """Return the order of axes of a DimShuffle: with new axes, without some of length 1."""
    shape = arguments[0].type.shape if arguments else ()
    kept = [i for i, n in enumerate(shape) if n != 1 or random.random() < 0.5]
    kind = random.randrange(4)
    if kind == 0:  # new axes in front, as elementwise ops add them to align their inputs
        return ("x",) * random.randint(0, 2) + tuple(range(len(shape)))
    if kind > 1:
        random.shuffle(kept)
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        kept.insert(random.randint(0, len(kept)), "x")  # type: ignore[arg-type]
    return tuple(kept)


def _constant_index(random: Random) -> Any:
    """Return an index of one axis without inputs: an integer or a slice."""

    def number(low: int, high: int) -> Any:
        return random.choice([None, random.randint(low, high)])

    how = random.random()
    if how < 0.3:
        return random.choice([0, 0, 1, -1])
    if how < 0.6:  # the part before an element, or behind it
        bound = random.choice([1, 1, 2])
        return random.choice([Slice(None, bound), Slice(bound, None), Slice()])
    step = random.choice([None, None, None, 1, 2, -1, -1, -2])
    return Slice(number(-3, 3), number(-3, 4), step)


_INDICES_WITH_INPUT = (
    Placeholder.INTEGER,
    Placeholder.INTEGER,
    Slice(None, Placeholder.INTEGER),
    Slice(Placeholder.INTEGER, None),
)


def index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index into the first argument whose inputs are the other arguments."""
    ndim, inputs = _rank(arguments), len(arguments) - 1
    entries = [_constant_index(random) for _ in range(random.randint(min(1, ndim), ndim))]
    with_input = [random.choice(_INDICES_WITH_INPUT) for _ in range(inputs)]
    return (*with_input, *entries[inputs:])


def assigned_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return the same for an op whose second argument is the new values."""
    return index_list(random, [arguments[0], *arguments[2:]])


def array_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return an index whose inputs, the other arguments, are arrays; slices stand between them."""
    entries: list[Any] = []
    for _ in arguments[1:]:
        if random.random() < 0.2:
            entries.append(Slice())
        entries.append(Placeholder.ARRAY)
    return tuple(entries)


def assigned_array_index_list(random: Random, arguments: Sequence[Any]) -> Any:
    """Return the same for an op whose second argument is the new values."""
    return array_index_list(random, [arguments[0], *arguments[2:]])


_REAL = ("float64", "float32", "int64", "int8", "bool", "uint8") * 3
_COMMON = (*_REAL, "float16", "int32", "uint64", "complex128", "complex128", "complex64")


def dtype(random: Random, arguments: Sequence[Any]) -> str:
    """Return a dtype: often that of the first argument, or if it is complex a complex one."""
    own = arguments[0].type.dtype if arguments else "float64"
    if own.startswith("complex") and random.random() < 0.5:
        return random.choice(["complex64", "complex128"])
    return random.choice([*[own] * 7, *_COMMON])


def static_shape(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a static shape that the first argument may have; some lengths are None."""
    return tuple(n if random.random() < 0.5 else None for n in arguments[0].type.shape)


def flag(random: Random, arguments: Sequence[Any]) -> bool:
    """Return True or False."""
    return random.random() < 0.5


def not_inplace(random: Random, arguments: Sequence[Any]) -> bool:
    """Return False: a check does not evaluate ops that overwrite an input."""
    return False


def ndim(random: Random, arguments: Sequence[Any]) -> int:
    """Return the length of the second argument, a shape; a small number if it is unknown."""
    length = arguments[1].type.shape[0] if len(arguments) > 1 and arguments[1].type.ndim else None
    return random.randint(0, 3) if length is None else int(length)


# SciPy's polygamma takes forever for a large first argument.
_SCALAR_OPS = [
    op for op in vars(scalar).values() if isinstance(op, ScalarOp) and op is not scalar.polygamma
]


def scalar_op(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a scalar op with one output that takes as many inputs as there are arguments."""
    count = len(arguments)
    fits = [
        op for op in _SCALAR_OPS if op.nout == 1 and (op.nin == count or op.nin < 0 < count - 1)
    ]
    return random.choice(fits)


def reducing_op(random: Random, arguments: Sequence[Any]) -> Any:
    """Return a scalar op that a reduction can combine elements with."""
    return random.choice([op for op in _SCALAR_OPS if isinstance(op, FoldOp)])


def sparse_format(random: Random, arguments: Sequence[Any]) -> str:
    """Return a format of sparse matrices: of a sparse argument the other one."""
    own = getattr(arguments[0].type, "format", None) if arguments else None
    return {"csr": "csc", "csc": "csr"}.get(str(own)) or random.choice(["csr", "csc"])


PARAMETERS: dict[tuple[str, str], Draw] = {
    ("CAReduce", "scalar_op"): reducing_op,
    ("CAReduce", "axis"): axes,
    ("Norm", "axis"): axes,
    ("Cosine", "axis"): axes,
    ("Covariance", "axis"): axes,
    ("Argmax", "axis"): axis_or_none,
    ("Argmin", "axis"): axis_or_none,
    ("Cumulate", "scalar_op"): lambda random, arguments: random.choice([scalar.add, scalar.mul]),
    ("Cumulate", "axis"): axis,
    ("Softmax", "axis"): softmax_axis,
    ("LogSoftmax", "axis"): softmax_axis,
    ("LogSumExp", "axis"): softmax_axis,
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
    ("Assume", "facts"): lambda random, arguments: (),
    ("ChangeFormat", "format"): sparse_format,
    ("DenseFromSparse", "structured"): flag,
    ("Assert", "message"): lambda random, arguments: random.choice(["no", "not so"]),
}
