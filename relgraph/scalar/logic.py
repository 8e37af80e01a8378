"""The comparisons, the predicates isnan and isinf, and the logical ops; they have no gradient."""

from __future__ import annotations

import numpy as np

from relgraph.scalar.dtypes import weak_dtype
from relgraph.scalar.op import FoldOp, PredicateOp, ScalarOp, TypedNumber


class _Comparison(PredicateOp):
    nin = 2

    def _out_of_range(self, position: int, value: int, dtype: str) -> TypedNumber:
        # Integers of any size can be compared, in a wider dtype.
        for wider in (weak_dtype(int, ()), "uint64"):
            if np.iinfo(wider).min <= value <= np.iinfo(wider).max:
                return value, wider
        return super()._out_of_range(position, value, dtype)


class Eq(_Comparison):
    """Whether `x` is equal to `y`; nan is equal to nothing."""

    name = "eq"
    ufunc = np.equal
    commutative = True


class Neq(_Comparison):
    """Whether `x` is not equal to `y`; nan differs from everything."""

    name = "neq"
    ufunc = np.not_equal
    commutative = True


class Lt(_Comparison):
    """Whether `x` is less than `y`."""

    name = "lt"
    ufunc = np.less


class Le(_Comparison):
    """Whether `x` is less than `y` or equal to it."""

    name = "le"
    ufunc = np.less_equal


class Gt(_Comparison):
    """Whether `x` is greater than `y`."""

    name = "gt"
    ufunc = np.greater


class Ge(_Comparison):
    """Whether `x` is greater than `y` or equal to it."""

    name = "ge"
    ufunc = np.greater_equal


class IsNan(PredicateOp):
    """Whether `x` is nan."""

    name = "isnan"
    ufunc = np.isnan


class IsInf(PredicateOp):
    """Whether `x` is an infinity of either sign."""

    name = "isinf"
    ufunc = np.isinf


class And(FoldOp):
    """The logical conjunction of booleans, the bitwise one of integers."""

    name = "and_"
    ufunc = np.bitwise_and


class Or(FoldOp):
    """The logical disjunction of booleans, the bitwise one of integers."""

    name = "or_"
    ufunc = np.bitwise_or


class Xor(FoldOp):
    """The logical exclusive disjunction of booleans, the bitwise one of integers."""

    name = "xor"
    ufunc = np.bitwise_xor


class Invert(ScalarOp):
    """The logical negation of booleans, the bitwise one of integers."""

    name = "invert"
    ufunc = np.invert


eq = Eq()
neq = Neq()
lt = Lt()
le = Le()
gt = Gt()
ge = Ge()
isnan = IsNan()
isinf = IsInf()
and_ = And()
or_ = Or()
xor = Xor()
invert = Invert()

__all__ = [
    "and_", "eq", "ge", "gt", "invert", "isinf", "isnan", "le", "lt", "neq", "or_", "xor",
]  # fmt: skip
