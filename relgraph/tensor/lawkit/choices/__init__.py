"""What the laws about choices by conditions ask and compute."""
