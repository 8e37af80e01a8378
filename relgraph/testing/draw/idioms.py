"""Idioms: combinations of ops that people write and that rewrites match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.testing.draw.graph_builder import GraphBuilder

Idiom = tuple[int, Callable[..., Any]]
"""The number of operands, and a function that combines them."""

_SIGNS: tuple[Idiom, ...] = (
    (1, lambda x: at.neg(at.neg(x))),
    (1, lambda x: 0 - x),
    (1, lambda x: -1 * x),
    (2, lambda x, y: x + -y),
    (2, lambda x, y: x - -y),
    (2, lambda x, y: -(x - y)),
    (2, lambda x, y: -x - y),
    (2, lambda x, y: -x * y),
    (2, lambda x, y: -x * -y),
    (2, lambda x, y: -x / y),
    (2, lambda x, y: x / -y),
    (1, lambda x: at.abs(-x)),
    (1, lambda x: at.abs(at.abs(x))),
    (1, lambda x: at.sign(x) * at.abs(x)),
    (1, lambda x: at.sqr(-x)),
    (1, lambda x: at.cos(-x)),
    (1, lambda x: at.sin(-x)),
)
_IDENTITIES: tuple[Idiom, ...] = (
    (1, lambda x: x + 0),
    (1, lambda x: x - 0),
    (1, lambda x: x * 1),
    (1, lambda x: x * 0),
    (1, lambda x: x / 1),
    (1, lambda x: 0 / x),
    (1, lambda x: 1 / (1 / x)),
    (1, lambda x: x + x),
    (1, lambda x: x - x),
    (1, lambda x: x / x),
    (1, lambda x: x * x),
    (1, lambda x: x * x * x),
    (1, lambda x: 2 * x + 3 * x),
    (1, lambda x: x * 2 * 3),
    (1, lambda x: x + 1 - 1),
    (2, lambda x, y: x * y / y),
    (2, lambda x, y: x / y * y),
    (2, lambda x, y: x + y - y),
    (2, lambda x, y: x - y + y),
    (2, lambda x, y: (x - y) + (y - x)),
    (3, lambda x, y, z: x * y + x * z),
    (3, lambda x, y, z: x * (y + z)),
    (3, lambda x, y, z: (x + y) * z - y * z),
    (3, lambda x, y, z: x / y / z),
    (3, lambda x, y, z: x / (y / z)),
    (3, lambda x, y, z: x / y * z),
    (3, lambda x, y, z: (x / y + z) * y),
    (3, lambda x, y, z: (x / y - z) * y),
    (3, lambda x, y, z: (z - x / y) * y),
    (3, lambda x, y, z: x / z + y / z),
)
_POWERS: tuple[Idiom, ...] = (
    (1, lambda x: x**2),
    (1, lambda x: x**3.0),
    (1, lambda x: x**1),
    (1, lambda x: x**0.0),
    (1, lambda x: x**0.5),
    (1, lambda x: x**-1.0),
    (1, lambda x: x**-0.5),
    (1, lambda x: at.sqrt(at.sqr(x))),
    (1, lambda x: at.sqr(at.sqrt(x))),
    (1, lambda x: (x**2.0) ** 3.0),
    (2, lambda x, y: at.sqrt(x) * at.sqrt(y)),
    (2, lambda x, y: at.sqr(x) / x * y),
    (1, lambda x: x**2.0 * x**3.0),
)
_EXPONENTIALS: tuple[Idiom, ...] = (
    (1, lambda x: at.log(at.exp(x))),
    (1, lambda x: at.exp(at.log(x))),
    (1, lambda x: at.exp(-at.log(x))),
    (1, lambda x: at.log(1 + x)),
    (1, lambda x: at.log(1 - x)),
    (1, lambda x: at.exp(x) - 1),
    (1, lambda x: 1 - at.exp(x)),
    (1, lambda x: at.log1p(at.expm1(x))),
    (1, lambda x: at.log(at.sqr(x))),
    (1, lambda x: at.log(at.sqrt(x))),
    (1, lambda x: 1 - at.erf(x)),
    (1, lambda x: 1 - at.erfc(x)),
    (2, lambda x, y: at.exp(x) * at.exp(y)),
    (2, lambda x, y: at.exp(x) / at.exp(y)),
    (2, lambda x, y: at.log(x) + at.log(y)),
    (2, lambda x, y: at.log(x * y)),
    (2, lambda x, y: at.log(at.exp(x) + at.exp(y))),
    (2, lambda x, y: at.exp(y * at.log(x))),
)
_LOGISTIC: tuple[Idiom, ...] = (
    (1, lambda x: 1 / (1 + at.exp(-x))),
    (1, lambda x: at.exp(x) / (1 + at.exp(x))),
    (1, lambda x: 1 - at.sigmoid(x)),
    (1, lambda x: at.log(at.sigmoid(x))),
    (1, lambda x: at.log(1 - at.sigmoid(x))),
    (1, lambda x: at.log(1 + at.exp(x))),
    (1, lambda x: at.log1p(at.exp(x))),
    (1, lambda x: at.sigmoid(x) * at.exp(-x)),
    (2, lambda x, y: y / (1 + at.exp(-x))),
    (2, lambda x, y: -y * at.log(at.sigmoid(x)) - (1 - y) * at.log(1 - at.sigmoid(x))),
    (1, lambda x: (at.exp(x) - at.exp(-x)) / (at.exp(x) + at.exp(-x))),
)
_CHOICES: tuple[Idiom, ...] = (
    (1, lambda x: at.switch(x > 0, x, 0)),
    (1, lambda x: at.maximum(x, 0)),
    (1, lambda x: at.maximum(x, x)),
    (2, lambda x, y: at.switch(x > y, x, y)),
    (2, lambda x, y: at.switch(at.eq(x, x), x, y)),
    (2, lambda x, y: at.switch(y, x, x)),
    (3, lambda c, x, y: at.switch(c, x, y) + at.switch(c, y, x)),
    (3, lambda c, x, y: at.switch(at.invert(c > 0), x, y)),
    (2, lambda x, y: at.maximum(at.maximum(x, y), x)),
    (2, lambda x, y: at.minimum(at.maximum(x, y), x)),
    (1, lambda x: at.invert(at.lt(x, 0))),
    (2, lambda x, y: at.and_(x > y, x > y)),
    (1, lambda x: at.clip(at.clip(x, -1, 1), -1, 1)),
    (1, lambda x: at.cast(at.cast(x, "float64"), "float32")),
    (1, lambda x: at.cast(at.cast(x, "int8"), "float64")),
    (1, lambda x: at.cast(x > 0, x.type.dtype) * x),
)
_AXES: tuple[Idiom, ...] = (
    (1, lambda x: x.T.T),
    (2, lambda x, y: (x.T + y.T).T),
    (1, lambda x: at.exp(x.T).T),
    (1, lambda x: at.sum(-x)),
    (1, lambda x: at.sum(-x, axis=0)),
    (1, lambda x: at.sum(2 * x, axis=-1)),
    (1, lambda x: at.sum(at.sum(x, axis=0))),
    (1, lambda x: at.sum(x.T, axis=0)),
    (1, lambda x: at.sum(x / at.sum(x, axis=0, keepdims=True), axis=0)),
    (2, lambda x, y: at.sum(x + y, axis=0)),
    (2, lambda x, y: at.sum(x * y, axis=-1)),
    (1, lambda x: at.sum(at.alloc(x, 3, *(x.shape[i] for i in range(x.type.ndim))), axis=0)),
    (1, lambda x: at.prod(2 * x)),
    (1, lambda x: at.max(-x)),
    (1, lambda x: at.max(x + 1, axis=0)),
    (1, lambda x: at.max(at.exp(x))),
    (1, lambda x: at.mean(at.mean(x, axis=0))),
    (1, lambda x: at.exp(x) / at.sum(at.exp(x), axis=-1, keepdims=True)),
    (1, lambda x: at.log(at.sum(at.exp(x), axis=-1))),
    (1, lambda x: at.log(at.softmax(x))),
    (2, lambda x, y: at.dot(x, y).T),
    (2, lambda x, y: at.dot(x.T, y.T)),
    (2, lambda x, y: at.dot(2 * x, y)),
    (2, lambda x, y: at.dot(-x, y) + 1),
    (1, lambda x: at.dot(x, at.eye(3))),
    (2, lambda x, y: at.sum(at.dot(x, y))),
    (3, lambda x, y, z: at.dot(at.dot(x, y), z)),
    (3, lambda x, y, z: 0.5 * at.dot(x, y) + 2.0 * z),
    (3, lambda x, y, z: z - at.dot(x, y)),
)
_SHAPES: tuple[Idiom, ...] = (
    (1, lambda x: at.reshape(at.reshape(x, (-1,)), x.shape)),
    (1, lambda x: at.reshape(at.exp(x), (-1,))),
    (1, lambda x: x[::-1][::-1]),
    (1, lambda x: at.exp(x)[0]),
    (2, lambda x, y: (x + y)[1:]),
    (1, lambda x: x[1:][:1]),
    (1, lambda x: x.T[0]),
    (1, lambda x: at.stack([x, x])[1]),
    (2, lambda x, y: at.join(0, x, y)[: x.shape[0]]),
    (1, lambda x: at.set_subtensor(x[:1], 2)[:1]),
    (1, lambda x: at.set_subtensor(x[:], x)),
    (1, lambda x: at.set_subtensor(at.set_subtensor(x[:1], 2)[:1], 3)),
    (1, lambda x: at.inc_subtensor(at.zeros_like(x)[:1], x[:1])),
    (1, lambda x: at.inc_subtensor(x[:0], x[:0])),
    (1, lambda x: at.alloc(x, *(x.shape[i] for i in range(x.type.ndim)))),
    (2, lambda x, y: at.second(x, y) + x),
    (2, lambda x, y: at.second(x, at.second(y, x))),
    (1, lambda x: at.zeros_like(x) + x),
    (1, lambda x: at.ones_like(x) * x),
    (2, lambda x, y: at.shape_i(x + y, 0)),
    (1, lambda x: at.exp(x).shape),
    (1, lambda x: at.split(x, [1, x.shape[0] - 1], 2)[1]),
    (1, lambda x: x.flatten().sum()),
)
_COMPLEX: tuple[Idiom, ...] = (
    (1, lambda x: at.conj(at.conj(x))),
    (1, lambda x: at.real(at.conj(x))),
    (1, lambda x: at.abs(at.conj(x))),
    (1, lambda x: x * at.conj(x)),
    (1, lambda x: at.real(x) + at.constant(np.complex128(1j)) * at.imag(x)),
)

IDIOMS: tuple[Idiom, ...] = (
    *_SIGNS,
    *_IDENTITIES,
    *_POWERS,
    *_EXPONENTIALS,
    *_LOGISTIC,
    *_CHOICES,
    *_AXES,
    *_SHAPES,
    *_COMPLEX,
)


def apply_idiom(idiom: Idiom, b: GraphBuilder) -> Any:
    """Apply an idiom to a variable and further operands, which may be constants."""
    count, function = idiom
    first = b.pick()
    return function(*[first, *(_tensor_operand(b, first) for _ in range(count - 1))])


def _tensor_operand(b: GraphBuilder, like: Any) -> Any:
    operand = b.operand_for(like)
    return operand if hasattr(operand, "type") else at.as_tensor_variable(operand)
