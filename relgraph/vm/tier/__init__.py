"""The second tier: parts of a program as machine code, for functions that are called again.

`segments` cuts a schedule into parts of nodes that are all elementwise, reductions or on numbers,
and loops; `operations` says which these are. `lowering` makes of a part loops over elements,
`machine_code` and `block_loops` the text of these for LLVM, of `scalar_code` and `routines`,
`compiler` a function of them. `tiers` decides when a function is compiled, and which tier runs it.
"""
