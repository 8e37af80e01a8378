"""Sums, products, extremes and statistics over axes."""
