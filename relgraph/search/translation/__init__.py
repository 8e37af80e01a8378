"""Laws as queries over an e-graph, and what their matches build."""
