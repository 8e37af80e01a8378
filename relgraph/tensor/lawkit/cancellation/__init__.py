"""What the laws of `relations.cancellation` compute."""
