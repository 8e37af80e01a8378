"""Loops: one op whose inner graph is a step, and the functions that build it."""
