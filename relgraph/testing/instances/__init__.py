"""Instances of a law: random graphs that its patterns match, and values for their inputs, drawn at
random or by plan."""
