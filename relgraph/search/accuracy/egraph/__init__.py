"""Many expressions that are equal, held together, and why they are."""
