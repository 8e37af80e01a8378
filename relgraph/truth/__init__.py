"""What is true: values of any precision with their error bounds, by Arb (python-flint).

Johansson, Arb: efficient arbitrary-precision midpoint-radius interval arithmetic (2017).
"""
