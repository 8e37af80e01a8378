"""What the laws about layout ask and compute."""
