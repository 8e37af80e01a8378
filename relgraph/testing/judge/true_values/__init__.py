"""The true value of a graph: what it is in arithmetic of any precision, by mpmath."""
