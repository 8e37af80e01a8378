"""Linear algebra, with the names of `numpy.linalg` and `scipy.linalg`.

Matrices stand in the last two axes; leading axes make stacks of them. An integer dtype counts as
float64. What is known of a matrix is declared by `assume`.
"""

from relgraph.graph.utils import lifted
from relgraph.tensor.linalg.assumptions import assume
from relgraph.tensor.linalg.factors.cholesky import cholesky
from relgraph.tensor.linalg.factors.eigenvalues import eig, eigh, eigvals, eigvalsh
from relgraph.tensor.linalg.factors.qr import qr
from relgraph.tensor.linalg.factors.singular_values import svd, svdvals
from relgraph.tensor.linalg.functions.arrangements import (
    diagonal,
    kron,
    matrix_transpose,
    multi_dot,
    trace,
    vecdot,
)
from relgraph.tensor.linalg.functions.einsum import einsum
from relgraph.tensor.linalg.functions.norms import cond, matrix_norm, norm, vector_norm
from relgraph.tensor.linalg.functions.powers import expm, matrix_power
from relgraph.tensor.linalg.products import matmul, outer, tensordot
from relgraph.tensor.linalg.systems.determinants import det, slogdet
from relgraph.tensor.linalg.systems.inverses import inv, pinv
from relgraph.tensor.linalg.systems.least_squares import lstsq
from relgraph.tensor.linalg.systems.solving import cho_solve, solve, solve_triangular

__all__ = [
    "assume",
    "cho_solve",
    "cholesky",
    "cond",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "inv",
    "kron",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

# Laws are written with all of them.
globals().update({name: lifted(globals()[name], __name__) for name in __all__})
