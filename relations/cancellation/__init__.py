"""Formulas that lose digits to cancellation, and what has them all."""
