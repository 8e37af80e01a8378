"""Complex numbers and their parts; what is real is its own conjugate."""

from __future__ import annotations

from relgraph import scalar
from relgraph.tensor import Elemwise, angle, conj, imag, real, sqr
from relgraph.tensor import abs as abs_
from relgraph.tensor.lawkit.guards.types import complexo, realo
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, law, lvars

d, x, y = lvars("d x y")
cast = Elemwise(scalar.Cast(d), ())
"""The cast to the dtype `d`."""

OF_REAL = (
    law("conj-real", conj(x), x, realo(x)),
    law("real-real", real(x), x, realo(x)),
    law("imag-real", imag(x), 0, realo(x)),
    any_dtype_law("real-cast", real(cast(x)), x, realo(x)),
    any_dtype_law("imag-cast", imag(cast(x)), 0, realo(x)),
    any_dtype_law("conj-cast", conj(cast(x)), cast(x), realo(x), sound="rounding"),
)

CONJUGATES = (
    law("conj-conj", conj(conj(x)), x, complex=True),
    any_dtype_law("real-conj", real(conj(x)), real(x)),
    any_dtype_law("imag-conj", imag(conj(x)), -imag(x), complexo(x)),
    any_dtype_law("angle-conj", angle(conj(x)), -angle(x), complexo(x)),
    any_dtype_law("abs-conj", abs_(conj(x)), abs_(x)),
    any_dtype_law(
        "real-mul-conj",
        real(x * conj(x)),
        sqr(real(x)) + sqr(imag(x)),
        complexo(x),
        sound="rounding",
    ),
)

OF_PARTS = (
    any_dtype_law("real-of-parts", real(x + 1j * y), x, realo(x), realo(y), sound="finite"),
    any_dtype_law("imag-of-parts", imag(x + 1j * y), y, realo(x), realo(y), sound="finite"),
)
