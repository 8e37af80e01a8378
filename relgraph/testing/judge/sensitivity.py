"""How far rounding can move what a graph computes, found by moving all that is rounded.

A graph is computed in extended precision, and again several times with every rounded value moved
at random by an eps of its dtype. Where the results stay together, an optimized graph has to agree
with them; how far they spread says how closely. (This is Monte Carlo arithmetic: D. S. Parker,
1997.) It needs to know nothing about the ops.

What leaves the range of its dtype on the way, or is excluded for another reason, is replaced in
each run by something else. So the results that depend on it don't stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.tensor.assembly.allocation import Alloc
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.op import Elemwise
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import MakeVector

Array = np.ndarray[Any, Any]
Values = dict[Variable, Any]

Excluded = Literal["range", "infinite"]
"""What is replaced: what leaves the range of its dtype, or also all that is not finite."""

# A result may be this many times as far from the true one as moving every number by an eps moves
# it: each op of a graph of some size may round.
SLACK = 32

_SEED = 1997
_STAND_INS = (np.nan, 1.7, -3.1, 0.0, 1e3, -0.02)
# each stand-in for all that is excluded, then one for each (see `_stand_in`)
RUNS = len(_STAND_INS) + 4

# These give back numbers that they get.
_MOVERS = (
    DimShuffle,
    Reshape,
    SpecifyShape,
    Subtensor,
    AdvancedSubtensor,
    Alloc,
    Join,
    Split,
    MakeVector,
)
_EXACT = frozenset(
    op.scalar_op
    for op in (
        *(at.neg, at.abs, at.sign, at.maximum, at.minimum, at.identity, at.second, at.switch),
        *(at.clip, at.conj, at.real, at.imag, at.floor, at.ceil, at.trunc, at.round),
    )
)
# They come so near to 0 (or so far) that extended precision leaves its range as well.
_TAILS = frozenset(
    op.scalar_op
    for op in (
        *(at.exp, at.exp2, at.expm1, at.sigmoid, at.erfc, at.sinh, at.cosh, at.pow, at.softplus),
        *(at.gammaln, at.log1mexp, at.mul, at.sqr, at.true_div),
    )
)
_COMPARISONS = frozenset(op.scalar_op for op in (at.eq, at.neq, at.lt, at.le, at.gt, at.ge))
# These are 0 somewhere, without having got there by underflow.
_CROSSING = (scalar.expm1, scalar.sinh, scalar.gammaln)
_WIDE = np.longdouble
_WIDE_COMPLEX = np.clongdouble


def widened(value: Any, dtype: str) -> Any:
    """Return a value of a variable of `dtype` in extended precision, if it has any precision."""
    kind = np.dtype(dtype).kind
    if kind == "f":
        return np.asarray(value, _WIDE)
    return np.asarray(value, _WIDE_COMPLEX) if kind == "c" else np.asarray(value)


def native(
    inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
) -> Values:
    """Return the values of all variables, by each op's `perform`.

    An op that overwrites an input gets a copy, so that each variable keeps its value.
    """
    found: Values = dict(zip(inputs, values, strict=True))
    for node in io_toposort(inputs, outputs):
        arguments = [_value(v, found) for v in node.inputs]
        for destroyed in node.op.destroy_map.values():
            for i in destroyed:
                arguments[i] = np.array(arguments[i])
        _perform(node, arguments, found)
    for v in outputs:
        found.setdefault(v, _value(v, found))
    return found


def _value(v: Variable, found: Values) -> Any:
    return v.data if isinstance(v, Constant) and v not in found else found[v]


def _perform(node: Apply, arguments: Sequence[Any], found: Values) -> None:
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, arguments, cells)
    for out, cell in zip(node.outputs, cells, strict=True):
        found.setdefault(out, cell[0])


@dataclass(frozen=True)
class Spread:
    """What a graph computes, and how far that moves.

    Attributes
    ----------
    exact
        The values of the outputs in extended precision.
    runs
        Their values with everything moved, run by run.
    """

    exact: list[Any]
    runs: list[list[Any]]


def spread_of(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    values: Sequence[Any],
    usual: Mapping[Variable, Any],
    excluded: Excluded,
) -> Spread:
    """Return what a graph computes in extended precision, and how far that moves.

    Parameters
    ----------
    values
        Of the inputs.
    usual
        What `native` found for the same values.
    excluded
        What is replaced, so that the results that depend on it move.
    """
    nodes = io_toposort(inputs, outputs)
    wide: Values = {v: widened(x, v.type.dtype) for v, x in zip(inputs, values, strict=True)}
    for node in nodes:
        _widely(node, wide, usual)
    masks = {v: _mask(v, wide[v], usual, excluded) for v in wide}
    for node in nodes:
        _add_tails(node, wide, masks)
    runs = []
    for k in range(RUNS):
        mover = _Mover(k, masks, wide)
        moved: Values = {v: mover.move(v, wide[v], True) for v in inputs}
        for node in nodes:
            _widely(node, moved, usual, mover)
        runs.append([_output(v, moved) for v in outputs])
    return Spread([_output(v, wide) for v in outputs], runs)


def _output(v: Variable, found: Values) -> Any:
    return found[v] if v in found else widened(_value(v, found), v.type.dtype)


def _stand_in(run: int, place: int) -> float:
    """Return what takes the place of what is excluded from one variable, in one run.

    Of two neighbours either is the larger one, or the only one that is not 0, in some run.
    """
    if run < len(_STAND_INS):
        return _STAND_INS[run]
    kind = run - len(_STAND_INS)
    if kind < 2:
        return 1.7 + place if kind else 1.7 - place
    return 0.0 if (place + kind) % 2 else 1.7 + place


class _Mover:
    """Moves what is rounded, in one run."""

    def __init__(self, run: int, masks: Mapping[Variable, Any], wide: Values) -> None:
        self._random = np.random.default_rng((_SEED, run))
        self._run = run
        self._comparisons = 0
        self._masks = masks
        self._wide = wide
        excluded = [v for v, mask in masks.items() if mask is not None]
        self._stand_ins = {v: _stand_in(run, place) for place, v in enumerate(excluded)}

    def move(self, v: Any, value: Any, rounded: bool) -> Any:
        """Return a value of `v` moved by up to an eps if it is `rounded`."""
        kind = np.dtype(v.type.dtype).kind
        if kind not in "fc":
            return value
        mask = self._masks.get(v)
        if rounded:
            value = self._moved(value, np.finfo(v.type.dtype).eps)
        if mask is not None:
            value = np.where(mask, value.dtype.type(self._stand_ins[v]), value)
        return value

    def compared(self, node: Apply, arguments: Sequence[Any], value: Any) -> Any:
        """Return what a comparison gives, and the opposite where rounding decides about it.

        Moving two numbers hardly ever makes them equal, and may leave them in order by chance. Some
        runs take the opposite in every other place alone: ``a <= b`` and ``a >= b`` are both to
        hold in one of them.
        """
        self._comparisons += 1
        if self._run and (self._run + self._comparisons) % 2:
            return value
        a, b = (self._wide[v] if v in self._wide else _value(v, self._wide) for v in node.inputs)
        exact = np.subtract(a, b, dtype=np.result_type(*arguments))
        moved = np.abs(np.subtract(*arguments) - exact)
        near = (moved > 0) & (np.abs(exact) <= SLACK * moved)
        return np.where(near, ~self._wide[node.out], value)

    def other(self, v: Variable) -> Any:
        """Return what `v` is not, for what can't be computed once its inputs are moved."""
        exact = self._wide[v]
        if exact.dtype.kind in "fc":
            return np.where(np.isnan(exact), 0, np.nan)
        return ~exact

    def _moved(self, value: Any, eps: Any) -> Any:
        if value.dtype.kind == "f":
            moved = value * (1 + eps * self._steps(value.shape))
            # A zero is the result of rounding as well, and so is its sign.
            return np.where(value == 0, np.copysign(value, self._steps(value.shape)), moved)
        size = np.abs(value) * eps
        step = np.empty(value.shape, value.dtype)
        step.real, step.imag = self._steps(value.shape), self._steps(value.shape)
        finite = np.isfinite(value)
        return np.where(finite, value + np.where(finite, size, 0) * step, value)

    def _steps(self, shape: tuple[int, ...]) -> Any:
        sign = self._random.choice((-1.0, 1.0), shape)
        return np.asarray(sign * self._random.uniform(0.4, 1.0, shape), _WIDE)


