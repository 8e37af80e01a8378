"""Ops that ask for a shape, make one, or put the same elements into another."""
