"""Arrays in blocks: how they are cut, and the tasks that compute a node on blocks.

`Blocks` says how the arrays of one call are cut, and which values take all blocks of an array.
`NodeTask` is what Dask calls to compute a node on NumPy arrays, `on_items` calls a function of
items on the blocks of arrays that broadcast, and `tree` reduces an array by an Op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from dask.array.core import normalize_chunks, slices_from_chunks, unify_chunks
from dask.utils import parse_bytes

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.reference import performed_on_copies
from relgraph.graph.type import Type
from relgraph.scalar.composite import Composite
from relgraph.tensor.type import TensorType
from relgraph.vm.kernels import fused_function


class NodeTask:
    """A function of the values of a node's inputs, which gives the value of its output, or a tuple.

    It is pickled as the Op and the types of the inputs. Equal Ops are one object in a process, so
    that a worker compiles a kernel once, and keeps it.

    Parameters
    ----------
    op
        The Op.
    types
        The types of the inputs.
    names
        Their names, for errors.
    """

    def __init__(self, op: Op, types: Sequence[Type], names: Sequence[str | None]) -> None:
        self.op = op
        self.types = tuple(types)
        self.names = tuple(names)
        pairs = zip(self.types, self.names, strict=True)
        self.node = op.make_node(*[t.make_variable(name) for t, name in pairs])
        fused = isinstance(getattr(op, "scalar_op", None), Composite)
        self._compute = fused_function(self.node) if fused else None

    def __call__(self, *values: Any) -> Any:
        if self._compute is not None:
            with np.errstate(all="ignore"):
                return self._compute(*map(np.asarray, values))
        found = performed(self.node, values)
        return found[0] if len(found) == 1 else tuple(found)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.op, self.types, self.names)

    def __dask_tokenize__(self) -> str:
        return unique(self.op)


def performed(node: Apply, values: Sequence[Any]) -> list[Any]:
    """Return what the `perform` of a node makes of values, none of which it changes."""
    given = [
        np.asarray(x) if isinstance(v.type, TensorType) else x
        for v, x in zip(node.inputs, values, strict=True)
    ]
    return [
        np.asarray(x) if isinstance(v.type, TensorType) else x
        for v, x in zip(node.outputs, performed_on_copies(node, given), strict=True)
    ]


def whole_task(node: Apply) -> NodeTask:
    """Return the task that computes a node."""
    return NodeTask(node.op, [v.type for v in node.inputs], [v.name for v in node.inputs])


def block_task(node: Apply) -> NodeTask:
    """Return the task that computes a node on blocks of its inputs.

    Of their static lengths it knows only which are 1: these broadcast.
    """
    types = [block_type(v.type) for v in node.inputs]
    return NodeTask(node.op, types, [v.name for v in node.inputs])


def block_type(t: Type) -> Type:
    """Return the type of the blocks of arrays of a type."""
    if not isinstance(t, TensorType):
        return t
    return TensorType(t.dtype, [1 if n == 1 else None for n in t.shape])


def unique(op: Any) -> str:
    """Return a name for the tasks of an Op, or of a function, that no other tasks have."""
    name = getattr(op, "__name__", type(op).__name__)
    return f"{name.lower().strip('_')}-{uuid4().hex}"


Task = Callable[..., Any]


class Blocks:
    """How the arrays of one call are cut.

    Parameters
    ----------
    chunks
        As `dask.array.from_array` takes them: ``"auto"``, a size such as ``"64MiB"``, or a length.
    passes
        Whether a small value that all blocks of an array go into is computed before these blocks
        are read again.
    """

    def __init__(self, chunks: str | int = "auto", passes: bool = True) -> None:
        self.chunks = chunks
        self.passes = passes
        self.limit = parse_bytes(dask.config.get("array.chunk-size"))
        self._gathered: set[str] = set()

    # -- cutting -----------------------------------------------------------------------------------

    def chunks_of(self, shape: Sequence[int], dtype: Any) -> tuple[tuple[int, ...], ...]:
        """Return the lengths of the blocks along each axis of an array."""
        found = normalize_chunks(self.chunks, tuple(shape), dtype=np.dtype(dtype))
        return tuple(tuple(map(int, lengths)) for lengths in found)

    def several(self, shape: Sequence[int], dtype: Any) -> bool:
        """Return whether an array of a shape and a dtype has more than one block."""
        if 0 in shape:
            return False
        return any(len(lengths) > 1 for lengths in self.chunks_of(shape, dtype))

    def cut(self, x: Any) -> Any:
        """Return a NumPy array as a Dask array if it has several blocks, else as it is."""
        return self.array(x) if isinstance(x, np.ndarray) and self.several(x.shape, x.dtype) else x

    def array(self, x: Any) -> Any:
        """Return an array as a Dask array."""
        return x if is_blocked(x) else _sliced(x, self.chunks_of(x.shape, x.dtype))

    def small(self, x: Any) -> bool:
        """Return whether an array fits into one block."""
        return not is_blocked(x) or bool(x.nbytes <= self.limit)

    # -- passes over the blocks --------------------------------------------------------------------

    def note(self, values: Iterable[Any], found: Iterable[Any]) -> None:
        """Note which results of values take all blocks of an array.

        These are smaller than an array and have fewer blocks, or depend on such a value.
        """
        arrays = [x for x in values if is_blocked(x)]
        gathered = any(map(self.is_gathered, arrays))
        for x in filter(is_blocked, found):
            if gathered or any(x.npartitions < y.npartitions and x.size < y.size for y in arrays):
                self._gathered.add(x.name)

    def is_gathered(self, x: Any) -> bool:
        """Return whether all blocks of an array go into a value."""
        return is_blocked(x) and x.name in self._gathered

    def settled(self, x: Any, array: Any) -> Any:
        """Return a value that is computed of an array, in memory if it is small and takes all
        blocks."""
        self.note([array], [x])
        return known(x) if self.is_settled_early(x) else x

    def is_settled_early(self, x: Any) -> bool:
        """Return whether a value is small, and all blocks of an array go into it: it is computed
        as soon as these are read for anything."""
        return self.passes and self.is_gathered(x) and self.small(x)

    def to_settle(self, values: Iterable[Any]) -> list[int]:
        """Return the positions of values that are computed before the others are read by blocks."""
        values = list(values)
        others = [x for x in values if is_blocked(x) and not self.is_gathered(x)]
        if not has_several(others):
            return []
        return [i for i, x in enumerate(values) if self.is_settled_early(x)]


def _sliced(x: Any, chunks: Any) -> Any:
    """Return a NumPy array as a Dask array whose blocks are views of it.

    `dask.array.from_array` would copy it.
    """
    name = f"array-{uuid4().hex}"
    slices = slices_from_chunks(chunks)
    keys = product([name], *[range(len(lengths)) for lengths in chunks])
    return da.Array(
        dict(zip(keys, (x[s] for s in slices), strict=True)),
        name,
        chunks,
        meta=x[:0] if x.ndim else x,
    )


def as_one_block(x: Any) -> Any:
    """Return an array as a Dask array; a NumPy array becomes one block."""
    return x if is_blocked(x) else _sliced(x, tuple((n,) for n in x.shape))


def is_blocked(x: Any) -> bool:
    """Return whether a value is a Dask array."""
    return isinstance(x, da.Array)


def known(x: Any) -> Any:
    """Return a value as a NumPy array."""
    return np.asarray(x.compute() if is_blocked(x) else x)


def has_several(values: Iterable[Any]) -> bool:
    """Return whether there is an array of several blocks among values."""
    return any(is_blocked(x) and x.npartitions > 1 for x in values)


def without_empty_blocks(x: Any) -> Any:
    """Return a value; an array without elements is NumPy's, and others have no empty blocks."""
    if not is_blocked(x):
        return x
    if x.size == 0:
        return np.empty(x.shape, x.dtype)
    if any(0 in lengths for lengths in x.chunks):
        return x.rechunk(tuple(tuple(n for n in lengths if n) for lengths in x.chunks))
    return x


