"""Shapes as values, the creation of tensors, and ops that move elements to another shape."""
