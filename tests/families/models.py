"""Models and their training as people write them: weights that are read at each step."""

from __future__ import annotations

from typing import Any


def _softmax(T: Any, z: Any) -> Any:
    e = T.exp(z - T.max(z, axis=1, keepdims=True))
    return e / T.sum(e, axis=1, keepdims=True)


def _sigmoid(T: Any, z: Any) -> Any:
    return 1.0 / (1.0 + T.exp(-z))


def dense_net(T: Any, size: int) -> tuple[list[Any], Any]:
    x, inputs = T.dmatrix("x"), []
    h = x
    for i in range(max(1, size // 4)):
        w, b = T.dmatrix(f"w{i}"), T.dvector(f"b{i}")
        inputs += [w, b]
        h = T.tanh(T.dot(h, w) + b)
    return [x, *inputs], -T.mean(T.log(_softmax(T, h)))


def residual_net(T: Any, size: int) -> tuple[list[Any], Any]:
    x, w, b = T.dmatrix("x"), T.dmatrix("w"), T.dvector("b")
    h = x
    for _ in range(size // 6):
        h = h + T.maximum(T.dot(h, w) + b, 0.0)
    return [x, w, b], T.mean(h**2)


def recurrent_net(T: Any, size: int) -> tuple[list[Any], Any]:
    x, h, w, u, b = inputs = [*(T.dmatrix(n) for n in "xhwu"), T.dvector("b")]
    for _ in range(size // 6):
        h = T.tanh(T.dot(h, w) + T.dot(x, u) + b)
    return inputs, T.sum(h)


def gated_recurrent_net(T: Any, size: int) -> tuple[list[Any], Any]:
    x, h, wz, uz, wh, uh = inputs = [T.dmatrix(n) for n in ("x", "h", "wz", "uz", "wh", "uh")]
    for _ in range(size // 16):
        z = _sigmoid(T, T.dot(x, wz) + T.dot(h, uz))
        h = (1.0 - z) * h + z * T.tanh(T.dot(x, wh) + T.dot(h, uh))
    return inputs, T.sum(h)


def attention(T: Any, size: int) -> tuple[list[Any], Any]:
    x, w = T.dmatrix("x"), T.dmatrix("w")
    h = x
    for _ in range(size // 14):
        h = h + T.dot(_softmax(T, T.dot(T.dot(h, w), h.T)), h)
    return [x, w], T.sum(h)


def gradient_descent(T: Any, size: int) -> tuple[list[Any], Any]:
    """The loss after some steps of training, by the data, the rate and the weights at the start."""
    x, y, w, rate = T.dmatrix("x"), T.dvector("y"), T.dvector("w"), T.dscalar("rate")
    start = w
    for _ in range(size // 8):
        slope = 2.0 * T.dot(x.T, T.dot(x, w) - y)
        w = w - rate * slope
    return [x, y, start, rate], T.sum((T.dot(x, w) - y) ** 2)


def adam(T: Any, size: int) -> tuple[list[Any], Any]:
    w, c, rate = T.dvector("w"), T.dvector("c"), T.dscalar("rate")
    start = w
    m = v = 0.0 * w
    for i in range(1, 1 + size // 25):
        g = 2.0 * (w - c) * w
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        w = w - rate * (m / (1.0 - 0.9**i)) / (T.sqrt(v / (1.0 - 0.999**i)) + 1e-8)
    return [start, c, rate], T.sum(w**2)


def moving_averages(T: Any, size: int) -> tuple[list[Any], Any]:
    x, a = T.dvector("x"), T.dscalar("a")
    mean, total = x, 0.0
    for i in range(size // 7):
        mean = a * mean + (1.0 - a) * T.sin(x * (1.0 + i))
        total = total + mean**2
    return [x, a], T.sum(total)
