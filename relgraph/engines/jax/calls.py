"""The function behind a call, generated for a signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from types import CodeType
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import NeedsValue
from relgraph.engines.jax.values import LARGE_BYTES, aligned, from_engine, to_engine, to_numpy
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType

if TYPE_CHECKING:
    from relgraph.compile.compiled_function import CallParts
    from relgraph.engines.jax.program import JaxProgram


def generate_call(program: JaxProgram, parts: CallParts, trusted: bool) -> Callable[..., Any]:
    """Return a function of the arguments, in order, that does what a call does.

    It gives arrays of JAX if an argument is one, else NumPy's. The values of shared variables stay
    on JAX's device.

    Parameters
    ----------
    program
        What computes the graph.
    parts
        What the call is made of.
    trusted
        Whether the arguments are taken as they are.
    """
    names: dict[str, Any] = {
        "program": program,
        "wide": jax.enable_x64,
        "NeedsValue": NeedsValue,
        "require": require,
        "ndarray": np.ndarray,
        "asarray": np.asarray,
        "aligned": aligned,
        "unpack": parts.unpack,
        "Array": type(jnp.zeros(())),
        "wait": jax.block_until_ready,
    }
    arguments = [f"a{i}" for i in range(len(parts.inputs))]
    body = [" on_device = on_host = False"]
    for i, given in enumerate(parts.inputs):
        body += _conversion(i, given, parts, trusted, names)
    values = list(arguments)
    for k, container in enumerate(parts.shared):
        kind = program.inputs[len(arguments) + k].type
        home = names[f"h{k}"] = _home(kind)
        names[f"s{k}"], names[f"p{k}"] = container, _fetcher(container, kind, home)
        values.append(f"v{k}")
        body.append(f" v{k} = s{k}.away if s{k}.bring_home is h{k} else p{k}()")
    taken = ", ".join(values)
    body += [
        " with wide(True):",
        f"  try: found, checks = program.function({taken})",
        f"  except NeedsValue as needed: found, checks = program.after(needed, [{taken}])",
        " if checks: require(checks)",
        *_results(program, parts, names),
    ]
    source = "\n".join([f"def call({', '.join(arguments)}):", *body])
    exec(_compiled(source), names)
    call: Callable[..., Any] = names.pop("call")
    return call


def _results(program: JaxProgram, parts: CallParts, names: dict[str, Any]) -> list[str]:
    """Return the lines that store updates and return results."""
    n = parts.n_results
    lines = []
    for k, container in enumerate(parts.updated):
        names[f"u{k}"] = container
        names[f"b{k}"] = _home(program.outputs[n + k].type)
        lines.append(f" u{k}.put_away(found[{n + k}], b{k})")
    for i in range(n):
        names[f"n{i}"] = _converter(program.outputs[i].type)
    # what arguments have in NumPy's storage may be overwritten from now on
    wait = " wait(found)" if n == 0 else " if on_device and on_host: wait(found)"
    lines += [wait, f" if on_device: return unpack(found[:{n}])"]
    results = ", ".join(f"n{i}(found[{i}])" for i in range(n))
    return [*lines, f" return unpack([{results}])"]


def require(checks: dict[str, Any]) -> None:
    """Raise an AssertionError with the message of a check that does not hold."""
    for message, holds in checks.items():
        if not holds:
            raise AssertionError(message)


@lru_cache(maxsize=256)
def _compiled(source: str) -> CodeType:
    return compile(source, "<relgraph call of JAX>", "exec")


def _conversion(
    i: int, given: Any, parts: CallParts, trusted: bool, names: dict[str, Any]
) -> list[str]:
    """Return the lines that convert an argument: a test for the exact type, and what else."""
    kind = given.variable.type
    if not isinstance(kind, TensorType):
        names[f"c{i}"] = _other_converter(i, kind, parts)
        return [f" a{i} = c{i}(a{i})"]
    names[f"c{i}"] = _array_converter(i, kind, parts, trusted)
    names[f"d{i}"] = kind.numpy_dtype
    shape = [f" and s[{axis}] == {n}" for axis, n in enumerate(kind.shape) if n is not None]
    fits = f"a{i}.dtype is d{i} and len(s := a{i}.shape) == {kind.ndim}{''.join(shape)}"
    lines = [
        f" if type(a{i}) is ndarray and {fits}:",
        "  on_host = True",
        f"  if a{i}.nbytes > {LARGE_BYTES}: a{i} = aligned(a{i})" if kind.ndim else "  pass",
        f" elif type(a{i}) is Array and {fits}: on_device = True",
    ]
    if kind.ndim == 0 and kind.dtype == "float64" and not given.strict:
        lines.append(f" elif type(a{i}) is float: a{i} = asarray(a{i})")
    lines += [" else:", f"  a{i}, on = c{i}(a{i})", "  on_device, on_host = on_device or on, True"]
    return lines


def _array_converter(
    i: int, kind: TensorType, parts: CallParts, trusted: bool
) -> Callable[[Any], tuple[Any, bool]]:
    """Return what converts an argument, and says whether it was an array of JAX."""
    given = parts.inputs[i]
    any_shape = TensorType(kind.dtype, (None,) * kind.ndim)

    def convert(value: Any) -> tuple[Any, bool]:
        if not isinstance(value, jax.Array):
            host = np.asarray(value, kind.numpy_dtype) if trusted else parts.convert(i, value)
            return host, False
        if value.dtype == kind.numpy_dtype and _has_shape(value, kind):
            return value, True
        empty = np.empty((0,) * value.ndim, value.dtype)
        try:
            # the rules are those for arrays of NumPy: for an empty one of this dtype
            any_shape.filter(empty, given.strict, given.allow_downcast)
            fits = _has_shape(value, kind)
        except TypeError:
            fits = False
        if not fits:
            parts.convert(i, np.empty(value.shape, value.dtype))
        with jax.enable_x64(True):
            return value.astype(kind.numpy_dtype), True

    return convert


def _has_shape(value: Any, kind: TensorType) -> bool:
    return value.ndim == kind.ndim and all(
        n is None or n == m for n, m in zip(kind.shape, value.shape, strict=True)
    )


def _other_converter(i: int, kind: Type, parts: CallParts) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        return to_engine(parts.convert(i, value), kind)

    return convert


def _converter(kind: Type) -> Callable[[Any], Any]:
    return to_numpy if isinstance(kind, TensorType) else partial(from_engine, kind=kind)


def _home(kind: Type) -> Callable[[Any], Any]:
    """Return what makes the value of a shared variable of what JAX has, one for each type."""
    return to_numpy_of_shared if isinstance(kind, TensorType) else _of_kind(kind)


def to_numpy_of_shared(value: Any) -> np.ndarray[Any, Any]:
    """Return a copy of the value of a shared variable, which JAX may hand out still."""
    return np.array(value)


@cache
def _of_kind(kind: Type) -> Callable[[Any], Any]:
    return partial(from_engine, kind=kind)


def _fetcher(container: Any, kind: Type, home: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return what puts the value of a shared variable on JAX's device."""

    def fetch() -> Any:
        host = container.value
        with jax.enable_x64(True):
            value = jax.tree.map(jnp.array, to_engine(host, kind))
        container.keep_away(value, home)
        return value

    return fetch
