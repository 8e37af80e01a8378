"""Proofs of laws: statements about one element of each tensor, decided by Z3 or by trying all.

A law over elementwise ops is a statement about elements: `statements` makes it for each dtype that
the law admits, `machine` decides it bit by bit over IEEE numbers and machine integers, `reals` over
real numbers, and `exhaustion` evaluates it for all values where there are few. `proving` says which
of these a soundness class asks for, and what was reached.
"""
