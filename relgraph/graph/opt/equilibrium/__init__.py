"""Rewriting to a fixpoint: the worklist, what changed, what waits, and the limits."""
