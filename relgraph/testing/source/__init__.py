"""Python source that makes graphs and values again, and that reproduces failures."""
