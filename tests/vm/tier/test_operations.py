"""Every op that is compiled, on every dtype, beside the `perform` of its node."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.compile import Mode, function
from relgraph.tensor.elemwise import Elemwise
from relgraph.vm.tier.operations import operations
from relgraph.vm.tier.scalar_code import MEMORY, NATIVE
from relgraph.vm.tier.segments import Segment
from tests.seeds import seed_of
from tests.vm.tier.conftest import REFERENCE, compare, compiled, needs_compiler

pytestmark = needs_compiler

EDGES = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 1e-300, 1e30, np.inf, -np.inf, np.nan, 7.25],
    "i": [0, 1, -1, 2, -7, 100, -128, 127, 5, 0, 3, -2, 64],
    "u": [0, 1, 255, 2, 7, 100, 128, 127, 5, 0, 3, 200, 64],
    "b": [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1],
}
# int16 and int32 are as int8 and int64 are
DTYPES = [d for d in MEMORY if ("16" not in d and "32" not in d) or d == "float32"]

OPS = [kind() for kind in NATIVE if kind is not scalar.Cast] + [
    *(scalar.exp, scalar.log, scalar.log1p, scalar.expm1, scalar.sin, scalar.tanh, scalar.sign),
    *(scalar.int_div, scalar.mod, scalar.arctan2, scalar.hypot, scalar.sigmoid, scalar.erf),
    *(scalar.softplus, scalar.round, scalar.length, scalar.logaddexp),
]


COUNT = 75


def edges(dtype, count=COUNT):
    with np.errstate(all="ignore"):
        return np.resize(np.array(EDGES[np.dtype(dtype).kind]), count).astype(dtype)


def vector(dtype):
    # of one length, so that all ops share loops, which are compiled sooner
    return at.TensorType(dtype, (COUNT,))()


def operands(op, dtype):
    """Return the values for an op: each edge meets each other one."""
    n = {-1: 2}.get(op.nin, op.nin)
    x = edges(dtype)
    return [np.roll(x, 5 * k) if k else x for k in range(n)]


def nodes_of(dtype):
    """Return the ops that are defined on a dtype, each applied to variables, and their values."""
    found = []
    for op in OPS:
        values = operands(op, dtype)
        try:
            node = Elemwise(op).make_node(*[vector(v.dtype.name) for v in values])
        except TypeError:
            continue
        if node.outputs[0].type.dtype in MEMORY:
            found.append((node, values))
    return found


@pytest.fixture(autouse=True)
def nothing_falls_back(monkeypatch):
    def fail(*args):
        raise AssertionError("compiled code did not take the values")

    monkeypatch.setattr(Segment, "perform", fail)


def graph_of(dtype, exact, number=False):
    """Return the ops on a dtype that are compiled, variables, outputs, and values of the variables.

    Parameters
    ----------
    exact
        Whether only those are that give the bits of NumPy.
    number
        Whether the ops are applied to numbers, and not to vectors.
    """
    pairs = [pair for pair in nodes_of(dtype) if operations(pair[0], exact)]
    ops = [node.op for node, _ in pairs]
    if number:
        of_node = [[at.scalar(dtype=v.dtype.name) for v in values] for _, values in pairs]
        values = [np.array(v[3]) for _, given in pairs for v in given]
    else:
        of_node = [node.inputs for node, _ in pairs]
        values = [v for _, given in pairs for v in given]
    outputs = [op(*inputs) for op, inputs in zip(ops, of_node, strict=True)]
    return ops, [v for inputs in of_node for v in inputs], outputs, values


# the query has laws that round, and nothing that could change these nodes
ROUNDING = Mode(optimizer="fast_run", tier="compiled").excluding("fast_run", "stabilization")


@pytest.mark.parametrize(
    ("dtype", "number"),
    [*((d, False) for d in DTYPES), *((d, True) for d in ("float32", "float64", "int64", "bool"))],
)
def test_ops_give_the_bits_of_numpy(dtype, number):
    ops, inputs, outputs, values = graph_of(dtype, True, number)
    assert len(ops) >= 10
    made, reference = compiled(inputs, outputs, None)
    assert not made._run.record.left
    for op, found, wanted in zip(ops, made(*values), reference(*values), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted, err_msg=str(op), strict=True)
        if found.dtype.kind == "f":
            signs = [np.where(np.isnan(v), 0, np.copysign(1, v)) for v in (found, wanted)]
            np.testing.assert_array_equal(*signs, err_msg=str(op))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "int64", "uint64", "bool"])
def test_ops_that_round_otherwise_in_exact_modes_are_compiled_in_others(dtype):
    ops, inputs, outputs, values = graph_of(dtype, False)
    assert {"maximum", "minimum", "clip"} <= set(map(str, ops))
    reference = function(inputs, outputs, mode=REFERENCE)(*values)
    made = function(inputs, outputs, mode=ROUNDING)
    for found, wanted in zip(made(*values), reference, strict=True):
        rtol = 4 * np.finfo(wanted.dtype).eps if wanted.dtype.kind == "f" else 0
        np.testing.assert_allclose(found, wanted, rtol, 0)


@pytest.mark.parametrize("old", MEMORY)
def test_conversions(old):
    x = at.vector("x", dtype=old)
    targets = [d for d in MEMORY if d != old]
    if np.dtype(old).kind == "f":
        # what a float that is too large becomes is left to NumPy
        targets = [d for d in targets if np.dtype(d).kind in "fb"]
    compare(*compiled([x], [at.cast(x, d) for d in targets], None), [edges(old)], 0)


@pytest.mark.parametrize("exponent", [1, 2, 0.5, -1, 3, 4, 7, 8, 9, -2.5, 0])
def test_powers_to_a_number(exponent):
    x = vector("float64")
    values = edges("float64")
    outputs = [x**exponent, 1 + x**exponent]
    made, reference = compiled([x], outputs, None)
    compare(made, reference, [values], 0)
    found = function([x], outputs, mode=ROUNDING)(values)
    np.testing.assert_array_max_ulp(*_without_nan(found, reference(values)))


def _without_nan(found, wanted):
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    return np.nan_to_num(found), np.nan_to_num(wanted), 4


def test_hypot():
    """It is computed eight at a time, and by NumPy where squares leave the range of floats."""
    x, y = vector("float64"), vector("float64")
    # a length of two numbers is written as one
    made, reference = compiled([x, y], [at.hypot(x, y), at.hypot(x, 3.0)])
    drawn = np.random.default_rng(seed_of("hypot")).normal(size=(2, COUNT))
    edge = [edges("float64"), np.roll(edges("float64"), 5)]
    for values in (drawn, drawn * 1e160, drawn * 1e-170, 0 * drawn, edge):
        np.testing.assert_array_max_ulp(*_without_nan(made(*values), reference(*values)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("op", [at.logaddexp, at.length], ids=str)
def test_sums_of_any_number_of_terms(op, dtype):
    xs = [vector(dtype) for _ in range(5)]
    made, reference = compiled(xs, [op(*xs)])
    assert made._run.record.left == 0
    draw = np.random.default_rng(seed_of("sums")).normal(size=(5, COUNT))
    edge = [np.roll(edges(dtype), 5 * k) for k in range(5)]
    apart = draw + np.arange(-100, 150, 50)[:, None]
    for values in (draw, 100 * draw, apart, 0 * draw, edge):
        given = [np.asarray(v, dtype) for v in values]
        (found,), (wanted,) = made(*given), reference(*given)
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(found[~finite], wanted[~finite])
        eps, least = np.finfo(dtype).eps, 0 if op is at.length else 1
        size = np.maximum(np.abs(wanted[finite]), least)
        assert np.all(np.abs(found[finite] - wanted[finite]) <= 8 * eps * size)


def test_what_is_not_compiled_is_left_to_numpy():
    z, h, i = at.zvector("z"), at.vector("h", dtype="float16"), at.lvector("i")
    x, y = at.dvector("x"), at.dvector("y")
    outputs = [z * z + z, h * h + h, at.cast(x, "int32"), x**y, i**2, i // (i - i), x * y + x]
    made, reference = compiled([z, h, i, x, y], outputs, None)
    assert made._run.record.left > 0
    values = [
        *(np.array([1 + 2j, 3]), np.array([1.5, 2], "float16"), np.array([3, -4])),
        *(np.array([0.5, -1.5]), np.array([2.0, 0.5])),
    ]
    compare(made, reference, values, 0)


@pytest.mark.parametrize("least", [0.0, 1e-8, 1.0, 30.0, 1e3, 1e4, 1e6, 1e15])
def test_sine_and_cosine(least):
    """They are computed eight at a time up to some size, and by NumPy beyond it."""
    x = vector("float64")
    made, _ = compiled([x], [at.sin(x), at.cos(x), at.sigmoid(x)])
    quarters = np.arange(COUNT) * (np.pi / 2)
    drawn = np.random.default_rng(seed_of("sine")).uniform(-2, 2, COUNT)
    for values in (least * drawn, least + quarters, np.where(drawn > 1, -np.inf, least * drawn)):
        with np.errstate(all="ignore"):
            # of a large number 1 / (1 + exp(-x)) underflows too early
            sigmoid = np.where(values < -40, np.exp(values), 1 / (1 + np.exp(-values)))
            wanted = np.sin(values), np.cos(values), sigmoid
        for found, expected in zip(made(values), wanted, strict=True):
            np.testing.assert_array_max_ulp(*np.nan_to_num([found, expected]), maxulp=4)
            np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    signs = np.copysign(1, made(np.full(COUNT, -0.0))[0])
    assert set(signs) == {-1}
