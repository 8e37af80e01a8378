"""Passes: rewriters of whole graphs that are written in ordinary Python."""
