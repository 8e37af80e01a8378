"""What a form costs: a number for each node, summed over the nodes of a graph."""
