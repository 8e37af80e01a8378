"""Complex numbers and their parts; what is real is its own conjugate."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.kanren import whereo
from relgraph.tensor import Elemwise, angle, conj, imag, real, sqr
from relgraph.tensor import abs as abs_
from relgraph.tensor.lawkit.vocabulary import law, lvars

d, x, y = lvars("d x y")
any_type: dict[str, Any] = {"mixed": True, "complex": True}
cast = Elemwise(scalar.Cast(d), ())


def is_real(x: Any) -> bool:
    """Return whether a tensor holds real numbers, or integers, or booleans."""
    return bool(np.dtype(x.type.dtype).kind != "c")


def is_complex(x: Any) -> bool:
    """Return whether a tensor holds complex numbers."""
    return bool(np.dtype(x.type.dtype).kind == "c")


OF_REAL = (
    law("conj-real", conj(x), x, whereo(is_real, x)),
    law("real-real", real(x), x, whereo(is_real, x)),
    law("imag-real", imag(x), 0, whereo(is_real, x)),
    law("real-cast", real(cast(x)), x, whereo(is_real, x), **any_type),
    law("imag-cast", imag(cast(x)), 0, whereo(is_real, x), **any_type),
    law("conj-cast", conj(cast(x)), cast(x), whereo(is_real, x), sound="rounding", **any_type),
)

CONJUGATES = (
    law("conj-conj", conj(conj(x)), x, complex=True),
    law("real-conj", real(conj(x)), real(x), **any_type),
    law("imag-conj", imag(conj(x)), -imag(x), whereo(is_complex, x), **any_type),
    law("angle-conj", angle(conj(x)), -angle(x), whereo(is_complex, x), **any_type),
    law("abs-conj", abs_(conj(x)), abs_(x), **any_type),
    law(
        "real-mul-conj",
        real(x * conj(x)),
        sqr(real(x)) + sqr(imag(x)),
        whereo(is_complex, x),
        sound="rounding",
        **any_type,
    ),
)

OF_PARTS = (
    law(
        "real-of-parts",
        real(x + 1j * y),
        x,
        whereo(is_real, x),
        whereo(is_real, y),
        sound="finite",
        **any_type,
    ),
    law(
        "imag-of-parts",
        imag(x + 1j * y),
        y,
        whereo(is_real, x),
        whereo(is_real, y),
        sound="finite",
        **any_type,
    ),
)
