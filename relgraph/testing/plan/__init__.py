"""What a check covers by plan: dtypes, ranks, lengths, edge values, memory layouts, branches."""
