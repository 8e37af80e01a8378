"""Sums of tensors taken apart: signs, scalar factors, transposes, and what they apply to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer
from relgraph.tensor.basic import constant, has_one_element
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.linalg.blas import (
    Dot22,
    Gemv,
    _dot22scalar,
    _gemm,
    _gemv_add,
    _ger,
    outer_parts,
)
from relgraph.tensor.math import add, mul, neg, sub, true_div

# Nested scalings are looked through up to so many.
_MOST_SCALINGS = 4

_TRANSPOSITION = DimShuffle(2, (1, 0))


class Term(NamedTuple):
    """A term of a sum: ``± factors · core / divisors``, with `core` transposed if it is `turned`.

    Attributes
    ----------
    written
        The variable in the graph, which lacks the sign that the sum gives it.
    subtracted
        Whether the sum subtracts it.
    negative
        Whether the sign before `core` is minus, by the sum and by negations.
    """

    written: Any
    subtracted: bool
    core: Any
    negative: bool
    factors: tuple[Any, ...]
    divisors: tuple[Any, ...]
    turned: bool

    @property
    def is_plain(self) -> bool:
        """Whether the term is just `core`, but for a transposition."""
        return not (self.negative or self.factors or self.divisors)


def scaled_input(node: Apply) -> int | None:
    """Return which input of a node is negated, transposed, or multiplied or divided by scalars.

    None if the node is nothing of that kind or changes the dtype.
    """
    op, inputs = node.op, node.inputs
    found: int | None = None
    if op is mul:
        tensors = [i for i, v in enumerate(inputs) if not has_one_element(v)]
        found = tensors[0] if len(tensors) == 1 else None
    elif op is neg or op is _TRANSPOSITION or (op is true_div and has_one_element(inputs[1])):
        found = 0
    if found is None or inputs[found].type.dtype != node.outputs[0].type.dtype:
        return None
    return None if has_one_element(inputs[found]) else found


def is_sum(node: Apply | None) -> bool:
    """Return whether a node adds or subtracts tensors that all have the dtype of the result.

    So does the negation of such a sum.
    """
    if node is not None and node.op is neg:
        node = node.inputs[0].owner
    if node is None or (node.op is not add and node.op is not sub):
        return False
    dtype = node.outputs[0].type.dtype
    return all(v.type.dtype == dtype for v in node.inputs)


def only_reader(fgraph: FunctionGraph, var: Variable) -> Apply | None:
    """Return the node that reads a variable, if it is the only one and reads it once."""
    clients = fgraph.clients[var]
    if len(clients) != 1:
        return None
    ((node, _),) = clients
    return None if isinstance(node, str) else node


def terms_of(fgraph: FunctionGraph, root: Variable) -> list[Term]:
    """Return the terms of the sum `root`; sums that only it reads are taken apart too."""
    found: list[Term] = []
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        var, minus = stack.pop()
        node = var.owner
        inside = var is root or only_reader(fgraph, var) is not None
        if inside and is_sum(node):
            signs = [minus] * len(node.inputs)
            if node.op is sub or node.op is neg:
                signs[-1] = not minus
            stack.extend(reversed(list(zip(node.inputs, signs, strict=True))))
        else:
            found.append(as_term(fgraph, var, minus, inside))
    return found


def as_term(fgraph: FunctionGraph, var: Any, subtracted: bool, inside: bool = True) -> Term:
    """Return a variable as a term; it is looked behind if it is `inside` the sum."""
    core, negative, turned = var, subtracted, False
    factors: list[Any] = []
    divisors: list[Any] = []
    for _ in range(_MOST_SCALINGS):
        node = core.owner
        at = scaled_input(node) if inside and node is not None else None
        if node is None or at is None:
            break
        if node.op is neg:
            negative = not negative
        elif node.op is _TRANSPOSITION:
            turned = not turned
        else:
            others = [v for i, v in enumerate(node.inputs) if i != at]
            scalars = (*factors, *divisors, *others)
            if sum(not isinstance(v, Constant) for v in scalars) > 1:
                break  # a product of scalars may over- or underflow where the tensor does not
            (factors if node.op is mul else divisors).extend(others)
        core = node.inputs[at]
        inside = only_reader(fgraph, core) is not None
    return Term(var, subtracted, core, negative, tuple(factors), tuple(divisors), turned)


def coefficient(term: Term) -> Any:
    """Return the scalar by which a term multiplies its core, of rank 0 and of its dtype."""
    dtype = term.core.type.dtype
    number = np.asarray(-1 if term.negative else 1, dtype)
    above: list[Any] = []
    below: list[Any] = []
    with np.errstate(all="ignore"):
        for v in term.factors:
            if isinstance(v, Constant):
                number = number * v.data.reshape(()).astype(dtype)
            else:
                above.append(_rank_0(v, dtype))
        for v in term.divisors:
            if isinstance(v, Constant):
                number = number / v.data.reshape(()).astype(dtype)
            else:
                below.append(_rank_0(v, dtype))
    if not above and not below:
        return constant(np.asarray(number, dtype))
    minus = number == -1
    left = np.asarray(1 if minus else number, dtype)
    if left != 1 or not above:
        above.insert(0, constant(left))
    made = mul(*above) if len(above) > 1 else above[0]
    if below:
        made = true_div(made, mul(*below) if len(below) > 1 else below[0])
    return neg(made) if minus else made


def _rank_0(var: Any, dtype: str) -> Any:
    """Return a variable of one element as a scalar of rank 0 of a dtype."""
    var = _of_rank(0, var)
    return var if var.type.dtype == dtype else var.astype(dtype)


def _of_rank(ndim: int, var: Any) -> Any:
    """Return a variable of a rank: without the axes of length 1 that it has besides."""
    node = var.owner
    if node is not None and isinstance(node.op, DimShuffle) and node.inputs[0].type.ndim == ndim:
        return node.inputs[0]
    kept = tuple(i for i, one in enumerate(var.type.broadcastable) if not one)
    return var if var.type.ndim == ndim else DimShuffle(var.type.ndim, kept)(var)


def transposed(var: Any) -> Any:
    """Return the transpose of a matrix: what was transposed, if it is one."""
    node = var.owner
    if node is not None and node.op is _TRANSPOSITION:
        return node.inputs[0]
    return _TRANSPOSITION(var)


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
        # the clients of a sum are final when the sum is visited
        for root in reversed(sums):
            new = _as_blas(fgraph, root)
            if new is not None and new.type == root.type:
                fgraph.replace(root, new, reason="gemm")
                changed += 1
        return changed


def _is_product(node: Apply | None) -> bool:
    return node is not None and (isinstance(node.op, Dot22 | Gemv) or outer_parts(node) is not None)


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
    outer = outer_parts(node)
    if outer is not None:
        column, row, scalars = outer
        if term.turned:
            column, row = row, column
        alpha = coefficient(term._replace(factors=(*term.factors, *scalars)))
        return _ger(total, alpha, _of_rank(1, column), _of_rank(1, row))
    x, y = node.inputs
    alpha = coefficient(term)
    if isinstance(node.op, Dot22):
        if term.turned:
            x, y = transposed(y), transposed(x)
        return _gemm(total, alpha, x, y, beta)
    if x.type.ndim == 1:
        x, y = transposed(y), x
    return _gemv_add(total, alpha, x, y, beta)


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
