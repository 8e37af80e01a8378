"""`ScalarType`, scalar variables and constants, and the rules for dtypes.

Dtypes are promoted as NumPy does. A Python number is weak: it takes the dtype of what it is
combined with (NEP 50).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import cache
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.notation import Operators
from relgraph.graph.type import Type
from relgraph.graph.utils import LogicTerm
from relgraph.settings import config

BOOL = ("bool",)
INTS = ("int8", "int16", "int32", "int64")
UINTS = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEXES = ("complex64", "complex128")
DTYPES = (*BOOL, *INTS, *UINTS, *FLOATS, *COMPLEXES)

_DISCRETE = frozenset((*BOOL, *INTS, *UINTS))
_NAMES = {np.dtype(name): name for name in DTYPES}


def check_dtype(dtype: Any) -> str:
    """Return the name of a dtype; ``"floatX"`` means ``config.floatX``.

    Parameters
    ----------
    dtype
        The name of a dtype, anything that NumPy converts to one, or a type of variables of one.

    Raises
    ------
    TypeError
        If it is no dtype, or variables can't have it.
    """
    if isinstance(dtype, str):
        if dtype in DTYPES:
            return dtype
        if dtype == "floatX":
            return config.floatX
    if isinstance(dtype, Type):
        dtype = getattr(dtype, "dtype", dtype)
    if isinstance(dtype, Variable):
        raise TypeError(f"{dtype} is a variable, not a dtype; its type is {dtype.type}")
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError):
        raise TypeError(f"{dtype!r} is not a dtype") from None
    name = _NAMES.get(found)
    # A dtype of the other byte order has the same name.
    if name is None and found.name in DTYPES:
        name = found.name
    if name is None:
        raise TypeError(f"no variable has dtype {found.name}; there are {', '.join(DTYPES)}")
    return name


def is_discrete(dtype: str) -> bool:
    """Return whether a dtype is boolean or an integer one."""
    return dtype in _DISCRETE


def is_complex(dtype: str) -> bool:
    """Return whether a dtype is complex."""
    return dtype in COMPLEXES


@cache
def result_dtype(*dtypes: str) -> str:
    """Return the dtype that NumPy promotes some dtypes to, whatever their order."""
    return np.result_type(*map(np.dtype, dtypes)).name


def weak_dtype(kind: type, dtypes: tuple[str, ...]) -> str:
    """Return the dtype of a Python number that is combined with values of some dtypes (NEP 50).

    Parameters
    ----------
    kind
        The class of the number: bool, int, float or complex.
    dtypes
        The dtypes of the other values. If there are none, the dtype of a float is
        ``config.floatX``.
    """
    if dtypes:
        return _dtype_beside(kind, dtypes)
    return {bool: "bool", int: "int64", float: config.floatX}.get(kind, "complex128")


@cache
def _dtype_beside(kind: type, dtypes: tuple[str, ...]) -> str:
    if kind is bool:
        return "bool"
    common = np.dtype(result_dtype(*dtypes))
    return np.result_type(common, kind(0)).name


def number_kind(value: Any) -> type | None:
    """Return the class of a Python number, whose dtype is weak; None for any other value.

    NumPy's scalars have a dtype, though `numpy.float64` is a subclass of float.
    """
    kind = type(value)
    return kind if kind in (int, float, bool, complex) else None


@cache
def can_cast_exactly(source: str, target: str) -> bool:
    """Return whether every value of a dtype can be cast to another dtype and stay the same.

    NumPy's "safe" casts are these, and those of 64-bit integers to floats.
    """
    if not np.can_cast(source, target, "safe"):
        return False
    wide = source in ("int64", "uint64")
    return not wide or is_discrete(target)


class ScalarVariable(Operators, Variable):
    """A variable whose values are numbers; Python's operators apply scalar ops to it."""

    __slots__ = ()

    @property
    def dtype(self) -> str:
        return str(self.type.dtype)

    ndim = 0

    def astype(self, dtype: Any) -> Any:
        """Return this variable converted to another dtype."""
        return self._ops.cast(self, dtype)


