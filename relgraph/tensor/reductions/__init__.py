"""Sums, products, extremes and order along axes."""
