"""What users pass in: arrays of Dask, files, and NumPy's arrays, as values for a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np

from relgraph.engines.dask.blocks import Blocks, is_blocked, without_empty_blocks
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType


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


@dataclass(frozen=True)
class Argument:
    """What is known of an argument of a function.

    Attributes
    ----------
    name
        What it is called in errors.
    kind
        The type of its variable.
    convert
        Converts a value in memory to the type, or raises.
    strict, allow_downcast
        How values are converted, as for `Type.filter`.
    """

    name: str
    kind: Type
    convert: Callable[[Any], Any]
    strict: bool
    allow_downcast: bool | None

    def value(self, x: Any, blocks: Blocks, later: bool) -> Any:
        """Return what the user gave as a value for a run.

        Parameters
        ----------
        x
            What the user gave.
        blocks
            How arrays are cut.
        later
            Whether results may be computed later: what is in memory is copied then.

        Raises
        ------
        TypeError
            If it can't be converted.
        ValueError
            If an array of Dask has blocks of unknown lengths.
        """
        if isinstance(self.kind, TensorType):
            if is_blocked(x):
                return self._converted(x, self.kind)
            if is_on_disk(x):
                source = MappedSource(x) if isinstance(x, np.memmap) else x
                cut = da.from_array(source, chunks=blocks.chunks, name=False)
                return self._converted(cut, self.kind)
        return in_memory(self.convert(x), blocks, later)

    def _converted(self, x: Any, kind: TensorType) -> Any:
        if any(map(np.isnan, x.shape)):
            raise ValueError(
                f"{self.name} has blocks of unknown lengths, {x.chunks}: call its "
                "compute_chunk_sizes() before"
            )
        if x.dtype != kind.numpy_dtype or not _has_shape(x, kind):
            # the rules and errors are those for an array of NumPy: this one has no storage
            of_any_shape = TensorType(kind.dtype, (None,) * x.ndim)
            stand_in = np.broadcast_to(np.zeros((), x.dtype), x.shape)
            try:
                of_any_shape.filter(stand_in[..., :0], self.strict, self.allow_downcast)
            except (TypeError, ValueError):
                return self.convert(stand_in)
            if not _has_shape(x, kind):
                return self.convert(stand_in)
            x = x.astype(kind.numpy_dtype)
        return without_empty_blocks(x)


def in_memory(x: Any, blocks: Blocks, later: bool) -> Any:
    """Return what is in memory as a value for a run; a copy if results may be computed later."""
    return blocks.cut(x.copy() if later and isinstance(x, np.ndarray) else x)


def _has_shape(x: Any, kind: TensorType) -> bool:
    return x.ndim == kind.ndim and all(
        n is None or n == m for n, m in zip(kind.shape, x.shape, strict=True)
    )
