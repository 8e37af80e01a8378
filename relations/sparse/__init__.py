"""Sparse matrices. The pages of this room are loaded for the first graph that has one."""
