"""Functions of NumPy's arrays called on the host while JAX computes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

_ASYNCHRONOUS = "jax_cpu_enable_async_dispatch"

PATIENCE = 60.0
"""For how many seconds an argument is waited for on the host."""


@cache
def run_where_called() -> None:
    """Have JAX run on the CPU in the thread that calls, if it has not made its client yet.

    A function waits for its results, and to hand a small graph to another thread and back takes
    longer than to compute it. A call of the host may wait there for what only the waiting thread
    could compute. The flag is then as it was.
    """
    try:
        before = jax.config.read(_ASYNCHRONOUS)
    except AttributeError:  # a JAX without it
        return
    if before:
        jax.config.update(_ASYNCHRONOUS, False)
        try:
            jax.local_devices()  # makes the clients
        finally:
            jax.config.update(_ASYNCHRONOUS, before)


def call_host(
    function: Callable[..., Sequence[Any]],
    results: Sequence[tuple[tuple[int, ...], Any]],
    values: Sequence[Any],
    vmap_method: str,
) -> list[Any]:
    """Return what a function of NumPy's arrays gives for traced values.

    Numbers of 64 bits go there and back as pairs of 32: JAX may call the function in a thread in
    which its flag for 64 bits is not set, and would round them.

    Parameters
    ----------
    function
        Takes arrays and returns several. Functions that are equal are compiled once.
    results
        The shapes and dtypes of what it returns.
    values
        What it takes.
    vmap_method
        What becomes of batches: see ``jax.pure_callback``.

    Raises
    ------
    RuntimeError
        By JAX, when it computes, if an argument does not arrive.
    """
    run_where_called()
    given = [jnp.asarray(v) for v in values]
    dtypes = [np.dtype(jax.dtypes.canonicalize_dtype(d)) for _, d in results]
    structs = [
        jax.eval_shape(_apart, jax.ShapeDtypeStruct(shape, d))
        for (shape, _), d in zip(results, dtypes, strict=True)
    ]
    call = _Call(function, tuple([x.dtype for x in given]), tuple(dtypes))
    found = jax.pure_callback(
        call, tuple(structs), *[_apart(x) for x in given], vmap_method=vmap_method
    )
    return [_together(x, d) for x, d in zip(found, dtypes, strict=True)]


@dataclass(frozen=True)
class _Call:
    """A function as JAX calls it: its arrays have none but numbers of 32 bits or fewer."""

    function: Callable[..., Sequence[Any]]
    given: tuple[Any, ...]
    made: tuple[Any, ...]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        values = [_seen(_arrived(x), d) for x, d in zip(arrays, self.given, strict=True)]
        return tuple([_parts(x, d) for x, d in zip(self.function(*values), self.made, strict=True)])


def _arrived(array: Any) -> Any:
    """Return an array of JAX's as NumPy's."""
    until = time.monotonic() + PATIENCE
    while not array.is_ready():
        if time.monotonic() > until:
            raise RuntimeError(
                "JAX computes in a thread that waits for itself: on one core, some versions do not "
                "bring large arrays to the host. Before anything is computed by JAX, say "
                f"jax.config.update('{_ASYNCHRONOUS}', False)"
            )
        time.sleep(1e-4)
    return np.asarray(array)


def _apart(x: Any) -> Any:
    """Return an array of JAX's with complex numbers and those of 64 bits in parts, along axes that
    come last."""
    if x.dtype.kind == "c":
        x = jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1)
    return lax.bitcast_convert_type(x, jnp.uint32) if x.dtype.itemsize == 8 else x


def _together(x: Any, dtype: Any) -> Any:
    """Return the array whose parts are given: the inverse of `_apart`."""
    part = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    x = lax.bitcast_convert_type(x, part) if part.itemsize == 8 else x
    return lax.complex(x[..., 0], x[..., 1]) if dtype.kind == "c" else x


def _axes(dtype: Any) -> int:
    """Return how many axes `_apart` adds to arrays of a dtype."""
    of_parts = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    return int(dtype.kind == "c") + int(of_parts == 8)


def _seen(parts: Any, dtype: Any) -> Any:
    """Return NumPy's array whose parts are given."""
    if not _axes(dtype):
        return parts
    shape = parts.shape[: parts.ndim - _axes(dtype)]
    flat = np.ascontiguousarray(parts).reshape(*shape, 2 ** _axes(dtype))
    return flat.view(dtype)[..., 0]


def _parts(array: Any, dtype: Any) -> Any:
    """Return the parts of NumPy's array, as `_apart` makes them of JAX's."""
    whole = np.array(array, dtype, order="C")
    if not _axes(dtype):
        return whole
    of_parts = "uint32" if _axes(dtype) == 2 or dtype.kind != "c" else "float32"
    return whole[..., None].view(of_parts).reshape(*whole.shape, *[2] * _axes(dtype))
