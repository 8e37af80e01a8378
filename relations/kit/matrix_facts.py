"""What is known of matrices from declarations and the ops that make them, as goals.

What `relgraph.tensor.linalg.assume` declares is inferred through transposes, products, sums,
inverses and factors. A complex matrix is called symmetric if it equals its conjugate transpose, and
orthogonal if that is its inverse. Facts hold but for rounding; but `positive definite` says that a
Cholesky factor can be computed. So it does not follow for ``x @ x.T + eye(n)``, which rounding
makes singular where `x` is large, unless it is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from relations.kit.guards import (
    counts_any_length,
    depends_on_levels,
    is_nonnegative,
    is_positive,
    is_zero_everywhere,
    real_number,
)
from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.goals import goal
from relgraph.tensor.assembly import ARange, Eye
from relgraph.tensor.basic import Assert, static_int
from relgraph.tensor.elemwise import DimShuffle, Elemwise, with_axes_swapped
from relgraph.tensor.linalg.blas import Dot22
from relgraph.tensor.linalg.decompositions import QR, Cholesky, Eigh
from relgraph.tensor.linalg.diagonals import SetDiagonal
from relgraph.tensor.linalg.matrix_op import Assume
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.systems import Inverse
from relgraph.tensor.math import Dot
from relgraph.tensor.shapes import SpecifyShape, known_length

Facts = frozenset[str]

DIAGONAL, LOWER, UPPER = "diagonal", "lower triangular", "upper triangular"
SYMMETRIC, POSITIVE, ORTHOGONAL = "symmetric", "positive definite", "orthogonal"
SEMIDEFINITE = "positive semidefinite"
UNIFORM = "uniform"
"""Not declared: every matrix of the stack has one number in all its places."""

NOTHING: Facts = frozenset()
_SHAPE_OF_ZEROS = frozenset({DIAGONAL, LOWER, UPPER})
_ZEROS_AND_SYMMETRY = _SHAPE_OF_ZEROS | {SYMMETRIC}


def _masked(node: Any, facts: Sequence[Facts]) -> Facts:
    """Return on which sides of its diagonal a matrix that a switch makes is known to be zero."""
    condition, then, otherwise = node.inputs
    if isinstance(condition, Constant):
        return _masked_by(np.asarray(condition.data), then, otherwise)
    kept_below = _true_on_and_below(condition)
    if kept_below is None:
        return NOTHING
    if is_zero_everywhere(otherwise) and kept_below <= 0:
        return frozenset({LOWER})
    return frozenset({UPPER}) if is_zero_everywhere(then) and kept_below >= -1 else NOTHING


def _masked_by(mask: Any, then: Any, otherwise: Any) -> Facts:
    """Return the same for a mask that is known."""
    found: set[str] = set()
    if mask.ndim == 2 and is_zero_everywhere(otherwise):
        found |= _triangles_of(mask)
    if mask.ndim == 2 and is_zero_everywhere(then):
        found |= _triangles_of(mask == 0)
    return frozenset(found)


def _triangles_of(data: Any) -> set[str]:
    """Return which of lower and upper triangular all matrices of a stack are, by their elements."""
    rows, columns = np.nonzero(data)[-2:]
    below = {LOWER} if np.all(rows >= columns) else set()
    return below | {UPPER} if np.all(rows <= columns) else below


def _true_on_and_below(condition: Any) -> int | None:
    """Return the number of the diagonal on and below which a condition is true, else false."""
    node = condition.owner
    if node is None or not isinstance(node.op, Elemwise):
        return None
    if isinstance(node.op.scalar_op, scalar.Cast):
        return _true_on_and_below(node.inputs[0])
    if node.op.scalar_op not in (scalar.ge, scalar.le):
        return None
    rows, columns = node.inputs if node.op.scalar_op is scalar.ge else node.inputs[::-1]
    offset = 0
    moved = rows.owner
    if moved is not None and isinstance(moved.op, Elemwise) and len(moved.inputs) == 2:
        sign = {scalar.add: 1, scalar.sub: -1}.get(moved.op.scalar_op, 0)
        number = real_number(moved.inputs[1])
        if number is None or not sign:
            return None
        rows, offset = moved.inputs[0], sign * int(number)
    return offset if _counts(rows, 0) and _counts(columns, 1) else None


def _counts(v: Any, axis: int) -> bool:
    """Return whether a matrix holds the numbers from 0 on along an axis, and has no other axis."""
    if v.type.ndim != 2 or not v.type.broadcastable[1 - axis]:
        return False
    if isinstance(v, Constant):
        return np.array_equal(np.ravel(v.data), np.arange(v.data.size))
    node = v.owner
    if node is None or not isinstance(node.op, DimShuffle):
        return False
    return counts_from_zero(node.inputs[0])


def counts_from_zero(i: Any) -> bool:
    """Return whether a vector holds the integers from 0 on, in order."""
    if i.type.ndim != 1:
        return False
    if isinstance(i, Constant):
        return bool((i.data == range(i.data.size)).all()) if i.data.size else True
    node = i.owner
    if node is None or not isinstance(node.op, ARange):
        return False
    start, _, step = (static_int(v) for v in node.inputs)
    return start == 0 and step == 1 and counts_any_length(node.op.dtype)


MOST_NODES = 400
"""How many nodes are looked at for one answer."""
_LARGEST_CONSTANT = 10_000


def facts_about(matrix: Variable) -> Facts:
    """Return what is known of a matrix, or of all matrices in a stack.

    Of a graph of more than `MOST_NODES` nodes the farthest count as unknown.
    """
    known: dict[Variable, Facts] = {}
    stack, seen = [matrix], 0
    while stack:
        v = stack[-1]
        if v in known:
            stack.pop()
            continue
        node = v.owner
        rule = None if node is None else _rule_for(node)
        if node is None or rule is None or seen > MOST_NODES:
            known[v] = _closed(v, _facts_about_leaf(v))
            continue
        missing = [u for u in node.inputs if u not in known]
        if missing:
            seen += 1
            stack.extend(missing)
            continue
        facts = rule(node, [known[u] for u in node.inputs])
        known[v] = _closed(v, facts | _facts_about_leaf(v))
    return known[matrix]


def _rule_for(node: Apply) -> _Rule | None:
    op = node.op
    if isinstance(op, Elemwise) and type(op.scalar_op) not in _OF_ELEMENTS:
        # nothing follows for another function of elements, so its arguments are not looked at
        return None
    return _RULES.get(type(op))


def _facts_about_leaf(v: Any) -> Facts:
    """Return what is known of a variable without its inputs."""
    shape: tuple[Any, ...] = getattr(v.type, "shape", ())
    found: set[str] = set()
    if v.owner is not None and isinstance(v.owner.op, QR | Eigh):
        found |= _facts_about_factor(v)
    if shape[-2:] == (1, 1):
        found |= {UNIFORM, DIAGONAL}
    if len(shape) > 1 and isinstance(v, Constant) and v.data.size <= _LARGEST_CONSTANT:
        found |= _facts_about_data(v)
    return frozenset(found)


# several laws ask one after the other
_known: WeakKeyDictionary[Constant, Facts] = WeakKeyDictionary()


def _facts_about_data(constant: Constant) -> Facts:
    """Return what the elements of a matrix tell."""
    known = _known.get(constant)
    if known is not None:
        return known
    data: Any = np.asarray(constant.data)
    shape, found = data.shape, _triangles_of(data)
    if shape[-1] == shape[-2] and np.array_equal(data, np.swapaxes(data, -1, -2).conj()):
        found.add(SYMMETRIC)
    if {LOWER, UPPER, SYMMETRIC} <= found:
        along = np.diagonal(data, axis1=-2, axis2=-1)
        found |= {POSITIVE} if np.all(along > 0) else set()
        found |= {ORTHOGONAL} if np.all(along == 1) else set()
    return _known.setdefault(constant, frozenset(found))


def _facts_about_factor(matrix: Any) -> Facts:
    """Return the facts about an output of an op that has several."""
    op, index = matrix.owner.op, matrix.index
    if isinstance(op, Eigh):
        return frozenset({ORTHOGONAL}) if index == 1 else NOTHING
    if op.mode == "r" or index == 1:
        return frozenset({UPPER})
    n, m = matrix.type.shape[-2:]
    square = op.mode == "complete" or (n is not None and n == m)
    return frozenset({ORTHOGONAL}) if square else NOTHING


def _closed(v: Any, facts: Facts) -> Facts:
    """Return facts with those that follow from them."""
    found = set(facts)
    if POSITIVE in found:
        found |= {SYMMETRIC, SEMIDEFINITE}
    if np.dtype(v.type.dtype).kind in "biu":
        found -= {POSITIVE, SEMIDEFINITE}  # integers wrap around
    if SYMMETRIC in found and not found.isdisjoint({LOWER, UPPER}):
        found.add(DIAGONAL)
    if {LOWER, UPPER} <= found:
        found.add(DIAGONAL)
    if DIAGONAL in found:
        found |= {LOWER, UPPER}
        if not v.type.dtype.startswith("complex"):
            found.add(SYMMETRIC)
    return frozenset(found)


# -- the rules ---------------------------------------------------------------------------------


def _same(node: Any, facts: Sequence[Facts]) -> Facts:
    return facts[0]


def _turned(node: Any, facts: Sequence[Facts]) -> Facts:
    """Return the facts about what a change of the order of axes makes."""
    order = node.op.new_order
    if _is_transposition(node):
        swapped = {LOWER: UPPER, UPPER: LOWER}
        return frozenset(swapped.get(fact, fact) for fact in facts[0])
    kept = [axis for axis in order if axis != "x"]
    last = tuple(order[-2:])
    ndim = node.inputs[0].type.ndim
    if len(kept) == ndim and ndim >= 2 and last == (ndim - 2, ndim - 1):
        return facts[0]
    return frozenset({UNIFORM}) if last == ("x", "x") else NOTHING


def _is_transposition(node: Apply) -> bool:
    """Return whether a dimshuffle turns around the last two axes and leaves the others."""
    ndim = node.inputs[0].type.ndim
    return ndim >= 2 and tuple(node.op.new_order) == with_axes_swapped(ndim, -2, -1)


def _product(node: Any, facts: Sequence[Facts]) -> Facts:
    """Return the facts about a product of matrices."""
    x, y = node.inputs
    if x.type.ndim < 2 or y.type.ndim < 2:
        return NOTHING
    found = set(facts[0] & facts[1] & (_SHAPE_OF_ZEROS | {ORTHOGONAL}))
    factors = _factors(node)
    middle = len(factors) // 2
    pairs = [(factors[i], factors[-1 - i]) for i in range(middle)]
    if all(are_transposes(a, b) for a, b in pairs):
        if len(factors) % 2 == 0:
            found |= {SYMMETRIC, SEMIDEFINITE}
        else:
            found |= facts_about(factors[middle]) & {SYMMETRIC, SEMIDEFINITE}
    return frozenset(found)


def _factors(node: Any) -> list[Any]:
    """Return the factors of a product of at most five, in order."""
    flat = list(node.inputs)
    for _ in range(3):
        for i, v in enumerate(flat):
            if v.owner is not None and isinstance(v.owner.op, PRODUCTS) and len(flat) < 5:
                inner = v.owner.inputs
                if all(u.type.ndim >= 2 for u in inner):
                    flat[i : i + 1] = inner
                    break
    return flat


def are_transposes(x: Any, y: Any) -> bool:
    """Return whether the one variable is the (conjugate) transpose of the other."""
    return _adjoint_of(x) is y or _adjoint_of(y) is x


def _adjoint_of(x: Any) -> Any:
    """Return the variable whose conjugate transpose `x` is, or None."""
    turned = False
    conjugated = not x.type.dtype.startswith("complex")
    while x.owner is not None:
        op = x.owner.op
        if isinstance(op, DimShuffle) and _is_transposition(x.owner):
            turned = not turned
        elif isinstance(op, Elemwise) and op.scalar_op is scalar.conj:
            conjugated = not conjugated
        else:
            break
        x = x.owner.inputs[0]
        if turned and conjugated:
            return x
    return None


def _elementwise(node: Any, facts: Sequence[Facts]) -> Facts:
    facts = [_repeated(f, v, node.outputs[0]) for f, v in zip(facts, node.inputs, strict=True)]
    return _OF_ELEMENTS[type(node.op.scalar_op)](node, facts)


def _repeated(facts: Facts, operand: Any, result: Any) -> Facts:
    """Return the facts about an operand that is broadcast: of a column none is about a matrix."""
    shapes = (v.type.broadcastable[-2:] for v in (operand, result))
    same = all(one == other for one, other in zip(*shapes, strict=True))
    return facts if same or UNIFORM in facts else NOTHING


def _sum(node: Any, facts: Sequence[Facts]) -> Facts:
    inputs, is_added = node.inputs, node.op.scalar_op is scalar.add
    matrices = [f for f in facts if UNIFORM not in f]
    found = frozenset.intersection(*facts) & {UNIFORM}
    if len(matrices) == len(facts):
        found |= frozenset.intersection(*facts) & _SHAPE_OF_ZEROS
    opposite = len(inputs) == 2 and is_added and are_transposes(*inputs)
    if opposite or all(SYMMETRIC in f for f in matrices):
        found |= {SYMMETRIC}
    if is_added:
        found |= frozenset.intersection(*facts) & {SEMIDEFINITE, POSITIVE}
    return found


def _scaled(node: Any, facts: Sequence[Facts]) -> Facts:
    """Return the facts about a product element by element."""
    matrices = [f for f in facts if UNIFORM not in f]
    if not matrices:
        return frozenset({UNIFORM})
    found = set(frozenset.union(*matrices) & _SHAPE_OF_ZEROS)
    if all(SYMMETRIC in f for f in matrices):
        found.add(SYMMETRIC)
    numbers = [v for v, f in zip(node.inputs, facts, strict=True) if UNIFORM in f]
    if len(matrices) == 1 and all(is_nonnegative(v) for v in numbers):
        kept = {POSITIVE} if all(is_positive(v) for v in numbers) else set()
        found |= matrices[0] & {SEMIDEFINITE, *kept}
    return frozenset(found)


def _converted(node: Any, facts: Sequence[Facts]) -> Facts:
    exact = np.dtype(node.outputs[0].type.dtype).kind in "fc"
    return facts[0] if exact else facts[0] & _ZEROS_AND_SYMMETRY


def _eye(node: Any, facts: Sequence[Facts]) -> Facts:
    rows, columns, place = map(known_length, node.inputs)
    if place != 0:
        return NOTHING
    return frozenset({DIAGONAL, POSITIVE, ORTHOGONAL} if rows == columns else {DIAGONAL})


def _with_diagonal(node: Any, facts: Sequence[Facts]) -> Facts:
    """Return the facts about zeros whose diagonal is set: what `diag` makes of a vector."""
    is_main = node.op.offset == 0 and is_zero_everywhere(node.inputs[0])
    return frozenset({DIAGONAL}) if is_main else NOTHING


PRODUCTS = (Dot, Dot22, MatMul)

_Rule = Callable[[Any, Sequence[Facts]], Facts]

_OF_ELEMENTS: dict[type, _Rule] = {
    type(scalar.add): _sum,
    type(scalar.sub): _sum,
    type(scalar.mul): _scaled,
    type(scalar.true_div): lambda _, f: f[0] & _ZEROS_AND_SYMMETRY if UNIFORM in f[1] else NOTHING,
    type(scalar.neg): lambda _, facts: facts[0] & (_ZEROS_AND_SYMMETRY | {ORTHOGONAL, UNIFORM}),
    type(scalar.conj): _same,
    type(scalar.switch): _masked,
    scalar.Cast: _converted,
}
"""What follows for functions of elements, by the type of the scalar op."""

_RULES: dict[type, _Rule] = {
    Assume: lambda node, facts: facts[0] | frozenset(node.op.facts),
    Assert: _same,
    SpecifyShape: _same,
    Inverse: lambda _, facts: facts[0] - {UNIFORM, SEMIDEFINITE},
    DimShuffle: _turned,
    **dict.fromkeys(PRODUCTS, _product),
    Elemwise: _elementwise,
    Eye: _eye,
    SetDiagonal: _with_diagonal,
    Cholesky: lambda node, facts: facts[0] & {DIAGONAL} | {LOWER if node.op.lower else UPPER},
}


def _predicate(name: str, *facts: str) -> Callable[[Any], bool]:
    def is_known(matrix: Any) -> bool:
        return matrix.type.ndim > 1 and not facts_about(matrix).isdisjoint(facts)

    is_known.__name__ = name
    is_known.__qualname__ = name
    is_known.__doc__ = f"Return whether a matrix is known to be {' or '.join(facts)}."
    return depends_on_levels(3)(is_known)


is_lower_triangular = _predicate("is_lower_triangular", LOWER)

diagonalo = goal(_predicate("is_diagonal", DIAGONAL))
triangularo = goal(_predicate("is_triangular", LOWER, UPPER))
symmetrico = goal(_predicate("is_symmetric", SYMMETRIC))
positive_definiteo = goal(_predicate("is_positive_definite", POSITIVE))
orthogonalo = goal(_predicate("is_orthogonal", ORTHOGONAL))
