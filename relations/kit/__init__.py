"""What laws about tensors are written with: a vocabulary, guards, computations. No op is here.

The pages of a room `relations/ROOM` find the functions that they alone use in `kit/ROOM.py`.
What all use is in `guards` and `type_guards` (what is known ahead of the run), `matrix_facts`,
`constant_arithmetic`, `index_arithmetic`, and in `nests` (sums and products of any length).
"""
