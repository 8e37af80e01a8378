"""How two sides are compared: true values, bounds of the rounding, soundness classes."""
