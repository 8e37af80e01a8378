"""Values of a graph as JAX has them, and back: arrays, generators of random numbers, sparse
matrices (three arrays and a shape); and functions of NumPy's arrays, called on the host while JAX
computes.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse

from relgraph.graph.type import Type
from relgraph.sparse.matrices import assembled
from relgraph.tensor.random.type import RandomGeneratorType
from relgraph.tensor.type import TensorType


def usable(dtype: Any) -> np.dtype[Any]:
    """Return a dtype, or what JAX takes in its place where it leaves out those of 64 bits."""
    found: np.dtype[Any] = jax.dtypes.canonicalize_dtype(dtype)
    return found


def as_dtype(x: Any, dtype: Any) -> Any:
    """Return an array converted to a dtype as NumPy converts it, where that is defined."""
    wanted = usable(dtype)
    if x.dtype == wanted:
        return x
    if x.dtype.kind == "c" and wanted.kind not in "cb":
        x = jnp.real(x)
    return jnp.asarray(x).astype(wanted)


@dataclass(frozen=True)
class SparseValue:
    """A matrix of the formats csr and csc, in canonical form.

    Attributes
    ----------
    data
        The stored elements.
    indices
        The column (of csc: the row) of each, as int32.
    indptr
        Where in these each row (column) begins, and the number of elements, as int32.
    shape
        The shape, two ints.
    format
        ``csr`` or ``csc``.
    """

    data: Any
    indices: Any
    indptr: Any
    shape: tuple[int, int]
    format: str

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return int(self.data.shape[0])


jax.tree_util.register_dataclass(
    SparseValue, data_fields=["data", "indices", "indptr"], meta_fields=["shape", "format"]
)


def from_scipy(matrix: Any) -> SparseValue:
    """Return a matrix of SciPy in canonical form."""
    rows, columns = (int(n) for n in matrix.shape)
    return SparseValue(matrix.data, matrix.indices, matrix.indptr, (rows, columns), matrix.format)


def to_scipy(value: SparseValue) -> Any:
    """Return a matrix as SciPy has it, with storage of its own."""
    data, indices, indptr = map(np.array, (value.data, value.indices, value.indptr))
    return assembled(value.format, data, indices, indptr, value.shape)


COPIED_BYTES = 1 << 14
"""Up to this size a result is copied to a NumPy array; a larger one shares JAX's storage."""


ALIGNMENT = 64
"""JAX takes storage that begins at a multiple of this without a copy."""

LARGE_BYTES = 1 << 18
"""From this size on a copy of an argument takes longer than to avoid it."""


def key_of(generator: Any) -> np.ndarray[Any, Any]:
    """Return the key for a generator: numbers that a copy of it draws."""
    drawn = copy.deepcopy(generator).integers(0, 2**32, size=2, dtype="uint32")
    return np.asarray(drawn, "uint32")


def generator_of(key: Any) -> np.random.Generator:
    """Return a generator whose seed is a key."""
    return np.random.default_rng(np.asarray(key).tolist())


def to_engine(value: Any, kind: Type) -> Any:
    """Return a value of a type as lowerings take it."""
    if isinstance(kind, TensorType):
        return value if isinstance(value, jax.Array) else np.asarray(value)
    if isinstance(kind, RandomGeneratorType):
        return key_of(value) if isinstance(value, np.random.Generator) else value
    # types of users and of bridges have values of their own: tangents of integers, say
    return from_scipy(value) if scipy.sparse.issparse(value) else value


def from_engine(value: Any, kind: Type) -> Any:
    """Return a result as the type of its variable has it: NumPy's, and not shared."""
    return to_numpy(value) if isinstance(kind, TensorType) else seen_by_numpy(value, kind)


def seen_by_numpy(value: Any, kind: Type) -> Any:
    """Return a value as the type of its variable has it; it is not to be written to."""
    if isinstance(kind, TensorType):
        return np.asarray(value)
    if isinstance(kind, RandomGeneratorType):
        return generator_of(value)
    return to_scipy(value) if isinstance(value, SparseValue) else value


