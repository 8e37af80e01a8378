"""Why an extracted graph equals the original: a derivation by named laws, made on the graph."""
