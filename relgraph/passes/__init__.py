"""Passes: rewriters that are written in ordinary Python."""
