"""Passes over loops, and over other ops that have an inner graph.

What nothing reads, what does not change and what is done twice is dropped. Of what is collected
only the rows that are read are kept. Loops of the same number of steps become one. What is the same
at each step is computed once, before the loop; products of matrices that depend on rows of
sequences alone, for all steps at once; sums of products after it. Steps are rewritten as the graphs
around them are. A loop of one step becomes that step.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.destroyhandler import MutableInputs
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import GraphOp
from relgraph.graph.opt import GlobalOptimizer, SequenceOptimizer, local_optimizer
from relgraph.graph.opt.merge import merged_copy
from relgraph.graph.opt.navigators import InSequence
from relgraph.graph.traversal import ancestors, io_toposort
from relgraph.passes.gemm import transposed
from relgraph.passes.open_loop import Given, OpenLoop, Row, State, loops_in, put_in_place
from relgraph.tensor.basic import Assert
from relgraph.tensor.costs import NeverCostlier
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.linalg.products import MatMul, _matmul
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import Dot, MatrixProduct, _dot, add, mul
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import specify_shape
from relgraph.tensor.subtensor import WHOLE, Placeholder, Slice, Subtensor, placeholders
from relgraph.tensor.type import TensorType

# A constant of at most so many elements stands in the step, where laws see its value.
_SMALL = 64


@local_optimizer([GraphOp])
def inline_graph(fgraph: FunctionGraph, node: Apply) -> list[Variable] | bool:
    """Put the graph of an op in the place of a node of it, where the op says so."""
    op: Any = node.op
    return op.in_place_of(node) if op.inline else False


def clean(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Drop from a loop what it need not do; return whether there was any."""
    found = [
        drop_unread(loop, fgraph),
        _fix_unchanged_states(loop),
        _put_constants_inside(loop),
        _read_once(loop),
        _take_rows_from_sequences(loop),
    ]
    return any(found)