def on_items(function: Task, dtypes: Sequence[Any], *values: Any) -> tuple[Any, ...]:
    """Return what a function of items makes of arrays that broadcast, block by block.

    Parameters
    ----------
    function
        Takes blocks; returns an array, or a tuple of several.
    dtypes
        The dtypes of the results.
    """
    arrays = [as_one_block(x) for x in values]
    pairs = [(x, tuple(range(-x.ndim, 0))) for x in arrays]
    # `apply_gufunc` warns where blocks become many
    _, aligned = unify_chunks(*[part for pair in pairs for part in pair], warn=False)
    outputs = ",".join(["()"] * len(dtypes))
    return over_core(function, f"{','.join(['()'] * len(aligned))}->{outputs}", dtypes, aligned)


def over_core(
    function: Task, signature: str, dtypes: Sequence[Any], arrays: Sequence[Any], **options: Any
) -> tuple[Any, ...]:
    """Return what a function of blocks makes of arrays; see `dask.array.apply_gufunc`.

    Parameters
    ----------
    function, signature, options
        As `apply_gufunc` takes them. Along the axes that the signature names blocks are whole.
    dtypes
        The dtypes of the results.
    """
    metas = tuple([np.empty(0, dtype) for dtype in dtypes])
    meta = metas if len(metas) > 1 else metas[0]
    found = da.apply_gufunc(
        function,
        signature,
        *map(as_one_block, arrays),
        meta=meta,
        allow_rechunk=True,
        **options,
    )
    return found if isinstance(found, tuple) else (found,)


class ReduceBlock:
    """Reduces some axes of a block by an Op, which makes the axes anew for the rank and dtype."""

    def __init__(self, op: Op) -> None:
        self.op = op

    def __call__(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        (found,) = performed(_node(self.op, x.dtype.name, x.ndim), [x])
        return np.expand_dims(found, axis) if keepdims else found

    def __dask_tokenize__(self) -> str:
        return unique(self.op)


@lru_cache(maxsize=1024)
def _node(op: Op, dtype: str, ndim: int) -> Apply:
    return op.make_node(TensorType(dtype, (None,) * ndim).make_variable())


def tree(op: Op, x: Any, axes: Sequence[int], dtype: Any) -> Any:
    """Return some axes of an array, reduced by an Op that may take the results of parts.

    Parameters
    ----------
    op
        The Op: of one input, and over these axes for its rank.
    x
        A Dask array.
    axes
        The axes.
    dtype
        The dtype of the result.
    """
    block = ReduceBlock(op)
    if not axes:
        return x.map_blocks(block, dtype=dtype, meta=np.empty((0,) * x.ndim, dtype))
    meta = np.empty((0,) * (x.ndim - len(axes)), dtype)
    return da.reduction(x, block, block, axis=tuple(axes), dtype=dtype, meta=meta)
