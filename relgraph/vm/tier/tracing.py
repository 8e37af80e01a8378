"""Takes apart an op whose `ufunc` is a function that calls ufuncs: it is run on symbols.

So the function stays the only place that says how the op is computed. One that looks at values, to
go different ways, can't be run so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Known:
    """A number in a function, in the dtype that it is computed with."""

    value: Any
    dtype: str


@dataclass(frozen=True)
class Call:
    """A call in a function: of a ufunc, of `numpy.where`, or a conversion.

    Attributes
    ----------
    function
        The ufunc, `numpy.where`, or None for a conversion.
    arguments
        For each argument a number, or the position of a value: inputs first, then results.
    dtypes
        The dtypes of the arguments.
    dtype
        That of the result.
    """

    function: Any
    arguments: tuple[Known | int, ...]
    dtypes: tuple[str, ...]
    dtype: str


class _Untraceable(Exception):
    """Raised where a function does what is no call on elements."""


class _Symbol(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands for an array of some dtype, and notes what is called on it."""

    def __init__(self, calls: list[Call], position: int, dtype: str) -> None:
        self.calls, self.position = calls, position
        self.dtype = np.dtype(dtype)

    def __bool__(self) -> bool:
        raise _Untraceable

    def __iter__(self) -> Any:
        raise _Untraceable

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise _Untraceable

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc.nout != 1:
            raise _Untraceable
        given = [x.dtype if isinstance(x, _Symbol) else _kind_of_number(x) for x in inputs]
        resolved = ufunc.resolve_dtypes((*given, None))
        return self._noted(ufunc, inputs, resolved)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3 and not kwargs:
            plain = [x.dtype if isinstance(x, _Symbol) else x for x in args[1:]]
            dtype = np.result_type(*plain)
            return self._noted(np.where, args, (np.dtype(bool), dtype, dtype, dtype))
        if function is np.round and len(args) == 1 and not kwargs and self.dtype.kind == "f":
            return np.rint(self)
        raise _Untraceable

    def astype(self, dtype: Any) -> _Symbol:
        """Return what stands for the array in another dtype."""
        return self._noted(None, (self,), (self.dtype, np.dtype(dtype)))

    def _noted(self, function: Any, inputs: Sequence[Any], resolved: Sequence[Any]) -> _Symbol:
        arguments = tuple(
            x.position if isinstance(x, _Symbol) else Known(x, d.name)
            for x, d in zip(inputs, resolved, strict=False)
        )
        dtypes = tuple(
            x.dtype.name if isinstance(x, _Symbol) else d.name
            for x, d in zip(inputs, resolved, strict=False)
        )
        position = self.calls[0].arguments[0]
        assert isinstance(position, int)
        made = position + len(self.calls) - 1
        self.calls.append(Call(function, arguments, dtypes, resolved[-1].name))
        return _Symbol(self.calls, made, resolved[-1].name)


def _kind_of_number(x: Any) -> Any:
    if isinstance(x, bool | np.generic) or not isinstance(x, int | float):
        if isinstance(x, np.generic):
            return x.dtype
        raise _Untraceable
    return type(x)


def traced(function: Callable[..., Any], dtypes: Sequence[str]) -> list[Call] | None:
    """Return the calls of a function of arrays, the last one of its result; None if it has others.

    Parameters
    ----------
    function
        The function.
    dtypes
        The dtypes of its arguments.
    """
    # The first entry holds the number of the inputs.
    calls = [Call(None, (len(dtypes),), (), "")]
    symbols = [_Symbol(calls, i, dtype) for i, dtype in enumerate(dtypes)]
    try:
        with np.errstate(all="ignore"):
            result = function(*symbols)
    except Exception:
        return None
    last = len(dtypes) + len(calls) - 2
    if not isinstance(result, _Symbol) or result.position != last or len(calls) == 1:
        return None
    return calls[1:]
