"""Comparisons, choices by a condition, and assertions."""
