"""Basic and advanced indices, and what sets elements by them."""

import itertools
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.indexing import AdvancedIncSubtensor
from relgraph.tensor.subtensor import (
    IncSubtensor,
    Placeholder,
    Slice,
    Subtensor,
    static_length,
    symbolic_length,
    within,
)
from tests.seeds import seed_of
from tests.tensor.conftest import check_inferred_shapes

X = np.arange(60.0).reshape(3, 4, 5)


@given(st.data())
def test_slices_of_variables(data):
    end = st.integers(-7, 7)
    n = data.draw(st.integers(0, 5))
    start, stop, step = (
        data.draw(end | st.none()),
        data.draw(end | st.none()),
        data.draw(st.integers(-3, 3).filter(bool) | st.none()),
    )
    v = at.dvector()
    symbols = {p: at.lscalar() for p in ("start", "stop", "step") if data.draw(st.booleans())}
    givens = {v: np.arange(float(n))}
    parts = []
    for name, value in (("start", start), ("stop", stop), ("step", step)):
        symbol = symbols.get(name) if value is not None else None
        if symbol is not None:
            givens[symbol] = np.array(value)
        parts.append(value if symbol is None else symbol)
    out = v[slice(*parts)]
    (found,) = evaluate([out], givens)
    expected = np.arange(float(n))[slice(start, stop, step)]
    np.testing.assert_array_equal(found, expected)
    length = symbolic_length(v.shape[0], slice(*parts))
    assert evaluate([at.as_tensor_variable(length)], givens)[0] == len(expected)
    assert static_length(n, Slice(start, stop, step)) == len(expected)


@given(
    st.integers(0, 6),
    st.none() | st.integers(-8, 8),
    st.none() | st.integers(-8, 8),
    st.none() | st.integers(-3, 3).filter(bool),
)
def test_lengths_of_slices(n, start, stop, step):
    assert symbolic_length(n, slice(start, stop, step)) == len(range(n)[slice(start, stop, step)])


def test_symbolic_integers(against_numpy):
    i = np.array(1)
    against_numpy(lambda v, i: v[i, :, -i], lambda v, i: v[i, :, -i], X, i)
    against_numpy(lambda v, i: v[:i, [0, 2]], lambda v, i: v[: int(i), [0, 2]], X, i)
    j = at.lscalar()
    assert at.tensor3()[j, 2, j:].owner.op is Subtensor(
        (Placeholder.INTEGER, 2, Slice(Placeholder.INTEGER))
    )


def test_an_op_has_one_spelling():
    x = at.tensor3()
    assert x[1, :].owner.op is x[1].owner.op is x[1, ...].owner.op is Subtensor((1,))
    assert x[:].owner.op is x[...].owner.op is x[:, :].owner.op is Subtensor(())
    assert str(x[1:, ::2].owner.op) == "subtensor{1:, ::2}"
    assert str(x[at.lvector()].owner.op) == "advanced_subtensor{array}"


def test_what_is_known_of_a_part():
    x = at.tensor("float64", (5, None))
    assert x[1:].type.shape == (4, None)
    assert x[::-1, :0].type.shape == (5, None)
    assert x[at.lscalar() :].type.shape == (None, None)
    assert x[[1, 2]].type.shape == (2, None)


def test_a_basic_part_is_a_view():
    x = at.tensor3()
    (found,) = evaluate([x[1:]], {x: X})
    assert np.shares_memory(found, X)
    assert x[1:].owner.op.view_map == {0: [0]}
    assert not at.set_subtensor(x[1:], 0.0).owner.op.destroy_map


def test_inplace_overwrites():
    x = at.dvector()
    op = IncSubtensor((Slice(1),), inplace=True)
    node = op.make_node(x, 2.0)
    a, storage = np.zeros(3), [[None]]
    assert op.destroy_map == {0: [0]}
    op.perform(node, [a, np.array(2.0)], storage)
    assert storage[0][0] is a
    np.testing.assert_array_equal(a, [0, 2, 2])


def test_numbers_take_the_dtype():
    x = np.zeros(3, "float32")
    (v,) = [at.fvector()]
    out = at.set_subtensor(v[0], 1.5)
    assert out.type.dtype == "float32"
    np.testing.assert_array_equal(evaluate([out], {v: x})[0], [1.5, 0, 0])