class ScalarConstant(ScalarVariable, Constant):
    """A constant number.

    Two constants are equal if their dtypes and bits are: True is not 1, 0.0 is not -0.0, any nan
    equals any other.
    """

    __slots__ = ()

    def signature(self) -> Hashable:
        return (self.type, value_bits(self.data))

    def unique_value(self) -> Any:
        """Return the Python number that this constant is."""
        return self.data.item()

    def __str__(self) -> str:
        return self.name if self.name is not None else str(self.data)


def value_bits(data: Any) -> bytes:
    """Return the bytes of a NumPy value in C order; all nans get the same bytes.

    So do the nans among the real and imaginary parts of complex numbers, part by part.
    """
    array = np.asarray(data)
    if array.size == 1:
        number = array.item()
        if number == number:
            return array.tobytes()
    if array.dtype.kind in "fc" and np.isnan(array).any():
        parts = np.ascontiguousarray(array)
        if array.dtype.kind == "c":
            parts = parts.view(parts.real.dtype)
        array = np.where(np.isnan(parts), parts.dtype.type(np.nan), parts)
    return array.tobytes()


def converted_exactly(data: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any] | None:
    """Return `data` converted to a dtype if every element keeps its value, else None.

    Complex numbers are not converted to real ones, and only booleans are to boolean.
    """
    if data.dtype.name == dtype:
        return data
    if data.dtype.kind not in "biufc" or (dtype == "bool" and data.dtype.name != "bool"):
        return None
    if data.dtype.kind == "c" and not is_complex(dtype):
        return None
    with np.errstate(all="ignore"):
        converted = data.astype(dtype)
        # If the data was real, the imaginary part of the conversion is 0.
        real = converted if data.dtype.kind == "c" else converted.real
        back = real.astype(data.dtype)
    if value_bits(back) != value_bits(data):
        return None
    # an integer that wraps around comes back too
    wrapped = data.dtype.kind in "iu" and is_discrete(dtype) and np.any(converted != data)
    return None if wrapped else converted


_TOLERANCES = {"float16": 1e-2, "float32": 1e-4, "complex64": 1e-4}


def values_eq_approx(
    a: Any,
    b: Any,
    allow_remove_inf: bool = False,
    allow_remove_nan: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
) -> bool:
    """Return whether two arrays have the same dtype and shape, and close elements.

    Parameters
    ----------
    allow_remove_inf, allow_remove_nan
        Whether any value may stand in `b` where there is an infinity or a nan in `a`.
    rtol, atol
        The relative and the absolute tolerance; the defaults depend on the dtype.
    """
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


