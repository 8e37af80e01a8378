"""Derivations: the rewrites that led from one graph to another, recorded and replayed."""
