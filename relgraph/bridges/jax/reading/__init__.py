"""From JAX's primitives to ops: a table for each subject."""
