"""Shapes as values, and ops that reshape tensors or permute their axes."""
