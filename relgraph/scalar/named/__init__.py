"""Scalar ops by tables: ufuncs of NumPy and SciPy, by their names, with their derivatives."""