class ScalarType(Type):
    """The type of numbers of one dtype.

    Parameters
    ----------
    dtype
        A dtype, or its name.

    Raises
    ------
    TypeError
        If variables can't have the dtype.
    """

    __props__ = ("dtype",)
    variable_type: ClassVar[type[Variable]] = ScalarVariable
    constant_type: ClassVar[type[Constant]] = ScalarConstant

    dtype: str
    shape: ClassVar[tuple[()]] = ()
    ndim = 0

    def __init__(self, dtype: Any) -> None:
        self.dtype = check_dtype(dtype)
        self.numpy_dtype = np.dtype(self.dtype)

    def __str__(self) -> str:
        return self.dtype

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return `data` as a NumPy scalar of this dtype.

        Parameters
        ----------
        data
            A number.
        strict
            Whether to refuse anything but a NumPy scalar of this dtype.
        allow_downcast
            Whether the conversion may change the value; None for only the rounding of a Python
            float.

        Raises
        ------
        TypeError
            If `data` is not one number, or can't be converted.
        """
        if isinstance(data, Variable | LogicTerm):
            raise TypeError(f"a number of dtype {self.dtype} is wanted, not the variable {data}")
        if strict:
            if type(data) is not self.numpy_dtype.type:
                raise TypeError(f"a numpy {self.dtype} is wanted, not {data!r}")
            return data
        array = np.asarray(data)
        if array.ndim or array.dtype.kind not in "biufc":
            raise TypeError(f"one number of dtype {self.dtype} is wanted, not {data!r}")
        rounds = allow_downcast is None and type(data) is float and not is_discrete(self.dtype)
        if allow_downcast or rounds:
            if array.dtype.kind == "c" and not is_complex(self.dtype):
                raise TypeError(f"{data!r} is complex and {self.dtype} is not")
            return array.astype(self.dtype)[()]
        converted = converted_exactly(array, self.dtype)
        if converted is None:
            raise TypeError(f"{data!r} ({array.dtype}) is not a value of dtype {self.dtype}")
        return converted[()]

    def convert_variable(self, var: Variable) -> Variable | None:
        """Return `var` cast to this dtype if it can hold every value of its dtype, else None."""
        if var.type is self:
            return var
        if not isinstance(var.type, ScalarType):
            return None
        if not can_cast_exactly(var.type.dtype, self.dtype):
            return None
        cast: Variable = var.astype(self.dtype)  # type: ignore[attr-defined]
        return cast

    def fit(self, new: Any, old: Variable) -> Variable | None:
        """Return a variable or number cast to this dtype; None if that could change its value."""
        if isinstance(new, Constant):
            if new.type is self:
                return new
            new = new.data
        elif isinstance(new, Variable):
            return self.convert_variable(new)
        try:
            data = np.asarray(new)
        except (TypeError, ValueError):
            return None
        converted = converted_exactly(data, self.dtype) if data.ndim == 0 else None
        return None if converted is None else self.make_constant(converted[()])

    def all_finite(self, value: Any) -> bool:
        return bool(np.all(np.isfinite(value)))

    def values_eq(self, a: Any, b: Any) -> bool:
        return bool(a == b) or bool(a != a and b != b)

    values_eq_approx = staticmethod(values_eq_approx)


_TYPES = {name: ScalarType(name) for name in DTYPES}


def extreme_of(dtype: str, greatest: bool) -> float | int:
    """Return the number that no other one of a real dtype is greater than, or less than."""
    if dtype == "bool":
        return int(greatest)
    if is_discrete(dtype):
        bounds = np.iinfo(dtype)
        return int(bounds.max if greatest else bounds.min)
    return math.inf if greatest else -math.inf


def get_scalar_type(dtype: Any) -> ScalarType:
    """Return the type of the scalars of a dtype."""
    known = _TYPES.get(dtype) if isinstance(dtype, str) else None
    return ScalarType(dtype) if known is None else known


def constant(x: Any, name: str | None = None, dtype: Any = None) -> ScalarConstant:
    """Return a constant scalar.

    Parameters
    ----------
    x
        A number.
    name
        The name of the constant.
    dtype
        Its dtype; by default that of `x`, int64 for a Python int, ``config.floatX`` for a float.

    Raises
    ------
    TypeError
        If `x` is not one number, or `dtype` can't hold its value.
    """
    if dtype is None:
        kind = number_kind(x)
        dtype = np.asarray(x).dtype if kind is None else weak_dtype(kind, ())
    made = get_scalar_type(check_dtype(dtype)).make_constant(x, name)
    assert isinstance(made, ScalarConstant)
    return made


def as_scalar(x: Any, name: str | None = None) -> Any:
    """Return a number or scalar variable as a scalar variable.

    A logic variable or term is returned as it is.

    Raises
    ------
    TypeError
        If `x` is none of these.
    """
    if isinstance(x, ScalarVariable | LogicTerm):
        return x
    if isinstance(x, Variable):
        raise TypeError(f"{x} is of type {x.type}, not a scalar variable")
    return constant(x, name)


def to_ordinals(values: Any) -> np.ndarray[Any, Any]:
    """Return how many floats lie between zero and each value; negative below zero."""
    values = np.ascontiguousarray(values)
    whole = values.view(f"i{values.dtype.itemsize}")
    return np.asarray(np.where(whole < 0, np.iinfo(whole.dtype).min - whole, whole))


def from_ordinals(ordinals: Any, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    """Return the floats at places in their order."""
    kind = np.dtype(f"i{np.dtype(dtype).itemsize}")
    places = np.asarray(ordinals).astype(kind)
    whole = np.where(places < 0, np.iinfo(kind).min - places, places)
    return np.ascontiguousarray(whole.astype(kind)).view(dtype)