def drop_unread(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Drop the rows and states that nothing reads, and the inputs that the step does not read."""
    before = (len(loop.rows), len(loop.states), len(loop.sequences), len(loop.fixed))
    loop.rows = [row for row in loop.rows if _is_read(row.arrays, fgraph)]
    kept = [state for state in loop.states if _is_read(state.last, fgraph)]
    while True:
        needed = ancestors(
            [*(s.new for s in kept), *(r.value for r in loop.rows), *loop.stop], loop.inputs
        )
        used = set(needed)
        more = [s for s in loop.states if s in kept or s.inner in used]
        if len(more) == len(kept):
            break
        kept = more
    loop.states = kept
    loop.sequences = [part for part in loop.sequences if part.inner in used]
    loop.fixed = [part for part in loop.fixed if part.inner in used]
    return before != (len(loop.rows), len(loop.states), len(loop.sequences), len(loop.fixed))


def _is_read(outputs: list[Variable], fgraph: FunctionGraph) -> bool:
    return any(fgraph.clients.get(v) for v in outputs)


def _fix_unchanged_states(loop: OpenLoop) -> bool:
    """Make the states that no step changes inputs that are the same at each step."""
    unchanged = [
        s for s in loop.states if s.new is s.inner and isinstance(s.inner.type, TensorType)
    ]
    for state in unchanged:
        loop.fixed.append(Given(state.inner, state.first))
        loop.replaced.update((old, state.first) for old in state.last)
    loop.states = [s for s in loop.states if s not in unchanged]
    return bool(unchanged)


def _put_constants_inside(loop: OpenLoop) -> bool:
    small = [
        part
        for part in loop.fixed
        if isinstance(part.outer, Constant)
        and getattr(part.outer.data, "size", _SMALL + 1) <= _SMALL
    ]
    if small:
        loop.fixed = [part for part in loop.fixed if part not in small]
        loop.substitute({part.inner: part.outer for part in small})
    return bool(small)


def _read_once(loop: OpenLoop) -> bool:
    """Give what is the same outside one variable in the step."""
    stands_for: dict[Variable, Variable] = {}
    for parts in (loop.sequences, loop.fixed):
        known: dict[Any, Given] = {}
        for part in parts:
            first = known.setdefault(part.outer, part)
            if first is not part and first.inner.type == part.inner.type:
                stands_for[part.inner] = first.inner
        parts[:] = [part for part in parts if part.inner not in stands_for]
    if stands_for:
        loop.substitute(stands_for)
    return bool(stands_for)


def _take_rows_from_sequences(loop: OpenLoop) -> bool:
    """Take what is collected of the rows of a sequence from that; collect equal rows once."""
    arrays = {part.inner: part.outer for part in loop.sequences} if not loop.stop else {}
    known: dict[tuple[Variable, int | None], Any] = {}
    kept = []
    for row in loop.rows:
        first = known.setdefault((row.value, row.kept), row)
        if row.value in arrays:
            rows = loop.read_rows(arrays[row.value])
            rows = rows if row.kept is None else rows[-row.kept :]
            loop.replaced.update((old, rows) for old in row.arrays)
        elif first is not row:
            first.arrays += row.arrays
        else:
            kept.append(row)
    changed = len(kept) < len(loop.rows)
    loop.rows = kept
    return changed


def keep_last_rows(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Keep the last rows of what is collected, where nothing else of it is read; return whether
    there is such."""
    changed = False
    for row in loop.rows:
        (array,) = row.arrays
        count = _rows_read(array, fgraph)
        if row.kept is None and count is not None:
            row.kept, row.arrays = count, [_rows_of(row.value)]
            for reader, _ in fgraph.clients[array]:
                assert isinstance(reader, Apply)  # `_rows_read` has seen parts alone
                part = reader.op(row.arrays[0], *reader.inputs[1:])
                loop.computed[reader.outputs[0]] = part
            changed = True
    return changed


def _rows_read(array: Variable, fgraph: FunctionGraph) -> int | None:
    """Return how many rows, from the last one back, are read; None if others may be."""
    counts = []
    for client, _ in fgraph.clients.get(array, ()):
        if isinstance(client, str) or type(client.op) is not Subtensor:
            return None
        count = _reach(client.op.idx_list[0] if client.op.idx_list else None)
        if count is None:
            return None
        counts.append(count)
    return max(counts) if counts else None


def _reach(entry: object) -> int | None:
    """Return how far from the end an index goes."""
    if isinstance(entry, Slice):
        known = entry.stop is None or (isinstance(entry.stop, int) and entry.stop < 0)
        entry = entry.start if known and entry.goes_forward else None
    if isinstance(entry, bool | Placeholder) or not isinstance(entry, int) or entry >= 0:
        return None
    return -entry


class MergeLoops(GlobalOptimizer):
    """Makes one loop of two, and one state of two that have the same values."""

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops there are fewer."""
        merged = 0
        while (pair := _mergeable_pair(loops_in(fgraph))) is not None:
            first, second = (OpenLoop(node) for node in pair)
            _join(first, second)
            _read_once(first)
            _merge_equal_states(first)
            clean(first, fgraph)
            if not put_in_place(fgraph, first.close(), self.name or str(self)):
                break
            merged += 1
        return merged


def _mergeable_pair(nodes: list[Apply]) -> tuple[Apply, Apply] | None:
    """Return two loops that can become one."""
    pairs = [pair for pair in itertools.combinations(nodes, 2) if _are_alike(*pair)]
    if not pairs:
        return None
    behind = _loops_behind(nodes)
    return next(((a, b) for a, b in pairs if a not in behind[b]), None)


def _are_alike(first: Apply, second: Apply) -> bool:
    a, b = first.op, second.op
    assert isinstance(a, Scan)
    assert isinstance(b, Scan)
    return (
        first.inputs[0] is second.inputs[0]
        and not a.has_condition
        and not b.has_condition
        and a.pure
        and b.pure
        and a.truncate_gradient == b.truncate_gradient
    )


def _loops_behind(nodes: list[Apply]) -> dict[Apply, frozenset[Apply]]:
    """Return for each node that loops depend on the loops that it depends on."""
    wanted = set(nodes)
    behind: dict[Apply, frozenset[Apply]] = {}
    for node in io_toposort([], [node.outputs[0] for node in nodes]):
        owners = {v.owner for v in node.inputs if v.owner is not None}
        found = {behind[owner] for owner in owners}
        found.update(frozenset([owner]) for owner in owners & wanted)
        behind[node] = next(iter(found)) if len(found) == 1 else frozenset().union(*found)
    return behind


def _join(first: OpenLoop, second: OpenLoop) -> None:
    """Add the parts of a loop to another one."""
    shared = set(first.inputs).intersection(second.inputs)
    if shared:
        second_inputs = {v: v.type.make_variable(v.name) for v in second.inputs}
        second.substitute(second_inputs)
        parts: list[Any] = [*second.sequences, *second.states, *second.fixed]
        for part in parts:
            part.inner = second_inputs[part.inner]
    first.sequences += second.sequences
    first.states += second.states
    first.fixed += second.fixed
    first.rows += second.rows


def _merge_equal_states(loop: OpenLoop) -> None:
    """Merge states that have the same values.

    Two states are taken for equal as long as their first values, and what the step makes of them
    under that assumption, are equal.
    """
    classes: list[list[Any]] = _grouped(loop.states, lambda s: (s.first, s.inner.type))
    while True:
        stands_for = {s.inner: group[0].inner for group in classes for s in group[1:]}
        outputs = list(merged_copy(loop.substituted(stands_for)).outputs)
        new = dict(zip(loop.states, outputs, strict=False))
        finer = [part for group in classes for part in _grouped(group, new.__getitem__)]
        if len(finer) == len(classes):
            break
        classes = finer
    loop.set_outputs(outputs)
    for group in classes:
        for state in group[1:]:
            group[0].last += state.last
    loop.states = [group[0] for group in classes]


def _grouped(items: Iterable[Any], key: Any) -> list[list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def push_out(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Move the nodes that depend on no row and no state out of the step.

    What is made of constants alone stays, and so does what may raise an error on purpose or is not
    pure: where there is no step it must not be computed.
    """
    outside: dict[Variable, Variable] = {part.inner: part.outer for part in loop.fixed}
    moved: set[Variable] = set()
    inside: list[Apply] = []
    for node in loop.nodes():
        movable = (
            node.op.pure
            and not isinstance(node.op, Assert)
            and all(v in outside or isinstance(v, Constant) for v in node.inputs)
            and any(v in outside for v in node.inputs)
        )
        if not movable:
            inside.append(node)
            continue
        made = node.clone_with_new_inputs([outside.get(v, v) for v in node.inputs], strict=False)
        outside.update(zip(node.outputs, made.outputs, strict=True))
        moved.update(node.outputs)
    read = dict.fromkeys([*(v for node in inside for v in node.inputs), *loop.outputs])
    stands_for = {v: v.type.make_variable(v.name) for v in read if v in moved}
    if not stands_for:
        return False
    loop.fixed += [Given(inner, outside[v]) for v, inner in stands_for.items()]
    loop.substitute(stands_for)
    return True


class RewriteSteps(InSequence):
    """Applies the sequence that it stands in to the step of each loop of a graph."""

    def apply(self, fgraph: FunctionGraph) -> int:
        """Return how many loops have another step now."""
        return 0 if self.sequence is None else rewrite_steps(fgraph, self.sequence)


class RewriteLoops(SequenceOptimizer, InSequence):
    """Changes the loops of a graph, if it has any, by passes.

    What stands before it in its sequence, laws that is, has been applied to the graph. First it is
    applied to the steps, and in the end again to the graph, for what has left a loop.
    """

    def apply(self, fgraph: FunctionGraph) -> Any:
        """Return the record of the passes; None if there is no loop."""
        if not loops_in(fgraph):
            return None
        before = () if self.sequence is None else self.sequence.opts[: self.place]
        rewrite_steps(fgraph, SequenceOptimizer(*before, self))
        record = super().apply(fgraph)
        for opt in before:
            opt.optimize(fgraph)
        return record


def rewrite_steps(fgraph: FunctionGraph, optimizer: GlobalOptimizer) -> int:
    """Apply an optimizer to the steps of the loops of a graph; return how many it has changed."""
    return sum(_rewrite_step(fgraph, node, optimizer) for node in loops_in(fgraph))


def _rewrite_step(fgraph: FunctionGraph, node: Apply, optimizer: GlobalOptimizer) -> bool:
    op = node.op
    assert isinstance(op, Scan)
    watching = [f for f in fgraph.features if isinstance(f, NeverCostlier)]
    new = optimized_step(op, optimizer, watching)
    if new is op:
        return False
    outputs = [v.type.make_variable() for v in node.outputs]
    made = Apply(new, list(node.inputs), outputs)
    fgraph.replace_all(zip(node.outputs, made.outputs, strict=True), reason="loop_steps")
    return True


def optimized_step(
    op: Scan, optimizer: GlobalOptimizer, watching: Sequence[NeverCostlier] = ()
) -> Scan:
    """Return a loop whose step an optimizer has rewritten.

    States may be overwritten, and generators among them advanced, since a loop has its own; what is
    collected of a step is copied before the next one.

    Parameters
    ----------
    watching
        What watches the graph around the loop: the step is watched by its like.
    """
    graph = FunctionGraph(op.inputs, op.outputs, clone=True)
    states = range(op.n_sequences, op.n_sequences + op.n_states)
    graph.attach_feature(MutableInputs(states, range(len(op.outputs))))
    graph.attach_feature(ReplaceValidate())
    inner = [check.clone() for check in watching]
    for check in inner:
        graph.attach_feature(check)
    optimizer.optimize(graph)
    for check in inner:
        check.finish(graph)
    graph.remove_features()
    return op.changed(inputs=list(graph.inputs), outputs=list(graph.outputs))


def batch_products(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Compute for all steps at once what they compute of rows of sequences.

    A loop with a condition is left alone: it may make few of its steps.
    """
    if loop.stop or not loop.sequences:
        return False
    batch = _Batch(loop)
    chosen = [v for v in batch.nodes if _is_worth_it(v, loop)]
    if not chosen:
        return False
    stands_for: dict[Variable, Variable] = {}
    for var in chosen:
        array = specify_shape(batch.of(var), (None, *var.type.shape))
        stands_for[var] = var.type.make_variable(var.name)
        loop.sequences.append(Given(stands_for[var], array))
    loop.substitute(stands_for)
    return bool(stands_for)


def _is_worth_it(var: Variable, loop: OpenLoop) -> bool:
    assert var.owner is not None
    return isinstance(var.owner.op, MatrixProduct) or any(row.value is var for row in loop.rows)


class _Batch:
    """Arrays that hold what variables of a step are at all steps.

    Attributes
    ----------
    nodes
        For each variable that is computed from rows of sequences and what is the same at each step
        alone, and by ops that there is a rule for, its node.
    """

    def __init__(self, loop: OpenLoop) -> None:
        self._arrays: dict[Variable, Any] = {
            part.inner: loop.read_rows(part.outer) for part in loop.sequences
        }
        self._fixed: dict[Variable, Any] = {part.inner: part.outer for part in loop.fixed}
        self.nodes: dict[Variable, Apply] = {}
        for node in loop.nodes():
            if _rule_of(node) is None or not any(self._varies(v) for v in node.inputs):
                continue
            if all(self._varies(v) or self._is_fixed(v) for v in node.inputs):
                self.nodes[node.outputs[0]] = node

    def _varies(self, var: Variable) -> bool:
        return var in self._arrays or var in self.nodes

    def _is_fixed(self, var: Variable) -> bool:
        return isinstance(var, Constant) or var in self._fixed

    def of(self, var: Variable) -> Any:
        """Return the array of a variable, made of those it is computed from."""
        for node in io_toposort([*self._arrays, *self._fixed], [var]):
            rule = _rule_of(node)
            assert rule is not None
            fixed = {v: self._fixed.get(v, v) for v in node.inputs if not self._varies(v)}
            self._arrays[node.outputs[0]] = rule(node, self._arrays, fixed)
        return self._arrays[var]


Rule = Callable[[Apply, Mapping[Variable, Any], Mapping[Variable, Any]], Any]
"""Takes a node, the arrays of the inputs that differ from step to step, and the variables outside
for the others; returns the array of the output."""


def _rule_of(node: Apply) -> Rule | None:
    rule = _RULES.get(type(node.op))
    if rule is None or len(node.outputs) > 1:
        return None
    if isinstance(node.op, Subtensor) and any(True for _ in placeholders(node.op.idx_list)):
        return None
    if not all(isinstance(v.type, TensorType) for v in node.inputs):
        return None
    return rule


def _elementwise(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    given = [
        arrays[v] if v in arrays else fixed[v].dimshuffle("x", *range(v.type.ndim))
        for v in node.inputs
    ]
    return node.op(*given)


def _dimshuffle(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    order = [a if a == "x" else a + 1 for a in node.op.new_order]
    return DimShuffle(node.op.input_ndim + 1, (0, *order))(arrays[node.inputs[0]])


def _part(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    return Subtensor((WHOLE, *node.op.idx_list))(arrays[node.inputs[0]])


def _reduction(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    (x,) = node.inputs
    axes = tuple([a + 1 for a in node.op.axes(x.type.ndim)])
    return CAReduce(node.op.scalar_op, axes)(arrays[x])


def _product(node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]) -> Any:
    x, y = node.inputs
    if x in arrays and y in arrays:
        return _products_of_pairs(x, y, arrays[x], arrays[y])
    if x in arrays:
        return _rows_times(arrays[x], fixed[y])
    w, array = fixed[x], arrays[y]
    if y.type.ndim == 1:
        return _rows_times(array, w if w.type.ndim == 1 else w.dimshuffle(1, 0))
    if w.type.ndim == 1:
        return _matmul(w.dimshuffle("x", "x", 0), array)[:, 0]
    return _matmul(w, array)


def _rows_times(array: Any, w: Any) -> Any:
    """Return the product of the last axis of an array with the first one of a vector or matrix."""
    if array.type.ndim <= 2:
        return _dot(array, w)
    n, m = array.shape[0], array.shape[1]
    flat = _dot(array.reshape((n * m, array.shape[2])), w)
    return flat.reshape((n, m, *([w.shape[1]] if w.type.ndim == 2 else [])))


def _products_of_pairs(x: Variable, y: Variable, xs: Any, ys: Any) -> Any:
    """Return the product of each pair."""
    left = xs if x.type.ndim == 2 else xs.dimshuffle(0, "x", 1)
    right = ys if y.type.ndim == 2 else ys.dimshuffle(0, 1, "x")
    found = _matmul(left, right)
    if y.type.ndim == 1:
        found = found[:, :, 0]
    return found[:, 0] if x.type.ndim == 1 else found


def _stack_product(
    node: Apply, arrays: Mapping[Variable, Any], fixed: Mapping[Variable, Any]
) -> Any:
    ndim = max(v.type.ndim for v in node.inputs)
    given = []
    for v in node.inputs:
        array = arrays.get(v)
        if array is None:
            given.append(fixed[v])
        else:
            new = ["x"] * (ndim - v.type.ndim)
            given.append(array.dimshuffle(0, *new, *range(1, v.type.ndim + 1)))
    return _matmul(*given)


_RULES: dict[type[Any], Rule] = {
    Elemwise: _elementwise,
    DimShuffle: _dimshuffle,
    Subtensor: _part,
    CAReduce: _reduction,
    Dot: _product,
    MatMul: _stack_product,
}


_COLUMN = DimShuffle(1, (0, "x"))
_ROW = DimShuffle(1, ("x", 0))


def sum_products(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Take the sums of products of matrices out of the states of a loop.

    A loop with a condition is left alone.
    """
    if loop.stop:
        return False
    changed = False
    for state in list(loop.states):
        found = _products(loop, state, fgraph)
        if found:
            _take_out(loop, state, found)
            changed = True
    return changed


Factors = tuple[Variable, Variable]
"""Two variables of the step, A and B, whose product AᵀB is a term of a sum. They are both matrices,
or both vectors, which count as matrices of one row."""


def _products(loop: OpenLoop, state: State, fgraph: FunctionGraph) -> dict[Variable, Factors]:
    """Return the terms that are products, if a state is a sum that nothing else reads."""
    node = state.new.owner
    if node is None or node.op is not add or node.inputs.count(state.inner) != 1:
        return {}
    if getattr(state.inner.type, "ndim", 0) != 2:
        return {}
    terms = [v for v in node.inputs if v is not state.inner and _is_whole(v, state.new)]
    others = [v for v in loop.outputs if v is not state.new] + [
        v for v in node.inputs if v is not state.inner
    ]
    if state.inner in ancestors(others, [state.inner]):
        return {}
    if loop.outputs.count(state.new) > 1:
        return {}
    found = {v: _factors(v) for v in terms}
    return {v: factors for v, factors in found.items() if factors is not None}


def _is_whole(term: Any, total: Any) -> bool:
    """Return whether a term is not broadcast or converted to become part of a sum."""
    return bool(
        term.type.dtype == total.type.dtype and term.type.broadcastable == total.type.broadcastable
    )


def _factors(term: Variable) -> Factors | None:
    node = term.owner
    if node is None:
        return None
    if type(node.op) is Dot and all(v.type.ndim == 2 for v in node.inputs):
        return transposed(node.inputs[0]), node.inputs[1]
    if node.op is mul and len(node.inputs) == 2:
        by_op = {v.owner.op: v for v in node.inputs if v.owner is not None}
        if by_op.keys() == {_COLUMN, _ROW}:
            a, b = by_op[_COLUMN].owner.inputs[0], by_op[_ROW].owner.inputs[0]
            return (a, b) if a.type.dtype == b.type.dtype else None
    return None


def _take_out(loop: OpenLoop, state: State, found: dict[Variable, Factors]) -> None:
    node = state.new.owner
    assert node is not None
    rest = [v for v in node.inputs if v not in found]
    products = [
        _product_of_rows(_collected(loop, a), _collected(loop, b)) for a, b in found.values()
    ]
    last = state.inner.type.make_variable()
    loop.computed.update((old, add(last, *products)) for old in state.last)
    state.last = [last]
    state.new = add(*rest) if len(rest) > 1 else rest[0]


def _collected(loop: OpenLoop, value: Any) -> Any:
    """Return the variable for the array of the values that a variable has at each step."""
    array = _rows_of(value)
    known = next((r for r in loop.rows if r.value is value and r.kept is None), None)
    if known is None:
        loop.rows.append(Row(value, None, [array]))
    else:
        known.arrays.append(array)
    return array


def _rows_of(value: Any) -> Any:
    """Return a variable for an array of values that a variable has at some steps."""
    return TensorType(value.type.dtype, (None, *value.type.shape)).make_variable()


def _product_of_rows(a: Any, b: Any) -> Any:
    """Return the sum over the first axis of the products AᵀB; the rows of vectors are matrices."""
    if a.type.ndim == 2:
        return _dot(a.dimshuffle(1, 0), b)
    n = a.shape[0] * a.shape[1]
    left = a.reshape((n, a.shape[2])).dimshuffle(1, 0)
    return _dot(left, b.reshape((n, b.shape[2])))


def unroll_one_step(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Put the nodes of the step in the place of a loop that makes one step.

    One with a condition stays: how many rows it collects is not known ahead, and an axis of one row
    would begin to broadcast.
    """
    if loop.stop or not isinstance(loop.steps, Constant) or int(loop.steps.data) != 1:
        return False
    if not all(isinstance(state.inner.type, TensorType) for state in loop.states):
        return False
    stands_for: dict[Variable, Variable] = {part.inner: part.outer[0] for part in loop.sequences}
    stands_for.update((state.inner, state.first) for state in loop.states)
    stands_for.update((part.inner, part.outer) for part in loop.fixed)
    loop.substitute(stands_for)
    for state in loop.states:
        loop.replaced.update((old, state.new) for old in state.last)
    for row in loop.rows:
        array = row.value.dimshuffle("x", *range(row.value.type.ndim))  # type: ignore[attr-defined]
        loop.replaced.update((old, array) for old in row.arrays)
    loop.states, loop.rows = [], []
    return True
