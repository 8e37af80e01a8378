"""Products of matrices that are one call of the BLAS."""

from __future__ import annotations

from relgraph.graph.kanren import whereo
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.tensor.linalg.blas import _dot22, _gemv, fits_blas, fits_gemv, same_blas_dtype
from relgraph.tensor.linalg.products import _batched_dot, _matmul
from relgraph.tensor.math import _dot

x, y = lvars("x y")

MATRICES = (
    law(
        "dot-to-dot22",
        _dot(x, y),
        _dot22(x, y),
        whereo(fits_blas, x, y),  # two matrices of one dtype that the BLAS has
        tags=("dot22",),
        sound="rounding",  # it takes the BLAS's way for each layout, `dot` the same way for all
        complex=True,
    ),
    law(
        "dot-to-gemv",
        _dot(x, y),
        _gemv(x, y),
        whereo(fits_gemv, x, y),
        tags=("dot22",),
        sound="rounding",
        complex=True,
    ),
    law(
        "matmul-to-batched-dot",
        _matmul(x, y),
        _batched_dot(x, y),
        whereo(same_blas_dtype, x, y),
        tags=("dot22",),
        sound="rounding",
        complex=True,
    ),
)
