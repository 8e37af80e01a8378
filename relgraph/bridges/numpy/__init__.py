"""Graphs from functions that are written with NumPy."""
