"""Explanation: why a law does not match a variable, or how it does."""
