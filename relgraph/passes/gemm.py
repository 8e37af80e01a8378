"""`GemmOptimizer`: sums of products become calls of the BLAS that add to what is there.

``βZ + αAB`` is one pass over Z, where a product, a scaling and an addition are three. It pays
where Z may be overwritten later on: a sum whose Z would be copied first, and which elementwise ops
go on with, is better computed together with these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.passes.linear_terms import (
    Term,
    as_term,
    coefficient,
    is_scalar,
    is_sum,
    only_reader,
    scaled_input,
    terms_of,
    transposed,
)
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.linalg.blas import BLAS_DTYPES, Dot22, Gemv
from relgraph.tensor.linalg.gemm import _dot22scalar, _gemm, _gemv_add, _ger
from relgraph.tensor.math import add, mul, sub


class GemmOptimizer(GlobalOptimizer):
    """Makes `Gemm`, `GemvAdd` and `Ger` of sums of products, and `Dot22Scalar` of scaled ones.

    It looks at each node once; graphs without products it leaves alone. The terms of a sum are
    found through subtractions, negations, scalar factors and divisors, and transposes, as far as
    nothing else reads what is between. `apply` returns how many sums it has changed.
    """

    def apply(self, fgraph: FunctionGraph) -> int:
        if not any(_is_product(node) for node in fgraph.apply_nodes):
            return 0
        sums: dict[Variable, None] = {}
        roots: dict[Variable, Variable] = {}
        for node in fgraph.toposort():
            if _is_product(node):
                sums[_root(fgraph, node.outputs[0], roots)] = None
        changed = 0
        # what reads a sum has become what it will be when the sum is looked at
        for root in reversed(sums):
            new = _as_blas(fgraph, root)
            if new is not None and new.type == root.type:
                fgraph.replace(root, new, reason="gemm")
                changed += 1
        return changed


def _is_product(node: Apply | None) -> bool:
    return node is not None and (
        isinstance(node.op, Dot22 | Gemv) or _outer_parts(node) is not None
    )


def _outer_parts(node: Apply) -> tuple[Any, Any, tuple[Any, ...]] | None:
    """Return the column, the row and the scalars of an outer product, or None."""
    if node.op is not mul:
        return None
    out = node.outputs[0].type
    if out.ndim != 2 or out.dtype not in BLAS_DTYPES or 1 in out.shape:
        return None
    columns = [v for v in node.inputs if v.type.broadcastable == (False, True)]
    rows = [v for v in node.inputs if v.type.broadcastable == (True, False)]
    if len(columns) != 1 or len(rows) != 1:
        return None
    scalars = tuple(v for v in node.inputs if is_scalar(v))
    if len(scalars) + 2 != len(node.inputs):
        return None
    column, row = columns[0], rows[0]
    return (column, row, scalars) if column.type.dtype == row.type.dtype == out.dtype else None


def _root(fgraph: FunctionGraph, product: Variable, roots: dict[Variable, Variable]) -> Variable:
    """Return the whole sum that a product is a term of, or the product with its scalars.

    `roots` has the answers so far, for all variables on the way.
    """
    var, way, in_sum = product, [product], False
    while var not in roots:
        node = only_reader(fgraph, var)
        if node is None:
            break
        if not is_sum(node):
            at = None if in_sum else scaled_input(node)
            if at is None or node.inputs[at] is not var:
                break
        else:
            in_sum = True
        var = node.outputs[0]
        way.append(var)
    root = roots.get(var, var)
    roots.update(dict.fromkeys(way, root))
    return root


def _as_blas(fgraph: FunctionGraph, root: Any) -> Any:
    """Return what computes a sum by the BLAS, or None where that does not pay."""
    goes_on = any(
        not isinstance(node, str) and isinstance(node.op, Elemwise)
        for node, _ in fgraph.clients[root]
    )
    if not is_sum(root.owner):
        return None if goes_on else _scaled_product(fgraph, as_term(fgraph, root, False))
    products: list[Term] = []
    others: list[Term] = []
    for term in terms_of(fgraph, root):
        read_once = only_reader(fgraph, term.core) is not None
        same = _broadcastable(term) == root.type.broadcastable
        fits = same and read_once and term.core.type.ndim == root.type.ndim
        (products if fits and _is_product(term.core.owner) else others).append(term)
    start = _start(fgraph, root, products, others, goes_on)
    if start is None:
        return None
    total, left = _accumulated(fgraph, root, start, products)
    rest = [*(term for term in others if term is not start), *left]
    return None if total is None else _with_rest(total, rest)


def _accumulated(
    fgraph: FunctionGraph, root: Any, start: Term, products: Sequence[Term]
) -> tuple[Any, list[Term]]:
    """Return `start` with products added, and the products that are left; None if all are."""
    total = transposed(start.core) if start.turned else start.core
    beta = coefficient(start)
    # an outer product is added only in place: otherwise elementwise ops do it as well
    takes_outer = start.is_plain and _may_overwrite(fgraph, root, start)
    added, left = False, []
    for term in sorted(products, key=_is_outer):
        if term is start:
            continue
        if _is_outer(term) and not takes_outer:
            left.append(term)
            continue
        total = _added(total, beta, term)
        added = takes_outer = True
        beta = constant(np.ones((), root.type.dtype))
    return (total if added else None), left


def _broadcastable(term: Term) -> tuple[bool, ...]:
    known: tuple[bool, ...] = term.core.type.broadcastable
    return known[::-1] if term.turned else known


def _is_outer(term: Term) -> bool:
    return not isinstance(term.core.owner.op, Dot22 | Gemv)


def _start(
    fgraph: FunctionGraph,
    root: Any,
    products: Sequence[Term],
    others: Sequence[Term],
    goes_on: bool,
) -> Term | None:
    """Return the term that the products are added to, or None if adding them so does not pay."""
    if not products:
        return None
    full = [t for t in others if _broadcastable(t) == root.type.broadcastable]
    for term in full:
        if _may_overwrite(fgraph, root, term) and not _is_elementwise(term.core.owner):
            return term
    of_matrices = [t for t in products if not _is_outer(t)]
    if not goes_on and len(others) == 1 and full and of_matrices:
        return full[0]
    if len(products) > 1 and of_matrices:
        plain = [t for t in of_matrices if t.is_plain and not t.turned]
        return plain[0] if plain else of_matrices[0]
    return None


def _is_elementwise(node: Apply | None) -> bool:
    return node is not None and isinstance(node.op, Elemwise)


def _may_overwrite(fgraph: FunctionGraph, root: Variable, term: Term) -> bool:
    """Return whether nothing but the sum needs the values of a term, which is no view of others.

    An input that the sum updates is so too: what else reads it can run before.
    """
    core = term.core
    if core.owner is not None:
        return not core.owner.op.view_map.get(core.index) and (
            only_reader(fgraph, core) is not None
        )
    updates: dict[int, int] = getattr(fgraph, "update_mapping", None) or {}
    return any(fgraph.inputs[i] is core and fgraph.outputs[k] is root for k, i in updates.items())


def _added(total: Any, beta: Any, term: Term) -> Any:
    """Return ``beta * total`` and a product added up by one call of the BLAS."""
    node = term.core.owner
    outer = _outer_parts(node)
    if outer is not None:
        column, row, scalars = outer
        if term.turned:
            column, row = row, column
        alpha = coefficient(term._replace(factors=(*term.factors, *scalars)))
        return _ger(total, alpha, _as_vector(column), _as_vector(row))
    x, y = node.inputs
    alpha = coefficient(term)
    if isinstance(node.op, Dot22):
        if term.turned:
            x, y = transposed(y), transposed(x)
        return _gemm(total, alpha, x, y, beta)
    if x.type.ndim == 1:
        x, y = transposed(y), x
    return _gemv_add(total, alpha, x, y, beta)


def _as_vector(var: Any) -> Any:
    """Return a row or column without its axis of length 1."""
    node = var.owner
    if node is not None and isinstance(node.op, DimShuffle) and node.inputs[0].type.ndim == 1:
        return node.inputs[0]
    return DimShuffle(2, tuple(i for i, one in enumerate(var.type.broadcastable) if not one))(var)


def _scaled_product(fgraph: FunctionGraph, term: Term) -> Any:
    """Return a product of matrices with its scalars as one call, or None if it has none."""
    node = term.core.owner
    if term.is_plain or not isinstance(node.op, Dot22) or not only_reader(fgraph, term.core):
        return None
    x, y = node.inputs
    if term.turned:
        x, y = transposed(y), transposed(x)
    return _dot22scalar(x, y, coefficient(term))


def _with_rest(total: Any, rest: Sequence[Term]) -> Any:
    """Return the sum of `total` and the terms that no product was added to."""
    added = [term.written for term in rest if not term.subtracted]
    if added:
        total = add(total, *added)
    for term in rest:
        if term.subtracted:
            total = sub(total, term.written)
    return total
