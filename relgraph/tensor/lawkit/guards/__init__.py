"""What laws ask of a variable before they fire."""
