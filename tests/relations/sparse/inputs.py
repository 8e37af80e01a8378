"""Sparse matrices of three rows and columns, whose stored elements are inputs."""

import relgraph.sparse as sparse
import relgraph.tensor as at

x = sparse.CSR(at.dvector("stored_x"), [0, 2, 1], [0, 1, 2, 3], (3, 3))
y = sparse.CSR(at.dvector("stored_y"), [0, 1, 0], [0, 2, 2, 3], (3, 3))
z = sparse.CSC(at.dvector("stored_z"), [0, 1, 0], [0, 2, 2, 3], (3, 3))
d, e = at.dvectors("d", "e")
m, w = at.dmatrices("m", "w")
row = at.drow("row")
