"""Sums, extremes, order and running totals along axes."""
