"""A choice between branches, and what can wait until one of them is taken."""
