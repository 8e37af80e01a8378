"""Calls of NumPy's and SciPy's functions on variables and terms: what they mean, or why they don't.

NumPy asks ``__array_function__`` and ``__array_ufunc__`` of an argument (NEP 18 and NEP 13).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from inspect import Parameter, Signature, signature
from operator import attrgetter
from typing import Any, NoReturn

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.utils import LogicTerm
from relgraph.tensor.basic import as_tensor_variable
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.functions import FUNCTIONS, RENAMED
from relgraph.tensor.functions.manipulation import _equal_parts
from relgraph.tensor.math import cast

Function = Callable[..., Any]

# Names that mean something else here than in NumPy, which has no function of arrays of that name.
_OTHERS = frozenset(("identity", "fill", "second", "switch", "length", "constant", "join"))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, min: Any = None, max: Any = None) -> Any:
    """Return `a` with its elements brought between two bounds, either of which may be missing."""
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    whole: Any = a if isinstance(a, LogicTerm) else at.as_tensor_variable(a)
    return whole.clip(low, high)


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return the elements of `x` or of `y`; where there are none, the indices of what is true."""
    if x is None and y is None:
        return at.nonzero(condition)
    return at.where(condition, x, y)


def _reshape(a: Any, shape: Any, order: str = "C") -> Any:
    """Return the elements of `a` in another shape."""
    return at.reshape(a, shape, order=order)


def _ndim(a: Any) -> int:
    """Return the number of axes, which is known."""
    return int(at.as_tensor_variable(a).type.ndim)


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return equal parts of `ary`, or its parts between some indices."""
    return _equal_parts(ary, indices_or_sections, axis)


NUMPY_SIGNATURES: dict[str, Function] = {
    "clip": _clip,
    "ndim": _ndim,
    "reshape": _reshape,
    "split": _split,
    "where": _where,
}
"""Functions with NumPy's parameters, where ours have others: ``numpy.split(x, 3)`` says in how many
parts, `relgraph.tensor.split` how long the parts are."""


@cache
def table() -> dict[str, tuple[str, Function]]:
    """Return for each name in NumPy or SciPy, ``"linalg.solve"`` say, our name and our function.

    It is built when a function of NumPy is first called on a variable.
    """
    found: dict[str, tuple[str, Function]] = {}
    homes = (
        ("", at, [*at.__all__, *FUNCTIONS]),
        ("linalg.", at.linalg, at.linalg.__all__),
        ("fft.", at.fft, at.fft.__all__),
    )
    for prefix, module, names in homes:
        for name in names:
            function = getattr(module, name)
            if callable(function) and not isinstance(function, type) and name not in _OTHERS:
                found[prefix + name] = (prefix + name, function)
    for name in at.special.__all__:
        found.setdefault(name, (f"special.{name}", at.special.FUNCTIONS[name]))
    for name, function in NUMPY_SIGNATURES.items():
        ours = found[name][0] if name in found else f"TensorVariable.{name}"
        found[name] = (ours, function)
    for name, ours in RENAMED.items():
        found[name] = (ours, found[ours][1] if ours in found else attrgetter(ours)(at))
    return found


def nearest(name: str) -> str | None:
    """Return the name here that is most like a name of NumPy's; None if none is."""
    close = get_close_matches(name, [ours for ours, _ in table().values()], n=1, cutoff=0.75)
    return close[0] if close else None


REDUCTIONS = {
    **{"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"},
    **{"logical_and": "all", "logical_or": "any", "logaddexp": "logsumexp"},
}
"""What ``numpy.add.reduce`` and so on are here."""

ACCUMULATIONS = {
    **{"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"},
    **{"logaddexp": "logcumsumexp"},
}
"""What ``numpy.add.accumulate`` and so on are here."""

# What says how an array is made and not what is in it.
_OF_STORAGE = frozenset(
    ("subok", "overwrite_input", "kind", "copy", "device", "optimize", "like", "stable", "casting")
)