@pytest.mark.parametrize("mode", ["py", "strict", "fast_run"])
def test_index_arrays_broadcast_only_where_it_is_known(mode):
    m, i, j = at.dmatrix("m"), at.lvector("i"), at.lvector("j")
    mask, row = at.TensorType("bool", (None,))("mask"), at.TensorType("int64", (1,))("row")
    value, three = np.arange(12.0).reshape(3, 4), np.array([0, 1, 2])
    kwargs = {"mode": Mode("py", None) if mode == "py" else mode, "on_unused_input": "ignore"}
    inputs = [m, i, j, mask, row]
    values = [value, np.array([1]), three, np.array([True, False, False]), np.array([1])]
    for part in (m[i, j], m[mask, j], at.set_subtensor(m[i, j], 0.0)):
        with pytest.raises(IndexError, match="only an axis whose length is known to be 1"):
            function(inputs, part, **kwargs)(*values)
    part = m[row, j]
    shape, mean = function(inputs, [part.shape, part.mean()], **kwargs)(*values)
    assert shape.tolist() == [3]
    assert mean == 5.0


def test_everything_is_a_part():
    x, m, s, y = at.dvector("x"), at.dmatrix("m"), at.dscalar("s"), at.dvector("y")
    a, b = np.arange(3.0), np.array([5.0, 6.0, 7.0])
    square = np.arange(9.0).reshape(3, 3)
    cases = [
        (x[:], b, {x: a, y: b}),
        (x[...], b, {x: a, y: b}),
        (m[:, :], square * 0 + b, {m: square, y: b}),
        (m[...], square * 0 + b, {m: square, y: b}),
        (m[:], square * 0 + b, {m: square, y: b}),
    ]
    for part, expected, values in cases:
        (found,) = evaluate([at.set_subtensor(part, y)], values)
        np.testing.assert_array_equal(found, expected)
        (found,) = evaluate([at.inc_subtensor(part, y)], values)
        np.testing.assert_array_equal(found, values[part.owner.inputs[0]] + expected)
    for part in (s[()], s[...]):
        assert evaluate([at.set_subtensor(part, 2.0)], {s: 1.0})[0] == 2.0
        assert evaluate([part], {s: 1.0})[0] == 1.0
    f = function([x], at.exp(x[:])[...], mode="strict")
    assert [str(node.op) for node in f.maker.fgraph.toposort()] == ["exp"]
    verify_grad(lambda v: at.set_subtensor(v[:], v**2), [a])


def test_no_index_at_all_takes_nothing():
    m = at.dmatrix("m")
    square = np.arange(9.0).reshape(3, 3)
    for index in (np.s_[:, ()], np.s_[[]], np.s_[:, []], np.s_[(), 1]):
        (found,) = evaluate([m[index]], {m: square})
        assert found.shape == square[index].shape


@pytest.mark.parametrize("dtype", ["uint8", "uint64", "int8"])
def test_numbers_take_the_dtype_of_the_tensor(dtype):
    x = at.tensor(dtype, (None,))
    value = np.array([1, 2, 4], dtype)
    found = [at.set_subtensor(x[0], 3), at.inc_subtensor(x[1:], [3, 5]), at.set_subtensor(x[:], 0)]
    (first, second, third) = evaluate(found, {x: value})
    assert {first.dtype, second.dtype, third.dtype} == {np.dtype(dtype)}
    assert [v.tolist() for v in (first, second, third)] == [[3, 2, 4], [1, 5, 9], [0, 0, 0]]
    most = int(np.iinfo(dtype).max)
    for wrong in (most + 1, -200 if dtype == "int8" else -1):
        with pytest.raises(OverflowError, match=rf"set_subtensor: {wrong} is out of the range of"):
            at.set_subtensor(x[0], wrong)


@given(st.slices(6), st.integers(0, 6))
def test_slices_within_an_axis_select_the_same(part: slice, length: int) -> None:
    inside = within(part, length)
    assert list(range(length))[inside] == list(range(length))[part]
    assert 0 <= inside.start <= length and (inside.stop is None or 0 <= inside.stop <= length)


# Random index expressions: what is read, set and increased is what NumPy has there.


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


def check_slopes(key: Any, value: Any, new: Any) -> None:
    """Check the gradients of a part, and of what sets and increases it by an array or a number."""
    verify_grad(lambda x: x[key], [value], n_tests=1)
    for y, change in itertools.product((new, 2.0), (at.set_subtensor, at.inc_subtensor)):
        verify_grad(lambda x, y, change=change: change(x[key], y), [value, y], n_tests=1)


