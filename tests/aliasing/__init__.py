"""Random programs with views, overwriting, updates and mutable arguments, run in every mode."""
