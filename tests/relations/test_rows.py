"""The table of optimizations and modes, row by row: what fires where, and what has its place."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.compile import Mode, function, optdb, predefined_optimizers
from relgraph.compile.database import ROWS, TAGS_OF_ROW
from relgraph.graph.opt import MergeOptimizer
from relgraph.graph.shared_values import SharedVariable
from relgraph.scalar.composite import Composite
from relgraph.sparse.products import DotDense
from relgraph.tensor.basic import Assert, assert_
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.indexing import AdvancedIncSubtensor
from relgraph.tensor.linalg.blas import Dot22, Gemm
from relgraph.tensor.random import RandomStream
from relgraph.tensor.shapes import Reshape
from relgraph.tensor.softmaxes import LogSoftmax
from relgraph.tensor.subtensor import IncSubtensor
from tests.relations.applied import inputs_of

MODES = ("o1", "o2", "o3", "o4", "Stabilization", "unsafe")
COLUMNS = {"Stabilization": "stabilization"}
SAME = {"fast_compile": "o1", "fast_run": "o4", "stabilize": "Stabilization"}

x, y = at.dmatrix("x"), at.dmatrix("y")
v, w = at.dvector("v"), at.dvector("w")
s = at.dscalar("s")
sparse_x = sparse.csr_matrix("sparse_x")
n, m = at.lscalar("n"), at.lscalar("m")


def gone(*ops: Any) -> Callable[[list[Any]], bool]:
    return lambda left: not any(op in left for op in ops)


def made(kind: type) -> Callable[[list[Any]], bool]:
    return lambda left: any(isinstance(op, kind) for op in left)


def overwrites(kind: type) -> Callable[[list[Any]], bool]:
    return lambda left: any(isinstance(op, kind) and bool(op.destroy_map) for op in left)


def count(kind: type) -> Callable[[list[Any]], int]:
    return lambda left: sum(isinstance(op, kind) for op in left)


def fused(op: Any) -> Composite | None:
    """Return the graph of a fused elementwise op; None for any other op."""
    inner = getattr(op, "scalar_op", None)
    return inner if isinstance(inner, Composite) else None


TABLE: dict[str, tuple[Any, Callable[[list[Any]], bool]]] = {
    "elemwise_fusion": (at.tanh(v * w) + w, lambda left: any(fused(op) is not None for op in left)),
    "merge": ((v + w) * at.exp(v + w), lambda left: left.count(at.add) == 1),
    "constant_folding": (v * at.exp(at.constant([1.0, 2.0])), gone(at.exp)),
    "shape_promotion": (at.log(v).shape, gone(at.log)),
    "fill_cut": (at.exp(at.second(x, s)) * y, gone(at.second)),
    "inc_subtensor_serialize": (
        at.inc_subtensor(v[1:3], 1.0) + at.inc_subtensor(w[2:4], 2.0),
        lambda left: isinstance(left[-1], IncSubtensor),
    ),
    "reshape_chain": (
        at.reshape(at.reshape(x, (-1,)), (n, m)),
        lambda left: count(Reshape)(left) == 1,
    ),
    "constant_elimination": (v**1, gone(at.pow)),
    "add_canonicalize": (v + w - w, gone(at.add, at.sub)),
    "mul_canonicalize": (v * w / w, gone(at.mul, at.true_div)),
    "dot22": (at.dot(x, y), made(Dot22)),
    "sparse_dot": (sparse_x.toarray() @ y, made(DotDense)),
    "sum_scalar_mul": (at.sum(s * v), lambda left: at.mul in left and left[-1] is at.mul),
    "neg_neg": (at.neg(at.neg(v)), gone(at.neg)),
    "neg_div_neg": (-v / -w, gone(at.neg)),
    "add_specialize": (v + 0, gone(at.add)),
    "mul_specialize": (v * 0, gone(at.mul)),
    "pow_specialize": (v**2, gone(at.pow)),
    "gemm": (s * x - 2 * at.dot(x, y.T), made(Gemm)),
    "inplace_setsubtensor": (at.set_subtensor((v / s)[1:], s), overwrites(IncSubtensor)),
    "inplace_elemwise": (at.exp(at.dot(x, y)), overwrites(Elemwise)),
    "inplace_random": (
        RandomStream(1).normal(size=3),
        lambda left: any(op.destroy_map for op in left),
    ),
    "local_log_softmax": (at.log(at.softmax(x)), made(LogSoftmax)),
    "local_remove_all_assert": (assert_(v, n > 0), lambda left: not made(Assert)(left)),
}


def ops_left(output: Any, mode: Any) -> list[Any]:
    """Return the ops of the optimized graph; after a fused one those that it consists of."""
    left: list[Any] = []
    inputs = [v for v in inputs_of(output) if not isinstance(v, SharedVariable)]
    for node in function(inputs, output, mode).maker.fgraph.toposort():
        inner = fused(node.op)
        left += [node.op, *([] if inner is None else [at.Elemwise(n.op) for n in inner.nodes])]
    return left


def fires(name: str, mode: Any) -> bool:
    """Return whether a row fires in a mode, by the ops that are left of its graph."""
    output, shows = TABLE[name]
    return shows(ops_left(output, mode))


def test_every_row_of_the_table_is_tested() -> None:
    assert {row.name for row in ROWS} == set(TABLE)


@pytest.mark.parametrize("mode", [*MODES, *SAME])
@pytest.mark.parametrize("name", [name for name in TABLE if name != "merge"])
def test_a_row_fires_in_exactly_the_modes_of_the_table(name: str, mode: str) -> None:
    (row,) = [row for row in ROWS if row.name == name]
    column = SAME.get(mode, mode)
    assert fires(name, mode) is (COLUMNS.get(column, column) in row.modes)


EXACT = {
    *("merge", "constant_folding", "shape_promotion", "fill_cut", "reshape_chain"),
    *("constant_elimination", "neg_neg", "neg_div_neg"),
}
"""The rows that fire without changing a bit; of the others none may under `strict`."""


@pytest.mark.parametrize("name", list(TABLE))
def test_strict_has_what_is_exact_and_no_mode_has_anything(name: str) -> None:
    assert fires(name, "strict") is (name in EXACT)
    assert not fires(name, "None")


@pytest.mark.parametrize("mode", MODES)
def test_merge(mode: str) -> None:
    """A pass of its own where the table has the row; an equilibrium merges what it looks at."""
    passes = [type(opt) for opt in optdb.query(predefined_optimizers[mode])]
    assert (MergeOptimizer in passes) is (mode != "Stabilization")
    assert fires("merge", mode)
    assert not fires("merge", "None")


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"merge"}))
def test_a_row_can_be_excluded_by_any_of_its_names(name: str) -> None:
    (row,) = [row for row in ROWS if row.name == name]
    mode = Mode(optimizer="unsafe" if "unsafe" in row.modes else "o4")
    for tag in TAGS_OF_ROW[name]:
        assert fires(name, mode)
        assert not fires(name, mode.excluding(tag)), tag


@pytest.mark.parametrize("mode", MODES)
def test_print_summary_shows_the_rows_of_a_mode(mode: str) -> None:
    out = io.StringIO()
    optdb.query(predefined_optimizers[mode]).print_summary(out)  # type: ignore[union-attr]
    words = {word for line in out.getvalue().splitlines() for word in line.split()}
    for row in ROWS:
        shown = row.name in words or (row.name == "merge" and "merge1" in words)
        assert shown is (COLUMNS.get(mode, mode) in row.modes), row.name


def test_print_summary_prints_what_the_document_says(capsys: pytest.CaptureFixture[str]) -> None:
    """The line of the document, with this package's name in it."""
    relgraph.compile.optdb.query(relgraph.compile.predefined_optimizers["o3"]).print_summary()
    printed = capsys.readouterr().out
    assert printed.split()[:2] == ["SequenceOptimizer", "optdb"]
    assert {"merge1", "constant_folding", "neg-neg", "gemm"} <= set(printed.split())
    assert "inplace_elemwise" not in printed


@pytest.mark.parametrize("by_arrays", [False, True])
def test_the_documented_line_on_increments(by_arrays: bool) -> None:
    """``inc(a, b, i) + inc(a, c, i) → inc(inc(a, b, i), c, i)``, where `a` is zero."""
    places: list[Any] = [slice(1, 3), slice(2, 4)]
    if by_arrays:
        places = [at.constant([0, 0, 2]), at.constant([1, 3])]
    zeros = at.zeros_like(v)
    total = at.inc_subtensor(zeros[places[0]], s) + at.inc_subtensor(zeros[places[1]], 2 * s)
    f, g = (function([v, s], total, mode) for mode in ("o4", Mode("py", None)))
    ops = [node.op for node in f.maker.fgraph.toposort()]
    assert count(AdvancedIncSubtensor if by_arrays else IncSubtensor)(ops) == 2
    assert at.add not in ops
    np.testing.assert_array_equal(f(np.ones(4), 1.5), g(np.ones(4), 1.5))
