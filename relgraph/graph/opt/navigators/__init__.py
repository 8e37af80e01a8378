"""Optimizers that apply others: to all nodes of a graph, as a group, in sequence."""
