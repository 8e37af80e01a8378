"""Slices, updates, joins and orders of axes in compiled code, against NumPy."""

from itertools import permutations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import grad
from tests.seeds import seed_of
from tests.vm.tier.conftest import compare, compiled, needs_compiler

pytestmark = needs_compiler

DTYPES = ["float64", "float32", "int64", "uint8", "bool"]
S = np.s_

PARTS = {
    "from": S[2:], "to": S[:3], "between": S[1:3], "nothing": S[3:3], "crossed": S[3:1],
    "last": S[-2:], "all but last": S[:-1], "all but two": S[1:-1], "back": S[-3:-1],
    "reversed": S[::-1], "row": S[1], "last row": S[-1], "column": S[:, 2], "last column": S[:, -1],
    "columns": S[:, 1:3], "block": S[1:, :-1], "reversed columns": S[:, ::-1],
    "element": S[1, 2], "both reversed": S[::-1, ::-1], "one row": S[2:3],
    "row of columns": S[1, 1:3], "column of rows": S[1:, 0],
}  # fmt: skip
STEPS = {"every other": S[::2], "third": S[1::3], "backward": S[3:0:-2], "columns": S[:, ::2]}
"""Steps are compiled where lengths are known."""


CASES = [
    *((name, (None, None), "float64") for name in PARTS),
    *((name, (5, 4), "float32") for name in PARTS),
    *((name, (None, 4), "float64") for name in ("block", "last column", "reversed columns")),
    *((name, None, d) for name in ("block", "column", "row") for d in ("int64", "uint8", "bool")),
]
"""Parts of all kinds with lengths that are known, and that are not; and of all dtypes."""


def values_of(dtype, *shape):
    draw = np.random.default_rng(seed_of("windows", dtype, *map(str, shape)))
    if dtype == "bool":
        return draw.random(shape) < 0.5
    return (draw.normal(size=shape) * 50).astype(dtype)


def twice(x):
    """Operations that make a segment of what is done to `x`."""
    return (~x) & x if x.type.dtype == "bool" else (x * x) + x


def check(inputs, outputs, values, fallbacks, whole=True):
    """Assert that compiled code has the values of the reference; all is compiled if it is whole."""
    made, reference = compiled(inputs, outputs, optimizer=None, on_unused_input="ignore")
    compare(made, reference, values, 0)
    assert not fallbacks
    assert not whole or made._run.record.left == 0


@pytest.mark.parametrize("name, shape, dtype", CASES)
def test_a_part_is_read_in_place(name, shape, dtype, fallbacks):
    x = at.tensor(dtype, shape=shape or (None, None))
    part = twice(twice(x)[PARTS[name]])
    check([x], [twice(part)], [values_of(dtype, 5, 4)], fallbacks)


@pytest.mark.parametrize("sets", [True, False], ids=["set", "inc"])
@pytest.mark.parametrize("name, shape, dtype", CASES)
def test_a_part_is_updated(name, shape, sets, dtype, fallbacks):
    x = at.tensor(dtype, shape=shape or (None, None))
    part = values_of(dtype, 5, 4)[PARTS[name]]
    y = at.tensor(dtype, shape=[n if n == 1 else None for n in x[PARTS[name]].type.shape])
    change = at.set_subtensor if sets else at.inc_subtensor
    whole = twice(x)
    outputs = [twice(change(whole[PARTS[name]], twice(y)))]
    values = [values_of(dtype, 5, 4), np.asarray(part, order="C")]
    check([x, y], outputs, values, fallbacks, whole=sets or dtype != "bool")


@pytest.mark.parametrize("name", STEPS)
def test_steps_of_known_lengths(name, fallbacks):
    x = at.tensor("float64", shape=(7, 6))
    part = x[STEPS[name]]
    outputs = [twice(part), twice(at.inc_subtensor(twice(x)[STEPS[name]], twice(part)))]
    check([x], outputs, [values_of("float64", 7, 6)], fallbacks)


