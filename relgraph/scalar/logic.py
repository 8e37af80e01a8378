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
    name = "eq"
    ufunc = np.equal
    commutative = True


class Neq(_Comparison):
    name = "neq"
    ufunc = np.not_equal
    commutative = True


class Lt(_Comparison):
    name = "lt"
    ufunc = np.less


class Le(_Comparison):
    name = "le"
    ufunc = np.less_equal


class Gt(_Comparison):
    name = "gt"
    ufunc = np.greater


class Ge(_Comparison):
    name = "ge"
    ufunc = np.greater_equal


class IsNan(PredicateOp):
    name = "isnan"
    ufunc = np.isnan


class IsInf(PredicateOp):
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
