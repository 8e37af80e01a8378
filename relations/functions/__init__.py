"""Exponentials, logarithms, trigonometric and special functions."""
