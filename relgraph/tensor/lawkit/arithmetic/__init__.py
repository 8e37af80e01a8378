"""What laws compute with constants, with axes and with indices."""
