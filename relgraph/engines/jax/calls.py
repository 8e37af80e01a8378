"""The function behind a call, generated for a signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.precision import wide
from relgraph.engines.jax.values import from_engine, from_numpy, to_engine
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType

if TYPE_CHECKING:
    from relgraph.compile.functions.call_source import CallParts
    from relgraph.engines.jax.program import JaxProgram

LARGE = 1 << 16
"""From so many bytes on it pays to look how an array is laid out."""


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
        "compute": program.compute,
        "wide": wide,
        "ndarray": np.ndarray,
        "unpack": parts.unpack,
        "Array": jax.Array,
    }
    arguments = [f"a{i}" for i in range(len(parts.inputs))]
    body = [" on_device = False"]
    for i, given in enumerate(parts.inputs):
        body += _conversion(i, given, parts, trusted, names)
    values = list(arguments)
    for k, container in enumerate(parts.shared):
        kind = program.inputs[len(arguments) + k].type
        home = names[f"h{k}"] = _home(kind)
        names[f"s{k}"], names[f"p{k}"] = container, _fetcher(container, kind, home)
        values.append(f"v{k}")
        body.append(f" v{k} = s{k}.away if s{k}.bring_home is h{k} else p{k}()")
    body += [" with wide():", f"  found = compute({', '.join(values)})"]
    n = parts.n_results
    for k, container in enumerate(parts.updated):
        names[f"u{k}"] = container
        names[f"b{k}"] = _home(program.outputs[n + k].type)
        body.append(f" u{k}.put_away(found[{n + k}], b{k})")
    for i in range(n):
        names[f"n{i}"] = _converter(program.outputs[i].type)
    results = ", ".join(f"n{i}(found[{i}])" for i in range(n))
    body += [" if on_device:", f"  return unpack(list(found[:{n}]))"]
    if n == 0 and parts.updated:
        names["wait"] = jax.block_until_ready
        body.append(" wait(found)")
    source = "\n".join(
        [f"def call({', '.join(arguments)}):", *body, f" return unpack([{results}])"]
    )
    exec(_compiled(source), names)
    call: Callable[..., Any] = names.pop("call")
    return call


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
    names[f"f{i}"] = from_numpy
    names[f"d{i}"] = kind.numpy_dtype
    fits = f"a{i}.dtype is d{i} and a{i}.ndim == {kind.ndim}"
    for axis, n in enumerate(kind.shape):
        if n is not None:
            fits += f" and a{i}.shape[{axis}] == {n}"
    lines = [f" if type(a{i}) is ndarray and {fits}:"]
    lines.append(f"  if a{i}.nbytes > {LARGE}: a{i} = f{i}(a{i})" if kind.ndim else "  pass")
    lines += [
        " else:",
        f"  on_device = isinstance(a{i}, Array) or on_device",
        f"  a{i} = c{i}(a{i})",
    ]
    return lines


def _array_converter(
    i: int, kind: TensorType, parts: CallParts, trusted: bool
) -> Callable[[Any], Any]:
    given = parts.inputs[i]

    def convert(value: Any) -> Any:
        if not isinstance(value, jax.Array):
            return np.asarray(value, kind.numpy_dtype) if trusted else parts.convert(i, value)
        if value.dtype == kind.numpy_dtype and _has_shape(value, kind):
            return value
        # the errors and rules are those for NumPy's arrays: of an empty one of this dtype
        stand_in = np.empty((0,) * value.ndim, value.dtype)
        if given.strict or not _has_shape(value, kind):
            return parts.convert(i, np.empty(value.shape, value.dtype))
        kind_of_any_shape = TensorType(kind.dtype, (None,) * kind.ndim)
        kind_of_any_shape.filter(stand_in, given.strict, given.allow_downcast)
        with wide():
            return value.astype(kind.numpy_dtype)

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
    return lambda value: from_engine(value, kind)


def _home(kind: Type) -> Callable[[Any], Any]:
    """Return what makes the value of a shared variable of what JAX has, one for each type."""
    found = _HOMES.get(kind)
    if found is None:
        found = _HOMES[kind] = _converter(kind)
    return found


_HOMES: dict[Type, Callable[[Any], Any]] = {}


def _fetcher(container: Any, kind: Type, home: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return what puts the value of a shared variable on JAX's device."""

    def fetch() -> Any:
        host = container.value
        with wide():
            value = jax.tree.map(jnp.array, to_engine(host, kind))
        container.keep_away(value, home)
        return value

    return fetch
