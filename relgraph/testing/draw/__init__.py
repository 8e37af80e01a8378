"""Hypothesis strategies for types, values, expressions and graphs."""
