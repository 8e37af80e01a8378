"""What the laws about numbers ask and compute."""
