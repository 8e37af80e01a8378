"""How goals run: the state with its constraints, unification, side conditions."""
