"""Elementwise ops and `DimShuffle`, and their gradients."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import ifelse, scalar
from relgraph.compile import Mode, function
from relgraph.gradient import grad
from relgraph.graph.basic import Constant, ancestors, graph_inputs
from relgraph.graph.reference import evaluate
from relgraph.graph.type import DisconnectedType
from relgraph.scalar.type import DTYPES
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.memory import KeptStorage, new_array, taken_from
from relgraph.vm import VMLinker
from tests.every_op.references import scalar_reference
from tests.tensor.conftest import inputs_like

NAMES = (
    *("neg", "abs", "sign", "sqr", "sqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2"),
    *("log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
    *("arcsinh", "arccosh", "arctanh", "ceil", "floor", "trunc", "round", "isnan", "isinf"),
    *("invert", "conj", "real", "imag", "angle"),
    *("add", "sub", "mul", "true_div", "int_div", "mod", "pow", "arctan2", "maximum", "minimum"),
    *("eq", "neq", "lt", "le", "gt", "ge", "and_", "or_", "xor"),
)

EDGES = {
    "f": [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 3.5, 1e-30, 1e30],
    "c": [complex(np.nan, 0), complex(np.inf, -0.0), 0j, 1 + 2j, -1j, -2.5 + 0j],
    "b": [True, False],
}


def edges(dtype: str) -> np.ndarray[Any, Any]:
    """Return the values of a dtype that go wrong first."""
    kind = np.dtype(dtype).kind
    with np.errstate(all="ignore"):
        if kind in "iu":
            info = np.iinfo(dtype)
            return np.array([0, 1, 2, 7, info.max, info.min, info.max - 1], dtype)
        return np.array(EDGES[kind], dtype)


def run(out: Any, **values: Any) -> np.ndarray[Any, Any]:
    """Return the value of `out`, given those of its inputs by name."""
    inputs = [v for v in graph_inputs([out]) if not isinstance(v, Constant)]
    result = evaluate([out], {v: values[v.name] for v in inputs})[0]
    assert type(result) is np.ndarray
    assert result.dtype == out.type.numpy_dtype
    assert out.type.filter(result, strict=True) is result
    return result


def same(a: Any, b: Any) -> bool:
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and bool(np.all((a == b) | ((a != a) & (b != b))))
        and (a.dtype.kind != "f" or bool(np.all((np.signbit(a) == np.signbit(b)) | (a != a))))
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_ops_do_what_numpy_does(name: str, dtype: str) -> None:
    numpys, make = scalar_reference(name, getattr(scalar, name)), getattr(at, name)
    for other in [None] if getattr(scalar, name).nin == 1 else DTYPES:
        values = [edges(dtype)] if other is None else [edges(dtype)[:, None], edges(other)[None, :]]
        if name == "pow":
            if np.result_type(*values).kind in "iu":
                values[1] = values[1][(values[1] >= 0) & (values[1] <= 7)][None, :]
            # in an array of exponents NumPy computes some powers otherwise
            numpys = lambda x, ys: np.hstack([np.power(x, y) for y in ys.ravel()])  # noqa: E731
        xs = [v.type(name) for v, name in zip(inputs_like(values), "xy", strict=False)]
        try:
            expected = np.asarray(numpys(*values))
        except TypeError:
            with pytest.raises(TypeError, match=rf"^{name} is not defined for input"):
                make(*xs)
            continue
        result = run(make(*xs), **dict(zip("xy", values, strict=False)))
        assert same(result, expected), other
        assert not np.shares_memory(result, values[0])


def test_only_an_axis_known_to_be_1_broadcasts() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    with pytest.raises(ValueError, match=r"axis 0 of input 0 \(x\) has length 1.*specify_shape"):
        run(x + y, x=np.ones(1), y=np.ones(3))
    with pytest.raises(ValueError, match=r"axis 0 of input 0 \(x\) has length 2"):
        run(x + y, x=np.ones(2), y=np.ones(3))
    one = at.tensor("float64", (1,), "x")
    assert run(one + y, x=np.ones(1), y=np.ones(3)).tolist() == [2, 2, 2]
    assert run(one + y, x=np.ones(1), y=np.ones(0)).shape == (0,)


def test_static_shapes() -> None:
    a, b = at.tensor("float64", (None, 1, 3)), at.tensor("float64", (4, None))
    assert at.add(a, b).type.shape == (None, 4, 3)
    with pytest.raises(
        ValueError, match=r"axis 0 of input 0 .* has length 3, axis 0 of input 1 .* has length 4"
    ):
        at.add(at.tensor("float64", (3,)), at.tensor("float64", (4,)))


def test_numbers_are_weak() -> None:
    f, i, b = at.fvector(), at.bvector(), at.tensor("bool", (None,))
    assert (f + 1).type.dtype == (f * 2.5).type.dtype == (1.5 - f).type.dtype == "float32"
    assert (f * 1j).type.dtype == "complex64"
    assert (i + 1).type.dtype == "int8"
    assert (i + 1.5).type.dtype == "float64"
    assert (b + 1).type.dtype == "int64"
    assert (f + np.float64(1)).type.dtype == "float64"
    assert at.switch(f > 0, 1, i).type.dtype == "int8"
    assert at.second(f, 0.0).type.dtype == "float32"
    assert at.add(1, 2.5).type.dtype == "float64"
    with pytest.raises(OverflowError, match="add: input 1 is 300, out of the range of int8"):
        i + 300
    assert run((at.bvector("x") < 300), x=np.array([1, 127], "int8")).all()


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint64", "int64"])
@pytest.mark.parametrize("name", ["true_divide", "arctan2", "hypot", "logaddexp", "less", "equal"])
@pytest.mark.filterwarnings("ignore")
def test_numbers_out_of_range_beside_integers_are_as_numpy_has_them(name: str, dtype: str) -> None:
    values = np.array([1, 2], dtype)
    info = np.iinfo(dtype)
    for number in (int(info.min) - 1, int(info.max) + 1):
        if not -(2**63) <= number < 2**64:
            continue
        for pair in ((values, number), (number, values)):
            wanted = getattr(np, name)(*pair)
            v = at.TensorType(dtype, (None,))("v")
            made = getattr(at, name)(*[v if x is values else x for x in pair])
            found = run(made, v=values)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


def test_numbers_become_constants_of_the_rank() -> None:
    A = at.matrix("A")
    constant = (A * 2).owner.inputs[1]
    assert isinstance(constant, at.TensorConstant)
    assert constant.type == at.TensorType("float64", (1, 1))
    assert constant.unique_value() == 2.0
    padded = (A * at.constant(2.0)).owner.inputs[1]
    assert isinstance(padded, at.TensorConstant)
    assert padded.equals(constant)


def test_n_ary_ops_do_not_depend_on_the_order() -> None:
    x, y, z = at.tensor("uint16", ()), at.tensor("int16", ()), at.fscalar()
    assert at.add(x, y, z).type.dtype == at.add(z, x, y).type.dtype == "float32"
    i, j, f = at.tensor("int8", (), "i"), at.tensor("int8", (), "j"), at.dscalar("f")
    assert run(at.add(i, j, f), i=np.int8(100), j=np.int8(100), f=0.5) == 200.5
    v = at.bvector("v")
    data = np.array([3, 4], "int8")
    result = run(at.add(v), v=data)
    assert result.tolist() == [3, 4]
    assert not np.shares_memory(result, data)


def test_results_of_rank_0_are_arrays() -> None:
    s = at.dscalar("s")
    for out in (s + s, at.second(s, 1.0), at.switch(s > 0, s, 0), at.sigmoid(s), at.round(s)):
        assert run(out, s=2.0).shape == ()


def perform(op: Any, *arrays: Any) -> Any:
    node = op.make_node(*[at.tensor(a.dtype, a.shape) for a in arrays])
    storage = [[None] for _ in node.outputs]
    op.perform(node, arrays, storage)
    return storage[0][0]


@pytest.mark.parametrize("inplace", [0, 1, 2])
@pytest.mark.parametrize("op", [scalar.add, scalar.switch])
def test_inplace(op: Any, inplace: int) -> None:
    def arrays() -> list[Any]:
        return [np.array([[1.0, 0.0], [2.0, 0.5]]) * k for k in (1, 2, 3)]

    ours = Elemwise(op, {0: inplace})
    assert ours is Elemwise(op, ((0, inplace),))
    assert ours is not Elemwise(op)
    assert ours.destroy_map == {0: [inplace]}
    assert str(ours) == f"{op}{{inplace={{0: {inplace}}}}}"
    expected = perform(Elemwise(op), *arrays())
    given_ = arrays()
    result = perform(ours, *given_)
    assert result is given_[inplace]
    assert np.array_equal(result, expected)


def test_ops_are_interned_and_pickled() -> None:
    assert Elemwise(scalar.add) is at.add
    x = at.dvector("x")
    at.add(x, x)
    for op in (at.add, DimShuffle(1, (0, "x")), at.cast(x, "int8").owner.op):
        assert pickle.loads(pickle.dumps(op)) is op


def test_op_attributes() -> None:
    assert at.add.commutative and at.add.associative
    assert at.eq.commutative and not at.eq.associative
    assert not at.sub.commutative
    assert at.lt.converts and at.cast(at.dvector(), "int8").owner.op.converts
    assert at.second.repeats == 1
    assert DimShuffle(1, ("x", 0)).repeats == 0
    assert str(at.and_) == "and_"
    assert str(at.cast(at.dvector(), "int8").owner.op) == "cast{int8}"


# Gradients at the edges; those of all ops: tests/every_op/test_gradients.py


def gradients(out: Any, g: Any = 1.0) -> list[Any]:
    """Return the gradients by the inputs of the node of `out`."""
    node = out.owner
    return node.op.L_op(node.inputs, [out], [at.second(out, g)])


def test_gradients_at_the_edges() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    zero, nan = np.zeros(1), np.full(1, np.nan)
    assert run(gradients(x**2)[0], x=zero) == 0
    assert run(gradients(x**0)[0], x=zero) == 0
    assert run(gradients(x**1)[0], x=zero) == 1
    assert run(gradients(x**3)[0], x=np.full(1, 2.0)) == 12
    by_base, by_exponent = gradients(x**y)
    assert run(by_base, x=zero, y=zero) == 0
    assert run(by_exponent, x=zero, y=np.ones(1)) == 0
    assert run(gradients(abs(x))[0], x=zero) == 0
    assert [run(g, x=zero, y=zero).item() for g in gradients(at.maximum(x, y))] == [0.5, 0.5]
    assert [run(g, x=nan, y=zero).item() for g in gradients(at.minimum(x, y))] == [0, 0]
    assert run(gradients(at.softplus(x))[0], x=np.array([-1e4, 0.0, 1e4])).tolist() == [0, 0.5, 1]
    assert run(gradients(at.sigmoid(x))[0], x=np.array([-1e4, 0.0, 1e4])).tolist() == [0, 0.25, 0]
    clipped = gradients(at.clip(x, y, 1.0))
    assert [run(g, x=zero, y=np.ones(1) * 2).item() for g in clipped[:2]] == [0, 0]


def test_the_sigmoid_uses_its_own_value() -> None:
    out = at.sigmoid(at.dvector("x"))
    (g,) = gradients(out)
    assert out in list(ancestors([g]))


def test_where_no_gradient_flows() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    for out, disconnected in [
        (at.lt(x, y), [False, False]),
        (at.switch(x, y, 1.0), [False, False, False]),
        (at.second(x, y), [True, False]),
        (at.add(at.lvector(), 1), [False, False]),
        (at.cast(x, "int8"), [False]),
    ]:
        grads = gradients(out)
        assert [isinstance(g.type, DisconnectedType) for g in grads] == disconnected
        assert out.owner.op.connection_pattern(out.owner) == [[not d] for d in disconnected]
    assert gradients(at.polygamma(1, x))[0] is None


def test_gradients_have_the_dtype_of_the_input() -> None:
    f, d, i = at.fvector(), at.dvector(), at.lvector()
    assert [g.type.dtype for g in gradients(f * d)] == ["float32", "float64"]
    assert gradients(at.exp(i))[0].type.dtype == "float64"
    assert gradients(d * at.zvector())[0].type.dtype == "float64"
    assert gradients(at.cast(f, "float64"))[0].type.dtype == "float32"


def test_composites() -> None:
    a, b = scalar.float64("a"), scalar.float64("b")
    op = Elemwise(scalar.Composite([a, b], [a * b + 2.0, scalar.exp(a)]))
    A, x = at.dmatrix("A"), at.dvector("x")
    first, second = op(A, x)
    data = {"A": np.arange(6.0).reshape(2, 3), "x": np.arange(3.0)}
    assert np.array_equal(run(first, **data), data["A"] * data["x"] + 2)
    assert np.array_equal(run(second, **data), np.exp(data["A"]))
    node = first.owner
    grads = op.L_op(node.inputs, node.outputs, [at.ones_like(first), at.ones_like(second)])
    assert np.allclose(run(grads[0], **data), data["x"] + np.exp(data["A"]))
    assert np.allclose(run(grads[1], **data), data["A"].sum(0))


# DimShuffle


def test_dimshuffle_counts_axes_from_either_end() -> None:
    assert DimShuffle(2, (-1, 0)) is DimShuffle(2, (1, 0))


def test_what_is_filled_is_laid_out_as_what_is_computed():
    # sums of an array that is laid out otherwise round otherwise
    x, row = at.dmatrix("x"), at.TensorType("float64", (1, None))("row")
    values = {x: np.ones((8, 9)), row: np.ones((1, 9))}
    (filled,) = evaluate([at.second(x, row)], values)
    assert filled.flags.c_contiguous


# The gradient of a branch that is not taken is zero, however steep the branch is.

NAIVE = Mode("py", None)
POINTS = np.array([-1000.0, -1.0, 0.0, 1.0, 1000.0])
BRANCHES = {
    "elu": (lambda x: at.where(x > 0, x, at.exp(x) - 1), [0.0, np.exp(-1.0), 1.0, 1.0, 1.0]),
    "mirrored": (lambda x: at.where(x <= 0, at.exp(x), x), [0.0, np.exp(-1.0), 1.0, 1.0, 1.0]),
    "inside": (
        lambda x: at.where(x > 0, at.sqrt(at.log(at.maximum(x, 0))), 0.0),
        # at 1 the root is steep, and taken
        [0.0, 0.0, 0.0, np.inf, 0.5 / np.sqrt(np.log(1000)) / 1000],
    ),
    "power": (lambda x: at.where(x > 0, 0.0, x**2) * x, [3e6, 3.0, 0.0, 0.0, 0.0]),
    "one in another": (
        lambda x: at.where(x < 5, at.exp(at.where(x > 0, at.sqrt(x), 0.0)), 1.0),
        [0.0, 0.0, 0.0, np.e / 2, 0.0],
    ),
}


@pytest.mark.parametrize("mode", [NAIVE, None], ids=["naive", "fast_run"])
@pytest.mark.parametrize("name", BRANCHES)
def test_what_is_not_taken_has_no_slope(name, mode):
    formula, expected = BRANCHES[name]
    x = at.dvector("x")
    slope = grad(at.sum(formula(x)), x, stabilize=False)
    np.testing.assert_allclose(function([x], slope, mode=mode)(POINTS), expected, rtol=1e-12)


@pytest.mark.parametrize("mode", [NAIVE, None], ids=["naive", "fast_run"])
@pytest.mark.parametrize(
    ("formula", "curved"),
    [
        (lambda x: at.exp(x) / x, np.e),
        (lambda x: at.sqrt(x) * x, 0.75),
        (lambda x: 2 - at.log(x), 1.0),
        (lambda x: at.where(x < 5, 1 / x, 0.0), 2.0),
    ],
)
def test_what_is_not_taken_has_no_curvature(formula, curved, mode):
    x = at.dvector("x")
    slope = grad(at.sum(at.where(x > 0, formula(x), 0.0)), x, stabilize=False)
    curvature = grad(at.sum(slope), x, stabilize=False)
    found = function([x], curvature, mode=mode)([0.0, 1.0])
    np.testing.assert_allclose(found, [0.0, curved], rtol=1e-12)


def test_the_gradient_of_nested_choices_is_linear_in_their_number(monkeypatch):
    made = []
    make_node = Elemwise.make_node
    monkeypatch.setattr(
        Elemwise, "make_node", lambda op, *xs: made.append(op) or make_node(op, *xs)
    )

    def count(depth):
        out = x = at.dvector("x")
        for _ in range(depth):
            out = at.where(out > 0, at.tanh(out), 0.0)
        made.clear()
        grad(at.sum(out), x, stabilize=False)
        return len(made)

    assert count(80) < 2.5 * count(40)


@pytest.mark.parametrize("shape", [(3, 1), (1, 4), (3, 4)], ids=str)
def test_the_condition_may_be_larger_than_what_is_chosen(shape):
    x, c = at.tensor("float64", shape), at.tensor("bool", (3, 4))
    slope = grad(at.sum(at.where(c, at.exp(x), 2.0)), x)
    chosen = np.arange(12).reshape(3, 4) % 3 == 0
    value = np.random.default_rng(0).normal(size=shape)
    full = np.where(chosen, np.exp(value), 0)
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    found = function([x, c], slope, mode=NAIVE)(value, chosen)
    np.testing.assert_allclose(found, full.sum(axis=axes, keepdims=True))


def test_a_sum_passes_its_gradient_on_as_it_is():
    x, y, c = at.dvector("x"), at.dvector("y"), at.tensor("bool", (None,))
    first, second = grad(at.sum(at.where(c, x + y, 0.0)), [x, y])
    assert first is second


# Memory that is kept is taken again when nobody holds it, and never while somebody does.

x, y = at.dvectors("x", "y")
MATRIX = at.dmatrix("m")


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def keeping() -> tuple[VMLinker, KeptStorage]:
    linker = VMLinker(allow_gc=False)
    linker.storage = KeptStorage(least_bytes=1)
    return linker, linker.storage


def test_an_array_is_taken_again_when_it_is_dropped() -> None:
    storage = KeptStorage(least_bytes=1)
    first = storage.empty((4, 5), "float64")
    where = address(first)
    part = first[1:, ::2].T
    del first
    held = storage.empty((4, 5), "float64")
    assert address(held) != where, "a view of it is held"
    del part
    assert address(storage.empty((5, 4), "int64")) == where
    assert storage.nbytes == 2 * 160


def test_what_is_large_enough_serves_a_smaller_one_but_not_one_half_as_large() -> None:
    storage = KeptStorage(least_bytes=1)
    where = address(storage.empty((100,), "float64"))
    assert address(storage.empty((50,), "float64")) == where
    assert address(storage.empty((49,), "float64")) != where


def test_small_arrays_are_new() -> None:
    storage = KeptStorage()
    assert storage.empty((1000,), "float64").flags.owndata
    assert storage.nbytes == 0


def test_memory_that_is_not_taken_any_more_is_given_back() -> None:
    storage = KeptStorage(least_bytes=1)
    for size in (2**19, 2**17, 2**15):
        storage.empty((size,), "uint8")
    for _ in range(40):
        held = [storage.empty((1000,), "uint8") for _ in range(2)]
    del held
    storage.empty((3,), "uint8")
    assert storage.nbytes < 5000
    storage.free()
    assert storage.nbytes == 0


def test_arrays_are_taken_from_a_storage_within_its_context_only() -> None:
    storage = KeptStorage(least_bytes=1)
    with taken_from(storage):
        assert not new_array((3,), "int8").flags.owndata
    assert new_array((3,), "int8").flags.owndata


# A single op, a fold, a fused chain with two outputs, broadcasting, another dtype, a lazy branch.
PROGRAMS = [
    [x * y],
    [x + y + 1.5 * x],
    [at.exp(x), at.exp(x) * y],
    [(((x * x + y) * x - y) * 0.5 + x * y - 3 * x)],
    [MATRIX + x, MATRIX.T * 2 + MATRIX.T],
    [at.eq(x, y), at.cast(x, "float32") + 1],
    [ifelse(at.gt(at.sum(x), 0), x * y, x - y)],
]


@pytest.mark.parametrize("outputs", PROGRAMS, ids=str)
@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_results_are_those_of_new_arrays_and_stay_the_caller_s(
    outputs: list[Any], optimizer: str | None
) -> None:
    linker, _ = keeping()
    made: Any = function([x, y, MATRIX], outputs, Mode(linker, optimizer), on_unused_input="ignore")
    plain: Any = function([x, y, MATRIX], outputs, Mode("vm", optimizer), on_unused_input="ignore")
    held = []
    for n in (3, 7, 7, 7, 0, 1, 3):
        rng = np.random.default_rng(n)
        values = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, n))
        expected = plain(*values)
        found = made(*values)
        held.append((found, expected))
        made(*values)  # what nobody holds
    for found, expected in held:
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype and np.array_equal(a, b)


def test_a_second_call_takes_no_new_memory() -> None:
    linker, storage = keeping()
    f: Any = function([x, y], [x * y, x - y], Mode(linker, None))
    values = np.ones(100), np.ones(100)
    f(*values)
    kept = storage.nbytes
    assert kept == 1600
    for _ in range(5):
        f(*values)
    assert storage.nbytes == kept
    linker.free()
    assert storage.nbytes == 0


def test_several_threads_may_call() -> None:
    linker, _ = keeping()
    f: Any = function([x], [at.exp(x) + x, at.exp(x)], Mode(linker, None))

    def right(k: int) -> bool:
        value = np.full(5000, float(k))
        a, b = f(value)
        return bool(np.all(b == b[0]) and np.allclose(b[0], np.exp(k)) and np.all(a == b + k))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(right, [k % 7 for k in range(400)]))


def test_a_linker_is_pickled_without_what_it_keeps() -> None:
    linker, storage = keeping()
    storage.empty((1000,), "float64")
    loaded = pickle.loads(pickle.dumps(linker))
    assert loaded.storage.nbytes == 0 and loaded.storage.empty((2,), "int8") is not None
    assert VMLinker().storage is None
    VMLinker().free()
