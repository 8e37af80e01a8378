"""Comparisons, the predicates isnan and isinf, logical ops, and ops that select an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.scalar.op import (
    EVERYWHERE,
    Facts,
    FloatOp,
    FoldOp,
    PredicateOp,
    ScalarOp,
    TypedNumber,
    ops_of,
    zero_like,
)
from relgraph.scalar.type import result_dtype, weak_dtype


class _Comparison(PredicateOp):
    def _out_of_range(self, position: int, value: int, dtype: str) -> TypedNumber:
        # Integers of any size can be compared, in a wider dtype.
        for wider in (weak_dtype(int, ()), "uint64"):
            if np.iinfo(wider).min <= value <= np.iinfo(wider).max:
                return value, wider
        return super()._out_of_range(position, value, dtype)


class Eq(_Comparison):
    """Whether `x` is equal to `y`; nan is equal to nothing."""

    ufunc = np.equal
    commutative = True


class Neq(_Comparison):
    """Whether `x` is not equal to `y`; nan differs from everything."""

    ufunc = np.not_equal
    commutative = True


class Lt(_Comparison):
    """Whether `x` is less than `y`."""

    ufunc = np.less


class Le(_Comparison):
    """Whether `x` is less than `y` or equal to it."""

    ufunc = np.less_equal


class Gt(_Comparison):
    """Whether `x` is greater than `y`."""

    ufunc = np.greater


class Ge(_Comparison):
    """Whether `x` is greater than `y` or equal to it."""

    ufunc = np.greater_equal


class IsNan(PredicateOp):
    """Whether `x` is nan."""

    name = "isnan"


class IsInf(PredicateOp):
    """Whether `x` is an infinity of either sign."""

    name = "isinf"


class And(FoldOp):
    """The logical conjunction of booleans, the bitwise one of integers."""

    reduction = "all"
    name = "and_"
    ufunc = np.bitwise_and


class Or(FoldOp):
    """The logical disjunction of booleans, the bitwise one of integers."""

    reduction = "any"
    name = "or_"
    ufunc = np.bitwise_or


class Xor(FoldOp):
    """The logical exclusive disjunction of booleans, the bitwise one of integers."""

    ufunc = np.bitwise_xor


class Invert(ScalarOp):
    """The logical negation of booleans, the bitwise one of integers."""

    cost = 1.0


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


class Identity(FloatOp):
    """A copy of its input."""

    cost = 0.0
    facts = Facts(odd=True, increasing=EVERYWHERE, zeros=(0,), inverse="identity")

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.array(x)

    def _resolve_dtype(self, *dtypes: str) -> str:
        return dtypes[0]

    def formula(self, of: Any, x: Any) -> Any:
        return x

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g


class Second(ScalarOp):
    """The second input, broadcast to the shape of both; of the first only the shape counts."""

    cost = 0.0
    nin = 2
    holomorphic = False
    ignored_inputs = (0,)
    repeats = 1

    @staticmethod
    def ufunc(x: Any, y: Any) -> Any:
        # C order, as ufuncs give it: the rounding of a later sum depends on the memory layout.
        return np.array(np.broadcast_arrays(x, y)[1], order="C")

    def _resolve_dtype(self, *dtypes: str) -> str:
        return dtypes[1]

    def formula(self, of: Any, x: Any, y: Any) -> Any:
        return y

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [None, g]


class Switch(ScalarOp):
    """The elements of `x` where `condition` is not zero, and those of `y` elsewhere."""

    cost = 1.0
    argument_names = ("condition", "x", "y")
    nin = 3
    ufunc = staticmethod(np.where)
    holomorphic = False
    promoting_inputs = (1, 2)

    def typed_numbers(self, inputs: Sequence[Any]) -> list[TypedNumber | None]:
        if isinstance(inputs[0], bool):
            raise TypeError(
                f"{self.name}: the condition is {inputs[0]}, a plain bool, so nothing is chosen; "
                "if it was written x == y or x != y, write eq(x, y) or neq(x, y)"
            )
        return super().typed_numbers(inputs)

    def _resolve_dtype(self, *dtypes: str) -> str:
        return result_dtype(*dtypes[1:])

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        condition = inputs[0]
        return [zero_like(condition), self(condition, g, 0), self(condition, 0, g)]


class Clip(ScalarOp):
    """The number from `low` to `high` nearest to `x`, ``minimum(maximum(x, low), high)``.

    A zero at a zero bound stays what it is.
    """

    cost = 1.0
    argument_names = ("x", "low", "high")
    nin = 3
    holomorphic = False

    @staticmethod
    def ufunc(x: Any, low: Any, high: Any) -> Any:
        dtype = np.result_type(x, low, high)
        found = np.minimum(np.maximum(x, low, dtype=dtype), high, dtype=dtype)
        # Of two zeros `numpy.clip` takes the argument if the bounds are numbers, and the bound
        # if they are arrays. As they are nearly always numbers, so it is here for both.
        if dtype.kind == "f" and (np.any(np.equal(low, 0)) or np.any(np.equal(high, 0))):
            return np.where(np.equal(found, x), x, found).astype(dtype)
        return found

    def _resolve_dtype(self, *dtypes: str) -> str:
        return result_dtype(*dtypes)

    def _out_of_range(self, position: int, value: int, dtype: str) -> TypedNumber:
        # A limit that no number of the dtype reaches is as good as the last one that it has.
        bounds = np.iinfo(dtype)
        if position == 1 and value < bounds.min:
            return int(bounds.min), dtype
        if position == 2 and value > bounds.max:
            return int(bounds.max), dtype
        return super()._out_of_range(position, value, dtype)

    def formula(self, of: Any, x: Any, low: Any, high: Any) -> Any:
        return of.minimum(of.maximum(x, low), high)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, low, high = inputs
        switch, lt, gt, maximum = (getattr(x._ops, n) for n in ("switch", "lt", "gt", "maximum"))
        too_high = gt(maximum(x, low), high)
        too_low = lt(x, low)
        return [
            switch(too_high, 0, switch(too_low, 0, g)),
            switch(too_high, 0, switch(too_low, g, 0)),
            switch(too_high, g, 0),
        ]


identity = Identity()
second = Second()
switch = Switch()
clip = Clip()

if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = ops_of(globals())
