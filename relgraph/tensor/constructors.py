"""Functions that make input variables: ``dvector("x")``, ``matrices("A", "B")``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.introspection import documented
from relgraph.tensor.type import Shape, TensorType, TensorVariable

PREFIXES = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}


@documented("constructor")
class Constructor:
    """A function that makes variables of one rank.

    Parameters
    ----------
    name
        The name of the function.
    shape
        The static shape of the variables.
    dtype
        Their dtype; None if the caller may give one.
    kind
        Makes their type of a dtype and a shape.
    """

    def __init__(
        self,
        name: str,
        shape: Shape,
        dtype: str | None = None,
        kind: Callable[[Any, Any], Any] = TensorType,
    ) -> None:
        self.__name__ = name
        self.shape = shape
        self.dtype = dtype
        self.kind = kind

    def __call__(
        self,
        name: str | None = None,
        dtype: Any = None,
        shape: Sequence[int | None] | None = None,
    ) -> Any:
        """Return a new variable.

        Parameters
        ----------
        name
            Its name.
        dtype
            Its dtype, if the constructor fixes none; by default ``config.floatX``.
        shape
            Its static shape: for each axis a length, or None if it is not known.

        Raises
        ------
        TypeError
            If the constructor fixes the dtype.
        ValueError
            If the shape contradicts that of the constructor.
        """
        if self.dtype is not None and dtype is not None:
            raise TypeError(f"{self.__name__} makes variables of dtype {self.dtype}, not {dtype}")
        if shape is not None and (
            len(shape) != len(self.shape)
            or any(n is not None and n != m for n, m in zip(self.shape, shape, strict=True))
        ):
            raise ValueError(f"{self.__name__} makes variables of shape {self.shape}, not {shape}")
        return self.clone(dtype, shape).make_variable(name)

    def clone(self, dtype: Any = None, shape: Any = None) -> Any:
        """Return the type of what it makes, with another dtype or shape."""
        dtype = self.dtype if dtype is None else dtype
        return self.kind(
            "floatX" if dtype is None else dtype, self.shape if shape is None else shape
        )

    def __repr__(self) -> str:
        return f"<constructor {self.__name__}>"


@documented("plural_constructor")
class PluralConstructor:
    """A function that makes several variables at once.

    Parameters
    ----------
    name
        The name of the function.
    one
        The constructor that makes one variable.
    """

    def __init__(self, name: str, one: Constructor) -> None:
        self.__name__ = name
        self.one = one

    def __call__(self, *names: Any, dtype: Any = None) -> list[TensorVariable]:
        """Return a list of new variables: one for each name, or as many as a single int says."""
        if len(names) == 1 and isinstance(names[0], int):
            names = (None,) * names[0]
        return [self.one(name, dtype) for name in names]

    def __repr__(self) -> str:
        return f"<constructor {self.__name__}>"


def _typed(one: Constructor) -> list[Constructor]:
    """Return the constructors like `one` for each dtype of `PREFIXES`, in that order."""
    return [Constructor(p + one.__name__, one.shape, dtype) for p, dtype in PREFIXES.items()]


def tensor(
    dtype: Any = None, shape: Sequence[int | bool | None] = (), name: str | None = None
) -> TensorVariable:
    """Return a new variable of any dtype (``config.floatX`` by default) and shape.

    Parameters
    ----------
    dtype
        The dtype.
    shape
        For each axis its length, or None if it is not known; True means 1.
    name
        The name of the variable.
    """
    return TensorType("floatX" if dtype is None else dtype, shape).make_variable(name)


scalar = Constructor("scalar", ())
vector = Constructor("vector", (None,))
matrix = Constructor("matrix", (None, None))
row = Constructor("row", (1, None))
col = Constructor("col", (None, 1))
tensor3 = Constructor("tensor3", (None,) * 3)
tensor4 = Constructor("tensor4", (None,) * 4)
bscalar, wscalar, iscalar, lscalar, fscalar, dscalar, cscalar, zscalar = _typed(scalar)
bvector, wvector, ivector, lvector, fvector, dvector, cvector, zvector = _typed(vector)
bmatrix, wmatrix, imatrix, lmatrix, fmatrix, dmatrix, cmatrix, zmatrix = _typed(matrix)
brow, wrow, irow, lrow, frow, drow, crow, zrow = _typed(row)
bcol, wcol, icol, lcol, fcol, dcol, ccol, zcol = _typed(col)
btensor3, wtensor3, itensor3, ltensor3, ftensor3, dtensor3, ctensor3, ztensor3 = _typed(tensor3)
btensor4, wtensor4, itensor4, ltensor4, ftensor4, dtensor4, ctensor4, ztensor4 = _typed(tensor4)


def _plural(name: str) -> str:
    return name.replace("matrix", "matrices") if name.endswith("matrix") else f"{name}s"


globals().update(
    {
        _plural(name): PluralConstructor(_plural(name), one)
        for name, one in globals().items()
        if isinstance(one, Constructor)
    }
)

if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = [
        *sorted(
            name
            for name, made in globals().items()
            if isinstance(made, Constructor | PluralConstructor)
        ),
        "tensor",
    ]
