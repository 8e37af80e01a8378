"""What laws about tensors are written with: a vocabulary, guards, computations. No op is here.

A page `relations/ROOM/PAGE.py` finds the functions that it alone uses in `lawkit/ROOM/PAGE.py`.
What several pages use is in `guards` (what is known of a variable ahead of the run) and in
`arithmetic` (what is computed with constants, axes and indices).
"""
