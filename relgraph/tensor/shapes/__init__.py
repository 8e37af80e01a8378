"""Ops that ask for a shape, and the same elements in another one."""
