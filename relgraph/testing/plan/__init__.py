"""What a check covers by plan: kinds of dtypes, ranks, lengths, edge values, memory layouts."""
