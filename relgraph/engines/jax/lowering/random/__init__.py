"""Draws by JAX's keys, which are another stream than those of NumPy's generators."""
