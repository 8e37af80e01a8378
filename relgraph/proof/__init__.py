"""Proofs of laws: statements about one element of each tensor, decided by Z3 or by trying all.

A law over elementwise ops is a statement about elements. `statements` makes it for each dtype that
the law admits, with what guards say. `machine` states it over IEEE numbers and machine integers,
`reals` over real and whole numbers; `elements` is what the two share. A law over shapes and indices
is a statement about where elements come from: `layouts` builds its sides in all ways,
`layout_facts` has what its conditions say, and `places` states it over tensors as functions of
indices. `derived` joins the sides by laws that are proved. `proving` says which of them a soundness
class asks for, evaluates all values where there are few, and says what was reached.
"""
