"""Indexing: indices as data, and the ops that select and change parts of tensors."""
