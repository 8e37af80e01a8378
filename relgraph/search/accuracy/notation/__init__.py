"""Formulas as text: Python's syntax, and FPCore."""