@pytest.mark.parametrize("name", ["from", "to", "between", "last", "all but two", "back", "row"])
def test_arrays_that_are_too_short_run_by_numpy(name):
    x = at.dvector("x")
    made, reference = compiled([x], [twice(twice(x)[PARTS[name]])], optimizer=None)
    for length in range(5):
        value = values_of("float64", length)
        try:
            reference(value)
        except IndexError:
            with pytest.raises(IndexError):
                made(value)
        else:
            compare(made, reference, [value], 0)


@pytest.mark.parametrize("old, y_shape", [((5, 4), (4,)), ((5, 4), (1, 4)), ((5, 4), (2, 1))])
def test_an_update_broadcasts(old, y_shape, fallbacks):
    x = at.dmatrix("x")
    y = at.tensor("float64", shape=tuple(1 if n == 1 else None for n in y_shape))
    outputs = [twice(at.inc_subtensor(twice(x)[1:3], twice(y)))]
    check([x, y], outputs, [values_of("float64", *old), values_of("float64", *y_shape)], fallbacks)


def test_a_chain_of_updates_keeps_what_others_read(fallbacks):
    x, y = at.dvectors("x", "y")
    first = at.set_subtensor(twice(x)[1:3], twice(y))
    second = at.inc_subtensor(first[0:2], twice(y))
    third = at.inc_subtensor(second[2:4], first[0:2])
    outputs = [twice(first), twice(second), third, second.sum()]
    values = [values_of("float64", 6), values_of("float64", 2)]
    check([x, y], outputs, values, fallbacks, whole=False)


def test_an_update_of_a_view_leaves_other_views_alone(fallbacks):
    x = at.dvector("x")
    whole = at.set_subtensor(twice(x)[1:3], x[:2])
    row, column = whole.dimshuffle("x", 0), whole.dimshuffle(0, "x")
    outputs = [at.inc_subtensor(row[:, 1:], 1.0), twice(column)]
    check([x], outputs, [values_of("float64", 5)], fallbacks)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pieces_are_joined(dtype, axis, fallbacks):
    pieces = [at.tensor(dtype, shape=(3, 3)) for _ in range(3)]
    unknown = at.tensor(dtype, shape=(None, 3) if axis == 0 else (3, None))
    given = [values_of(dtype, 3, 3) for _ in pieces]
    given.append(values_of(dtype, *((2, 3) if axis == 0 else (3, 2))))
    variables = [*pieces, unknown]
    for order in ([0, 1, 2], [0, 3, 1]) if dtype == "float64" else ([3, 0, 1],):
        inputs = [variables[k] for k in order]
        joined = at.join(axis, *[twice(v) for v in inputs])
        check(inputs, [twice(joined)], [given[k] for k in order], fallbacks)


def test_numbers_and_rows_become_arrays(fallbacks):
    x, m = at.dvector("x"), at.dmatrix("m")
    vector = at.stack([x[0] * x[1], x[-1], x[1] + 1.0])
    rows = at.stack([m[0] + x[0], m[-1] * 2.0, m[1]])
    outputs = [twice(vector), twice(rows)]
    check([x, m], outputs, [values_of("float64", 4), values_of("float64", 3, 5)], fallbacks)


@pytest.mark.parametrize("dtype", ["float64", "bool"])
@pytest.mark.parametrize("order", list(permutations(range(3)))[1:], ids=str)
def test_axes_in_another_order(order, dtype, fallbacks):
    x = at.tensor(dtype, shape=(None, 3, None))
    turned = twice(x).dimshuffle(*order)
    outputs = [twice(turned), twice(turned[1:, 0])]
    check([x], outputs, [values_of(dtype, 2, 3, 4)], fallbacks)


def test_a_view_is_made_again_where_it_is_read(monkeypatch, fallbacks):
    """Then no array is handed on that does not lie in C order, and is copied."""
    monkeypatch.setattr("relgraph.vm.tier.segments.MOST_IN_SEGMENT", 6)
    m = at.dmatrix("m")
    turned = twice(m).T
    outputs = [twice(twice(twice(twice(turned)))), twice(turned[1:])]
    made, reference = compiled([m], outputs, optimizer=None)
    compare(made, reference, [values_of("float64", 4, 3)], 0)
    record = made._run.record
    assert len(record.segments) > 1 and record.left == 0 and not fallbacks


