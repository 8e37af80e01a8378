"""Which rewriters to try on a node, by its op and what it reads."""
