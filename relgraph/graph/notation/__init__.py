"""How graphs are written: with Python's operators, as algebra, and the numbers in them."""
