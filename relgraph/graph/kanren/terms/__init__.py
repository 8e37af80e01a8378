"""Terms: logic variables, literals and ops applied to them, and how a graph is built from them."""
