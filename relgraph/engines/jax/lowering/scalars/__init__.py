"""Scalar ops on arrays: what each computes, in NumPy's dtypes."""
