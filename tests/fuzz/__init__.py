"""Random programs, run by NumPy and by relgraph; nothing of `relgraph.testing` is used here."""
