"""`DaskLinker`: graphs as tasks of Dask.

A `DaskProgram` is lowered anew at each call, for the arrays that it gets: Dask's, files, and
NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed

from relgraph.engines.dask.blocks import Blocks, as_one_block, is_blocked, without_empty_blocks
from relgraph.engines.dask.interpretation import Run
from relgraph.engines.dask.lowering.dispatch import way_of as way_of
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.shared_values import copy_value
from relgraph.tensor.type import TensorType

if TYPE_CHECKING:
    from relgraph.compile.compiled_function import CallParts


class MappedSource:
    """A memory map, or a part of one, of which `dask.array.from_array` reads a block at a time.

    A memory map that is handed to Dask as it is would be copied, and pickled as a whole.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __getitem__(self, index: Any) -> Any:
        return np.array(self.array[index])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle where the array lies in the file, to be opened there again."""
        x, whole = self.array, self.array
        while isinstance(whole.base, np.memmap):
            whole = whole.base
        place = {"offset": x.ctypes.data - whole.ctypes.data, "strides": x.strides}
        return _opened, (whole.filename, whole.offset, whole.nbytes, x.shape, x.dtype, place)


def _opened(
    filename: Any, offset: int, size: int, shape: Any, dtype: Any, place: dict[str, Any]
) -> MappedSource:
    stored = np.memmap(filename, np.uint8, "r", offset, (size,))
    return MappedSource(np.ndarray(shape, dtype, stored.data, **place))


def is_on_disk(x: Any) -> bool:
    """Return whether a value is an array that is read in parts: a memory map, or one of Zarr."""
    if isinstance(x, np.memmap):
        return x.filename is not None
    if isinstance(x, np.ndarray) or is_blocked(x):
        return False
    return all(hasattr(x, name) for name in ("shape", "dtype", "ndim", "chunks", "__getitem__"))


def in_memory(x: Any, blocks: Blocks, later: bool) -> Any:
    """Return what is in memory as a value for a run; a copy if results may be computed later."""
    return blocks.cut(x.copy() if later and isinstance(x, np.ndarray) else x)


class DaskProgram:
    """Computes the outputs of a graph from its inputs.

    Parameters
    ----------
    inputs, outputs
        Those of the graph.
    linker
        Says how arrays are cut, and whether results are computed.
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], linker: DaskLinker
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.linker = linker

    def __call__(self, *values: Any) -> list[Any]:
        """Return the computed values of the outputs."""
        blocks = self.linker.blocks()
        return computed(self._lowered([blocks.cut(x) for x in values], blocks))

    def _lowered(self, values: Sequence[Any], blocks: Blocks) -> list[Any]:
        return Run(dict(zip(self.inputs, values, strict=True)), blocks).outputs(self.outputs)

    def make_call(self, parts: CallParts, trusted: bool) -> Callable[..., Any]:
        """Return the function behind a call of a `Function`.

        Parameters
        ----------
        parts
            What the call is made of.
        trusted
            Whether arguments in memory are taken as they are.
        """
        arguments = [self._argument(i, parts, trusted) for i in range(len(parts.inputs))]
        n = parts.n_results

        def call(*given: Any) -> Any:
            blocks = self.linker.blocks()
            lazy = self.linker.compute is False or (
                self.linker.compute is None and any(map(is_blocked, given))
            )
            pairs = zip(arguments, given, strict=True)
            values = [value(x, blocks, lazy) for value, x in pairs]
            values += [in_memory(c.value, blocks, lazy) for c in parts.shared]
            found = self._lowered(values, blocks)
            # with updates the blocks are read now: what goes over all of them is read along
            along = [i for i in range(n) if parts.updated and blocks.is_settled_early(found[i])]
            now = [*along, *range(n, len(found))] if lazy else list(range(len(found)))
            for i, x in zip(now, computed([found[i] for i in now]), strict=True):
                found[i] = x
            results = found[:n]
            if lazy:
                pairs = zip(results, self.outputs, strict=False)
                results = [later(x, v) for x, v in pairs]
            for container, value in zip(parts.updated, found[n:], strict=True):
                container.value = value
            return parts.unpack(results)

        return call

    def _argument(
        self, i: int, parts: CallParts, trusted: bool
    ) -> Callable[[Any, Blocks, bool], Any]:
        """Return what makes the value for a run of an argument that the user gave.

        It takes the argument, how arrays are cut, and whether results may be computed later: what
        is in memory is copied then. It raises a TypeError if the argument can't be converted, and a
        ValueError if an array of Dask has blocks of unknown lengths.
        """
        given, kind = parts.inputs[i], self.inputs[i].type

        def convert(x: Any) -> Any:
            return x if trusted and isinstance(x, np.ndarray) else parts.convert(i, x)

        def converted(x: Any, kind: TensorType) -> Any:
            if any(map(np.isnan, x.shape)):
                name = given.name if given.name is not None else given.variable
                raise ValueError(
                    f"argument {i} `{name}` has blocks of unknown lengths, {x.chunks}: call its "
                    "compute_chunk_sizes() before"
                )
            if x.dtype != kind.numpy_dtype or not kind.has_shape(x.shape):
                if not kind.converts(x, given.strict, given.allow_downcast):
                    # the error is that for an array of NumPy: this one has no storage
                    return convert(np.broadcast_to(np.zeros((), x.dtype), x.shape))
                x = x.astype(kind.numpy_dtype)
            return without_empty_blocks(x)

        def value(x: Any, blocks: Blocks, later: bool) -> Any:
            if not isinstance(kind, TensorType) or not (is_blocked(x) or is_on_disk(x)):
                return in_memory(convert(x), blocks, later)
            if not is_blocked(x):
                source = MappedSource(x) if isinstance(x, np.memmap) else x
                x = da.from_array(source, chunks=blocks.chunks, name=False)
            return converted(x, kind)

        return value


