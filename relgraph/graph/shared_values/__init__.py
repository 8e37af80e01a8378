"""Values that functions share: their storage, and the variables that stand for them."""
