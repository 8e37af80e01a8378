"""What laws compute with the arguments of sums and products, and with constants."""
