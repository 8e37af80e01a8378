"""Scalar ops element by element, and the axes they are lined up by."""
