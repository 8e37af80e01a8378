"""The lines of programs for each op: values, bits, lengths that do not fit, and layouts."""

from __future__ import annotations

import itertools
from functools import reduce

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.passes.fusion import FuseElemwise
from relgraph.tensor.elemwise import Elemwise, FusedElemwise
from relgraph.tensor.linalg.blas import Gemm, GemvAdd, Ger, _dot22, _gemv
from relgraph.tensor.reductions import FusedReduction
from relgraph.tensor.shapes import Shape_i
from relgraph.vm import LINKERS
from relgraph.vm.lines import LINES
from tests.arrays import LAYOUTS, assert_close
from tests.seeds import sampled

x, y, s, t = at.dvector("x"), at.dvector("y"), at.dscalar("s"), at.dscalar("t")
A, B, f, k, n = at.dmatrix("A"), at.dmatrix("B"), at.fscalar("f"), at.lscalar("k"), at.lvector("n")
row, column = at.row("row"), at.col("column")
z, zs = at.zvector("z"), at.zscalar("zs")

difference = A - B

VALUES = {
    x: [1.5, -2.0, np.nan], y: [0.1, np.inf, -0.0], s: 0.7, t: -0.0, f: 0.3, k: 2, n: [3, 0, 7],
    A: [[1.0, 2.0, -3.0], [0.5, 1e300, 1e-300], [7.0, -8.0, 9.0]],
    B: [[0.3, 0.1, 0.7], [1.0, -1.0, 0.2], [0.0, 2.0, 5.0]],
    row: [[1.0, 2.0, 3.0]], column: [[0.1], [0.2], [0.3]],
    z: [1 + 2j, -3j, 0.5], zs: 1.1 - 0.3j,
}  # fmt: skip

gemm, gemv_add, ger = Gemm(), GemvAdd(), Ger()


def fused(*outputs):
    """Return outputs of a graph after fusion."""
    fgraph = FunctionGraph(outputs=list(outputs), clone=False)
    FuseElemwise().apply(fgraph)
    assert all(type(v.owner.op) in (FusedElemwise, FusedReduction) for v in fgraph.outputs)
    return list(fgraph.outputs)


