"""Shapes, axes, and values that are repeated, reshaped or put side by side."""
