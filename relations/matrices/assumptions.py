"""What is declared of matrices: an op that nothing computes, and that goes at last."""

from __future__ import annotations

from relgraph.tensor.lawkit.vocabulary import any_dtype_law, lvars
from relgraph.tensor.linalg.assumptions import Assume

f, x = lvars("f x")

USED = (any_dtype_law("assumption-used", Assume(f)(x), x, tags=("linear_algebra",)),)