def is_rounded(node: Apply) -> bool:
    """Return whether what `node` computes is rounded, rather than found among its inputs."""
    if isinstance(node.op, Elemwise):
        op = node.op.scalar_op
        if isinstance(op, scalar.Cast):
            return bool(np.promote_types(node.inputs[0].type.dtype, op.dtype) != op.dtype)
        return op not in _EXACT
    if isinstance(node.op, CAReduce):
        return node.op.scalar_op in (scalar.add, scalar.mul)
    return not isinstance(node.op, _MOVERS)


def _compares_floats(node: Apply) -> bool:
    op: Any = node.op
    return (
        isinstance(op, Elemwise)
        and op.scalar_op in _COMPARISONS
        and any(np.dtype(v.type.dtype).kind in "fc" for v in node.inputs)
    )


def _widely(
    node: Apply, found: Values, usual: Mapping[Variable, Any], mover: _Mover | None = None
) -> None:
    """Compute a node in extended precision."""
    arguments = [
        found[v] if v in found else widened(_value(v, found), v.type.dtype) for v in node.inputs
    ]
    with np.errstate(all="ignore"):
        try:
            made = _computed(node, arguments, usual)
        except (IndexError, ValueError):
            if mover is None:
                raise
            made = [mover.other(out) for out in node.outputs]
        if mover is not None and _compares_floats(node):
            made = [mover.compared(node, arguments, made[0])]
        rounded = mover is not None and is_rounded(node)
        for out, value in zip(node.outputs, made, strict=True):
            value = widened(value, out.type.dtype)
            found[out] = value if mover is None else mover.move(out, value, rounded)


