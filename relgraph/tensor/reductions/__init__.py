"""Sums, products and extremes over axes."""
