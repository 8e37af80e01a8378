"""Which rewrites led from one graph to another: recorded, shown and replayed."""
