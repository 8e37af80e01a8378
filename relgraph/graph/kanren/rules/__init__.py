"""Rules: extracted from relations, matched, and compiled to Python functions."""