class _Storage:
    """Storage as NumPy may see it, and what it belongs to."""

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": dtype.str,
            "version": 3,
        }


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Return a result of JAX that is not shared as an array of NumPy that may be written to.

    A large one that lies in the memory of the host is not copied.
    """
    try:
        seen = memoryview(array)
    except (BufferError, TypeError, ValueError, RuntimeError):
        # it lies on another device
        return np.array(array)
    if seen.nbytes <= COPIED_BYTES:
        return np.array(seen)
    own = _Storage(array, array.unsafe_buffer_pointer(), array.shape, array.dtype)
    return np.asarray(own)


@dataclass(frozen=True)
class Behind:
    """An array of NumPy as part of one that begins where JAX takes it without a copy.

    Attributes
    ----------
    elements
        A vector: the elements of the array, behind others.
    skipped
        How many others there are.
    shape
        The shape of the array.
    """

    elements: Any
    skipped: int
    shape: tuple[int, ...]

    def array(self) -> Any:
        """Return the array itself."""
        return self.elements[self.skipped :].reshape(self.shape)


jax.tree_util.register_dataclass(Behind, data_fields=["elements"], meta_fields=["skipped", "shape"])


def aligned(array: np.ndarray[Any, Any]) -> Any:
    """Return a large array as JAX takes it without a copy, if it can be: one that does not begin at
    a multiple of `ALIGNMENT` as one that does, and begins a little earlier.

    That is in the same page of memory, so that it can be read; its content is not used.
    """
    address = array.__array_interface__["data"][0]
    before, size = address % ALIGNMENT, array.itemsize
    if before == 0 or before % size or not array.flags.c_contiguous:
        return array
    skipped = before // size
    storage = _Storage(array, address - before, (skipped + array.size,), array.dtype)
    return Behind(np.asarray(storage), skipped, array.shape)


_ASYNCHRONOUS = "jax_cpu_enable_async_dispatch"

PATIENCE = 60.0
"""For how many seconds an argument is waited for on the host."""


@cache
def run_where_called() -> None:
    """Have JAX run on the CPU in the thread that calls, if it has not made its client yet.

    A function waits for its results, and to hand a small graph to another thread and back takes
    longer than to compute it. A call of the host may wait there for what only the waiting thread
    could compute. The flag is then as it was.
    """
    try:
        before = jax.config.read(_ASYNCHRONOUS)
    except AttributeError:  # a JAX without it
        return
    if before:
        jax.config.update(_ASYNCHRONOUS, False)
        try:
            jax.local_devices()  # makes the clients
        finally:
            jax.config.update(_ASYNCHRONOUS, before)


def call_host(
    function: Callable[..., Sequence[Any]],
    results: Sequence[tuple[tuple[int, ...], Any]],
    values: Sequence[Any],
    vmap_method: str,
) -> list[Any]:
    """Return what a function of NumPy's arrays gives for traced values.

    Numbers of 64 bits go there and back as pairs of 32: JAX may call the function in a thread in
    which its flag for 64 bits is not set, and would round them.

    Parameters
    ----------
    function
        Takes arrays and returns several. Functions that are equal are compiled once.
    results
        The shapes and dtypes of what it returns.
    values
        What it takes.
    vmap_method
        What becomes of batches: see ``jax.pure_callback``.

    Raises
    ------
    RuntimeError
        By JAX, when it computes, if an argument does not arrive.
    """
    run_where_called()
    given = [jnp.asarray(v) for v in values]
    dtypes = [np.dtype(jax.dtypes.canonicalize_dtype(d)) for _, d in results]
    structs = [
        jax.eval_shape(_in_parts, jax.ShapeDtypeStruct(shape, d))
        for (shape, _), d in zip(results, dtypes, strict=True)
    ]
    call = _Call(function, tuple([x.dtype for x in given]), tuple(dtypes))
    found = jax.pure_callback(call, tuple(structs), *map(_in_parts, given), vmap_method=vmap_method)
    return [_whole(x, d) for x, d in zip(found, dtypes, strict=True)]


@dataclass(frozen=True)
class _Call:
    """A function as JAX calls it: its arrays have none but numbers of 32 bits or fewer."""

    function: Callable[..., Sequence[Any]]
    given: tuple[Any, ...]
    made: tuple[Any, ...]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        values = [_whole(_arrived(x), d) for x, d in zip(arrays, self.given, strict=True)]
        made = zip(self.function(*values), self.made, strict=True)
        return tuple([_in_parts(np.array(x, d, order="C")) for x, d in made])


def _arrived(array: Any) -> Any:
    """Return an array of JAX's as NumPy's."""
    until = time.monotonic() + PATIENCE
    while not array.is_ready():
        if time.monotonic() > until:
            raise RuntimeError(
                "JAX computes in a thread that waits for itself: on one core, some versions do not "
                "bring large arrays to the host. Before anything is computed by JAX, say "
                f"jax.config.update('{_ASYNCHRONOUS}', False)"
            )
        time.sleep(1e-4)
    return np.asarray(array, order="C")


def _in_parts(x: Any) -> Any:
    """Return an array of JAX or NumPy whose elements have 64 bits or more as one of 32 bits, with
    an axis more."""
    return x[..., None].view("uint32") if x.dtype.itemsize >= 8 else x


def _whole(parts: Any, dtype: Any) -> Any:
    """Return the array of a dtype whose parts are given."""
    return parts.view(dtype)[..., 0] if dtype.itemsize >= 8 else parts
