"""Global passes in ordinary Python, over whole graphs."""
