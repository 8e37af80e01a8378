"""What the laws about reductions ask and compute."""
