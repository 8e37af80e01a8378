"""Staging: partial evaluation of a relation on the nodes of one structure."""
