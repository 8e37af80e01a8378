"""Bridges: graphs from and to other libraries. Each needs its extra, and nothing imports it unasked."""
