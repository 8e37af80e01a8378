"""Programs as a user writes them, and what they are compared with."""
