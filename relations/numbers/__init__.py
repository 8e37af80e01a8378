"""Sums, products, powers and signs; integers, casts and complex numbers."""
