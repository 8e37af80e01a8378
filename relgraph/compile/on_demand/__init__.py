"""Laws that are loaded for the first graph that needs them."""
