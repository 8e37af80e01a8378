"""The laws about sparse matrices, which are loaded for the first graph that has one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.optdb import OptimizationDatabase, OptimizationQuery

STRUCTURE = ("structure.STORED", "structure.FORMS", "structure.DENSE")
"""The tables of `relations.sparse` about what is stored where."""

PRODUCTS = ("products.PRODUCTS", "products.SUMS")
"""Those about products and sums without dense matrices."""


def sparse_laws(tables: Sequence[str]) -> list[Any]:
    """Return the laws of some tables of `relations.sparse`, a page and a table each."""
    found: list[Any] = []
    for table in tables:
        page, _, name = table.partition(".")
        found += getattr(import_module(f"relations.sparse.{page}"), name)
    return found


def has_sparse(fgraph: FunctionGraph) -> bool:
    """Return whether an op of a graph is one of sparse matrices."""
    module = sys.modules.get("relgraph.sparse.op")
    if module is None:
        return False
    return any(isinstance(node.op, module.SparseOp) for node in fgraph.apply_nodes)


class SparseDB(OptimizationDatabase):
    """A database that is filled for the first graph that has sparse matrices.

    Parameters
    ----------
    make
        Returns the database of some laws.
    tables
        The tables of the laws: see `sparse_laws`.
    """

    def __init__(
        self, make: Callable[[list[Any]], OptimizationDatabase], tables: Sequence[str]
    ) -> None:
        super().__init__()
        self.make = make
        self.tables = tables
        self._filled: OptimizationDatabase | None = None

    def filled(self) -> OptimizationDatabase:
        """Return the database of the laws."""
        if self._filled is None:
            self._filled = self.make(sparse_laws(self.tables))
        return self._filled

    def _answer(self, query: OptimizationQuery) -> SparseOptimizer:
        return SparseOptimizer(self, query)


class SparseOptimizer(GlobalOptimizer):
    """Applies laws to a graph if it has sparse matrices.

    Parameters
    ----------
    db
        The database of the laws.
    query
        Which of them.
    """

    def __init__(self, db: SparseDB, query: OptimizationQuery) -> None:
        self.db = db
        self.query = query

    def collapsing_first(self) -> tuple[RewriterTables, ...]:
        # what later optimizers collapse are nodes of tensors, with which these laws do nothing
        return ()

    def apply(self, fgraph: FunctionGraph) -> Any:
        return self.db.filled().query(self.query).optimize(fgraph) if has_sparse(fgraph) else None
