"""Indexing, and tensors with a part changed."""
