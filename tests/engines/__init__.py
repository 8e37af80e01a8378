"""Engines, each against the reference."""
