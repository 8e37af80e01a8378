"""Products of vectors, matrices and stacks of matrices: order, identities, calls of the BLAS.

BLAS sums in an order of its own, so that even a transposition rounds otherwise; and of a complex
infinity it makes nan in its own ways. What is declared of matrices is an op that nothing computes;
it goes at last.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from relations.kit import matrices as kit
from relations.kit.guards import all_oneo, broadcast_alike, one_elemento
from relations.kit.index_arithmetic import rank_of
from relations.kit.type_guards import matrixo, realo, roomyo, same_dtypeo, vectoro
from relations.kit.vocabulary import Law, any_dtype_law, finite, lvars, rounding
from relgraph.graph.kanren import computed, one_cliento, whereo
from relgraph.tensor import DimShuffle, add, sub
from relgraph.tensor import sum as sum_
from relgraph.tensor.linalg.blas import _dot22, _gemv, fits_blas, fits_gemv, same_blas_dtype
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.tensor.linalg.products import _batched_dot, _matmul
from relgraph.tensor.math import _dot

# -- two factors, or three -------------------------------------------------------------------------

c, f, w, x, y, z = lvars("c f w x y z")
(m, n), (p, q) = lvars("m n", matrixo), lvars("p q", realo)
v, ones = lvars("v", vectoro), lvars("ones", vectoro, all_oneo)
"""Matrices, tensors of real numbers, and vectors."""

PRODUCTS = {"dot": _dot, "matmul": _matmul}


def transposed(v: Any) -> Any:
    """Return the transpose of a matrix."""
    return DimShuffle(2, (1, 0))(v)


def as_column(v: Any) -> Any:
    """Return a vector as a matrix of one column."""
    return DimShuffle(1, (0, "x"))(v)


def as_row(v: Any) -> Any:
    """Return a vector as a matrix of one row."""
    return DimShuffle(1, ("x", 0))(v)


regrouped = partial(finite, complex=True)
"""Laws that multiply or add in another order, which infinities don't allow."""

TRANSPOSES = (
    rounding(
        "dot-transposed",
        transposed(_dot(p, q)),
        _dot(transposed(q), transposed(p)),
        one_cliento(_dot(p, q)),
        mixed=True,
        tags=("inward",),
    ),
    rounding("dot-of-transpose-and-vector", _dot(transposed(x), v), _dot(v, x)),
    rounding("dot-of-vector-and-transpose", _dot(v, transposed(y)), _dot(y, v)),
    rounding("dot-column", _dot(m, as_column(y)), as_column(_dot(m, y))),
    rounding("dot-row", _dot(as_row(x), m), as_row(_dot(x, m))),
    rounding("dot-outer", _dot(x, y), x * y, whereo(kit.is_column_by_row, x, y)),
    # identities
    regrouped("dot-identity-left", _dot(x, y), y, whereo(kit.is_identity_matrix, x)),
    regrouped("dot-identity-right", _dot(x, y), x, whereo(kit.is_identity_matrix, y)),
    rounding("dot-ones-left", _dot(ones, m), sum_(m, axis=0)),
    rounding("dot-ones-right", _dot(m, ones), sum_(m, axis=1)),
    rounding("inner-ones-left", _dot(ones, v), sum_(v)),
    rounding("inner-ones-right", _dot(v, ones), sum_(v)),
)


def bilinear(name: str, product: Any, times: Any) -> tuple[Law, ...]:
    """Return the laws about zeros, signs and scalars, which hold of every bilinear product.

    Parameters
    ----------
    times
        The scalar `c`, with so many axes that the product can be multiplied by it.
    """
    xy = product(x, y)
    # before the product is multiplied by a small `c`, it may be large
    scalar_c = (one_elemento(c), roomyo(c, x, y))
    # elsewhere it is multiplied no cheaper, and would go on from product to product
    left_larger, right_larger = whereo(kit.shrinks_left, x, y), whereo(kit.shrinks_right, x, y)
    return (
        regrouped(f"{name}-zero-left", product(0, y), 0),
        regrouped(f"{name}-zero-right", product(x, 0), 0),
        rounding(f"{name}-neg-left", product(-x, y), -xy),
        rounding(f"{name}-neg-right", product(x, -y), -xy),
        regrouped(f"{name}-scalar-left", product(c * x, y), times * xy, *scalar_c, left_larger),
        regrouped(f"{name}-scalar-right", product(x, c * y), times * xy, *scalar_c, right_larger),
        regrouped(f"{name}-divided-left", product(x / c, y), xy / times, *scalar_c, left_larger),
        regrouped(f"{name}-divided-right", product(x, y / c), xy / times, *scalar_c, right_larger),
    )


BILINEAR = (
    # a product of vectors has fewer axes than they have, so `c` loses its own, all of length 1
    *bilinear("dot", _dot, DimShuffle(computed(rank_of, c), ())(c)),
    *bilinear("matmul", _matmul, c),
)


def factored(name: str, product: Any, op: Any, common_left: bool) -> Law:
    """Return the law that two products with a common factor, read by nothing else, are one:
    ``x @ y + x @ z → x @ (y + z)``, or ``y @ x + z @ x → (y + z) @ x``; and with ``-``."""

    def times(v: Any) -> Any:
        return product(x, v) if common_left else product(v, x)

    return regrouped(
        name,
        op(times(y), times(z)),
        times(op(y, z)),
        one_cliento(times(y)),
        one_cliento(times(z)),
        same_dtypeo(x, y, z),
        roomyo(x),
        whereo(broadcast_alike, y, z),
    )


DISTRIBUTION = tuple(
    factored(f"{name}-factor-{'left' if left else 'right'}-{op}", product, op, left)
    for name, product in PRODUCTS.items()
    for op in (add, sub)
    for left in (True, False)
)

of_matrices = (whereo(kit.have_no_single_row_or_column, m, n), roomyo(m, n, v))

ASSOCIATION = (
    regrouped(
        "chain-of-products",
        _dot(x, y),
        # (x @ y) @ z → x @ (y @ z), and so on, of all orders the cheapest
        computed(kit.cheapest_chain, x, y),
        roomyo(x, y),
        tags=("linear_algebra",),
        tries=(_dot(_dot(x, y), z), _dot(x, _dot(y, z)), _dot(_dot(x, y), _dot(z, w))),
    ),
    # whatever the lengths
    regrouped("dot-from-right", _dot(_dot(m, n), v), _dot(m, _dot(n, v)), *of_matrices),
    regrouped("dot-from-left", _dot(v, _dot(m, n)), _dot(_dot(v, m), n), *of_matrices),
)


# -- calls of the BLAS -----------------------------------------------------------------------------


def of_blas(name: str, lhs: Any, rhs: Any, fits: Any) -> Law:
    """Return a law that has a product computed by the BLAS, where the types fit."""
    return rounding(name, lhs, rhs, whereo(fits, x, y), tags=("dot22",), complex=True)


MATRICES = (
    # it takes the BLAS's way for each layout, `dot` the same way for all
    of_blas("dot-to-dot22", _dot(x, y), _dot22(x, y), fits_blas),
    of_blas("dot-to-gemv", _dot(x, y), _gemv(x, y), fits_gemv),
    of_blas("matmul-to-batched-dot", _matmul(x, y), _batched_dot(x, y), same_blas_dtype),
    # what was declared has been used by then
    any_dtype_law("assumption-used", Assume(f)(x), x, tags=("linear_algebra",)),
)
