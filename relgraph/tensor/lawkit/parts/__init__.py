"""What the laws about parts of tensors ask and compute."""
