"""Formulas: real functions of named inputs, with exact numbers.

They are read from text and from graphs, written in other languages, expanded in series, and have
true values. `relgraph.search.accuracy` has the names of those that users need.
"""
