"""True values of expressions: intervals that hold them, as narrow as is needed."""
