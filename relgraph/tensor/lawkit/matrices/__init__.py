"""What the laws about products of matrices ask."""
