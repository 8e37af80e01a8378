"""Products of matrices that are one call of the BLAS."""

from __future__ import annotations

from relgraph.graph.kanren import whereo
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.tensor.linalg.blas import _dot22, fits_blas
from relgraph.tensor.math import _dot

x, y = lvars("x y")

MATRICES = (
    law(
        "dot-to-dot22",
        _dot(x, y),
        _dot22(x, y),
        whereo(fits_blas, x, y),  # two matrices of one dtype that the BLAS has
        tags=("dot22",),
        complex=True,
    ),
)
