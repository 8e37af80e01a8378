"""Other machines for the same graphs; each is loaded when a mode first names it.

An engine is a module with a `LINKER`, named in `ENGINES` of `relgraph.vm.linker`.
"""
