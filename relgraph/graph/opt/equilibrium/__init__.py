"""Equilibrium: rewriting to a fixpoint, with its worklist, change tracking and limits."""
