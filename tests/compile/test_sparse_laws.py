"""Laws about sparse matrices are there for the graphs that have some, and for no other."""

from __future__ import annotations

import pytest

import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.compile import Mode, function, optimize_graph
from relgraph.compile.database import (
    SparseDB,
    has_sparse,
    sparse_laws,
)
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.optdb import EquilibriumDB, OptimizationDatabase
from relgraph.sparse.products import DenseFromSparse
from relgraph.testing.discovery import discover_laws


def test_every_law_of_the_room_is_in_a_table() -> None:
    found = {law.name for law in sparse_laws(["STRUCTURE", "PRODUCTS"])}
    assert found == set(discover_laws(["relations.sparse"]))


def test_a_graph_without_sparse_matrices_asks_for_no_laws() -> None:
    def refuse(laws: list[object]) -> OptimizationDatabase:
        raise AssertionError("the laws were loaded")

    optimizer = SparseDB(refuse, ["STRUCTURE"]).query("+fast_run")
    v, x = at.dvector("v"), sparse.csr_matrix("x")
    dense = FunctionGraph([v], [at.exp(v)])
    assert not has_sparse(dense) and optimizer.apply(dense) is None
    with pytest.raises(AssertionError, match="were loaded"):
        optimizer.apply(FunctionGraph([x], [x.T.T]))


def test_queries_choose_among_the_laws() -> None:
    def filled(laws: list[object]) -> OptimizationDatabase:
        db = EquilibriumDB()
        for law in laws:
            db.register(law.name, law, law.sound)  # type: ignore[attr-defined]
        return db

    x, d = sparse.csr_matrix("x"), at.dmatrix("d")
    graph = FunctionGraph([x, d], [x.T.T, sparse.csr_from_dense(d).toarray()], clone=False)
    SparseDB(filled, ["STRUCTURE"]).query("+exact").optimize(graph)
    assert graph.outputs[0] is x
    assert isinstance(graph.outputs[1].owner.op, DenseFromSparse)


def test_modes_without_the_row() -> None:
    x, d = sparse.csr_matrix("x"), at.dmatrix("d")
    for mode, left in ((Mode(), 0), (Mode().excluding("sparse_dot"), 1), (Mode("vm", "strict"), 1)):
        ops = [n.op for n in function([x, d], x.toarray() @ d, mode).maker.fgraph.apply_nodes]
        assert sum(isinstance(op, DenseFromSparse) for op in ops) == left
    assert optimize_graph(x.T.T, include=["strict"]) is x
