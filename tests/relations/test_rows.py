"""The table of optimizations and modes, row by row: what fires where, and what has its place."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.compile import Mode, function, optdb, predefined_optimizers
from relgraph.compile.database import ROWS, TAGS_OF_ROW
from relgraph.graph.opt import MergeOptimizer
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

MODES = ("o1", "o2", "o3", "o4", "Stabilization", "unsafe")
COLUMNS = {"Stabilization": "stabilization"}
SAME = {"fast_compile": "o1", "fast_run": "o4", "stabilize": "Stabilization"}

x, y = at.dmatrix("x"), at.dmatrix("y")
v, w = at.dvector("v"), at.dvector("w")
s = at.dscalar("s")
sparse_x = sparse.csr_matrix("sparse_x")
n, m = at.lscalar("n"), at.lscalar("m")


class Case(NamedTuple):
    """A graph on which a row fires, and how that shows in the ops that are left."""

    inputs: list[Any]
    output: Any
    fired: Callable[[list[Any]], bool]


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


TABLE = {
    "elemwise_fusion": Case(
        [v, w], at.tanh(v * w) + w, lambda left: any(fused(op) is not None for op in left)
    ),
    "merge": Case([v, w], (v + w) * at.exp(v + w), lambda left: left.count(at.add) == 1),
    "constant_folding": Case([v], v * at.exp(at.constant([1.0, 2.0])), gone(at.exp)),
    "shape_promotion": Case([v], at.log(v).shape, gone(at.log)),
    "fill_cut": Case([x, y, s], at.exp(at.second(x, s)) * y, gone(at.second)),
    "inc_subtensor_serialize": Case(
        [v, w],
        at.inc_subtensor(v[1:3], 1.0) + at.inc_subtensor(w[2:4], 2.0),
        lambda left: isinstance(left[-1], IncSubtensor),
    ),
    "reshape_chain": Case(
        [x, n, m], at.reshape(at.reshape(x, (-1,)), (n, m)), lambda left: count(Reshape)(left) == 1
    ),
    "constant_elimination": Case([v], v**1, gone(at.pow)),
    "add_canonicalize": Case([v, w], v + w - w, gone(at.add, at.sub)),
    "mul_canonicalize": Case([v, w], v * w / w, gone(at.mul, at.true_div)),
    "dot22": Case([x, y], at.dot(x, y), made(Dot22)),
    "sparse_dot": Case([sparse_x, y], sparse_x.toarray() @ y, made(DotDense)),
    "sum_scalar_mul": Case(
        [v, s], at.sum(s * v), lambda left: at.mul in left and left[-1] is at.mul
    ),
    "neg_neg": Case([v], at.neg(at.neg(v)), gone(at.neg)),
    "neg_div_neg": Case([v, w], -v / -w, gone(at.neg)),
    "add_specialize": Case([v], v + 0, gone(at.add)),
    "mul_specialize": Case([v], v * 0, gone(at.mul)),
    "pow_specialize": Case([v], v**2, gone(at.pow)),
    "gemm": Case([x, y, s], s * x - 2 * at.dot(x, y.T), made(Gemm)),
    "inplace_setsubtensor": Case(
        [v, s], at.set_subtensor((v / s)[1:], s), overwrites(IncSubtensor)
    ),
    "inplace_elemwise": Case([x, y], at.exp(at.dot(x, y)), overwrites(Elemwise)),
    "inplace_random": Case(
        [], RandomStream(1).normal(size=3), lambda left: any(op.destroy_map for op in left)
    ),
    "local_log_softmax": Case([x], at.log(at.softmax(x)), made(LogSoftmax)),
    "local_remove_all_assert": Case([v, n], assert_(v, n > 0), lambda left: not made(Assert)(left)),
}


def ops_left(case: Case, mode: Any) -> list[Any]:
    """Return the ops of the optimized graph; after a fused one those that it consists of."""
    left: list[Any] = []
    for node in function(case.inputs, case.output, mode).maker.fgraph.toposort():
        inner = fused(node.op)
        left += [node.op, *([] if inner is None else [at.Elemwise(n.op) for n in inner.nodes])]
    return left


def test_every_row_of_the_table_is_tested() -> None:
    assert {row.name for row in ROWS} == set(TABLE)


@pytest.mark.parametrize("mode", [*MODES, *SAME])
@pytest.mark.parametrize("name", [name for name in TABLE if name != "merge"])
def test_a_row_fires_in_exactly_the_modes_of_the_table(name: str, mode: str) -> None:
    (row,) = [row for row in ROWS if row.name == name]
    column = SAME.get(mode, mode)
    case = TABLE[name]
    assert case.fired(ops_left(case, mode)) is (COLUMNS.get(column, column) in row.modes)


EXACT = {
    *("merge", "constant_folding", "shape_promotion", "fill_cut", "reshape_chain"),
    *("constant_elimination", "neg_neg", "neg_div_neg"),
}
"""The rows that fire without changing a bit; of the others none may under `strict`."""


@pytest.mark.parametrize("name", list(TABLE))
def test_strict_has_what_is_exact_and_no_mode_has_anything(name: str) -> None:
    case = TABLE[name]
    assert case.fired(ops_left(case, "strict")) is (name in EXACT)
    assert not case.fired(ops_left(case, "None"))


@pytest.mark.parametrize("mode", MODES)
def test_merge(mode: str) -> None:
    """A pass of its own where the table has the row; an equilibrium merges what it looks at."""
    passes = [type(opt) for opt in optdb.query(predefined_optimizers[mode])]
    assert (MergeOptimizer in passes) is (mode != "Stabilization")
    case = TABLE["merge"]
    assert case.fired(ops_left(case, mode))
    assert not case.fired(ops_left(case, "None"))


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"merge"}))
def test_a_row_can_be_excluded_by_any_of_its_names(name: str) -> None:
    case = TABLE[name]
    (row,) = [row for row in ROWS if row.name == name]
    mode = Mode(optimizer="unsafe" if "unsafe" in row.modes else "o4")
    for tag in TAGS_OF_ROW[name]:
        assert case.fired(ops_left(case, mode))
        assert not case.fired(ops_left(case, mode.excluding(tag))), tag


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
