"""The numbers that a law asks for: beside its thresholds, and beside its other constants."""
