"""The dtypes of variables, and NumPy's promotion of dtypes and Python numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.type import Type
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
    """Return the name of a dtype; ``"floatX"`` stands for ``config.floatX``.

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
