"""Which sums become calls of the BLAS, and that they have the same values."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function, optdb, shared
from relgraph.gradient import grad
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.passes.gemm import GemmOptimizer
from relgraph.tensor.linalg.blas import BlasUpdate, Dot22, Dot22Scalar, Gemm, GemvAdd, Ger
from tests.arrays import assert_close
from tests.families import FAMILIES

rng = np.random.default_rng(0)
A, B, C, D, Z, W = at.dmatrices("A", "B", "C", "D", "Z", "W")
v, w = at.dvectors("v", "w")
s, t = at.dscalars("s", "t")
INPUTS = [A, B, C, D, Z, W, v, w, s, t]
VALUES = [*rng.normal(size=(6, 4, 4)), *rng.normal(size=(2, 4)), 0.7, -1.3]

BLAS = {Dot22, Dot22Scalar, Gemm, GemvAdd, Ger}

MATRICES = {
    "alone": Z + at.dot(A, B),
    "scaled": s * Z + t * at.dot(A, B),
    "by numbers": 2 * Z - 0.5 * at.dot(A, B),
    "by quotients": Z / s - at.dot(A, B) / t,
    "several factors": Z + 2 * (3 * (t * at.dot(A, B))) / 7,
    "transposed factors": Z - at.dot(A.T, B.T),
    "transposed product": s * Z + t * at.dot(A, B).T,
    "transposed Z": at.dot(A, B) - 2 * Z.T,
    "negated": -at.dot(A, B) - Z,
    "the product first": at.dot(A, B) * s + Z,
    "two products": at.dot(A, B) - s * at.dot(C, D),
    "two products and Z": Z + at.dot(A, B) - at.dot(C, D),
    "its own product": Z - at.dot(A, A.T) * s,
    "a sum below": s * Z - (at.dot(A, B) - at.dot(C, D)),
}


def ops(out: Any, mode: Any = "o3", **kwargs: Any) -> list[Any]:
    f = function(INPUTS, out, mode, on_unused_input="ignore", **kwargs)
    return [node.op for node in f.maker.fgraph.toposort()]


def kinds(out: Any, mode: Any = "o3", **kwargs: Any) -> list[type]:
    return [type(op) for op in ops(out, mode, **kwargs)]


def check_values(out: Any) -> None:
    expected = evaluate([out], dict(zip(INPUTS, VALUES, strict=True)))
    for mode in ("o3", "o4", Mode("py", "o4")):
        f = function(INPUTS, [out], mode, on_unused_input="ignore")
        assert_close(f(*VALUES), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", MATRICES)
def test_sums_of_products_are_gemm(name: str) -> None:
    out = MATRICES[name]
    made = kinds(out)
    assert Gemm in made
    assert not {at.add, at.sub} & set(ops(out))
    check_values(out)


@pytest.mark.parametrize("name", MATRICES)
def test_in_every_blas_dtype(name: str) -> None:
    """The same formulas, with everything cast: no factor is lost, none has another dtype."""
    for dtype in ("float32", "complex64", "complex128"):
        inputs = [at.TensorType(dtype, u.type.shape)(u.name) for u in INPUTS]
        values = [np.asarray(value, dtype) for value in VALUES]
        if dtype.startswith("c"):
            values = [value * (1 - 0.5j) for value in values]
        given = dict(zip(INPUTS, inputs, strict=True))
        f, g = (
            function(inputs, _with_inputs(MATRICES[name], given), mode, on_unused_input="ignore")
            for mode in ("o4", Mode("py", None))
        )
        assert f(*values).dtype == dtype
        tolerance = 1e-5 if dtype != "complex128" else 1e-13
        np.testing.assert_allclose(f(*values), g(*values), rtol=tolerance, atol=20 * tolerance)


def _with_inputs(out: Any, given: dict[Any, Any]) -> Any:
    """Return a formula of other inputs; numbers get the dtype that they have beside these."""
    graph = FunctionGraph(outputs=[out], clone=False)
    known = dict(given)
    for node in graph.toposort():
        arguments = [known.get(u, u.data.item() if hasattr(u, "data") else u) for u in node.inputs]
        known[node.outputs[0]] = node.op(*arguments)
    return known[out]


P, Q = at.dot(A, B), at.dot(C, D)
CALLS: dict[str, tuple[Any, dict[type, int]]] = {
    "a scaled product": (s * P, {Dot22Scalar: 1}),
    "a quotient": (-P / 3, {Dot22Scalar: 1}),
    "transposed": ((2 * P).T, {Dot22Scalar: 1}),
    "below another op": (at.exp(s * P), {Dot22: 1}),
    "a vector": (w - s * at.dot(A, v), {GemvAdd: 1}),
    "a vector from the left": (2 * w + at.dot(v, A) / t, {GemvAdd: 1}),
    "a negated vector": (-w - at.dot(A.T, v), {GemvAdd: 1}),
    "an outer product": (P + s * at.outer(v, w) + Q, {Ger: 1, Gemm: 1, Dot22: 1}),
    "an outer product less": (P - s * at.outer(v, w) + Q, {Ger: 1, Gemm: 1, Dot22: 1}),
    "other terms": (P + Z - s * Q - W, {Gemm: 1, Dot22: 1}),
    "other terms and a row": (P + v + 2 * Q - at.exp(Z), {Gemm: 1, Dot22: 1}),
    "a column and a number": (P - w.dimshuffle(0, "x") - Q - s, {Gemm: 1, Dot22: 1}),
    # elementwise ops go on: they add as well
    "a sum below another op": (at.exp(Z + P), {Dot22: 1}),
    "a row, which is no Z": (P + v, {Dot22: 1}),
    "a factor": (Z * P, {Dot22: 1}),
    "a product": (P, {Dot22: 1}),
    # elementwise it is one pass, and needs no copy
    "an outer product alone": (Z + at.outer(v, w), {}),
}
"""Sums and products, and how often each op of the BLAS is called."""


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_the_blas(name: str) -> None:
    out, expected = CALLS[name]
    found = Counter(kind for kind in kinds(out) if kind in BLAS)
    assert found == expected
    check_values(out)


def test_outer_products_are_added_in_place() -> None:
    a = shared(np.eye(4), "a")
    f, g = (
        function([v, w], updates={a: a - 0.5 * at.outer(v, w)}, mode=mode)
        for mode in ("o4", Mode("py", None))
    )
    assert [type(node.op) for node in f.maker.fgraph.apply_nodes].count(Ger) == 1
    f(VALUES[6], VALUES[7])
    found = a.get_value()
    a.set_value(np.eye(4))
    g(VALUES[6], VALUES[7])
    np.testing.assert_allclose(found, a.get_value())


def test_where_it_does_not_apply() -> None:
    assert Dot22Scalar not in kinds([P, 2 * P])
    assert Gemm not in kinds([Z + P, P]), "the product is a result itself"
    integers = at.lmatrices("k", "m", "n")
    f = function(integers, integers[0] + at.dot(integers[1], integers[2]))
    assert not any(isinstance(node.op, BlasUpdate) for node in f.maker.fgraph.apply_nodes)


def test_the_step_of_a_training_is_one_call() -> None:
    a = shared(np.eye(4), "a")
    loss = at.mean((at.dot(A, a) - B) ** 2)
    f = function([A, B], loss, updates={a: a - 0.1 * grad(loss, a)}, mode="o4")
    storage = a.get_value(borrow=True)
    assert Gemm(True) in [node.op for node in f.maker.fgraph.apply_nodes]
    before = a.get_value()
    f(VALUES[0], VALUES[1])
    error = VALUES[0] @ before - VALUES[1]
    np.testing.assert_allclose(a.get_value(), before - 0.1 * 2 * VALUES[0].T @ error / 16)
    assert a.get_value(borrow=True) is storage


def test_it_can_be_left_out() -> None:
    out = MATRICES["scaled"]
    assert Gemm not in kinds(out, Mode(optimizer="fast_run").excluding("gemm"))
    for mode in ("o1", "o2", "strict", "Stabilization"):
        assert Gemm not in kinds(out, mode)


def test_graphs_without_products_are_left_alone() -> None:
    graph = FunctionGraph(outputs=[at.exp(Z) + W], clone=False)
    assert GemmOptimizer().apply(graph) == 0
    assert isinstance(optdb["blas"]["gemm"], GemmOptimizer)


@pytest.mark.parametrize("n", [50, 200])
def test_a_long_sum_is_taken_apart_once(n: int) -> None:
    """Each way from a product to its sum is gone once: the calls grow with the sum."""
    total: Any = at.dot(A, B)
    for k in range(n):
        total = total - at.dot(C + k, D) if k % 2 else total + s * at.dot(C + k, D)
    made = kinds(total, Mode(optimizer="fast_run").excluding("inplace", "canonicalize"))
    assert made.count(Gemm) == n and made.count(Dot22) == 1


def test_the_families_have_no_use_for_it_twice() -> None:
    for name in sorted(FAMILIES):
        graph = FunctionGraph(outputs=[FAMILIES[name].build(at, 20)[1]], clone=True)
        optdb.query("+fast_run", "-inplace").optimize(graph)
        assert GemmOptimizer().apply(graph) == 0, name
