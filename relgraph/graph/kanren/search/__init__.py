"""Search: goals, the states that they run in, and unification."""
