"""What laws about tensors are written with: `lvars`, `relation`, `law`, and `law` for one class of
soundness (`rounding`, `finite`, `stable`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from relations.kit.compensation import roundings_kept_apart
from relgraph.graph.kanren.goals import Condition, given
from relgraph.graph.kanren.laws import Law as Law
from relgraph.graph.kanren.laws import law as any_law
from relgraph.graph.kanren.relations import Relation as Relation
from relgraph.graph.kanren.relations import relation as relation
from relgraph.graph.kanren.terms import logic_variables
from relgraph.tensor.type import TensorVariable

# no functions: a law is pickled by the name of the innermost module that makes it
law = partial(any_law, implied=roundings_kept_apart)
"""`relgraph.graph.kanren.law`, for tensors: a stable one asks whether roundings cancel."""

any_dtype_law = partial(law, mixed=True, complex=True)
"""`law` for tensors of any dtype, and of several at once."""

rounding = partial(law, sound="rounding")
"""`law` for what is the same up to the rounding of intermediate values."""

any_dtype_rounding = partial(any_dtype_law, sound="rounding")
"""`rounding` for tensors of any dtype."""

finite = partial(law, sound="finite")
"""`law` for what is the same up to rounding where all values on the way are finite."""

stable = partial(law, sound="stable")
"""`law` for what brings a value nearer to the true one."""


def lvars(names: str, *goals: Callable[[Any], Condition]) -> Any:
    """Return logic variables on which Python's operators mean the tensor ops.

    Parameters
    ----------
    names
        Names separated by blanks or commas.
    goals
        What holds of each of them in every law that has it, such as `floato`.

    Returns
    -------
    variables
        A list of them; of one name without a comma, the variable itself.

    Examples
    --------
    >>> from relations.kit.vocabulary import law, lvars
    >>> x, y = lvars("x y")
    >>> law("mul-div-cancel", x * y / y, x, sound="finite")
    <Law mul-div-cancel: x * y / y → x>
    """
    made: list[Any] = list(logic_variables(names, TensorVariable._ops))
    if goals:
        made = [given(v, *goals) for v in made]
    return made[0] if len(made) == 1 and "," not in names else made
