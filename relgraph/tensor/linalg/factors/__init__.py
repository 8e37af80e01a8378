"""Matrices as products of simpler ones: Cholesky, QR, singular values, eigenvalues."""
