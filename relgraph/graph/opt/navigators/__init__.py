"""Optimizers that apply others: over all nodes, as a group, in sequence."""
