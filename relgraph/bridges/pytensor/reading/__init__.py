"""PyTensor's graphs, read: a table for each subject, and what goes through a graph by them."""
