"""`Elemwise` applies scalar ops element by element; `DimShuffle` aligns the axes."""
