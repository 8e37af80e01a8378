"""Fusion: what is fused, what is not, and that the values and their layout stay what they were."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from relgraph import config, function, ifelse
from relgraph import tensor as at
from relgraph.compile import optimize_graph
from relgraph.compile.mode import get_mode
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations
from relgraph.passes.fusion import FuseElemwise
from relgraph.scalar.composite import Composite
from relgraph.tensor import memory
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.reductions import FusedReduction
from relgraph.vm.schedule import schedule
from tests.arrays import LAYOUTS
from tests.vm.ways import always_take

MOVED = ("rows", "columns", "with gaps", "rows left out", "backward", "repeated", "axes across")
BLOCK = 4096
LENGTHS = [0, 1, 3, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Arrays of more than the shortest block are computed block by block, on two threads."""
    monkeypatch.setattr(memory, "WHOLE_BYTES", 0)
    monkeypatch.setattr(memory, "BLOCK_BYTES", 0)
    always_take(monkeypatch, -1)
    with config.change_flags(threads=2):
        yield


def fused(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> FunctionGraph:
    """Return the graph after fusion."""
    fgraph = FunctionGraph(inputs, outputs)
    FuseElemwise().apply(fgraph)
    fgraph.check_integrity()
    fgraph.toposort()
    return fgraph


def ops(fgraph: FunctionGraph) -> list[str]:
    """Return what the nodes are: how many ops a Composite fuses, or the name of another op."""
    return sorted(
        str(len(composite(node.op).nodes)) if composite(node.op) is not None else str(node.op)
        for node in fgraph.apply_nodes
    )


def composite(op: Any) -> Any:
    elemwise = op.elemwise if isinstance(op, FusedReduction) else op
    scalar_op = getattr(elemwise, "scalar_op", None)
    return scalar_op if isinstance(scalar_op, Composite) else None


def assert_same(found: Any, expected: Any) -> None:
    """Assert that arrays have the same dtype, shape, bits and order of axes in memory."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()
    if found.size > 1:
        axes = [i for i, n in enumerate(found.shape) if n > 1]
        assert [found.strides[i] for i in axes] == [expected.strides[i] for i in axes]


def check(inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]) -> None:
    """Assert that the fused graph gives what the graph gives, by `perform` and in a program."""
    fgraph = fused(inputs, outputs)
    assert any(composite(node.op) is not None for node in fgraph.apply_nodes)
    kept = [np.array(x) for x in values]
    expected = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    by_perform = evaluate(fgraph.outputs, dict(zip(fgraph.inputs, values, strict=True)))
    run = function(fgraph.inputs, fgraph.outputs, mode=get_mode("None"), on_unused_input="ignore")
    for found in (by_perform, run(*values)):
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)
    for before, after in zip(kept, values, strict=True):
        assert before.tobytes() == np.array(after).tobytes()


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    x = rng.normal(size=shape) * 3
    if kind == "c":
        return (x + 1j * rng.normal(size=shape)).astype(dtype)
    x.flat[:4] = [np.nan, np.inf, -np.inf, -0.0][: x.size]
    return x.astype(dtype)


def formula(x: Any, y: Any) -> list[Any]:
    """Return several outputs, some of which read others, with casts, comparisons and choices."""
    if x.type.dtype == "bool":
        return [at.or_(at.and_(x, y), at.invert(x))]
    product = x * y
    total = product + x + y
    if x.type.dtype.startswith("complex"):
        return [product, at.exp(-total) * product * total, at.abs(total) + 1]
    bigger = at.gt(x, y)
    chosen = at.switch(bigger, at.tanh(x) * 2, total)
    return [total, bigger, chosen, at.cast(at.clip(x, -5, 5), "int32") + 1]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    "dtypes",
    [
        *["float64 float64", "float32 float64", "float32 float32", "int64 float64", "int8 int32"],
        *["float16 float32", "complex128 complex128", "complex64 float32", "bool bool"],
    ],
)
def test_dtypes_and_lengths(dtypes: str, length: int) -> None:
    x, y = (at.vector(name, dtype) for name, dtype in zip("xy", dtypes.split(), strict=True))
    values = [numbers((length,), v.type.dtype, i) for i, v in enumerate((x, y))]
    check([x, y], formula(x, y), values)


@pytest.mark.parametrize("shape", [(9000,), (3, 5000), (130, 70), (5, 41, 53), (2, 3, 9001)])
@pytest.mark.parametrize(("first", "second"), list(itertools.product(MOVED, repeat=2)))
def test_layouts(shape: tuple[int, ...], first: str, second: str) -> None:
    x, y = (at.tensor("float64", (None,) * len(shape), name) for name in "xy")
    values = [
        LAYOUTS[layout](numbers(shape, "float64", i)) for i, layout in enumerate((first, second))
    ]
    check([x, y], [at.tanh(x * y) + x, at.exp(x) - y], values)


@pytest.mark.parametrize(
    ("patterns", "lengths"),
    [
        ([(0, 0), (0, 1), (1, 0)], (200, 90)),
        ([(0, 0), (1, 0), (1, 1)], (3, 10000)),
        ([(0, 1), (1, 0), (1, 1)], (300, 70)),
        ([(0, 0, 0), (0, 1, 0), (1, 1, 0)], (7, 60, 50)),
        ([(1, 0, 0), (0, 1, 1), (0, 0, 0)], (3, 2, 9000)),
        ([(0, 0, 1), (0, 1, 1), (1, 0, 1)], (120, 130, 1)),
    ],
)
def test_broadcasting(patterns: list[tuple[int, ...]], lengths: tuple[int, ...]) -> None:
    inputs = [at.tensor("float64", [1 if b else None for b in p]) for p in patterns]
    values = [
        numbers(tuple(1 if b else n for b, n in zip(p, lengths, strict=True)), "float64", i)
        for i, p in enumerate(patterns)
    ]
    x, y, z = inputs
    check(inputs, [at.exp(x * y + z) * z - at.tanh(x + y), (x + z) * (y - z) + 1.5], values)


def test_sums_of_several_terms_that_do_not_broadcast_alike() -> None:
    x, y = at.col("x"), at.row("y")
    A = at.dmatrix("A")
    values = [numbers(s, "float64", i) for i, s in enumerate([(100, 1), (1, 90), (100, 90)])]
    check([x, y, A], [at.sqr(at.add(x, y, A, x)) * 2.0], values)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64"])
def test_reductions_have_the_same_bits(dtype: str, length: int) -> None:
    x, y = at.vector("x", dtype), at.vector("y", dtype)
    values = [numbers((length,), dtype, i) for i in range(2)]
    values = [np.nan_to_num(v, posinf=1, neginf=1) for v in values]
    z = x * y + x
    outputs = [at.sum(z), z * 2, at.any(at.gt(z, y)), at.all(at.lt(z, y))]
    if length:
        outputs += [at.max(z), at.min(z)]
    fgraph = fused([x, y], outputs)
    assert [type(node.op) for node in fgraph.apply_nodes] == [FusedReduction]
    check([x, y], outputs, values)


@pytest.mark.parametrize(
    "layouts", list(itertools.product(["rows", "columns", "backward"], repeat=2))
)
def test_reductions_of_matrices(layouts: tuple[str, str]) -> None:
    A, B, v = at.dmatrix("A"), at.dmatrix("B"), at.dvector("v")
    first, second = (
        np.nan_to_num(LAYOUTS[layout](numbers((150, 90), "float64", i)), posinf=1, neginf=1)
        for i, layout in enumerate(layouts)
    )
    check(
        [A, B],
        [at.sum(at.tanh(A * B)), at.max(A * B), at.prod(1 + A * B / 1e6)][:2],
        [first, second],
    )
    bias = numbers((90,), "float64", 3)
    fgraph = fused([A, v], [at.sum(at.tanh(A + v))])
    (found,) = evaluate(fgraph.outputs, dict(zip(fgraph.inputs, [first, bias], strict=True)))
    np.testing.assert_allclose(found, np.sum(np.tanh(first + bias)), rtol=1e-12)


def test_what_has_no_extreme_raises() -> None:
    x = at.dvector("x")
    f = function([x], at.max(x * x + 1), mode="fast_run")
    assert f([1.0, 2.0]) == 5
    with pytest.raises(ValueError, match="no extreme"):
        f(np.empty(0))
    c, r = at.col("c"), at.row("r")
    f = function([c, r], at.max(at.tanh(c * r)), mode="fast_run")
    assert f([[2.0]], [[0.0, -1.0]]) == 0
    with pytest.raises(ValueError, match="no extreme"):
        f(np.ones((3, 1)), np.ones((1, 0)))


def test_shapes_that_do_not_fit_raise_as_before() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    f = function([x, y], at.tanh(x * y) + x, mode="fast_run")
    with pytest.raises(ValueError, match=r"axis 0 of input .* has length"):
        f(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="only an axis whose length is known to be 1") as caught:
        f(np.ones(3), np.ones(1))
    assert "while computing this node" in str(caught.value.__notes__)


# What is fused


A, B, x, y = at.dmatrix("A"), at.dmatrix("B"), at.dvector("x"), at.dvector("y")
P, Q = at.exp(A), x * y
R = Q + x
FUSED: dict[str, tuple[list[Variable], list[Variable], list[str]]] = {
    "a diamond": ([A], [at.tanh(P) * at.sqr(P)], ["4"]),
    # exp and mul can't be one node: the product of matrices reads one and is read by the other
    "a way outside": ([A], [at.tanh(P) * at.dot(P, P)], ["2", "dot", "mul"]),
    "what is needed late": ([A, B], [P * 2.0 + at.tanh(at.dot(B, B))], ["4", "dot"]),
    "several results": (
        [x, y],
        [Q, R, at.exp(R), at.cumsum(Q)],
        ["3", "cumsum{axis=0}"],
    ),
}
"""Inputs, outputs, and what the nodes are after fusion."""


@pytest.mark.parametrize("name", FUSED)
def test_what_is_fused(name: str) -> None:
    inputs, outputs, expected = FUSED[name]
    assert ops(fused(inputs, outputs)) == expected
    values = [numbers((9,) * v.type.ndim, "float64", i) for i, v in enumerate(inputs)]
    check(inputs, outputs, [np.nan_to_num(v, posinf=1, neginf=1) for v in values])


@pytest.mark.parametrize(
    "make",
    [
        lambda: at.tanh(at.dvector("x")),  # one op
        lambda: at.exp(at.tanh(at.dscalar("x"))),  # numbers
        lambda: at.exp(at.tanh(at.tensor("float64", (10, 20), "x"))),  # a small array
        lambda: at.lvector("x") * 2 + 1,  # indices
        lambda: at.tanh(at.row("x")) + at.dmatrix("y"),  # of another shape
    ],
)
def test_what_is_left_alone(make: Callable[[], Any]) -> None:
    out = make()
    fgraph = FunctionGraph(outputs=[out])
    before = set(fgraph.apply_nodes)
    FuseElemwise().apply(fgraph)
    assert set(fgraph.apply_nodes) == before


def test_numbers_are_written_into_the_op() -> None:
    x, A = at.dvector("x"), at.dmatrix("A")
    (node,) = fused([x], [at.exp(x * 2.0) + 1.0]).apply_nodes
    assert str(node.op) == "Composite{add(exp(mul(i0, 2.0)), 1.0)}"
    assert len(node.inputs) == 1
    # the same formula elsewhere is the same op
    (other,) = fused([A], [at.exp(A * 2.0) + 1.0]).apply_nodes
    assert other.op is node.op


def test_a_fused_node_is_named_by_what_it_computes() -> None:
    x = at.dvector("x")
    (out,) = fused([x], [at.sum(at.exp(x) * 2.0)]).outputs
    assert str(out.owner.op) == "Fused{sum(mul(exp(i0), 2.0))}"
    long = x
    for _ in range(30):
        long = at.tanh(long * 2.0)
    (out, _) = fused([x], [at.max(long), long]).outputs
    assert str(out.owner.op) == "Fused{30 mul, 30 tanh, max}"


def test_fusing_twice_changes_nothing() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    fgraph = fused([x, y], [at.sum(at.tanh(x * y) + x), at.cumsum(at.exp(x) * y) * x + y])
    nodes = set(fgraph.apply_nodes)
    FuseElemwise().apply(fgraph)
    assert set(fgraph.apply_nodes) == nodes


def test_what_waits_for_a_branch_is_not_fused_with_what_does_not() -> None:
    c, x, y = at.bscalar("c"), at.dvector("x"), at.dvector("y")
    both = at.exp(x * y) + x
    then, other = at.tanh(both) * y, at.sin(both * 2) + y
    fgraph = fused([c, x, y], [ifelse(c, then, other), both - 1])
    (choice,) = [node for node in fgraph.apply_nodes if isinstance(node.op, IfElse)]
    assert ops(fgraph) == ["2", "3", "4", "ifelse"]
    for branch in schedule(fgraph).branches[choice]:
        assert len(branch.plan.nodes) == 1
    nested = ifelse(c, at.exp(ifelse(c > 1, at.exp(x * 2), x - y) * 2), at.tanh(x) + 1)
    assert len(fused([c, x, y], [nested]).apply_nodes) == 7


def test_a_branch_that_is_not_taken_is_not_run() -> None:
    c, x = at.bscalar("c"), at.dvector("x")
    shared = x * 2
    f = function([c, x], [ifelse(c, at.exp(shared) + x[:3], shared), shared - 1], mode="o4")
    np.testing.assert_array_equal(f(0, np.ones(5))[0], np.full(5, 2.0))
    with pytest.raises(ValueError, match="axis 0"):
        f(1, np.ones(5))


@pytest.mark.parametrize(
    "write",
    [
        lambda op, A, B, s: op(A, at.second(B, s)),
        lambda op, A, B, s: op(A, B).T,
        lambda op, A, B, s: op(A, B)[2],
    ],
)
def test_laws_about_any_elementwise_op_leave_what_is_fused_alone(write: Callable[..., Any]) -> None:
    A, B, s = at.dmatrix("A"), at.dmatrix("B"), at.dscalar("s")
    (node,) = fused([A, B], [at.exp(A * B) + B]).apply_nodes
    for op, expected in ((node.op, True), (Elemwise(node.op.scalar_op), False)):
        out = write(op, A, B, s)
        fgraph = FunctionGraph([A, B, s], [out], clone=False)
        again = optimize_graph(fgraph, include=["canonicalize"], clone=True)
        assert equal_computations(again.outputs, [out], again.inputs, fgraph.inputs) is expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("o1", False), ("o2", True), ("o3", True), ("o4", True), ("unsafe", True), ("strict", False)],
)
def test_modes(mode: str, expected: bool) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    f = function([x, y], at.tanh(x * y) + x, mode=mode)
    fuses = any(composite(node.op) is not None for node in f.maker.fgraph.apply_nodes)
    assert fuses is expected


def test_gradients_and_shapes_of_what_is_fused() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    p = x * y
    fgraph = fused([x, y], [at.sum(at.tanh(p)), at.exp(p)])
    (node,) = fgraph.apply_nodes
    values = [np.linspace(-1, 1, 7), np.linspace(0, 2, 7)]
    weights = [at.constant(3.0), at.ones_like(node.inputs[0])]
    grads = node.op.L_op(node.inputs, node.outputs, weights)
    found = evaluate(grads, dict(zip(node.inputs, values, strict=True)))
    slope = 3 * (1 - np.tanh(values[0] * values[1]) ** 2) + np.exp(values[0] * values[1])
    np.testing.assert_allclose(found[0], slope * values[1])
    np.testing.assert_allclose(found[1], slope * values[0])
    shapes = node.op.infer_shape(fgraph, node, [(5,), (5,)])
    assert shapes == [(), (5,)]
