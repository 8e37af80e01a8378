"""Kronecker products: their properties are those of the factors, which are small.

G. Golub and C. Van Loan, Matrix Computations (2013), 12.3. A product is never built for what needs
its factors alone. Of factors with nan or an infinity other elements become nan.
"""

from __future__ import annotations

from relations.kit import matrices as kit
from relations.kit.matrices import TAGS, finite
from relations.kit.type_guards import ranko, same_dtypeo
from relations.kit.vocabulary import any_dtype_law, lvars
from relations.matrices.determinants import diagonal, log_size
from relations.matrices.products import transposed
from relgraph.graph.kanren import computed, whereo
from relgraph.tensor import sum as sum_
from relgraph.tensor.linalg.functions import _det
from relgraph.tensor.linalg.products import _kron
from relgraph.tensor.linalg.systems import _inv, _solve
from relgraph.tensor.math import _dot

v, w, x, y, z = lvars("v w x y z")

m, n = (computed(kit.row_count, factor) for factor in (x, y))

FACTORS = (
    any_dtype_law(
        "kron-transposed", transposed(_kron(x, y)), _kron(transposed(x), transposed(y)), tags=TAGS
    ),
    finite(
        "kron-times-kron",
        _dot(_kron(x, y), _kron(z, w)),
        _kron(_dot(x, z), _dot(y, w)),
        whereo(kit.fit, x, z),
        whereo(kit.fit, y, w),
        complex=True,
    ),
    finite(
        "kron-times-vector",
        _dot(_kron(x, y), v),
        # the rows of x @ V @ y.T, where V has the numbers of v
        computed(kit.product_with_vector, x, y, v),
        ranko(v, 1),
        same_dtypeo(x, y, v),
        complex=True,
    ),
    finite(
        "inverse-kron",
        _inv(_kron(x, y)),
        _kron(_inv(x), _inv(y)),
        whereo(kit.are_square, x, y),
        complex=True,
    ),
    finite(
        "solve-kron",
        _solve(_kron(x, y), v),
        computed(kit.solution_for_vector, x, y, v),  # of x @ X @ y.T = V the rows of X
        ranko(v, 1),
        same_dtypeo(x, y, v),
        complex=True,
        tries=[_solve(_kron(x, y), sum_(_kron(x, y), axis=0))],  # a vector as long as it wants
    ),
    finite(
        "det-kron",
        _det(_kron(x, y)),
        _det(x) ** n * _det(y) ** m,
        whereo(kit.are_square, x, y),
        same_dtypeo(x, y),
    ),
    finite(
        "log-det-kron",
        log_size(_kron(x, y)),
        log_size(x) * n + log_size(y) * m,
        whereo(kit.are_square, x, y),
        same_dtypeo(x, y),
    ),
    finite(
        "trace-kron",
        sum_(diagonal(_kron(x, y))),
        sum_(diagonal(x)) * sum_(diagonal(y)),
        whereo(kit.are_square, x, y),
        same_dtypeo(x, y),
        complex=True,
    ),
)
