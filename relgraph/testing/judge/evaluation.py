"""The values of all variables of a graph, by the `perform` of one node after another.

`RewritePair` evaluates a graph and the graph that a law puts in its place. Arrays are equal in all
bits, or in nan and infinities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

import relgraph.sparse as sparse
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.reference import computed, performed_on_copies
from relgraph.tensor.costs import moved_inputs
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.random.type import is_generator, state_key

Array = np.ndarray[Any, Any]


def same_bits(a: Array, b: Array) -> Array:
    """Return where two arrays of one dtype and shape have the same bits; any nan equals any other.

    Returns
    -------
    equal
        A boolean array of the shape of both.
    """
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) & same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return np.asarray(equal | (np.isnan(a) & np.isnan(b)))


def same_nan_or_infinity(a: Array, b: Array) -> Array:
    """Return where two arrays of complex numbers have the same nan or the same infinity.

    NumPy's complex operations leave open what the finite part beside an infinite one is, and what
    the other part beside a nan is: these parts are not compared.

    Returns
    -------
    equal
        A boolean array; False where a number is finite.
    """
    infinite = np.isinf(a) & np.isinf(b)
    for x, y in ((a.real, b.real), (a.imag, b.imag)):
        infinite &= np.where(np.isinf(x), x, 0) == np.where(np.isinf(y), y, 0)
    return np.asarray((np.isnan(a) & np.isnan(b)) | infinite)


Values = dict[Variable, Any]
"""The value of each variable of a graph."""


class Side(NamedTuple):
    """An output of a graph, with the values of all variables.

    Attributes
    ----------
    nodes
        The nodes that compute it, inputs first.
    values
        The values of all variables.
    out
        The output.
    """

    nodes: Sequence[Apply]
    values: Values
    out: Variable

    @property
    def value(self) -> Any:
        """The value of the output, as an array."""
        return array_of(self.values[self.out])


class Computed(NamedTuple):
    """An output of a node, with the values of the inputs and its own."""

    node: Apply
    out: Variable
    inputs: Sequence[Array]
    result: Array

    @property
    def op(self) -> Any:
        """The op of the node."""
        return self.node.op

    @property
    def rounds(self) -> bool:
        """Whether the result is one of floats or complex numbers."""
        return self.result.dtype.kind in "fc"


def evaluate_all(
    inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
) -> Values:
    """Return the values of all variables of a graph.

    An op that overwrites an input gets a copy, so that each variable keeps its value.

    Parameters
    ----------
    inputs, outputs
        The graph.
    values
        The values of `inputs`.
    """
    nodes = io_toposort(inputs, outputs)
    read = [*outputs, *(v for node in nodes for v in node.inputs)]
    found: Values = {v: v.data for v in read if isinstance(v, Constant)}
    found.update(zip(inputs, values, strict=True))
    for node in nodes:
        results = performed_on_copies(node, [found[v] for v in node.inputs])
        for out, result in zip(node.outputs, results, strict=True):
            found.setdefault(out, result)
    return found


def array_of(value: Any) -> Any:
    """Return a value as an array: all elements of a sparse matrix, or a digest of the state of a
    generator."""
    if type(value) is np.ndarray:
        return value
    if is_generator(value):
        return np.frombuffer(sha256(repr(state_key(value)).encode()).digest(), "uint8")
    return value.toarray() if sparse.is_matrix(value) else np.asarray(value)


def widened(x: Any) -> Array:
    """Return numbers as float64, or as complex128 if they are complex."""
    array = np.asarray(x)
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


SELECTING = frozenset(
    [
        *("neg", "abs", "maximum", "minimum", "clip", "switch", "second", "identity"),
        *("conj", "real", "imag"),
    ]
)
"""Scalar ops whose result is one of their operands, up to its sign."""


class EvaluationError(Exception):
    """An op raised an error when one graph of a `RewritePair` was evaluated.

    Attributes
    ----------
    in_new
        Whether a node that only the new graph has raised it; if not, the old graph can't be
        evaluated for these values.
    singular
        Whether it refuses a singular matrix.
    """

    def __init__(self, error: Exception, in_new: bool) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.in_new = in_new
        self.singular = isinstance(error, np.linalg.LinAlgError)


class RewritePair:
    """A graph that a law matches and its replacement, ready to be evaluated many times.

    The values are those of `relgraph.graph.reference.evaluate`; here all intermediate values are
    kept, and the graphs are sorted only once.

    Parameters
    ----------
    inputs
        The inputs of both graphs.
    old, new
        The variable that the law matches, and its replacement.
    pattern_leaves
        The values of the logic variables and numbers of the law's pattern. The law does not rewrite
        the nodes that compute them.

    Raises
    ------
    ValueError
        If an op overwrites its input.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        old: Variable,
        new: Variable,
        pattern_leaves: Iterable[Variable],
    ) -> None:
        self.inputs = list(inputs)
        self.old, self.new = old, new
        self.pattern_leaves = self._valid_leaves(list(pattern_leaves))
        self._nodes_of: dict[Variable, list[Apply]] = {}
        self._old_nodes = io_toposort(self.inputs, [old])
        old_nodes = set(self._old_nodes)
        both = io_toposort(self.inputs, [old, new])
        self._new_nodes = [node for node in both if node not in old_nodes]
        for node in both:
            if node.op.destroy_map:
                raise ValueError(f"{node.op} destroys an input, which the reference does not do")
        read = [old, new, *(v for node in both for v in node.inputs)]
        self._constants: Values = {v: v.data for v in read if isinstance(v, Constant)}

    def _valid_leaves(self, leaves: list[Variable]) -> list[Variable]:
        """Return `leaves`; no leaves if the new graph reads inputs from which they are computed."""
        known, inputs = set(leaves), set(self.inputs)
        nodes = io_toposort([*leaves, *self.inputs], [self.new])
        read = {self.new, *(v for node in nodes for v in node.inputs)}
        return [] if any(v in inputs and v not in known for v in read) else leaves

    def run(self, values: Sequence[Any]) -> Values:
        """Return the values of all variables of both graphs.

        Parameters
        ----------
        values
            The values of the inputs.

        Raises
        ------
        EvaluationError
            If an op raises.
        """
        known: Values = {**self._constants, **dict(zip(self.inputs, values, strict=True))}
        in_new = False
        try:
            with np.errstate(all="ignore"):
                for nodes in (self._old_nodes, self._new_nodes):
                    in_new = nodes is self._new_nodes
                    for node in nodes:
                        found = computed(node, [known[v] for v in node.inputs])
                        for v, value in zip(node.outputs, found, strict=True):
                            known[v] = value
        except Exception as error:
            raise EvaluationError(error, in_new) from error
        return known

    def run_old(self, values: Sequence[Any]) -> Values:
        """Return the values of the variables of the old graph alone; see `run`."""
        return RewritePair(self.inputs, self.old, self.old, ()).run(values)

    def nodes_of(self, side: Variable) -> list[Apply]:
        """Return the nodes that compute `old` or `new` from the pattern's leaves, inputs first."""
        if side not in self._nodes_of:
            self._nodes_of[side] = io_toposort([*self.pattern_leaves, *self.inputs], [side])
        return self._nodes_of[side]


def is_elementwise(pair: RewritePair) -> bool:
    """Return whether what a law rewrites works element by element."""
    return all(isinstance(node.op, Elemwise | DimShuffle) for node in pair.nodes_of(pair.old))


def combines_elements(pair: RewritePair) -> bool:
    """Return whether an op in what a law rewrites computes elements of several elements of one."""
    nodes = pair.nodes_of(pair.old)
    return any(moved_inputs(n) is None and not isinstance(n.op, Elemwise) for n in nodes)


def decisions_in(pair: RewritePair) -> list[Apply]:
    """Return the nodes of the new side that choose between values."""
    nodes = pair.nodes_of(pair.new)
    return [n for n in nodes if isinstance(n.op, Elemwise) and n.op.scalar_op.name == "switch"]
