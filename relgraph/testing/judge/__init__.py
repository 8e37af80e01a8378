"""Judges whether a rewritten graph keeps the values: soundness classes, rounding, true values."""
