"""Products that sum over an axis of each input, and what the BLAS calls them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.lowering.scalars.loops import as_dtype
from relgraph.graph.basic import Apply
from relgraph.tensor.contraction import Dot
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.linalg.blas import Dot22
from relgraph.tensor.linalg.functions.kronecker import Kron
from relgraph.tensor.linalg.gemm import Dot22Scalar, Gemm, GemvAdd, Ger
from relgraph.tensor.linalg.products import MatMul

PRECISION = lax.Precision.HIGHEST
"""Products have the digits of their dtype on every device: some would take fewer."""


def _product(node: Apply, function: Any, x: Any, y: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    if dtype == "bool":
        return function(x.astype("int32"), y.astype("int32"), precision=PRECISION) != 0
    return function(as_dtype(x, dtype), as_dtype(y, dtype), precision=PRECISION)


def _check_inner(op: Any, x: Any, y: Any, axis: int, other: int) -> None:
    if x.shape[axis] != y.shape[other]:
        raise ValueError(f"{op}: the shapes {x.shape} and {y.shape} do not fit")


def dot(op: Any, node: Apply, x: Any, y: Any) -> Any:
    _check_inner(op, x, y, -1, 0)
    return _product(node, jnp.dot, x, y)


def matmul(op: MatMul, node: Apply, x: Any, y: Any) -> Any:
    _check_inner(op, x, y, -1, -2)
    ndim = max(x.ndim, y.ndim)
    for axis in range(-ndim, -2):
        if -axis <= min(x.ndim, y.ndim) and x.shape[axis] != y.shape[axis]:
            known = [v.type.shape[axis] for v in node.inputs]
            if 1 not in known:
                raise ValueError(
                    f"matmul: axis {axis} of {node.inputs[0]} has length {x.shape[axis]}, of "
                    f"{node.inputs[1]} {y.shape[axis]}; only an axis whose length is known to be "
                    "1 broadcasts"
                )
    return _product(node, jnp.matmul, x, y)


def dot22_scalar(op: Dot22Scalar, node: Apply, x: Any, y: Any, alpha: Any) -> Any:
    return dot(op, node, x, y) * alpha


def update(op: Any, node: Apply, z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
    """``beta * z + alpha * x @ y``; `z` is not read where `beta` is 0."""
    product = alpha * dot(op, node, x, y)
    if z.shape != product.shape:
        raise ValueError(f"{op}: input 0 has shape {z.shape}, and the product {product.shape}")
    return jnp.where(beta == 0, product, beta * z + product)


def ger(op: Ger, node: Apply, z: Any, alpha: Any, x: Any, y: Any) -> Any:
    product = alpha * x[:, None] * y[None, :]
    if z.shape != product.shape:
        raise ValueError(f"{op}: input 0 has shape {z.shape}, and the product {product.shape}")
    return z + product


def kron(op: Kron, node: Apply, x: Any, y: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    x, y = as_dtype(jnp.asarray(x), dtype), as_dtype(jnp.asarray(y), dtype)
    blocks = x[:, None, :, None] * y[None, :, None, :]
    return blocks.reshape(x.shape[0] * y.shape[0], x.shape[1] * y.shape[1])


def convolve(op: Convolve, node: Apply, a: Any, v: Any) -> Any:
    if 0 in (*a.shape, *v.shape):
        raise ValueError(f"{op}: an input is empty; the shapes are {a.shape} and {v.shape}")
    dtype = node.outputs[0].type.dtype
    if as_dtype(a, dtype).dtype.kind == "f":
        return jnp.convolve(as_dtype(a, dtype), as_dtype(v, dtype), precision=PRECISION)
    return _convolved(as_dtype(a, dtype), as_dtype(v, dtype))


def _convolved(a: Any, v: Any) -> Any:
    """Return the convolution as sums of products along diagonals."""
    n, m = a.shape[0], v.shape[0]
    places = jnp.arange(n)[:, None] + jnp.arange(m)[None, :]
    if a.dtype == bool:
        return jnp.zeros(n + m - 1, "int32").at[places].add(a[:, None] & v[None, :]) != 0
    return jnp.zeros(n + m - 1, a.dtype).at[places].add(a[:, None] * v[None, :])


TABLE: dict[type, Any] = {
    Dot: dot,
    Dot22: dot,
    MatMul: matmul,
    Dot22Scalar: dot22_scalar,
    Gemm: update,
    GemvAdd: update,
    Ger: ger,
    Kron: kron,
    Convolve: convolve,
}
