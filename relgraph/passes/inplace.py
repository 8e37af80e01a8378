"""Inplace passes: nodes overwrite an input that nothing reads after them.

All is seen in one fixed order of evaluation. A node that overwrites storage after its last other
reader in that order can't make a cycle, whatever other nodes overwrite by the same rule. So each
decision is local, and the graph need not be validated for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.destroyhandler import DestroyHandler, destroyed_indices
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.utils import InconsistencyError
from relgraph.scalar.composite import Composite
from relgraph.tensor.conditional import Contexts
from relgraph.tensor.elemwise import Elemwise, FusedElemwise
from relgraph.tensor.linalg.blas import BlasUpdate
from relgraph.tensor.linalg.matrix_op import MatrixOp, can_overwrite
from relgraph.tensor.random.op import RandomOp
from relgraph.tensor.subtensor import BaseIncSubtensor

# A reader that stands so far behind may be moved in front, if the graph lets it.
_NEAR = 64


class StorageUse:
    """The uses of the storage of each variable of a graph, which must not change meanwhile.

    Parameters
    ----------
    fgraph
        The graph. What its ``mutable_inputs`` and ``borrowing_outputs`` allow is allowed; an
        update is in the storage of what it updates.

    Attributes
    ----------
    order
        The nodes in the order that decisions are made for.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        try:
            self.order = fgraph.toposort()
        except ValueError:
            # says which node overwrites what another one needs, if that is why
            fgraph.validate()
            raise
        self._fgraph = fgraph
        self._allowed = frozenset(getattr(fgraph, "mutable_inputs", ()))
        self._borrowing = frozenset(getattr(fgraph, "borrowing_outputs", ()))
        self._roots: dict[Variable, tuple[Variable, ...]] = {}
        # the positions of the readers of some storage, in order
        self._readers: dict[Variable, dict[int, None]] = {}
        # the branches of nodes: a branch may keep a client from running
        self._contexts = Contexts.of_graph(fgraph, self.order)
        # the outputs of the graph in some storage, by index
        self._results: dict[Variable, set[int]] = {}
        self._overwritten: set[Variable] = set()
        # the inputs of the graph in whose storage a value made by overwriting is
        self._in_inputs: dict[Variable, frozenset[Variable]] = {}
        for position, node in enumerate(self.order):
            self._read(node, position)
        for index, var in enumerate(fgraph.outputs):
            for root in self.roots(var):
                self._results.setdefault(root, set()).add(index)
        self._own_update = {
            fgraph.inputs[i]: k for k, i in (getattr(fgraph, "update_mapping", None) or {}).items()
        }

    def roots(self, var: Variable) -> tuple[Variable, ...]:
        """Return the variables in whose storage a variable may be, itself if it has its own.

        A value made by overwriting counts as one with storage of its own.
        """
        return self._roots.get(var, (var,))

    def _read(self, node: Apply, position: int) -> None:
        for var in node.inputs:
            for root in self.roots(var):
                self._readers.setdefault(root, {})[position] = None
        for index, viewed in node.op.view_map.items():
            found = [root for i in viewed for root in self.roots(node.inputs[i])]
            if found:
                self._roots[node.outputs[index]] = tuple(dict.fromkeys(found))
        for index, overwritten in node.op.destroy_map.items():
            for i in overwritten:
                self.overwrite(node.inputs[i], None if index is None else node.outputs[index])

    def overwrite(self, overwritten: Variable, made: Variable | None) -> None:
        """Note that a variable is overwritten, and which output is made there."""
        roots = self.roots(overwritten)
        self._overwritten.update(roots)
        if made is not None:
            inputs = self._inputs_under(roots)
            if inputs:
                self._in_inputs[made] = inputs

    def _inputs_under(self, roots: Iterable[Variable]) -> frozenset[Variable]:
        """Return the inputs of the graph whose storage is that of `roots`."""
        found: set[Variable] = set()
        for root in roots:
            found.update([root] if root.owner is None else self._in_inputs.get(root, ()))
        return frozenset(found)

    def readers_after(self, position: int) -> dict[int, int]:
        """Return how far behind a node the last readers stand of the inputs that it may overwrite.

        The work is in step with the number of inputs, but for those that no other node reads later.

        Parameters
        ----------
        position
            The position of the node in the order.

        Returns
        -------
        distances
            For inputs of the node, by index: 0 if the node is the last reader, so that it may
            overwrite the input. Left out are inputs that it must not overwrite whatever the order:
            their storage is that of a constant, of a result, of an input that is protected, or of
            another input of the node, is overwritten already, or is read by a node that runs only
            if a branch of an `IfElse` is taken; and those whose last reader is not near.
        """
        node = self.order[position]
        storage = [self.roots(v) for v in node.inputs]
        times = Counter(chain.from_iterable(storage))
        distances: dict[int, int] = {}
        for i, roots in enumerate(storage):
            if all(times[root] == 1 and self._is_free(root) for root in roots):
                last = max(next(reversed(self._readers[root])) for root in roots)
                if last - position <= _NEAR and not self._runs_without_readers(node, roots):
                    distances[i] = last - position
        return distances

    def _is_free(self, root: Variable) -> bool:
        """Return whether some storage may be overwritten once it is read no more."""
        protected = root.owner is None and root not in self._allowed
        return not (
            protected
            or isinstance(root, Constant)
            or root in self._overwritten
            or root in self._results
        )

    def _runs_without_readers(self, node: Apply, roots: Iterable[Variable]) -> bool:
        """Return whether a branch keeps a reader of some storage from running, and not `node`."""
        contexts = self._contexts
        return contexts is not None and any(
            contexts.runs_without(node, self.order[reader])
            for root in roots
            for reader in self._readers[root]
        )

    def is_copied(self, overwritten: Variable, made: Variable) -> bool:
        """Return whether an output that is made in the storage of a variable is a result that would
        be copied in the end, as what is in the storage of an input is."""
        results = self._results.get(made, set())
        return not results <= self._borrowing and any(
            self._own_update.get(v) not in results
            for v in self._inputs_under(self.roots(overwritten))
        )

    def can_come_last(self, position: int, i: int, distance: int) -> bool:
        """Return whether none of the later readers of input `i` of a node depends on the node."""
        node = self.order[position]
        roots, reached = self.roots(node.inputs[i]), {*node.outputs}
        for later in range(position + 1, position + distance + 1):
            reader = self.order[later]
            if not reached.isdisjoint(reader.inputs):
                if any(later in self._readers[root] for root in roots):
                    return False
                reached.update(reader.outputs)
        return True