def computed(values: Sequence[Any]) -> list[Any]:
    """Return values in memory, computed in one go. None shares storage with another array."""
    found = dask.compute(*values)
    return [
        # the blocks of several have been put together in new storage
        np.asarray(x) if is_blocked(v) and v.npartitions > 1 else _own(x)
        for v, x in zip(values, found, strict=True)
    ]


def _own(x: Any) -> Any:
    return np.array(x) if isinstance(x, np.ndarray | np.generic) else copy_value(x)


def later(x: Any, variable: Variable) -> Any:
    """Return a result as a Dask array; what is no array is computed."""
    if not isinstance(variable.type, TensorType):
        return _own(x.compute() if isinstance(x, Delayed) else x)
    return x if is_blocked(x) else as_one_block(np.array(x))


@dataclass(eq=False)
class DaskLinker:
    """Makes tasks of a graph, for blocks of its arrays, when a function is called.

    They run on the scheduler that is in force: Dask's threads, unless ``dask.config`` or a client
    of ``distributed`` says something else.

    Parameters
    ----------
    compute
        Whether results are computed, and are NumPy's arrays; if not, they are Dask's. None: they
        are computed unless an argument is an array of Dask.
    chunks
        How NumPy's arrays and files are cut, as for `dask.array.from_array`: ``"auto"``, a size
        such as ``"64MiB"``, or the length of a block along each axis.
    passes
        Whether small values that all blocks of an array go into (a sum, say) are computed when
        other blocks are computed from them and the array: in a call, a pass over the array for each
        level of them. The memory then does not grow with the array. If not, a call computes only
        what decides on shapes and branches.
    """

    compute: bool | None = None
    chunks: str | int = "auto"
    passes: bool = True

    name: ClassVar[str] = "dask"
    excluded: ClassVar[tuple[str, ...]] = ("inplace", "blas")
    """The tags of what is for NumPy alone."""

    def blocks(self) -> Blocks:
        """Return how the arrays of one call are cut."""
        return Blocks(self.chunks, self.passes)

    def link(self, fgraph: FunctionGraph) -> DaskProgram:
        """Return a function that computes the outputs of a graph from its inputs."""
        return DaskProgram(fgraph.inputs, fgraph.outputs, self)


LINKER = DaskLinker()
