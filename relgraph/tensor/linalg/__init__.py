"""Linear algebra, with the names of `numpy.linalg` and `scipy.linalg`.

Matrices stand in the last two axes; leading axes make stacks of them. An integer dtype counts as
float64. What is known of a matrix is declared by `assume`.
"""

from relgraph import on_first_use
from relgraph.graph import utils
from relgraph.tensor.linalg.decompositions import *  # noqa: F403
from relgraph.tensor.linalg.functions import cond as cond
from relgraph.tensor.linalg.functions import det as det
from relgraph.tensor.linalg.functions import expm as expm
from relgraph.tensor.linalg.functions import matrix_norm as matrix_norm
from relgraph.tensor.linalg.functions import matrix_power as matrix_power
from relgraph.tensor.linalg.functions import norm as norm
from relgraph.tensor.linalg.functions import slogdet as slogdet
from relgraph.tensor.linalg.functions import vector_norm as vector_norm
from relgraph.tensor.linalg.matrix_op import assume as assume
from relgraph.tensor.linalg.products import diagonal as diagonal
from relgraph.tensor.linalg.products import einsum as einsum
from relgraph.tensor.linalg.products import kron as kron
from relgraph.tensor.linalg.products import matmul as matmul
from relgraph.tensor.linalg.products import matrix_transpose as matrix_transpose
from relgraph.tensor.linalg.products import multi_dot as multi_dot
from relgraph.tensor.linalg.products import outer as outer
from relgraph.tensor.linalg.products import tensordot as tensordot
from relgraph.tensor.linalg.products import trace as trace
from relgraph.tensor.linalg.products import vecdot as vecdot
from relgraph.tensor.linalg.systems import cho_solve as cho_solve
from relgraph.tensor.linalg.systems import inv as inv
from relgraph.tensor.linalg.systems import lstsq as lstsq
from relgraph.tensor.linalg.systems import pinv as pinv
from relgraph.tensor.linalg.systems import solve as solve
from relgraph.tensor.linalg.systems import solve_triangular as solve_triangular

__all__ = on_first_use.public_names(globals())

# Laws are written with all of them.
globals().update({name: utils.lifted(globals()[name], __name__) for name in __all__})
