"""Extraction: of each class one term, so that what the outputs need costs least."""
