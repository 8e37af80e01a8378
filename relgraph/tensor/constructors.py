"""Functions that make input variables: ``dvector("x")``, ``matrices("A", "B")``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.tensor.type import Shape, TensorType
from relgraph.tensor.variable import TensorVariable

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


class Constructor:
    """A function that makes a variable of a rank.

    Parameters
    ----------
    what
        Its name.
    shape
        The static shape of what it makes.
    dtype
        The dtype; None for the configured one, or what the caller says.
    """

    def __init__(self, what: str, shape: Shape, dtype: str | None = None) -> None:
        self.__name__ = what
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
            What to call it.
        dtype
            Its dtype, where the constructor fixes none; by default ``config.floatX``.
        shape
            The lengths of its axes, None for each that is not known.

        Raises
        ------
        TypeError, ValueError
            If the dtype contradicts the constructor's, or the shape is of another rank.
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


class Plural:
    """A function that makes several variables at once.

    Parameters
    ----------
    one
        What makes one.
    """

    def __init__(self, what: str, one: Constructor) -> None:
        self.__name__ = what
        self.one = one

    def __call__(self, *names: Any, dtype: Any = None) -> list[TensorVariable]:
        """Return a list of new variables: one for each name, or as many as one int says."""
        if len(names) == 1 and isinstance(names[0], int):
            names = (None,) * names[0]
        return [self.one(name, dtype) for name in names]

    def __repr__(self) -> str:
        return f"<constructor {self.__name__}>"


def _typed(one: Constructor) -> list[Constructor]:
    """Return constructors like `one` with a fixed dtype, in the order of `PREFIXES`."""
    return [Constructor(p + one.__name__, one.shape, dtype) for p, dtype in PREFIXES.items()]


def tensor(
    dtype: Any = None, shape: Sequence[int | bool | None] = (), name: str | None = None
) -> TensorVariable:
    """Return a new variable of any dtype (``config.floatX`` by default) and shape."""
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

scalars = Plural("scalars", scalar)
bscalars = Plural("bscalars", bscalar)
wscalars = Plural("wscalars", wscalar)
iscalars = Plural("iscalars", iscalar)
lscalars = Plural("lscalars", lscalar)
fscalars = Plural("fscalars", fscalar)
dscalars = Plural("dscalars", dscalar)
cscalars = Plural("cscalars", cscalar)
zscalars = Plural("zscalars", zscalar)
vectors = Plural("vectors", vector)
bvectors = Plural("bvectors", bvector)
wvectors = Plural("wvectors", wvector)
ivectors = Plural("ivectors", ivector)
lvectors = Plural("lvectors", lvector)
fvectors = Plural("fvectors", fvector)
dvectors = Plural("dvectors", dvector)
cvectors = Plural("cvectors", cvector)
zvectors = Plural("zvectors", zvector)
matrices = Plural("matrices", matrix)
bmatrices = Plural("bmatrices", bmatrix)
wmatrices = Plural("wmatrices", wmatrix)
imatrices = Plural("imatrices", imatrix)
lmatrices = Plural("lmatrices", lmatrix)
fmatrices = Plural("fmatrices", fmatrix)
dmatrices = Plural("dmatrices", dmatrix)
cmatrices = Plural("cmatrices", cmatrix)
zmatrices = Plural("zmatrices", zmatrix)
rows = Plural("rows", row)
brows = Plural("brows", brow)
wrows = Plural("wrows", wrow)
irows = Plural("irows", irow)
lrows = Plural("lrows", lrow)
frows = Plural("frows", frow)
drows = Plural("drows", drow)
crows = Plural("crows", crow)
zrows = Plural("zrows", zrow)
cols = Plural("cols", col)
bcols = Plural("bcols", bcol)
wcols = Plural("wcols", wcol)
icols = Plural("icols", icol)
lcols = Plural("lcols", lcol)
fcols = Plural("fcols", fcol)
dcols = Plural("dcols", dcol)
ccols = Plural("ccols", ccol)
zcols = Plural("zcols", zcol)
tensor3s = Plural("tensor3s", tensor3)
btensor3s = Plural("btensor3s", btensor3)
wtensor3s = Plural("wtensor3s", wtensor3)
itensor3s = Plural("itensor3s", itensor3)
ltensor3s = Plural("ltensor3s", ltensor3)
ftensor3s = Plural("ftensor3s", ftensor3)
dtensor3s = Plural("dtensor3s", dtensor3)
ctensor3s = Plural("ctensor3s", ctensor3)
ztensor3s = Plural("ztensor3s", ztensor3)
tensor4s = Plural("tensor4s", tensor4)
btensor4s = Plural("btensor4s", btensor4)
wtensor4s = Plural("wtensor4s", wtensor4)
itensor4s = Plural("itensor4s", itensor4)
ltensor4s = Plural("ltensor4s", ltensor4)
ftensor4s = Plural("ftensor4s", ftensor4)
dtensor4s = Plural("dtensor4s", dtensor4)
ctensor4s = Plural("ctensor4s", ctensor4)
ztensor4s = Plural("ztensor4s", ztensor4)

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