GRAPHS = {
    "floats": [s + t, s - t * s, -s, s / t, t / s, s**2, at.exp(s * 1000), at.maximum(s, t)],
    "floats and arrays": [s * x, at.exp(s) + x, at.sum(x) * s, (s * s).dimshuffle("x") + x],
    "float32": [f * 3, -f, f / 0, at.exp(f), f + s],
    "integers": [k * k, k / 0, k // 2, k % 3, n * n + k, n / n, -n, at.sum(n), abs(n - 5)],
    "complex": [z * z, zs * zs + 1, z + zs, at.exp(z), z * z * z],
    "predicates": [s > t, x > y, at.eq(k, 2), at.isnan(x), at.and_(x > 0, y > 0)],
    "folds": [x + y + x, at.add(x, y, x, y), at.mul(x, row, A), at.add(row, column, A, x)],
    "folds of what is dead": [
        at.add(at.exp(x), y, x), at.add(x, at.exp(y), y, x), at.add(x, y, at.exp(x)),
        at.mul(at.exp(x), at.exp(x), y), at.add(at.exp(row), at.exp(column), at.exp(A)),
    ],
    "broadcasting": [A * row + column, row * column, A + x, (A * x) + (A * y), A / column],
    "products": [at.dot(x, y), at.dot(A, x), at.dot(x, A), at.dot(A, B), at.dot(A.T, B[::-1])],
    "blas": [_dot22(A, B), _gemv(A, x), _gemv(y, B.T), at.tanh(_gemv(A, x)) + y],
    "products that are added": [
        gemm(A, s, A, B, t), gemm(at.exp(A), 2.0, B, A, 0.0), gemm(A + B, -1.0, A, A.T, s * t),
        gemm(at.exp(B), 1.0, A, B[::-1], 1.0) * 2, gemv_add(x, s, A, y, 1.0),
        gemv_add(x * x, 0.5, A.T, y, 0.0), ger(A, s, x, y), ger(at.exp(A), -1.0, y, y) + A,
        gemm(z[:2].dimshuffle("x", 0), zs, z.dimshuffle("x", 0), at.zeros((3, 2)) * zs, zs * 2),
    ],
    "matrices": [
        at.linalg.solve(B, x), at.linalg.solve(B, y * 0 + 1), at.linalg.solve(B, A) + 1,
        at.linalg.solve(B, B.T), at.linalg.solve(B / 0, B), *at.linalg.slogdet(B),
        *at.linalg.slogdet(B / 0), *at.linalg.slogdet(column * row),
        *(
            at.linalg.solve(a, b, lower=lower, assume_a="sym")
            for a, b, lower in [(B, x, True), (B.T, A, False), (B / 0, y, False), (B, B.T, True)]
        ),
        *(
            at.linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit) + 1
            for a, b, lower, unit in [
                (B, x, True, False), (B.T, A, False, False), (B, A.T, True, True),
                (B / 0, y, False, False), (B, z.real, False, True),
            ]
        ),
    ],
    "reductions": [
        at.sum(A), at.sum(A, axis=0), at.sum(A.T, axis=1), at.max(A, axis=1), at.prod(x), at.all(n),
        at.sum(n.dimshuffle("x", 0), axis=0),
    ],
    "parts": [
        x[0], x[-1], A[1], A[:, 1], A[::2, ::-1], A[k], x[k], A[0, k:], x[: k + 1], A[1:][0] + x,
        n[k] + k, A[0] * A[1] + A[2],
    ],
    "changed parts": [
        at.set_subtensor(x[:2], y[1:]), at.inc_subtensor(A[1], x), at.inc_subtensor(A[:, k], y),
        at.set_subtensor(A[::-1, :2], B[:, 1:]), at.inc_subtensor(at.exp(A)[1:], B[:2]) + 1,
        at.set_subtensor(at.set_subtensor((A + B)[0], x)[1], y), at.inc_subtensor(n[:k], n[-2:]),
        at.set_subtensor(x[0], s), at.inc_subtensor(A[:2], row),
        at.set_subtensor(z[1:], zs * z[1:]),
        *(
            change(whole, y)
            for change in (at.set_subtensor, at.inc_subtensor)
            for whole in (A[:], A[...], A[:, :], A[::1, ...])
            for y in (2 * A, A)
        ),
    ],
    "filled": [
        at.second(x, 0.0), at.second(A.T, 2.5), at.second(row, -1.0), at.second(n, 3),
        at.second(x, s), at.second(z, -0.0), at.second(x, y), at.second(s, 1.0),
        at.second(at.exp(A), 0.0) + A,
    ],
    "axes": [
        A.T, A.dimshuffle(1, "x", 0), row.dimshuffle(1), column.dimshuffle(0) * x,
        s.dimshuffle("x"), at.sum(row).dimshuffle(), row[:, :1].sum(axis=0), at.exp(A).T + A,
    ],
    "joins": [at.concatenate([x, y, x]), at.stack([x, y]), at.concatenate([A, B], axis=1) * 2],
    "shapes": [
        A.reshape((9,)), A.reshape((-1, 1)), Shape_i(0)(x) * k, at.stack([s, t]),
        at.stack([k, k + 1]),
        at.specify_shape(x, (3,)) + y, at.specify_shape(A, (None, 3)) * at.specify_shape(x, (3,)),
        at.exp(x).reshape((1, 3)) + at.exp(y).reshape((1, 3)),
    ],
    "fused": [
        *fused(at.exp(x * y) + x, at.tanh(x) - y), *fused(at.add(x, y * y, x, at.exp(y))),
        *fused(at.exp(A * B) - at.tanh(A)), *fused(at.exp(at.exp(A * x) * row) + x),
        *fused(at.switch(row < A, A * 2, at.cast(A, "int32")) - B), *fused(at.mul(z, -z) + z * z),
        *fused(at.sum(at.exp(difference) + A), difference), *fused(at.max(x * y + x)),
        *fused(n * n - n + 2 * n),
        *fused(-at.maximum(x, y) * at.exp(y)), *fused(at.abs(z * z) + x, at.exp(z) * x),
    ],
}  # fmt: skip


def inputs_of(outputs):
    read = set(FunctionGraph(outputs=list(outputs), clone=False).inputs)
    return [v for v in VALUES if v in read]


def laid_out(value, layout):
    return LAYOUTS[layout](value) if value.ndim else value


@pytest.mark.parametrize("layout", ["rows", "columns", "backward with gaps"])
@pytest.mark.parametrize("name", GRAPHS)
def test_bits_are_those_of_the_reference(name, layout):
    outputs = GRAPHS[name]
    inputs = inputs_of(outputs)
    values = [laid_out(v.type.filter(VALUES[v]), layout) for v in inputs]
    before = [value.copy() for value in values]
    expected = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    everything = LINKERS["vm"].link(FunctionGraph(inputs, outputs))(*values)
    for i, out in enumerate(outputs):
        (alone,) = LINKERS["vm"].link(FunctionGraph(inputs, [out]))(*values)
        for found in (everything[i], alone):
            np.testing.assert_array_equal(found, expected[i], strict=True)
            np.testing.assert_array_equal(np.signbit(found.real), np.signbit(expected[i].real))
    assert_close(values, before)


