"""Ops that work along one axis: running totals, repetition, order."""
