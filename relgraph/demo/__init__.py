"""The demonstration: a naive model of real data, before and after the laws rewrite it."""
