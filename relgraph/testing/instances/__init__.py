"""Instances of a law: graphs on which it fires, with values."""