def _computed(node: Apply, arguments: list[Any], usual: Mapping[Variable, Any]) -> list[Any]:
    computed: Callable[..., Any] = _elementwise if isinstance(node.op, Elemwise) else _any_op
    try:
        return list(computed(node, arguments))
    except (TypeError, ValueError):
        # There is no such loop, or the op insists on its dtypes.
        plain = [np.asarray(x, v.type.dtype) for x, v in zip(arguments, node.inputs, strict=True)]
        return list(_any_op(node, plain))


def _any_op(node: Apply, arguments: Sequence[Any]) -> list[Any]:
    arguments = list(arguments)
    for destroyed in node.op.destroy_map.values():
        for i in destroyed:
            arguments[i] = np.array(arguments[i])
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, arguments, cells)
    return [cell[0] for cell in cells]


def _elementwise(node: Apply, arguments: list[Any]) -> list[Any]:
    op: Any = node.op
    scalar_op = op.scalar_op
    shape = np.broadcast_shapes(*[x.shape for x in arguments])
    dtypes = [out.type.dtype for out in node.outputs]
    if isinstance(scalar_op, scalar.Cast):
        value = arguments[0]
        kind = np.dtype(dtypes[0]).kind
        made = value if kind == value.dtype.kind and kind in "fc" else _cast(value, dtypes[0])
        return [made]
    if all(np.dtype(d).kind in "fc" for d in dtypes) and all(
        x.dtype.kind in "biu" for x in arguments
    ):
        arguments = [np.asarray(x, _WIDE) for x in arguments]
    made = scalar_op.impl(*arguments)
    results = [made] if scalar_op.nout == 1 else list(made)
    return [
        np.broadcast_to(widened(np.asarray(r).astype(d) if _discrete(d) else r, d), shape)
        for r, d in zip(results, dtypes, strict=True)
    ]


def _discrete(dtype: str) -> bool:
    return np.dtype(dtype).kind in "biu"


def _cast(value: Any, dtype: str) -> Any:
    if _discrete(dtype):
        # As from the dtype that the number will have: what is out of range becomes the same.
        return value.astype("float64").astype(dtype) if value.dtype.kind == "f" else (
            value.astype(dtype)
        )  # fmt: skip
    return widened(value, dtype)


# -- what is excluded ----------------------------------------------------------------------------


def _mask(v: Any, value: Any, usual: Mapping[Variable, Any], excluded: Excluded) -> Any:
    """Return which elements are excluded; None for none."""
    if np.dtype(v.type.dtype).kind not in "fc":
        return None
    info = np.finfo(v.type.dtype)
    with np.errstate(all="ignore"):
        size = np.abs(value)
        out = (size != 0) & (size < 4 * info.tiny.astype(_WIDE))
        out |= np.isfinite(size) & (size > info.max.astype(_WIDE) / 4)
        if v.owner is None:
            # An input may be what it likes: nothing has left its range yet.
            out &= False
        seen = usual.get(v)
        if seen is not None:
            out |= np.isfinite(value) & ~np.isfinite(seen)
        if excluded == "infinite":
            out |= ~np.isfinite(value)
    return out if bool(np.any(out)) else None


def _add_tails(node: Apply, wide: Values, masks: dict[Variable, Any]) -> None:
    """Exclude what leaves the range even of extended precision."""
    op: Any = node.op
    out = node.outputs[0]
    if not isinstance(op, Elemwise) or op.scalar_op not in _TAILS or _discrete(out.type.dtype):
        return
    value = wide[out]
    arguments = [wide[v] if v in wide else _value(v, wide) for v in node.inputs]
    finite = _all_of([np.isfinite(x) for x in arguments], value.shape)
    if op.scalar_op is scalar.true_div or op.scalar_op is scalar.pow:
        # An infinity may be that of a pole.
        lost = np.zeros(value.shape, bool)
    else:
        lost = finite & ~np.isfinite(value)
    if op.scalar_op in (scalar.mul, scalar.true_div, scalar.pow, scalar.sqr):
        finite &= _all_of([x != 0 for x in arguments], value.shape)
    lost |= finite & (value == 0) & (op.scalar_op not in _CROSSING)
    if bool(np.any(lost)):
        known = masks.get(out)
        masks[out] = lost if known is None else known | lost


def _all_of(masks: Sequence[Any], shape: tuple[int, ...]) -> Any:
    found = np.ones(shape, bool)
    for mask in masks:
        found &= mask
    return found