def is_apart(key: Any) -> bool:
    """Return whether an ellipsis between arrays represents no axes, which is refused."""
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
            assert "the ellipsis between arrays replaces no axes" in str(error)
            assert is_apart(key)
            continue
        for found, wanted in zip(
            evaluate(outputs, {x: value}), (expected, put, added), strict=True
        ):
            np.testing.assert_array_equal(found, wanted, err_msg=f"{shape}[{key}]")
        compared += 1
        if compared % 8 == 0:
            check_inferred_shapes(outputs, {x: value})
            check_slopes(key, value, new)
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


# Indices that name an element several times: the last value is kept, and has the gradient.

REPEATED_INDICES_X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    "change",
    [
        lambda x, y: at.put_along_axis(x, np.array([[0, -4], [1, -3], [2, 3]]), y, 1),
        lambda x, y: at.put_along_axis(x, np.array([[0], [-3]]), y.sum(), 0),
        lambda x, y: at.put_along_axis(x, np.array([0, -12, 5]), y[:, 0], None),
        lambda x, y: at.put(x, np.array([0, -12, 5]), y[:, 0]),
    ],
)
def test_functions_that_set(change):
    verify_grad(change, [REPEATED_INDICES_X, np.ones((3, 2))], n_tests=1)


@pytest.mark.parametrize("change", [at.set_subtensor, at.inc_subtensor])
def test_second_derivatives(change):
    def slopes(x, y):
        gx, gy = grad(at.sin(change(x[[0, -3, 1]], y)).sum(), [x, y])
        return at.concatenate([gx, gy**2])

    verify_grad(slopes, [REPEATED_INDICES_X, 1 / (1 + REPEATED_INDICES_X)], n_tests=1)


@pytest.mark.parametrize("mode", ["strict", "o4", "jax"])
def test_an_overwritten_value_has_no_gradient(mode):
    x, i, v = at.dvector(), at.lvector(), at.dvector()
    changed = at.set_subtensor(x[i], v)
    f = function([x, i, v], [changed, *grad(changed @ np.arange(1.0, 6), [x, v])], mode=mode)
    value, gx, gv = f(np.zeros(5), np.array([0, -5, 3]), np.array([7.0, 8, 9]))
    np.testing.assert_array_equal(value, [8, 0, 0, 9, 0])
    np.testing.assert_array_equal(gx, [0, 2, 3, 0, 5])
    np.testing.assert_array_equal(gv, [0, 1, 4])


def test_the_last_value_is_kept_in_any_layout():
    i, y = np.array([[0, 1], [1, 0]]), np.arange(4.0).reshape(2, 2)
    iv, yv = at.lmatrix(), at.dmatrix()
    changed = at.set_subtensor(at.zeros(2)[iv], yv)
    slope = grad(changed.sum(), yv)
    for a in (i, np.asfortranarray(i)):
        for b in (y, np.asfortranarray(y)):
            found = evaluate([changed, slope], {iv: a, yv: b})
            np.testing.assert_array_equal(found[0], [3, 2])
            np.testing.assert_array_equal(found[1], [[0, 0], [1, 1]])


@pytest.mark.parametrize(
    ("build", "is_distinct"),
    [
        (lambda x, v, m: x[m], True),
        (lambda x, v, m: x[m, at.arange(2)], True),
        (lambda x, v, m: x[[2, 0]], True),
        (lambda x, v, m: x[[-1]], True),
        (lambda x, v, m: x[[1], [0, 0]], False),
        (lambda x, v, m: x[[-1, 2]], False),
        (lambda x, v, m: x[at.arange(v.shape[0])], True),
        (lambda x, v, m: x[at.arange(-1, v.shape[0])], False),
        (lambda x, v, m: at.diag(x[0], -1)[at.arange(2), at.arange(2)], True),
    ],
)
def test_what_names_no_element_twice_has_no_places(build, is_distinct):
    x, v, m = at.dmatrix(), at.dvector(), at.bvector().astype("bool")
    y = at.dscalar()
    slope = grad(at.set_subtensor(build(x, v, m), y).sum(), y)
    made = io_toposort([x, v, m, y], [slope])
    setters = [n for n in made if isinstance(n.op, AdvancedIncSubtensor)]
    numbered = [n for n in setters if n.outputs[0].type.dtype == "int64"]
    assert (not numbered) is is_distinct
