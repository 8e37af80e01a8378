"""Functions that can be called: their arguments, what they may overwrite, how they are made."""
