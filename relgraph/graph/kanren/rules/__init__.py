"""The rules that a relation comes down to, and their compilation to Python functions."""
