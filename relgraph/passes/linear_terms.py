"""Sums of tensors taken apart: signs, scalar factors, transposes, and what they apply to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.tensor.basic import constant
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.math import add, mul, neg, sub, true_div

# Nested scalings are looked through up to so many.
_MOST_SCALINGS = 4

_TRANSPOSITION = DimShuffle(2, (1, 0))


class Term(NamedTuple):
    """A term of a sum: ``± factors · core / divisors``, with `core` transposed if it is `turned`.

    Attributes
    ----------
    written
        The variable in the graph, which lacks the sign that the sum gives it.
    subtracted
        Whether the sum subtracts it.
    negative
        Whether the sign before `core` is minus, by the sum and by negations.
    """

    written: Any
    subtracted: bool
    core: Any
    negative: bool
    factors: tuple[Any, ...]
    divisors: tuple[Any, ...]
    turned: bool

    @property
    def is_plain(self) -> bool:
        """Whether the term is just `core`, but for a transposition."""
        return not (self.negative or self.factors or self.divisors)


def is_scalar(var: Any) -> bool:
    """Return whether a variable is known to have one element."""
    return all(n == 1 for n in var.type.shape)


def scaled_input(node: Apply) -> int | None:
    """Return which input of a node is negated, transposed, or multiplied or divided by scalars.

    None if the node is nothing of that kind or changes the dtype.
    """
    op, inputs = node.op, node.inputs
    found: int | None = None
    if op is mul:
        tensors = [i for i, v in enumerate(inputs) if not is_scalar(v)]
        found = tensors[0] if len(tensors) == 1 else None
    elif op is neg or op is _TRANSPOSITION or (op is true_div and is_scalar(inputs[1])):
        found = 0
    if found is None or inputs[found].type.dtype != node.outputs[0].type.dtype:
        return None
    return None if is_scalar(inputs[found]) else found


def is_sum(node: Apply | None) -> bool:
    """Return whether a node adds or subtracts tensors that all have the dtype of the result.

    So does the negation of such a sum.
    """
    if node is not None and node.op is neg:
        node = node.inputs[0].owner
    if node is None or (node.op is not add and node.op is not sub):
        return False
    dtype = node.outputs[0].type.dtype
    return all(v.type.dtype == dtype for v in node.inputs)


def only_reader(fgraph: FunctionGraph, var: Variable) -> Apply | None:
    """Return the node that reads a variable, if it is the only one and reads it once."""
    clients = fgraph.clients[var]
    if len(clients) != 1:
        return None
    ((node, _),) = clients
    return None if isinstance(node, str) else node


def terms_of(fgraph: FunctionGraph, root: Variable) -> list[Term]:
    """Return the terms of the sum `root`; sums that only it reads are taken apart too."""
    found: list[Term] = []
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        var, minus = stack.pop()
        node = var.owner
        inside = var is root or only_reader(fgraph, var) is not None
        if inside and is_sum(node):
            signs = [minus] * len(node.inputs)
            if node.op is sub or node.op is neg:
                signs[-1] = not minus
            stack.extend(reversed(list(zip(node.inputs, signs, strict=True))))
        else:
            found.append(as_term(fgraph, var, minus, inside))
    return found


def as_term(fgraph: FunctionGraph, var: Any, subtracted: bool, inside: bool = True) -> Term:
    """Return a variable as a term; it is looked behind if it is `inside` the sum."""
    core, negative, turned = var, subtracted, False
    factors: list[Any] = []
    divisors: list[Any] = []
    for _ in range(_MOST_SCALINGS):
        node = core.owner
        at = scaled_input(node) if inside and node is not None else None
        if node is None or at is None:
            break
        if node.op is neg:
            negative = not negative
        elif node.op is _TRANSPOSITION:
            turned = not turned
        else:
            others = [v for i, v in enumerate(node.inputs) if i != at]
            scalars = (*factors, *divisors, *others)
            if sum(not isinstance(v, Constant) for v in scalars) > 1:
                break  # a product of scalars may over- or underflow where the tensor does not
            (factors if node.op is mul else divisors).extend(others)
        core = node.inputs[at]
        inside = only_reader(fgraph, core) is not None
    return Term(var, subtracted, core, negative, tuple(factors), tuple(divisors), turned)


def coefficient(term: Term) -> Any:
    """Return the scalar by which a term multiplies its core, of rank 0 and of its dtype."""
    dtype = term.core.type.dtype
    number = np.asarray(-1 if term.negative else 1, dtype)
    above: list[Any] = []
    below: list[Any] = []
    with np.errstate(all="ignore"):
        for v in term.factors:
            if isinstance(v, Constant):
                number = number * v.data.reshape(()).astype(dtype)
            else:
                above.append(_rank_0(v, dtype))
        for v in term.divisors:
            if isinstance(v, Constant):
                number = number / v.data.reshape(()).astype(dtype)
            else:
                below.append(_rank_0(v, dtype))
    if not above and not below:
        return constant(np.asarray(number, dtype))
    minus = number == -1
    if not minus and (number != 1 or not above):
        above.insert(0, constant(np.asarray(number, dtype)))
    if not above:
        above.append(constant(np.asarray(1, dtype)))
    made = mul(*above) if len(above) > 1 else above[0]
    if below:
        made = true_div(made, mul(*below) if len(below) > 1 else below[0])
    return neg(made) if minus else made


def _rank_0(var: Any, dtype: str) -> Any:
    """Return a variable of one element as a scalar of rank 0 of a dtype."""
    node = var.owner
    if node is not None and isinstance(node.op, DimShuffle) and node.inputs[0].type.ndim == 0:
        var = node.inputs[0]
    elif var.type.ndim > 0:
        var = DimShuffle(var.type.ndim, ())(var)
    return var if var.type.dtype == dtype else var.astype(dtype)


def transposed(var: Any) -> Any:
    """Return the transpose of a matrix: what was transposed, if it is one."""
    node = var.owner
    if node is not None and node.op is _TRANSPOSITION:
        return node.inputs[0]
    return _TRANSPOSITION(var)
