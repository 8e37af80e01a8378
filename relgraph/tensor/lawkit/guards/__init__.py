"""What is known of variables before the graph runs: predicates, and goals made of them."""
