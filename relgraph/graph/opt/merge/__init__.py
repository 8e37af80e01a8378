"""Merging: hash consing of nodes, and the optimizer that does it."""
