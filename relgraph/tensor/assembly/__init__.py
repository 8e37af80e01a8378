"""Tensors made from little, and put together from others."""