def overwrites_nothing(node: Apply) -> bool:
    """Return whether a node overwrites none of its inputs."""
    return not (node.op.destroy_map and destroyed_indices(node))


Overwriting = dict[int, int]
"""For outputs of a node, by index, the input in whose storage it is made."""


class InplacePass(GlobalOptimizer):
    """Replaces nodes by ones that overwrite an input.

    Each node is decided by the readers of the storage (`StorageUse`). Only where another reader
    stands a little later in the order is the graph validated, to see whether it can come first.

    Parameters
    ----------
    candidates
        Gives for a node the pairs (index of an output, index of an input) that its op allows,
        the best first.
    inplace_op
        Gives the op that overwrites.
    """

    inplace = True

    def __init__(
        self,
        candidates: Callable[[Apply], Iterable[tuple[int, int]]],
        inplace_op: Callable[[Op, Overwriting], Op],
    ) -> None:
        self._candidates = candidates
        self._inplace_op = inplace_op
        self._ops: dict[tuple[Op, tuple[tuple[int, int], ...]], Op] = {}

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        # both ignore a second one
        fgraph.attach_feature(ReplaceValidate())
        fgraph.attach_feature(DestroyHandler())

    def apply(self, fgraph: FunctionGraph) -> int:
        """Make nodes overwrite; return how many do."""
        self._ops.clear()
        if not any(self._pairs(node) for node in fgraph.apply_nodes):
            return 0
        decided, undecided = self._decide(StorageUse(fgraph))
        before = fgraph.checkpoint()
        for node, overwriting in decided:
            self._replace(fgraph, node, overwriting)
        if _has_other_conditions(fgraph):
            try:
                fgraph.validate()
            except InconsistencyError:
                # each is tried alone
                fgraph.revert(before)
                undecided = [*decided, *undecided]
                decided = []
        tried = [self._try(fgraph, node, overwriting) for node, overwriting in undecided]
        return len(decided) + sum(tried)

    def _pairs(self, node: Apply) -> list[tuple[int, int]]:
        return list(self._candidates(node)) if overwrites_nothing(node) else []

    def _decide(
        self, use: StorageUse
    ) -> tuple[list[tuple[Apply, Overwriting]], list[tuple[Apply, Overwriting]]]:
        """Return which nodes overwrite what, and what may be possible in another order."""
        decided: list[tuple[Apply, Overwriting]] = []
        undecided: list[tuple[Apply, Overwriting]] = []
        for position, node in enumerate(use.order):
            pairs = self._pairs(node)
            if not pairs:
                continue
            chosen, otherwise = _choices(use, position, pairs)
            if chosen:
                decided.append((node, chosen))
            elif otherwise:
                undecided.append((node, otherwise))
        return decided, undecided

    def _overwriting_node(self, node: Apply, overwriting: Overwriting) -> Apply:
        key = (node.op, tuple(overwriting.items()))
        op = self._ops.get(key)
        if op is None:
            op = self._ops[key] = self._inplace_op(node.op, overwriting)
        return Apply(op, node.inputs, [out.type.make_variable() for out in node.outputs])

    def _replace(self, fgraph: FunctionGraph, node: Apply, overwriting: Overwriting) -> None:
        new = self._overwriting_node(node, overwriting)
        for old_var, new_var in zip(node.outputs, new.outputs, strict=True):
            fgraph.replace(old_var, new_var, reason=self.name)

    def _try(self, fgraph: FunctionGraph, node: Apply, overwriting: Overwriting) -> bool:
        """Make a node overwrite if the graph is valid then; return whether it does."""
        for i in overwriting.values():
            if fgraph.has_destroyers([node.inputs[i]]):
                return False
        new = self._overwriting_node(node, overwriting)
        pairs = zip(node.outputs, new.outputs, strict=True)
        try:
            fgraph.replace_all_validate(list(pairs), reason=self.name)
        except InconsistencyError:
            return False
        return True


