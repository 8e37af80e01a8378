"""The table of the document, written out once more."""

from relgraph.compile.database import ROWS, TAGS_OF_ROW

TABLE = """
merge                    o4 o3 o2 o1               unsafe
constant_folding         o4 o3 o2 o1               unsafe
shape_promotion          o4 o3                     unsafe
fill_cut                 o4 o3                     unsafe
inc_subtensor_serialize  o4 o3                     unsafe
reshape_chain            o4 o3                     unsafe
constant_elimination     o4 o3                     unsafe
add_canonicalize         o4 o3                     unsafe
mul_canonicalize         o4 o3                     unsafe
dot22                    o4 o3                     unsafe
sparse_dot               o4 o3                     unsafe
sum_scalar_mul           o4 o3                     unsafe
neg_neg                  o4 o3                     unsafe
neg_div_neg              o4 o3                     unsafe
add_specialize           o4 o3                     unsafe
mul_specialize           o4 o3                     unsafe
pow_specialize           o4 o3                     unsafe
inplace_setsubtensor     o4
gemm                     o4 o3                     unsafe
inplace_elemwise         o4
inplace_random           o4
elemwise_fusion          o4 o3 o2                  unsafe
local_log_softmax        o4 o3       stabilization unsafe
local_remove_all_assert                            unsafe
"""


def test_rows_and_modes() -> None:
    lines = [line.split() for line in TABLE.strip().splitlines()]
    assert [(row.name, set(row.modes)) for row in ROWS] == [(n, set(m)) for n, *m in lines]


def test_names() -> None:
    every = [name for row in ROWS for name in TAGS_OF_ROW[row.name]]
    assert len(every) == len(set(every))
    assert TAGS_OF_ROW["dot22"] == ("dot22", "local_dot_to_dot22")