def test_each_op_of_the_table_is_inlined_somewhere():
    ops = {
        type(node.op)
        for outputs in GRAPHS.values()
        for node in FunctionGraph(outputs=outputs).apply_nodes
    }
    assert set(LINES) <= ops


MISFITS = [
    ([x, y], x + y, ([1.0], [1.0, 2.0])),
    ([x, y], at.exp(x) + at.exp(y) + x, ([1.0, 2.0, 3.0], [1.0, 2.0])),
    ([A, B], A * B + A, (np.ones((2, 3)), np.ones((3, 2)))),
    ([A, x], A + x, (np.ones((2, 3)), np.ones(1))),
    ([A, B], at.dot(A, B), (np.ones((2, 3)), np.ones((2, 3)))),
    ([A, x], _gemv(A, x), (np.ones((2, 3)), np.ones(2))),
    ([x, y], at.dot(x, y), (np.ones(2), np.ones(3))),
    ([A, B], at.concatenate([A, B], axis=1), (np.ones((2, 3)), np.ones((3, 2)))),
    ([A], at.max(A, axis=0), (np.ones((0, 3)),)),
    (*([x, y], *fused(at.exp(x) * y - x)), ([1.0], [1.0, 2.0])),
    (*([A, x], *fused(at.exp(A * x) - A)), (np.ones((2, 3)), np.ones(1))),
    (*([x], *fused(at.max(at.exp(x) - x))), ([],)),
    ([A, B], gemm(A, 1.0, B, B, 1.0), (np.ones((2, 2)), np.ones((2, 3)))),
    ([A, B], gemm(A, 1.0, B, B.T, 1.0), (np.ones((2, 3)), np.ones((2, 3)))),
    ([A, x, y], ger(A, 1.0, x, y), (np.ones((2, 3)), np.ones(2), np.ones(2))),
    ([A, x, y], gemv_add(x, 1.0, A, y, 1.0), (np.ones((2, 3)), np.ones(3), np.ones(3))),
    ([x], x[5], (np.ones(3),)),
    ([x, k], x[k], (np.ones(3), np.array(-4))),
    ([x], x.reshape((2, 2)), (np.ones(3),)),
    ([x, y], at.specify_shape(x, (3,)) + y, (np.ones(2), np.ones(2))),
]


@pytest.mark.parametrize("case", range(len(MISFITS)))
def test_lengths_that_do_not_fit_are_told_as_by_perform(case):
    inputs, out, given = MISFITS[case]
    values = [v.type.filter(value) for v, value in zip(inputs, given, strict=True)]
    messages = []
    for linker in ("py", "vm"):
        run = LINKERS[linker].link(FunctionGraph(inputs, [out], clone=False))
        with pytest.raises((ValueError, IndexError)) as caught:
            run(*values)
        messages.append((type(caught.value), str(caught.value), caught.value.__notes__))
    assert messages[0] == messages[1]


def test_each_equality_is_checked_once():
    out = x
    for _ in range(10):
        out = at.tanh(out * y) + x
    program = LINKERS["vm"].link(FunctionGraph([x, y], [out]))
    (code,) = program.lines
    checks = [name for name in code.co_names if name.startswith("k_")]
    assert len(checks) == 1
    with pytest.raises(ValueError, match="axis 0"):
        program(np.ones(1), np.ones(2))


@pytest.mark.parametrize("lengths", list(itertools.product((1, 2), repeat=3)))
def test_a_check_holds_for_every_length_at_run_time(lengths):
    """No later line may rely on a check that was not made: all three have to be equal."""
    w = at.dvector("w")
    out = at.exp(x) * at.exp(y) + at.sin(w) * at.exp(y) + x * w
    program = LINKERS["vm"].link(FunctionGraph([x, y, w], [out]))
    values = [np.full(length, 0.5) for length in lengths]
    if len(set(lengths)) == 1:
        assert program(*values)[0].shape == (lengths[0],)
    else:
        with pytest.raises(ValueError, match="axis 0 of input"):
            program(*values)