def call_function(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what a function of NumPy's gives for variables or terms.

    Raises
    ------
    TypeError
        If there is no such function here, or it has no parameter of a name that is given.
    """
    module = func.__module__
    name = f"{module}.{func.__name__}".removeprefix("numpy.")
    known = table().get(name)
    if known is None:
        _refuse(f"{module}.{func.__name__}", func.__name__)
    ours, function = known
    written = f"{module}.{func.__name__}"
    try:
        parameters = _signature(func)
    except ValueError:  # some functions that are written in C
        positional, named = list(args), dict(kwargs)
    else:
        positional, named = _by_parameters(parameters, args, kwargs)
    for given in ("out", "order"):
        _check_storage(written, given, named)
    _check_names(written, ours, function, named)
    return function(*positional, **named)


_signature = cache(signature)


def _by_parameters(
    wanted: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments that have no default, and by name those that are not the default."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, value in wanted.bind(*args, **kwargs).arguments.items():
        parameter = wanted.parameters[name]
        if parameter.kind is Parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is Parameter.empty and parameter.kind is not Parameter.KEYWORD_ONLY:
            positional.append(value)
        elif value is not parameter.default and name not in _OF_STORAGE:
            named[name] = value
    return positional, named


def _check_storage(written: str, name: str, named: dict[str, Any]) -> None:
    """Raise if a result is to be written somewhere, or in an order of its own."""
    value = named.get(name)
    if name == "order" and isinstance(value, str) and value.upper() in "CKA":
        del named[name]
    if name != "out":
        return
    given = value if isinstance(value, tuple) else (value,)
    if any(v is not None for v in given):
        raise TypeError(
            f"{written} of a variable takes no `out`: nothing is computed yet that could be "
            "written there"
        )
    named.pop(name, None)


def _check_names(written: str, ours: str, function: Any, named: Mapping[str, Any]) -> None:
    if not named:
        return
    known = {} if isinstance(function, Elemwise) else _signature(function).parameters
    if any(p.kind is Parameter.VAR_KEYWORD for p in known.values()):
        return
    for name in named:
        if name not in known:
            raise TypeError(
                f"{written} of a variable takes no `{name}`: relgraph.tensor.{ours} has none"
            )


def call_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what a ufunc of NumPy's or SciPy's, or a method of it, gives for variables or terms.

    Raises
    ------
    TypeError
        If there is none here, or a parameter can't be honoured.
    """
    written = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    written = f"numpy.{written}" if getattr(np, ufunc.__name__, None) is ufunc else written
    named = {k: v for k, v in kwargs.items() if k != "subok"}
    _check_storage(written, "out", named)
    if method == "__call__":
        _check_storage(written, "order", named)
        return _call(ufunc, written, inputs, named)
    if method == "outer" and not named and len(inputs) == 2:
        x, y = (as_tensor_variable(v) for v in inputs)
        if isinstance(x, LogicTerm) or isinstance(y, LogicTerm):
            _refuse(written, ufunc.__name__)
        padded = x.dimshuffle(*range(x.type.ndim), *["x"] * y.type.ndim)
        return _call(ufunc, written, (padded, y), {})
    names = {"reduce": REDUCTIONS, "accumulate": ACCUMULATIONS}.get(method, {})
    if ufunc.__name__ not in names:
        _refuse(written, "inc_subtensor" if method == "at" else ufunc.__name__)
    ours, function = table()[names[ufunc.__name__]]
    x, *rest = inputs
    given = dict(zip(("axis", "dtype", "out"), rest, strict=False)) | named
    _check_storage(written, "out", given)
    wanted = {"axis": 0} | {
        k: v for k, v in given.items() if not (k in ("dtype", "initial") and v is None)
    }
    for name, default in (("where", True), ("keepdims", False)):
        if wanted.get(name) is default:
            del wanted[name]
    _check_names(written, ours, function, wanted)
    return function(x, **wanted)


def _call(ufunc: Any, written: str, inputs: Sequence[Any], named: dict[str, Any]) -> Any:
    known = table().get(ufunc.__name__)
    if known is None:
        _refuse(written, ufunc.__name__)
    if named.get("where") is True:
        del named["where"]
    dtype, casting = named.pop("dtype", None), named.pop("casting", "same_kind")
    if named:
        reason = {"where": ": what is left out would have no value; write relgraph.tensor.where"}
        first = next(iter(named))
        raise TypeError(f"{written} of a variable takes no `{first}`{reason.get(first, '')}")
    if dtype is not None:
        inputs = _of_loop(ufunc, written, inputs, dtype, casting)
    return known[1](*inputs)


def _of_loop(
    ufunc: Any, written: str, inputs: Sequence[Any], dtype: Any, casting: str
) -> list[Any]:
    """Return the inputs of a ufunc in the dtypes in which it computes a result of `dtype`."""
    variables = [as_tensor_variable(x) for x in inputs]
    if any(not isinstance(v, Variable) for v in variables):
        raise TypeError(f"{written} of a term takes no `dtype`: write relgraph.tensor.cast")
    loop = ufunc.resolve_dtypes(
        (*[np.dtype(v.type.dtype) for v in variables], *[None] * ufunc.nout),
        signature=(*[None] * ufunc.nin, *[np.dtype(dtype)] * ufunc.nout),
        casting=casting,
    )
    return [cast(v, d.name) for v, d in zip(variables, loop, strict=False)]


def _refuse(written: str, name: str) -> NoReturn:
    close = nearest(name)
    advice = "" if close is None else f"; the nearest name is relgraph.tensor.{close}"
    raise TypeError(
        f"{written} takes arrays, not what is symbolic: relgraph.tensor has no such function"
        f"{advice}"
    )
