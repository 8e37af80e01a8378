"""Profiles: what optimizers record about their work, and the reports of it."""
