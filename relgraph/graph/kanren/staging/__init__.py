"""Partial evaluation: what a relation does on all nodes of one structure."""
