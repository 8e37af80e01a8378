"""The kinds of arguments that ops take: a tensor, a length, a shape, an index, a condition..."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unification.variable import isvar

from relgraph.graph.kanren.rules.rule import Output, split
from relgraph.graph.op import Op
from relgraph.tensor.contraction import MatrixProduct
from relgraph.tensor.linalg.stacks import MatrixOp
from relgraph.tensor.random.permutations import Permutation
from relgraph.tensor.random.random_op import RandomOp
from relgraph.tensor.random.random_variable import RandomVariable

# For the classes of ops whose arguments are not all tensors: the first position of an argument of
# another kind, and the kind of the arguments from there on.
_ROLES: dict[str, tuple[int, str]] = {
    "Alloc": (1, "length"),
    "Eye": (0, "length"),
    "ARange": (0, "length"),
    "MakeVector": (0, "length"),
    "Reshape": (1, "shape"),
    "Split": (1, "split_lengths"),
    "Subtensor": (1, "index"),
    "IncSubtensor": (2, "index"),
    "AdvancedSubtensor": (1, "indices"),
    "AdvancedIncSubtensor": (2, "indices"),
    "Assert": (1, "assertion"),
    "WithStored": (1, "stored"),
}
# The same for a first argument alone.
_FIRST = {"Scan": "steps"}
_LOGICAL = ("and_", "or_", "xor", "invert")


def role_of(cls: type | None, scalar_name: str, position: int) -> tuple[str, int]:
    """Return the kind of argument that an op takes at a position.

    Parameters
    ----------
    cls
        The class of the op; None if it is unknown.
    scalar_name
        The name of the scalar op of an elementwise op; an empty string for any other op.
    position
        The position of the argument.

    Returns
    -------
    role
        ``tensor``; ``length`` of an axis; ``shape``, a vector; ``split_lengths``, the vector that
        splits an axis; ``index``, an integer; ``indices``, an array; ``condition`` of a switch;
        ``assertion``, a boolean; ``logical``, an operand of a logical op; ``sparse``, a sparse
        matrix; ``stored``, the stored elements of one; ``steps``, the number of those of a loop.
    number
        Its position among the arguments of the same kind.
    """
    if scalar_name == "switch" and position == 0:
        return "condition", 0
    if scalar_name in _LOGICAL:
        return "logical", position
    kinds = getattr(cls, "kinds", ())
    if kinds[position : position + 1] == ("sparse",):
        return "sparse", position
    if cls is not None and position == 0 and cls.__name__ in _FIRST:
        return _FIRST[cls.__name__], 0
    first, role = _ROLES.get(cls.__name__, (0, "tensor")) if cls is not None else (0, "tensor")
    return ("tensor", position) if position < first else (role, position - first)


def class_and_scalar_name(head: Any) -> tuple[type | None, str]:
    """Return the class and the name of the scalar op of the head of a term.

    Parameters
    ----------
    head
        An op, a term for an op, one output of either, or a logic variable.

    Returns
    -------
    cls
        None if it is unknown.
    scalar_name
        An empty string if there is no scalar op, or it is unknown.
    """
    if isinstance(head, Output):
        return class_and_scalar_name(head.op)
    if isinstance(head, Op):
        return type(head), str(getattr(getattr(head, "scalar_op", None), "name", ""))
    parts = split(head)
    if parts is not None and isinstance(parts[0], type):
        return parts[0], ""
    return None, ""


def roles_in(pattern: Any) -> Mapping[Any, tuple[str, int]]:
    """Return the kind of argument that each logic variable of a pattern is; see `role_of`."""
    found: dict[Any, tuple[str, int]] = {}
    stack = [pattern]
    while stack:
        parts = split(stack.pop())
        if parts is None:
            continue
        head, patterns = parts
        cls, name = class_and_scalar_name(head)
        for position, p in enumerate(patterns):
            if isvar(p):
                if found.get(p, ("tensor", 0))[0] == "tensor":
                    op = op_of(head)
                    found[p] = (
                        _role_in_draw(op, position)
                        if isinstance(op, RandomOp)
                        else role_of(cls, name, position)
                    )
            else:
                stack.append(p)
    return found


def _role_in_draw(op: RandomOp, position: int) -> tuple[str, int]:
    """Return the kind of argument that an op that draws takes at a position.

    Besides those of `role_of` it is ``generator``, ``shape of draws``, or ``parameter`` of a
    distribution.
    """
    if position == 0:
        return "generator", 0
    if isinstance(op, Permutation):
        return "length", 0
    if isinstance(op, RandomVariable) and op.sized and position == 1:
        return "shape of draws", 0
    return "parameter", position


def op_of(head: Any) -> Any:
    """Return the op of the head of a term."""
    return head.op if isinstance(head, Output) else head


def holds_matrix_op(pattern: Any) -> bool:
    """Return whether an op on matrices, beside their products, is part of a pattern."""
    return _count_of(pattern, MatrixOp) > 0


def holds_sparse(pattern: Any) -> bool:
    """Return whether a logic variable of a pattern stands for a sparse matrix."""
    return any(role == "sparse" for role, _ in roles_in(pattern).values())


def products_in(pattern: Any) -> int:
    """Return how many products of matrices are part of a pattern."""
    return _count_of(pattern, MatrixProduct)


def _count_of(pattern: Any, wanted: type) -> int:
    """Return how many ops of a class are part of a pattern."""
    return sum(issubclass(cls, wanted) for cls in classes_in(pattern))


def classes_in(pattern: Any) -> list[type]:
    """Return the classes of the ops that are part of a pattern and known, one for each op."""
    stack, found = [pattern], []
    while stack:
        parts = split(stack.pop())
        if parts is not None:
            cls = class_and_scalar_name(parts[0])[0]
            found += [] if cls is None else [cls]
            stack += parts[1]
    return found


def ranks_for(
    pattern: Any, default_weights: Sequence[tuple[int, float]]
) -> Sequence[tuple[int, float]]:
    """Return weights for the ranks of tensors that suit a pattern.

    A pattern that allocates with some lengths, or reduces several times, needs as many axes.

    Parameters
    ----------
    default_weights
        Ranks and their weights for any other pattern.
    """
    lengths = reductions = 0
    stack = [(pattern, 0)]
    while stack:
        part, above = stack.pop()
        parts = split(part)
        if parts is None:
            continue
        head, patterns = parts
        name = getattr(class_and_scalar_name(head)[0], "__name__", "")
        lengths = max(lengths, len(patterns) - 1 if name == "Alloc" else 0)
        above += name == "CAReduce"
        reductions = max(reductions, above)
        stack += [(p, above) for p in patterns]
    least = max(lengths, reductions + 1 if reductions > 1 else 0)
    return [(rank, weight + 6.0 * (rank == least > 0)) for rank, weight in default_weights]
