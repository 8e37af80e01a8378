"""The documented table of optimizations (``spec/001``): its rows, and the modes that have them."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name
        The name of the optimization, a tag of the rewriters that belong to it.
    modes
        The modes that have it: the names of the columns.
    aliases
        Other names in the documents, which are tags too.
    """

    name: str
    modes: frozenset[str]
    aliases: tuple[str, ...] = ()


_ALL = "o4 o3 o2 o1 unsafe"
_FULL = "o4 o3 unsafe"


def _row(name: str, modes: str, *aliases: str) -> Row:
    return Row(name, frozenset(modes.split()), aliases)


ROWS = (
    _row("merge", _ALL),
    _row("constant_folding", _ALL),
    _row("shape_promotion", _FULL, "local_shape_lift"),
    _row("fill_cut", _FULL, "local_fill_sink"),
    _row("inc_subtensor_serialize", _FULL, "local_IncSubtensor_serialize"),
    _row("reshape_chain", _FULL, "local_reshape_chain"),
    _row("constant_elimination", _FULL),
    _row("add_canonicalize", _FULL, "local_add_canonizer"),
    _row("mul_canonicalize", _FULL, "local_mul_canonizer"),
    _row("dot22", _FULL, "local_dot_to_dot22"),
    _row("sparse_dot", _FULL, "local_structured_dot"),
    _row("sum_scalar_mul", _FULL, "local_sum_mul_by_scalar"),
    _row("neg_neg", _FULL, "local_neg_neg"),
    _row("neg_div_neg", _FULL, "local_neg_div_neg"),
    _row("add_specialize", _FULL, "local_add_specialize"),
    _row("mul_specialize", _FULL, "local_mul_specialize"),
    _row("pow_specialize", _FULL, "local_pow_specialize"),
    _row("inplace_setsubtensor", "o4", "local_inplace_setsubtensor"),
    _row("gemm", _FULL),
    _row("inplace_elemwise", "o4"),
    _row("inplace_random", "o4"),
    _row("elemwise_fusion", "o4 o3 o2 unsafe"),
    _row("local_log_softmax", "o4 o3 stabilization unsafe"),
    _row("local_remove_all_assert", "unsafe"),
)
"""All rows, in the order of the table."""

PASS_ROWS = frozenset(
    {
        "sparse_dot",
        "inplace_setsubtensor",
        "gemm",
        "inplace_elemwise",
        "inplace_random",
        "elemwise_fusion",
    }
)
"""The rows that are passes with their own position in `optdb`."""

ROW_NAMES = frozenset(row.name for row in ROWS)


def tags_of_row(row: str) -> tuple[str, ...]:
    """Return the tags of a row: its name, and its aliases."""
    (found,) = [r for r in ROWS if r.name == row]
    return (found.name, *found.aliases)
