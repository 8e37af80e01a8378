"""Orders of dimshuffles to draw, and what NumPy does for them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

X = np.arange(24.0).reshape(2, 3, 4)


def shuffled(x, order):
    dropped = tuple(i for i in range(x.ndim) if i not in order)
    kept = [a for a in order if a != "x"]
    ranks = {a: i for i, a in enumerate(sorted(kept))}
    x = x.squeeze(dropped).transpose([ranks[a] for a in kept])
    return x[tuple(None if a == "x" else slice(None) for a in order)]


orders = st.permutations([0, 1, 2, "x"])
