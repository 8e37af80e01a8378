"""`BatchProducts`: many small products become one, as an unrolled recurrence has them.

A call of the BLAS on small operands costs more than its arithmetic. Two patterns are found, each
with a look at each node:

- ``x[0] @ W, x[1] @ W, …`` is ``x[0:n] @ W`` and its rows; the same for ``W @ x[i]``, and for
  matrices ``x[i]``. What is multiplied does not depend on any of these products.
- The sum of outer products ``a_0 b_0ᵀ + a_1 b_1ᵀ + …`` is ``Aᵀ B``, with the ``a_i`` and the
  ``b_i`` as rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer, local_optimizer
from relgraph.tensor.assembly import join
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.linalg.blas import Dot22, Gemv, _dot22, outer_parts
from relgraph.tensor.linalg.products import _matmul
from relgraph.tensor.math import add
from relgraph.tensor.subtensor import Slice, Subtensor

# With fewer operands, joining them takes as long as the calls that are saved. That of rows which
# lie beside each other costs nothing.
LEAST_OUTER_PRODUCTS = 6
LEAST_ROWS = 4
# How much of what is multiplied at once has to be needed.
LEAST_SHARE = 0.5


class BatchProducts(GlobalOptimizer):
    """Makes one product of the products of rows of an array, and of a sum of outer products.

    Graphs with an `IfElse` are left alone: nodes that run only if a branch is taken must not be
    computed with others. `apply` returns how many products it has made.
    """

    name = "batch_products"

    def apply(self, fgraph: FunctionGraph) -> int:
        rows: dict[tuple[Any, ...], list[tuple[int, Apply]]] = {}
        sums: list[Apply] = []
        for node in fgraph.apply_nodes:
            if isinstance(node.op, IfElse):
                return 0
            if isinstance(node.op, Dot22 | Gemv):
                for key, index in _rows_multiplied(node):
                    rows.setdefault(key, []).append((index, node))
            elif node.op is add and len(node.inputs) >= LEAST_OUTER_PRODUCTS:
                sums.append(node)
        made = sum(_batch_rows(fgraph, key, members) for key, members in rows.items())
        outer = [(node, _outer_terms(fgraph, node)) for node in sums]
        outer = [(node, terms) for node, terms in outer if len(terms) >= LEAST_OUTER_PRODUCTS]
        if not outer:
            return made
        # One order for all sums, so that what they have in common is joined once.
        place = {v: i for i, node in enumerate(fgraph.toposort()) for v in node.outputs}
        return made + sum(_batch_outer_products(fgraph, *pair, place) for pair in outer)


# -- products of rows --------------------------------------------------------------------------


def _rows_multiplied(node: Apply) -> Iterable[tuple[tuple[Any, ...], int]]:
    """Yield for each input that is ``x[i]`` what the product has in common with others, and i."""
    for side, var in enumerate(node.inputs):
        taken = var.owner
        if taken is None or type(taken.op) is not Subtensor:
            continue
        entries = taken.op.idx_list
        if len(entries) == 1 and isinstance(entries[0], int) and entries[0] >= 0:
            (array,) = taken.inputs
            yield (array, node.inputs[1 - side], side, node.op), entries[0]


def _batch_rows(
    fgraph: FunctionGraph, key: tuple[Any, ...], members: Sequence[tuple[int, Apply]]
) -> int:
    """Replace the products of rows of one array by rows of one product; return their number."""
    array, other, side, _op = key
    if other.type.ndim != 2 or array.type.ndim != members[0][1].inputs[side].type.ndim + 1:
        return 0
    indices = {i for i, _ in members}
    first, last = min(indices), max(indices)
    if len(indices) < LEAST_ROWS or len(indices) < LEAST_SHARE * (last + 1 - first):
        return 0
    part = Subtensor((Slice(first, last + 1),))(array)
    if array.type.ndim == 2:
        product = _dot22(part, other if side == 0 else other.dimshuffle(1, 0))
    else:
        product = _matmul(part, other) if side == 0 else _matmul(other, part)
    pairs = [
        (node.outputs[0], Subtensor((i - first,))(product))
        for i, node in members
        if node in fgraph.apply_nodes
    ]
    if not all(old.type.is_super(new.type) for old, new in pairs):
        return 0
    for old, new in pairs:
        fgraph.replace(old, new, reason="batch_products")
    return 1


# -- sums of outer products --------------------------------------------------------------------


Terms = dict[Variable, tuple[Any, Any]]
"""The outer products among the terms of a sum, with the column and the row of each."""


def _outer_terms(fgraph: FunctionGraph, node: Apply) -> Terms:
    if node not in fgraph.apply_nodes:
        return {}
    found = ((v, _factors(fgraph, v)) for v in node.inputs)
    return {v: pair for v, pair in found if pair is not None}


def _batch_outer_products(
    fgraph: FunctionGraph, node: Apply, terms: Terms, place: dict[Variable, int]
) -> int:
    """Replace the outer products among the terms of a sum by one product; return their number."""
    (out,) = node.outputs
    factors = sorted(terms.values(), key=lambda pair: place.get(pair[1], -1))
    left = join(0, *[_as_row(column) for column, _ in factors])
    right = join(0, *[row for _, row in factors])
    product = _dot22(left.dimshuffle(1, 0), right)
    rest = [v for v in node.inputs if v not in terms]
    new = add(*rest, product) if rest else product
    if not out.type.is_super(new.type):
        return 0
    fgraph.replace(out, new, reason="batch_products")
    return 1


def _factors(fgraph: FunctionGraph, var: Variable) -> tuple[Any, Any] | None:
    """Return the column and the row that a variable, which nothing else reads, is the product of.

    None is returned for any other variable.
    """
    parts = None if var.owner is None else outer_parts(var.owner)
    if parts is None or len(fgraph.clients[var]) != 1:
        return None
    column, row, scalars = parts
    return None if scalars else (column, row)


def _as_row(column: Any) -> Any:
    """Return a matrix of one column, transposed."""
    made = column.owner
    if made is not None and made.op == DimShuffle(1, (0, "x")):
        return made.inputs[0].dimshuffle("x", 0)
    return column.dimshuffle(1, 0)


@local_optimizer([IfElse])
def known_condition(fgraph: FunctionGraph, node: Apply) -> list[Variable] | bool:
    """Replace an `IfElse` by the branch taken, if the condition is constant or both are one."""
    op: Any = node.op
    then, other = op.branches(node.inputs)
    condition = node.inputs[0]
    if isinstance(condition, Constant):
        taken = then if condition.data else other
    elif all(a is b for a, b in zip(then, other, strict=True)):
        taken = then
    else:
        return False
    # An axis of length 1 that may be longer in the output must not begin to broadcast.
    same = [
        v.type.broadcastable == out.type.broadcastable
        for v, out in zip(taken, node.outputs, strict=True)
    ]
    return taken if all(same) else False
