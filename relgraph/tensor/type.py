"""Arrays: the types of tensor variables, and when two values of one are the same."""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.type import Type
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import can_cast_exactly, check_dtype, is_complex, is_discrete
from relgraph.scalar.type import preserved
from relgraph.tensor.variable import TensorConstant, TensorVariable

Array = np.ndarray[Any, Any]
Shape = tuple[int | None, ...]

# Up to this many elements, a value that is to fill a known shape is written out.
LARGEST_FILLED = 4096

_TOLERANCES = {"float16": 1e-2, "float32": 1e-4, "complex64": 1e-4}
_RANKS = {0: "scalar", 1: "vector", 2: "matrix"}


class TensorType(Type):
    """The type of arrays of one dtype and rank.

    Parameters
    ----------
    dtype
        The name of a dtype, or anything NumPy takes for one; ``"floatX"`` is the configured one.
    shape
        The length of each axis, None where it is not known. Only an axis of length 1 broadcasts.
        In the old spelling, True is 1 and False is None.

    Raises
    ------
    TypeError, ValueError
        If the dtype is none that variables can have, or a length is no length.
    """

    __props__ = ("dtype", "shape")
    variable_type: ClassVar[type[Variable]] = TensorVariable
    constant_type: ClassVar[type[Constant]] = TensorConstant

    dtype: str
    shape: Shape

    def __init__(self, dtype: Any, shape: Sequence[int | bool | None] = ()) -> None:
        self.dtype = check_dtype(dtype)
        self.shape = tuple([_check_length(n, shape) for n in shape])
        self.numpy_dtype = np.dtype(self.dtype)
        self.ndim = len(self.shape)
        self.broadcastable = tuple([n == 1 for n in self.shape])

    def __str__(self) -> str:
        lengths = ", ".join("?" if n is None else str(n) for n in self.shape)
        return f"TensorType({self.dtype}, ({lengths}{',' if self.ndim == 1 else ''}))"

    def clone(self, dtype: Any = None, shape: Any = None, **kwargs: Any) -> TensorType:
        """Return this type with another dtype or shape."""
        made = type(self)(
            self.dtype if dtype is None else dtype, self.shape if shape is None else shape, **kwargs
        )
        assert isinstance(made, TensorType)
        return made

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Array:
        """Return `data` as an array of this type; an array that is one is not copied.

        Parameters
        ----------
        strict
            Take only an array of this very dtype.
        allow_downcast
            Whether to convert from any dtype. If False, only from those whose values all go into
            this one, and Python numbers and lists that keep their values; if None, also floats
            that get rounded.

        Raises
        ------
        TypeError
            If the dtype, the rank or the length of an axis is not what is wanted.
        """
        if type(data) is np.ndarray and data.dtype == self.numpy_dtype:
            array = data
        else:
            array = self._converted(data, strict, allow_downcast)
        if array.ndim != self.ndim or any(
            n is not None and n != m for n, m in zip(self.shape, array.shape, strict=True)
        ):
            raise TypeError(f"{_described(array)} came where {self} is wanted")
        return array

    def _converted(self, data: Any, strict: bool, allow_downcast: bool | None) -> Array:
        if isinstance(data, Variable | LogicTerm):
            raise TypeError(f"the variable {data} came where a value of {self} is wanted")
        if strict:
            raise TypeError(f"{_described(data)} came where strictly {self} is wanted")
        array = np.asarray(data)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"{_described(data)} came where {self} is wanted")
        if array.dtype == self.numpy_dtype:
            return array
        loses = is_complex(array.dtype.name) and not is_complex(self.dtype)
        exact = np.can_cast(array.dtype, self.numpy_dtype, "safe")
        if exact or (allow_downcast and not loses):
            return array.astype(self.dtype)
        converted = preserved(array, self.dtype)
        keeps = converted is not None or allow_downcast is None
        if isinstance(data, np.ndarray | np.generic) or not keeps:
            raise TypeError(
                f"{_described(array)} came where {self} is wanted, and converting it could lose "
                "precision: convert it yourself, or set allow_downcast"
            )
        if array.dtype.kind == "f" and not is_discrete(self.dtype):
            return array.astype(self.dtype)
        if converted is None:
            raise TypeError(f"{data!r} has no value of dtype {self.dtype}, which {self} wants")
        return converted

    def in_same_class(self, otype: Type) -> bool:
        return (
            isinstance(otype, TensorType)
            and otype.dtype == self.dtype
            and otype.broadcastable == self.broadcastable
        )

    def is_super(self, otype: Type) -> bool:
        if otype is self:
            return True
        return (
            isinstance(otype, TensorType)
            and otype.dtype == self.dtype
            and otype.ndim == self.ndim
            and all(n is None or n == m for n, m in zip(self.shape, otype.shape, strict=True))
        )

    def make_variable(self, name: str | None = None) -> TensorVariable:
        return TensorVariable(self, None, None, name)

    def make_constant(self, value: Any, name: str | None = None) -> TensorConstant:
        return TensorConstant(self, value, name)

    def convert_variable(self, var: Variable) -> Variable | None:
        """Return `var` if it is of this type or a narrower one, else None."""
        return var if self.is_super(var.type) else None

    def fit(self, new: Any, old: Variable) -> Variable | None:
        """Return `new` as a variable that can replace `old`, a variable of this type.

        It is cast, and filled like `old`, if neither changes a value.

        Parameters
        ----------
        new
            A variable, a number or an array.

        Returns
        -------
        variable
            None if `new` doesn't fit.
        """
        if isinstance(new, Variable):
            if not isinstance(new.type, TensorType):
                return None
            if self.is_super(new.type) and new.type.broadcastable == self.broadcastable:
                return new
            if not isinstance(new, Constant):
                return self._fit_variable(new, old)
            new = new.data
        return self._fit_value(new, old)

    def _fit_variable(self, new: Any, old: Any) -> Variable | None:
        if not self._broadcasts_from(new.type.shape):
            return None
        if new.type.dtype != self.dtype:
            if not can_cast_exactly(new.type.dtype, self.dtype):
                return None
            new = old._ops.cast(new, self.dtype)
        return self._filled(new, old)

    def _fit_value(self, value: Any, old: Any) -> Variable | None:
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):
            return None
        converted = preserved(array, self.dtype)
        if converted is None or not self._broadcasts_from(converted.shape):
            return None
        full = _known(self.shape)
        if full is not None and np.prod(full, dtype=np.int64) <= LARGEST_FILLED:
            return self.make_constant(np.broadcast_to(converted, full))
        padded = converted.reshape((1,) * (self.ndim - converted.ndim) + converted.shape)
        constant = TensorType(self.dtype, padded.shape).make_constant(padded)
        return self._filled(constant, old)

    def _broadcasts_from(self, shape: Shape) -> bool:
        """Return whether an array of `shape` broadcasts to one of this type."""
        mine = self.shape[self.ndim - len(shape) :]
        return len(shape) <= self.ndim and all(
            n == m or n == 1 or (m is None and n is not None)
            for n, m in zip(shape, mine, strict=True)
        )

    def _filled(self, new: Any, old: Any) -> Variable | None:
        """Return `new`, of this dtype and a shape that broadcasts, filled like `old`."""
        # A length of 1 where none is known: what is replaced may be longer.
        if self.is_super(new.type) and new.type.broadcastable == self.broadcastable:
            return _variable(new)
        fill = old._ops.second
        if old.head is fill and new.head is fill and old.owner.inputs[1] is new.owner.inputs[1]:
            return None  # the same value, filled once more
        return like(old, new)

    def all_finite(self, value: Any) -> bool:
        if value.size == 1:
            return cmath.isfinite(value.item())
        return bool(np.isfinite(value).all())

    def values_eq(self, a: Any, b: Any) -> bool:
        """Return whether two arrays have one dtype and shape, and equal elements (nan is nan)."""
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool(np.all((a == b) | ((a != a) & (b != b))))

    def values_eq_approx(
        self,
        a: Any,
        b: Any,
        allow_remove_inf: bool = False,
        allow_remove_nan: bool = False,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> bool:
        """Return whether two arrays are the same but for rounding.

        Parameters
        ----------
        allow_remove_inf, allow_remove_nan
            Whether an infinity or a nan in the first may be anything in the second.
        rtol, atol
            Tolerances; by default they suit the dtype.
        """
        return values_eq_approx(a, b, allow_remove_inf, allow_remove_nan, rtol, atol)


def _check_length(length: Any, shape: Any) -> int | None:
    if isinstance(length, bool | np.bool_):
        return 1 if length else None
    if length is None:
        return None
    if not isinstance(length, int | np.integer):
        raise TypeError(f"the lengths in a shape are ints or None, not {length!r} (in {shape})")
    if length < 0:
        raise ValueError(f"the length {length} in the shape {shape} is negative")
    return int(length)


def _described(data: Any) -> str:
    """Return what kind of value `data` is, for an error."""
    if not isinstance(data, np.ndarray):
        text = repr(data)
        return f"{text if len(text) < 60 else text[:56] + ' ...'} ({type(data).__name__})"
    rank = _RANKS.get(data.ndim, f"{data.ndim}-dimensional array")
    return f"a {rank} of dtype {data.dtype} and shape {data.shape}"


def _known(shape: Shape) -> tuple[int, ...] | None:
    lengths = [n for n in shape if n is not None]
    return tuple(lengths) if len(lengths) == len(shape) else None


def _variable(x: Any) -> Variable:
    assert isinstance(x, Variable)
    return x


def like(old: Any, new: Any) -> Variable | None:
    """Return `new` filled into the shape of `old`, without computing `old`; None if it can't be.

    `old` is about to be replaced by the result, so the result can't be a function of it: the shape
    comes from the inputs of its node.
    """
    ops, node = old._ops, old.owner
    if node is None:
        return _fitting(ops.second(old, new), old)
    fill = getattr(node.op, "fill_like", None)
    if fill is not None:
        return _fitting(fill(node, new), old)
    shape = ops.inferred_shape(old)
    return None if shape is None else _fitting(ops.alloc(new, *shape), old)


def _fitting(new: Any, old: Any) -> Variable | None:
    return _variable(new) if old.type.is_super(new.type) else None


def values_eq_approx(
    a: Any,
    b: Any,
    allow_remove_inf: bool = False,
    allow_remove_nan: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
) -> bool:
    """Return whether two arrays are the same but for rounding; see `TensorType`."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    tolerance = _TOLERANCES.get(a.dtype.name, 1e-7)
    close = np.isclose(
        a,
        b,
        rtol=tolerance if rtol is None else rtol,
        atol=tolerance / 10 if atol is None else atol,
        equal_nan=True,
    )
    if allow_remove_inf:
        close |= np.isinf(a)
    if allow_remove_nan:
        close |= np.isnan(a)
    return bool(np.all(close))


def values_eq_approx_remove_inf(a: Any, b: Any) -> bool:
    """Return whether two arrays agree but for rounding and where the first is infinite."""
    return values_eq_approx(a, b, allow_remove_inf=True)


def values_eq_approx_remove_nan(a: Any, b: Any) -> bool:
    """Return whether two arrays agree but for rounding and where the first is nan."""
    return values_eq_approx(a, b, allow_remove_nan=True)


def values_eq_approx_remove_inf_nan(a: Any, b: Any) -> bool:
    """Return whether two arrays agree but for rounding and where the first is not finite."""
    return values_eq_approx(a, b, allow_remove_inf=True, allow_remove_nan=True)


def values_eq_approx_always_true(a: Any, b: Any) -> bool:
    """Return True: for results that say nothing, such as those of an allocation left empty."""
    return True
