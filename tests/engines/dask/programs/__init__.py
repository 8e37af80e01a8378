"""Random programs on blocks."""
