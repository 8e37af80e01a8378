"""What the laws about functions ask and compute."""
