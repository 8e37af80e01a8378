"""What lines of a program compute a node: calls of NumPy in place of its `perform`."""
