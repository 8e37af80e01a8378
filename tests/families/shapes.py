"""Shapes of graphs: how often what is read, and by whom."""

from __future__ import annotations

import random
from typing import Any


def chain(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    out = x
    for i in range(size // 3):
        out = T.tanh(out) * 2.0 + x if i % 2 else T.exp(-out) / (1.0 + T.exp(-out))
    return [x], out


def fan(T: Any, size: int) -> tuple[list[Any], Any]:
    """One value that is read many times."""
    x, y = T.dvector("x"), T.dvector("y")
    center = T.exp(x) + y
    return [x, y], T.add(*[T.tanh(center * (0.5 + i)) for i in range(size // 2)])


def fan_of_chain(T: Any, size: int) -> tuple[list[Any], Any]:
    """One value that is rewritten many times, and read many times."""
    x, y = T.dvector("x"), T.dvector("y")
    center = x
    for _ in range(size // 8):
        center = (center * y) / y + x
    return [x, y], T.add(*[T.tanh(center + float(i)) for i in range(size // 4)])


def comb(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    out = x
    for i in range(size // 3):
        out = T.sin(out) * T.exp(y * (1.0 + i))
    return [x, y], out


def grid(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    side = max(2, int((size / 2) ** 0.5))
    row = [x * (1.0 + i) for i in range(side)]
    for i in range(side):
        left, fresh = y * (1.0 + i), []
        for above in row:
            left = T.tanh(left + above)
            fresh.append(left)
        row = fresh
    return [x, y], row[-1]


def wide_sum(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    return [x], T.add(*[T.sin(x * (1.0 + i)) for i in range(size // 2)])


def wide_product(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    return [x], T.mul(*[T.cos(x * (1.0 + i)) for i in range(size // 2)])


def prefix_sums(T: Any, size: int) -> tuple[list[Any], Any]:
    """Each sum has one more term than the one before it, and all are used."""
    x, y = T.dvector("x"), T.dvector("y")
    total, parts = y, []
    for i in range(size // 4):
        total = total + T.sin(x * (1.0 + i))
        parts.append(T.tanh(total))
    return [x, y], T.mul(*parts)


def prefix_products(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    total, parts = y, []
    for i in range(size // 4):
        total = total * T.cos(x + float(i))
        parts.append(T.tanh(total))
    return [x, y], T.add(*parts)


def transposed_sums(T: Any, size: int) -> tuple[list[Any], Any]:
    m = T.dmatrix("m")
    out = m
    for _ in range(size // 2):
        out = (out + m).T
    return [m], out


def nested_where(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    out = y
    for i in range(size // 4):
        out = T.switch(T.gt(x, float(i)), T.exp(out), out * x)
    return [x, y], out


def balanced_tree(T: Any, size: int) -> tuple[list[Any], Any]:
    x = T.dvector("x")
    level = [x * (1.0 + i) for i in range(max(1, size // 3))]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [T.tanh(a * b) for a, b in pairs] + level[len(level) - len(level) % 2 :]
    return [x], level[0]


def left_tree(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    out = x
    for i in range(size // 2):
        out = (out - y) / (2.0 + i)
    return [x, y], out


def sparse_sharing(T: Any, size: int) -> tuple[list[Any], Any]:
    return _drawn(T, size, near=size)


def dense_sharing(T: Any, size: int) -> tuple[list[Any], Any]:
    return _drawn(T, size, near=6)


def _drawn(T: Any, size: int, near: int) -> tuple[list[Any], Any]:
    """A graph drawn at random, in which each node reads some of so many that came last."""
    drawn = random.Random(0)
    x, y = T.dvector("x"), T.dvector("y")
    values, unread = [x, y], {}
    for _ in range(size):
        a, b = drawn.sample(values[-near:], 2)
        kind = drawn.randrange(6)
        if kind < 2:
            new, b = (T.tanh, T.sin)[kind](a), a
        else:
            # no difference of two that happen to be equal: what follows would be constant
            new = (T.add, T.mul, lambda p, q: p - 0.5 * q, T.maximum)[kind - 2](a, b)
        unread.pop(a, None)
        unread.pop(b, None)
        values.append(new)
        unread[new] = None
    return [x, y], T.add(x * y, *[T.tanh(v) for v in unread])


def increments(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    out = x
    for i in range(size):
        place = slice(i % 5, i % 5 + 2) if i % 3 else slice(None, 2)
        out = (T.inc_subtensor if hasattr(T, "inc_subtensor") else T.inc)(out[place], y[:2])
    return [x, y], out


def six_ops(T: Any, size: int) -> tuple[list[Any], Any]:
    x, y = T.dvector("x"), T.dvector("y")
    out, ops = x, (T.sin, T.cos, lambda v: v * y, lambda v: v + y, T.tanh, T.abs)
    for i in range(size):
        out = ops[i % 6](out)
    return [x, y], out


def shares(T: Any, size: int) -> tuple[list[Any], Any]:
    """Each exponential by the sum of all, and the logarithms of some such."""
    xs = [T.dvector(f"x{i}") for i in range(size // 6)]
    exps = [T.exp(v) for v in xs]
    total = T.add(*exps)
    found = [e / total if i % 3 else T.log(e / total) for i, e in enumerate(exps)]
    return xs, T.add(T.log(total), *[v * T.tanh(x) for v, x in zip(found, xs, strict=True)])


def squares(T: Any, size: int) -> tuple[list[Any], Any]:
    """The lengths of some coordinates, and of all."""
    xs = [T.dvector(f"x{i}") for i in range(size // 5)]
    parts = [T.sqrt(T.add(*[v * v for v in xs[i : i + 4]])) for i in range(0, len(xs), 2)]
    return xs, T.add(T.sqrt(T.add(*[v * v for v in xs])), *parts)
