"""Power series of expressions in one input, with coefficients that are exact."""
