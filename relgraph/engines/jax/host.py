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
        jax.eval_shape(_in_parts, jax.ShapeDtypeStruct(shape, d))
        for (shape, _), d in zip(results, dtypes, strict=True)
    ]
    call = _Call(function, tuple([x.dtype for x in given]), tuple(dtypes))
    found = jax.pure_callback(call, tuple(structs), *map(_in_parts, given), vmap_method=vmap_method)
    return [_whole(x, d) for x, d in zip(found, dtypes, strict=True)]


@dataclass(frozen=True)
class _Call:
    """A function as JAX calls it: its arrays have none but numbers of 32 bits or fewer."""

    function: Callable[..., Sequence[Any]]
    given: tuple[Any, ...]
    made: tuple[Any, ...]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        values = [_whole(_arrived(x), d) for x, d in zip(arrays, self.given, strict=True)]
        made = zip(self.function(*values), self.made, strict=True)
        return tuple([_in_parts(np.array(x, d, order="C")) for x, d in made])


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
    return np.asarray(array, order="C")


def _in_parts(x: Any) -> Any:
    """Return an array of JAX or NumPy whose elements have 64 bits or more as one of 32 bits, with
    an axis more."""
    return x[..., None].view("uint32") if x.dtype.itemsize >= 8 else x


def _whole(parts: Any, dtype: Any) -> Any:
    """Return the array of a dtype whose parts are given."""
    return parts.view(dtype)[..., 0] if dtype.itemsize >= 8 else parts
