"""Ops that create tensors, and that join and split them."""
