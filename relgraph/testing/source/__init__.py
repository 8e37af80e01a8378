"""Graphs, values and failures as Python source that makes them again."""