def test_what_is_overwritten_by_a_fold():
    add_inplace = Elemwise(at.add.scalar_op, {0: 1})
    value = np.array([1.0, 2.0])
    out = add_inplace(y, x, y, y)
    (found,) = LINKERS["vm"].link(FunctionGraph([x, y], [out]))(value, np.array([10.0, 20.0]))
    assert found is value
    np.testing.assert_array_equal(value, [31.0, 62.0])
    out = Elemwise(at.add.scalar_op, {0: 0})(x, y, x)
    value = np.array([1.0, 2.0])
    (found,) = LINKERS["vm"].link(FunctionGraph([x, y], [out]))(value, np.array([10.0, 20.0]))
    assert found is value
    np.testing.assert_array_equal(value, [12.0, 24.0])


def test_a_number_that_may_be_overwritten_is_not():
    inplace = Elemwise(at.mul.scalar_op, {0: 0})(s, t)
    value = np.array(3.0)
    (found,) = LINKERS["vm"].link(FunctionGraph([s, t], [inplace]))(value, np.array(2.0))
    assert (found, value) == (6.0, 3.0)


# Conversions in programs.


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32"])
@pytest.mark.parametrize("wanted", ["int64", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape, layout", [((), "rows"), ((3,), "backward"), ((2, 3), "columns")])
def test_conversions(dtype, wanted, shape, layout):
    value = laid_out(np.resize(np.array([3, 1, 127]).astype(dtype), shape), layout)
    x = at.tensor(dtype, (None,) * value.ndim)
    found, twice = function([x], [at.cast(x, wanted), at.cast(x, wanted) * 2])(value)
    expected = value.astype(wanted)
    assert found.dtype == expected.dtype and not np.shares_memory(found, value)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(twice, expected * 2)


# Sums and products of any number of terms.


def terms_of(x, count):
    return [x * (0.5 + i / count) if i % 3 else at.constant(1.0 + i / count) for i in range(count)]


@pytest.mark.parametrize("count", [50, 51, 100, 202, 2_000])
@pytest.mark.parametrize("op", [at.add, at.mul, at.maximum], ids=str)
@pytest.mark.parametrize("kind", ["dscalar", "dvector", "fscalar"])
def test_any_number_of_terms(op, count, kind):
    x = getattr(at, kind)("x")
    point = np.array(0.75 if "scalar" in kind else [0.5, -1.25, 2.0]).astype(x.type.dtype)
    out = op(*terms_of(x, count))
    f = function([x], [out], mode=Mode("vm", None))
    assert_close(f(point), evaluate([out], {x: point}))


def test_a_hundred_thousand_terms():
    x = at.dscalar("x")
    f = function([x], at.add(*[x] * 100_000), mode=Mode("vm", None))
    assert f(0.5) == 50_000


def test_any_number_of_arguments():
    inputs = [at.dvector(f"x{i}") for i in range(5_000)]
    f = function(inputs, at.add(*inputs), mode=Mode("vm", None))
    assert f(*[np.full(2, float(i)) for i in range(5_000)]).tolist() == [5_000 * 4_999 / 2] * 2


MANY = {
    "concatenate": lambda inputs: at.concatenate(inputs),
    "stack": lambda inputs: at.stack(inputs).sum(axis=1),
    "columns": lambda inputs: at.stack(inputs, axis=1).sum(axis=0),
    "nested sums": lambda inputs: at.add(*[at.exp(at.add(x, x, x)) for x in inputs]),
    "nested calls": lambda inputs: reduce(at.maximum, inputs),
    "one by one": lambda inputs: sum(inputs),
    "conditions": lambda inputs: at.and_(*[x > 0 for x in inputs]),
    "logaddexp": lambda inputs: at.logaddexp(*inputs),
}


@pytest.mark.parametrize("mode", ["fast_run", "strict"])
@pytest.mark.parametrize("name", sampled(MANY, 4, "wide graphs"))
def test_any_number_of_inputs_in_every_mode(name, mode):
    inputs = [at.dvector(f"x{i}") for i in range(1_500)]
    values = [np.array([1.0 + i % 3, 0.5]) for i in range(1_500)]
    out = MANY[name](inputs)
    expected = function(inputs, out, mode=Mode("py", None))(*values)
    np.testing.assert_allclose(function(inputs, out, mode=mode)(*values), expected, rtol=1e-12)


def test_terms_that_do_not_fit_are_named():
    x, y = at.dvector("x"), at.dvector("y")
    f = function([x, y], at.add(*[x] * 200, y), mode=Mode("vm", None))
    with pytest.raises(ValueError, match=r"axis 0 of input 200 \(y\) has length 1"):
        f([1.0, 2.0], [1.0])
