"""The dtypes that NumPy computes elements in, which are not always those that JAX would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.graph.utils import memoized
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.named.named_op import NamedOp
from relgraph.scalar.op import FoldOp, ScalarOp


@memoized(500)
def loop_dtypes(op: ScalarOp, dtypes: tuple[str, ...], out: str) -> tuple[Any, ...]:
    """Return the dtypes that an op computes with, for some dtypes of its inputs and output."""
    if isinstance(op, FoldOp):
        return (np.dtype(out),) * len(dtypes)
    ufunc = op.ufunc
    if isinstance(ufunc, np.ufunc) and ufunc.nin == len(dtypes):
        given = (*map(np.dtype, dtypes), *[None] * ufunc.nout)
        return tuple(ufunc.resolve_dtypes(given)[: ufunc.nin])
    if isinstance(op, NamedOp) and not is_discrete(out):
        return tuple([np.dtype(out if is_discrete(d) else d) for d in dtypes])
    return tuple(map(np.dtype, dtypes))


def usable(dtype: Any) -> np.dtype[Any]:
    """Return a dtype, or what JAX takes in its place where it leaves out those of 64 bits."""
    found: np.dtype[Any] = jax.dtypes.canonicalize_dtype(dtype)
    return found


def as_dtype(x: Any, dtype: Any) -> Any:
    """Return an array converted to a dtype as NumPy converts it, where that is defined."""
    wanted = usable(dtype)
    if x.dtype == wanted:
        return x
    if x.dtype.kind == "c" and wanted.kind not in "cb":
        x = jnp.real(x)
    return jnp.asarray(x).astype(wanted)


def converted(values: Sequence[Any], dtypes: Sequence[Any]) -> list[Any]:
    """Return arrays converted to dtypes."""
    return [as_dtype(x, d) for x, d in zip(values, dtypes, strict=True)]
