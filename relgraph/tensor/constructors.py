"""Functions that make input variables: ``dvector("x")``, ``matrices("A", "B")``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    """

    def __init__(self, name: str, shape: Shape, dtype: str | None = None) -> None:
        self.__name__ = name
        self.shape = shape
        self.dtype = dtype

    def __call__(
        self,
        name: str | None = None,
        dtype: Any = None,
        shape: Sequence[int | None] | None = None,
    ) -> TensorVariable:
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
        kind = self.dtype if dtype is None else dtype
        return TensorType(
            "floatX" if kind is None else kind, self.shape if shape is None else shape
        ).make_variable(name)

    def clone(self, dtype: Any = None, shape: Any = None) -> TensorType:
        """Return the type of what it makes, with another dtype or shape."""
        kind = "floatX" if self.dtype is None else self.dtype
        return TensorType(kind, self.shape).clone(dtype, shape)

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
        For each axis its length, or None if it is not known; True stands for 1.
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

scalars = PluralConstructor("scalars", scalar)
bscalars = PluralConstructor("bscalars", bscalar)
wscalars = PluralConstructor("wscalars", wscalar)
iscalars = PluralConstructor("iscalars", iscalar)
lscalars = PluralConstructor("lscalars", lscalar)
fscalars = PluralConstructor("fscalars", fscalar)
dscalars = PluralConstructor("dscalars", dscalar)
cscalars = PluralConstructor("cscalars", cscalar)
zscalars = PluralConstructor("zscalars", zscalar)
vectors = PluralConstructor("vectors", vector)
bvectors = PluralConstructor("bvectors", bvector)
wvectors = PluralConstructor("wvectors", wvector)
ivectors = PluralConstructor("ivectors", ivector)
lvectors = PluralConstructor("lvectors", lvector)
fvectors = PluralConstructor("fvectors", fvector)
dvectors = PluralConstructor("dvectors", dvector)
cvectors = PluralConstructor("cvectors", cvector)
zvectors = PluralConstructor("zvectors", zvector)
matrices = PluralConstructor("matrices", matrix)
bmatrices = PluralConstructor("bmatrices", bmatrix)
wmatrices = PluralConstructor("wmatrices", wmatrix)
imatrices = PluralConstructor("imatrices", imatrix)
lmatrices = PluralConstructor("lmatrices", lmatrix)
fmatrices = PluralConstructor("fmatrices", fmatrix)
dmatrices = PluralConstructor("dmatrices", dmatrix)
cmatrices = PluralConstructor("cmatrices", cmatrix)
zmatrices = PluralConstructor("zmatrices", zmatrix)
rows = PluralConstructor("rows", row)
brows = PluralConstructor("brows", brow)
wrows = PluralConstructor("wrows", wrow)
irows = PluralConstructor("irows", irow)
lrows = PluralConstructor("lrows", lrow)
frows = PluralConstructor("frows", frow)
drows = PluralConstructor("drows", drow)
crows = PluralConstructor("crows", crow)
zrows = PluralConstructor("zrows", zrow)
cols = PluralConstructor("cols", col)
bcols = PluralConstructor("bcols", bcol)
wcols = PluralConstructor("wcols", wcol)
icols = PluralConstructor("icols", icol)
lcols = PluralConstructor("lcols", lcol)
fcols = PluralConstructor("fcols", fcol)
dcols = PluralConstructor("dcols", dcol)
ccols = PluralConstructor("ccols", ccol)
zcols = PluralConstructor("zcols", zcol)
tensor3s = PluralConstructor("tensor3s", tensor3)
btensor3s = PluralConstructor("btensor3s", btensor3)
wtensor3s = PluralConstructor("wtensor3s", wtensor3)
itensor3s = PluralConstructor("itensor3s", itensor3)
ltensor3s = PluralConstructor("ltensor3s", ltensor3)
ftensor3s = PluralConstructor("ftensor3s", ftensor3)
dtensor3s = PluralConstructor("dtensor3s", dtensor3)
ctensor3s = PluralConstructor("ctensor3s", ctensor3)
ztensor3s = PluralConstructor("ztensor3s", ztensor3)
tensor4s = PluralConstructor("tensor4s", tensor4)
btensor4s = PluralConstructor("btensor4s", btensor4)
wtensor4s = PluralConstructor("wtensor4s", wtensor4)
itensor4s = PluralConstructor("itensor4s", itensor4)
ltensor4s = PluralConstructor("ltensor4s", ltensor4)
ftensor4s = PluralConstructor("ftensor4s", ftensor4)
dtensor4s = PluralConstructor("dtensor4s", dtensor4)
ctensor4s = PluralConstructor("ctensor4s", ctensor4)
ztensor4s = PluralConstructor("ztensor4s", ztensor4)

__all__ = [
    "bcol",
    "bcols",
    "bmatrices",
    "bmatrix",
    "brow",
    "brows",
    "bscalar",
    "bscalars",
    "btensor3",
    "btensor3s",
    "btensor4",
    "btensor4s",
    "bvector",
    "bvectors",
    "ccol",
    "ccols",
    "cmatrices",
    "cmatrix",
    "col",
    "cols",
    "crow",
    "crows",
    "cscalar",
    "cscalars",
    "ctensor3",
    "ctensor3s",
    "ctensor4",
    "ctensor4s",
    "cvector",
    "cvectors",
    "dcol",
    "dcols",
    "dmatrices",
    "dmatrix",
    "drow",
    "drows",
    "dscalar",
    "dscalars",
    "dtensor3",
    "dtensor3s",
    "dtensor4",
    "dtensor4s",
    "dvector",
    "dvectors",
    "fcol",
    "fcols",
    "fmatrices",
    "fmatrix",
    "frow",
    "frows",
    "fscalar",
    "fscalars",
    "ftensor3",
    "ftensor3s",
    "ftensor4",
    "ftensor4s",
    "fvector",
    "fvectors",
    "icol",
    "icols",
    "imatrices",
    "imatrix",
    "irow",
    "irows",
    "iscalar",
    "iscalars",
    "itensor3",
    "itensor3s",
    "itensor4",
    "itensor4s",
    "ivector",
    "ivectors",
    "lcol",
    "lcols",
    "lmatrices",
    "lmatrix",
    "lrow",
    "lrows",
    "lscalar",
    "lscalars",
    "ltensor3",
    "ltensor3s",
    "ltensor4",
    "ltensor4s",
    "lvector",
    "lvectors",
    "matrices",
    "matrix",
    "row",
    "rows",
    "scalar",
    "scalars",
    "tensor",
    "tensor3",
    "tensor3s",
    "tensor4",
    "tensor4s",
    "vector",
    "vectors",
    "wcol",
    "wcols",
    "wmatrices",
    "wmatrix",
    "wrow",
    "wrows",
    "wscalar",
    "wscalars",
    "wtensor3",
    "wtensor3s",
    "wtensor4",
    "wtensor4s",
    "wvector",
    "wvectors",
    "zcol",
    "zcols",
    "zmatrices",
    "zmatrix",
    "zrow",
    "zrows",
    "zscalar",
    "zscalars",
    "ztensor3",
    "ztensor3s",
    "ztensor4",
    "ztensor4s",
    "zvector",
    "zvectors",
]