def _choices(
    use: StorageUse, position: int, pairs: Iterable[tuple[int, int]]
) -> tuple[Overwriting, Overwriting]:
    """Return what a node overwrites, and what it may overwrite in another order.

    Each input is taken once, and looked at once, however many outputs could be made there.
    """
    node, distances = use.order[position], use.readers_after(position)
    chosen: Overwriting = {}
    otherwise: Overwriting = {}
    for output, i in pairs:
        distance = distances.get(i)
        if distance is None or output in chosen:
            continue
        if use.is_copied(node.inputs[i], node.outputs[output]):
            continue
        if distance == 0:
            chosen[output] = i
            use.overwrite(node.inputs[i], node.outputs[output])
            del distances[i]
        elif output not in otherwise:
            del distances[i]
            if use.can_come_last(position, i, distance):
                otherwise[output] = i
    return chosen, otherwise


def _has_other_conditions(fgraph: FunctionGraph) -> bool:
    """Return whether a feature may object, but the DestroyHandler, which `StorageUse` heeds."""
    return any(
        hasattr(feature, "validate") and not isinstance(feature, DestroyHandler)
        for feature in fgraph.features
    )


def _elementwise_pairs(node: Apply) -> list[tuple[int, int]]:
    """Return where an elementwise op may write: to inputs of the type that the output has."""
    op = node.op
    if type(op) not in (Elemwise, FusedElemwise) or not _writes_to_storage(op):
        return []
    return [
        (o, i)
        for o, out in enumerate(node.outputs)
        for i, v in enumerate(node.inputs)
        if out.type.ndim > 0
        and v.type.dtype == out.type.dtype
        and v.type.broadcastable == out.type.broadcastable
    ]


def _writes_to_storage(op: Elemwise) -> bool:
    """Return whether an elementwise op computes in an array that it is given, or in parts of it.

    Others compute a new array, which would only be copied.
    """
    if isinstance(op.scalar_op, Composite):
        return True
    return op.nout == 1 and isinstance(op.scalar_op.ufunc, np.ufunc)


def _elementwise_inplace(op: Op, overwriting: Overwriting) -> Op:
    assert isinstance(op, Elemwise)
    return type(op)(op.scalar_op, tuple(sorted(overwriting.items())))


def _first_of(kind: type[Op]) -> Callable[[Apply], list[tuple[int, int]]]:
    """Return the candidates of a pass by which ops of a kind overwrite their first input."""

    def pairs(node: Apply) -> list[tuple[int, int]]:
        # `isinstance` asks the abstract base classes of ops, slowly
        return [(0, 0)] if kind in type(node.op).__mro__ else []

    return pairs


def _lapack_pairs(node: Apply) -> list[tuple[int, int]]:
    found = MatrixOp in type(node.op).__mro__ and can_overwrite(node)
    return [(0, node.op.overwritable)] if found else []


def _by_parameter(op: Op, overwriting: Overwriting) -> Op:
    """Return an op that has a parameter `inplace`, with that set."""
    return type(op)(**{**op.props_dict(), "inplace": True})


def inplace_elemwise() -> InplacePass:
    """Return the pass by which elementwise ops write their result over an input of its type."""
    return InplacePass(_elementwise_pairs, _elementwise_inplace)


def inplace_setsubtensor() -> InplacePass:
    """Return the pass by which what sets or increments a part of a tensor changes the tensor."""
    return InplacePass(_first_of(BaseIncSubtensor), _by_parameter)


def inplace_blas() -> InplacePass:
    """Return the pass by which `Gemm`, `GemvAdd` and `Ger` add to the storage of their Z."""
    return InplacePass(_first_of(BlasUpdate), _by_parameter)


def inplace_lapack() -> InplacePass:
    """Return the pass by which LAPACK factors and solves in the storage of its matrices."""
    return InplacePass(_lapack_pairs, _by_parameter)


def inplace_random() -> InplacePass:
    """Return the pass by which each draw advances its generator in place, if nothing needs the
    state before it later.

    A generator that is an argument, or a shared variable without an update, keeps its state: the
    graph says by `MutableInputs` which ones may be overwritten.
    """
    return InplacePass(_first_of(RandomOp), _by_parameter)