def test_functions_of_parts_by_loops_of_numpy(fallbacks):
    """Loops of NumPy get the steps of parts."""
    m = at.dmatrix("m")
    outputs = [at.arctan(m[:, 1]) * 2.0, at.arctan(m[::-1, ::-1]), at.log1p(abs(m[1:, 2]))]
    check([m], outputs, [values_of("float64", 5, 4)], fallbacks)


def test_differences_of_neighbours(fallbacks):
    x = at.dvector("x")
    outputs = [twice(x[1:] - x[:-1]), at.sum(at.sqr(x[1:] - x[:-1]))]
    made, reference = compiled([x], outputs)
    for count in (1, 63, 64, 1025, 5000):
        compare(made, reference, [values_of("float64", count + 1)], 1e-12)
    assert not fallbacks


INDICES = {
    "rows": lambda x, i, j: x[i],
    "elements": lambda x, i, j: x[i, j],
    "of a vector": lambda x, i, j: x[:, 1][i],
    "of a row": lambda x, i, j: x[i][:, 1:],
}


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32", "bool"])
@pytest.mark.parametrize("name", INDICES)
def test_elements_are_gathered(name, dtype, fallbacks):
    x = at.tensor(dtype, shape=(None, None))
    i, j = at.lvectors("i", "j")
    part = INDICES[name](twice(x), i, j)
    values = [values_of(dtype, 5, 4), np.array([0, 4, -1, -5, 2, 2]), np.array([3, -4, 0, 1, 1, 1])]
    check([x, i, j], [twice(part)], values, fallbacks)


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
@pytest.mark.parametrize("sets", [True, False], ids=["set", "inc"])
@pytest.mark.parametrize("name", ["rows", "elements"])
def test_places_are_updated_one_after_another(name, sets, dtype, fallbacks):
    """The same place is named several times."""
    x, y = at.tensor(dtype, shape=(None, None)), at.tensor(dtype, shape=(None, None))
    i, j = at.lvectors("i", "j")
    change = at.set_subtensor if sets else at.inc_subtensor
    draw = np.random.default_rng(seed_of("places"))
    for count in (0, 6, 3000):
        new = twice(y) if name == "rows" else twice(y)[:, 0]
        outputs = [twice(change(INDICES[name](twice(x), i, j), new))]
        values = [values_of(dtype, 5, 4), values_of(dtype, count, 4)]
        values += [draw.integers(-5, 5, count), draw.integers(-4, 4, count)]
        check([x, y, i, j], outputs, values, fallbacks)


@pytest.mark.parametrize("index", [[5], [0, -6], [1, 2**62]])
def test_an_index_out_of_bounds_is_an_error(index):
    x, i = at.dmatrix("x"), at.lvector("i")
    made, _ = compiled([x, i], [twice(twice(x)[i])], optimizer=None)
    assert made._run.record.left == 0
    with pytest.raises(IndexError, match="out of bounds"):
        made(np.ones((5, 2)), index)
    with pytest.raises(IndexError, match="out of bounds"):
        made(np.ones((0, 2)), [0])
    assert made(np.ones((0, 2)), np.zeros(0, "int64"))[0].shape == (0, 2)


def test_slopes_of_groups(fallbacks):
    """What a hierarchical model computes, with its gradient."""
    level, x, y = at.dvectors("level", "x", "y")
    group = at.lvector("group")
    cost = at.sum(at.sqr(y - level[group] * x))
    outputs = [cost, grad(cost, level)]
    made, reference = compiled([level, x, y, group], outputs)
    draw = np.random.default_rng(seed_of("groups"))
    values = [draw.normal(size=n) for n in (8, 500, 500)] + [draw.integers(0, 8, 500)]
    compare(made, reference, values, 1e-12)
    assert not fallbacks and made._run.record.left == 0


def test_a_constant_in_another_order_is_laid_out_once(fallbacks):
    m = at.dmatrix("m")
    known = np.arange(12.0).reshape(3, 4).T
    check([m], [twice(m) * known], [values_of("float64", 4, 3)], fallbacks)
