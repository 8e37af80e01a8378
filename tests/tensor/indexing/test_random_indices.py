"""Random index expressions: what is read, set and increased is what NumPy has there."""

from random import Random
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.graph.reference import evaluate
from tests.seeds import seed_of


def random_key(random: Random, shape: tuple[int, ...]) -> Any:
    """Return integers, slices, None, arrays, masks and an ellipsis, in a random order."""
    count, key, axis = random.choice([1, 2, 3]), [], 0
    if random.random() < 0.1:
        key, axis = [random_mask(random, shape[:2])], len(shape[:2])
    while axis < len(shape) and random.random() < 0.8:
        entry = random_entry(random, shape[axis], count)
        key.append(entry)
        axis += entry is not None
    if random.random() < 0.2:
        key.insert(random.randint(0, len(key)), Ellipsis)
    return key[0] if len(key) == 1 and random.random() < 0.5 else tuple(key)


def random_mask(random: Random, shape: tuple[int, ...]) -> Any:
    return np.reshape([random.random() < 0.5 for _ in range(int(np.prod(shape)))], shape)


def random_entry(random: Random, n: int, count: int) -> Any:
    """Return an index of an axis of length `n`, or None; arrays are of `count` integers."""
    how = random.random()
    places = [random.randint(-n, n - 1) for _ in range(count)]
    if how < 0.15:
        return places[0]
    if how < 0.4:
        ends = [random.choice([None, random.randint(-n - 1, n + 1)]) for _ in range(2)]
        return slice(*ends, random.choice([None, 1, -1, 2, -2]))
    if how < 0.55:
        return None
    if how < 0.85:
        return np.array(places).reshape(random.choice([(count,), (1, count), (count, 1)]))
    return random_mask(random, (n,)) if how < 0.93 else places


def is_apart(key: Any) -> bool:
    """Return whether an ellipsis between arrays stands for no axes, which is refused."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(part is Ellipsis for part in parts)


@pytest.mark.parametrize("number", range(6))
def test_random_indices(number: int) -> None:
    random, compared = Random(seed_of("indices", number)), 0
    for _ in range(120):
        shape = tuple(random.choice([1, 2, 3, 4]) for _ in range(random.randint(1, 3)))
        value = np.arange(float(np.prod(shape))).reshape(shape) + 1
        key = random_key(random, shape)
        try:
            expected = value[key]
        except (IndexError, TypeError):
            continue
        x = at.TensorType("float64", shape if random.random() < 0.5 else (None,) * len(shape))()
        new = np.reshape([random.randint(1, 9) for _ in range(expected.size)], expected.shape) * 1.0
        put, added = value.copy(), value.copy()
        put[key] = new
        np.add.at(added, key, new)
        try:
            outputs = [x[key], at.set_subtensor(x[key], new), at.inc_subtensor(x[key], new)]
        except IndexError as error:
            assert "the ellipsis between arrays stands for no axes" in str(error)
            assert is_apart(key)
            continue
        for found, wanted in zip(
            evaluate(outputs, {x: value}), (expected, put, added), strict=True
        ):
            np.testing.assert_array_equal(found, wanted, err_msg=f"{shape}[{key}]")
        compared += 1
    assert compared > 80


def test_new_axes_among_what_is_set() -> None:
    """In compiled functions, for new values of fewer axes, and numbers."""
    x, y = at.dmatrix("x"), at.dvector("y")
    value, row = np.arange(12.0).reshape(3, 4), np.array([5.0, 6.0, 7.0, 8.0])
    outputs = [
        at.set_subtensor(x[None, 1:], y), at.inc_subtensor(x[:, None, ::2], 3),
        at.set_subtensor(x[None], 1.5), at.inc_subtensor(x[[0, 0], None], y),
    ]  # fmt: skip
    expected = [value.copy() for _ in outputs]
    expected[0][None, 1:] = row
    expected[1][:, None, ::2] += 3
    expected[2][None] = 1.5
    np.add.at(expected[3], ([0, 0], None), row)
    for found, wanted in zip(function([x, y], outputs)(value, row), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(TypeError, match="whose axes have another order"):
        at.set_subtensor(x.T, 0)
