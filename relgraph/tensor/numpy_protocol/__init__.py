"""What NumPy's and SciPy's own functions mean when they are called on variables and on terms."""
