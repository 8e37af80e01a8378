"""Ops on sparse matrices."""
