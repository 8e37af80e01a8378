"""Bridges: graphs from and to other libraries. Each needs its extra, which nothing else loads."""
