"""What laws compute with axes, lengths and indices."""
