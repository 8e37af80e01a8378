"""Systems of linear equations: solutions, inverses, determinants, least squares."""
