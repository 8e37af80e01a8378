"""Linear algebra, with the names of `numpy.linalg` and `scipy.linalg`.

Matrices stand in the last two axes; leading axes make stacks of them. An integer dtype counts as
float64. What is known of a matrix is declared by `assume`.
"""

from relgraph.graph.utils import lifted
from relgraph.tensor.linalg.decompositions import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from relgraph.tensor.linalg.functions import (
    cond,
    det,
    expm,
    matrix_norm,
    matrix_power,
    norm,
    slogdet,
    vector_norm,
)
from relgraph.tensor.linalg.matrix_op import assume
from relgraph.tensor.linalg.products import (
    diagonal,
    einsum,
    kron,
    matmul,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)
from relgraph.tensor.linalg.systems import cho_solve, inv, lstsq, pinv, solve, solve_triangular

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
