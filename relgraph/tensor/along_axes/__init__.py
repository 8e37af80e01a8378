"""Ops that work along one axis: cumulative sums, repetition, shifts, sorting."""
