"""Sums over axes."""

from __future__ import annotations

from relgraph.tensor import sum as sum_
from relgraph.tensor.terms import law, lvars

a, x = lvars("a x")

SIGNS = (law("sum-neg", sum_(-x, axis=a), -sum_(x, axis=a)),)
