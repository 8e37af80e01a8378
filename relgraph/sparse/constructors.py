"""Functions that make sparse input variables: ``csr_matrix("x")``, ``csc_fmatrix("y")``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.sparse.matrices import FORMATS
from relgraph.sparse.type import SparseTensorType
from relgraph.sparse.variable import SparseVariable
from relgraph.tensor.constructors import PREFIXES


class SparseConstructor:
    """A function that makes variables of one format.

    Parameters
    ----------
    name
        The name of the function.
    format
        The format of the variables.
    dtype
        Their dtype; None if the caller may give one.
    """

    def __init__(self, name: str, format: str, dtype: str | None = None) -> None:
        self.__name__ = name
        self.format = format
        self.dtype = dtype

    def __call__(
        self,
        name: str | None = None,
        dtype: Any = None,
        shape: Sequence[int | None] = (None, None),
    ) -> SparseVariable:
        """Return a new variable.

        Parameters
        ----------
        name
            Its name.
        dtype
            Its dtype, if the constructor fixes none; by default ``config.floatX``.
        shape
            Its static shape: two lengths, None for one that is not known.

        Raises
        ------
        TypeError
            If the constructor fixes the dtype.
        """
        if self.dtype is not None and dtype is not None:
            raise TypeError(f"{self.__name__} makes variables of dtype {self.dtype}, not {dtype}")
        kind = self.dtype if dtype is None else dtype
        made = SparseTensorType(self.format, "floatX" if kind is None else kind, shape)(name)
        assert isinstance(made, SparseVariable)
        return made

    def __repr__(self) -> str:
        return f"<constructor {self.__name__}>"


CONSTRUCTORS = {
    **{f"{fmt}_matrix": SparseConstructor(f"{fmt}_matrix", fmt) for fmt in FORMATS},
    **{
        f"{fmt}_{prefix}matrix": SparseConstructor(f"{fmt}_{prefix}matrix", fmt, dtype)
        for fmt in FORMATS
        for prefix, dtype in PREFIXES.items()
    },
}
"""The constructors by name: of any dtype, and of one dtype, with its letter as in `dmatrix`."""


def matrix(
    format: str,
    name: str | None = None,
    dtype: Any = "floatX",
    shape: Sequence[int | None] = (None, None),
) -> SparseVariable:
    """Return a new variable of a format, ``csr`` or ``csc``."""
    made = SparseTensorType(format, dtype, shape)(name)
    assert isinstance(made, SparseVariable)
    return made
