"""Tensors with a part set or incremented: one change after another, of everything, of zeros.

The laws hold of parts taken by slices and integers. Most also hold of parts taken by arrays of
positions, which may name an element more than once.
"""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import lall

from relgraph.graph.kanren import argumentso, whereo
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor
from relgraph.tensor.lawkit.arithmetic.basic_indices import takes_everything
from relgraph.tensor.lawkit.guards.constants import all_zeroo
from relgraph.tensor.lawkit.guards.types import same_dtypeo
from relgraph.tensor.lawkit.vocabulary import Relation, any_dtype_law, lvars, relation

b, i, x, y, z = lvars("b i x y z")
indices, inner, part = lvars("indices inner part")


def changeo(changed: Any, kind: Any, is_set: Any, v: Any, value: Any) -> Any:
    """Construct the goal that `changed` is `v` with its part ``v[i]`` set to, or incremented by,
    `value`.

    Parameters
    ----------
    kind
        `IncSubtensor` or `AdvancedIncSubtensor`.
    is_set
        Whether it is set, and not incremented.
    """
    return argumentso(changed, kind(i, False, is_set), cons(v, cons(value, indices)))


def of_kind(prefix: str, take: Any, change: Any) -> tuple[Relation, ...]:
    """Return the laws that hold of parts by slices and of parts by arrays, for one of the two."""

    @relation(f"{prefix}set-own-part", depth=2)
    def set_own_parto(changed: Any, same: Any) -> Any:
        """``set_subtensor(x[i], x[i]) → x``"""
        return lall(
            changeo(changed, change, True, same, part),
            argumentso(part, take(i), cons(same, indices)),
        )

    @relation(f"{prefix}set-after-change", depth=2)
    def set_after_changeo(changed: Any, once: Any) -> Any:
        """``set_subtensor(set_subtensor(x[i], y)[i], z) → set_subtensor(x[i], z)``, and the same
        after an increment"""
        return lall(
            changeo(changed, change, True, inner, z),
            changeo(inner, change, b, x, y),
            changeo(once, change, True, x, z),
        )

    @relation(f"{prefix}inc-twice", sound="rounding", depth=2)
    def inc_twiceo(changed: Any, once: Any) -> Any:
        """``inc_subtensor(inc_subtensor(x[i], y)[i], z) → inc_subtensor(x[i], y + z)``"""
        return lall(
            changeo(changed, change, False, inner, z),
            changeo(inner, change, False, x, y),
            same_dtypeo(x, y, z),
            changeo(once, change, False, x, y + z),
        )

    @relation(f"{prefix}inc-by-zero", sound="rounding", depth=2)  # -0 + 0 is 0
    def inc_by_zeroo(changed: Any, same: Any) -> Any:
        """``inc_subtensor(x[i], 0) → x``"""
        return lall(changeo(changed, change, False, same, y), all_zeroo(y))

    return set_own_parto, set_after_changeo, inc_twiceo, inc_by_zeroo


@relation("inc-after-set", depth=2)
def inc_after_seto(changed: Any, once: Any) -> Any:
    """``inc_subtensor(set_subtensor(x[i], y)[i], z) → set_subtensor(x[i], y + z)``"""
    return lall(
        changeo(changed, IncSubtensor, False, inner, z),
        changeo(inner, IncSubtensor, True, x, y),
        same_dtypeo(x, y, z),
        changeo(once, IncSubtensor, True, x, y + z),
    )


CHANGES = (
    *of_kind("", Subtensor, IncSubtensor),
    *of_kind("advanced-", AdvancedSubtensor, AdvancedIncSubtensor),
    inc_after_seto,
)

everything = whereo(takes_everything, i, x)

EVERYTHING = (
    any_dtype_law("set-everything", IncSubtensor(i, False, True)(x, y), y, everything),
    any_dtype_law("inc-everything", IncSubtensor(i, False, False)(x, y), x + y, everything),
)


@relation("inc-of-zeros", sound="rounding", depth=2)  # 0 + -0 is 0
def inc_of_zeroso(changed: Any, once: Any) -> Any:
    """``inc_subtensor(zeros[i], y) → set_subtensor(zeros[i], y)``"""
    return lall(
        changeo(changed, IncSubtensor, False, x, y),
        all_zeroo(x),
        changeo(once, IncSubtensor, True, x, y),
    )


ZEROS = (inc_of_zeroso,)
