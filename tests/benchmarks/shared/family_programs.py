"""Graphs of the families with gradient, rewritten by one library, here or in PyTensor.

    python tests/benchmarks/shared/family_programs.py FAMILY --library LIBRARY [--values]

prints one JSON object. `bench_families.py` calls it, in the interpreter that has the library.
"""

import importlib
import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench_rewriting import PHASES, Library
from shared.beside_peer import answered, parser_for
from shared.timing import fresh
from shared.vector_families import FAMILIES, drawn

from tests.families import value_and_gradient

# As many nodes as make a graph of 200 to 1,000 with its gradient, in both libraries.
SIZE = 150
SIZES = {
    "ladder": 150,
    "gated recurrent net": 150,
    "attention": 150,
    "residual net": 150,
    "adam": 150,
    "runge kutta": 150,
    "horner": 150,
    "finite differences": 200,
    "edit distance": 150,
    "forward algorithm": 200,
    "fourier transform": 150,
    "cholesky": 150,
    "sparse sharing": 120,
}
LENGTH = 7

# Ops that compute nothing: they give what there is another shape, or say what its shape is.
VIEWS = {
    "Alloc",
    "DimShuffle",
    "MakeVector",
    "Reshape",
    "ScalarFromTensor",
    "Shape",
    "Shape_i",
    "SpecifyShape",
    "Subtensor",
    "TensorFromScalar",
}
# What one op represents that does the work of several: a largest value, a difference, an
# exponential, a sum and a quotient (of a LogSoftmax a logarithm and another difference).
FUSED = {"Softmax": 5, "LogSoftmax": 6}


def operations(fgraph):
    """Return how many operations a graph of either library takes, whatever it writes them with.

    An operation is one of a value, or of two: a sum or a product of k arguments is k - 1 of them,
    a softmax as many as it represents, and a scalar composite those inside of it. What only views
    or repeats its input (`VIEWS`, and ``second``, which fills) is none. Everything else is one: a
    comparison, a cast, a reduction, a dot, an update of a part. Large and small arrays count alike.
    """
    return sum(_operations_of(node) for node in fgraph.apply_nodes)


def _operations_of(node):
    kind = type(node.op).__name__
    scalar_op = getattr(node.op, "scalar_op", None) if kind == "Elemwise" else node.op
    inner = getattr(scalar_op, "fgraph", None)
    if inner is not None:
        return operations(inner)
    if kind in VIEWS:
        return 0
    name = str(scalar_op).lower()
    if name in ("second", "identity"):
        return 0
    if name in ("add", "mul"):
        return len(node.inputs) - 1
    return FUSED.get(kind, 1)


def built(lib, name):
    return value_and_gradient(FAMILIES[name], lib.T, lib.grad, SIZES.get(name, SIZE))


def rewriting(lib, name):
    """Return the least milliseconds to rewrite a fresh graph, and what is there before and after.

    What is computed twice in a result counts once in either library: both are merged first.
    """
    rewrite = partial(lib.rewrite, include=PHASES, clone=True)
    merged = _merged(lib, rewrite(built(lib, name)))
    return {
        "ms": fresh(rewrite, partial(built, lib, name)) * 1e3,
        "nodes": lib.size(built(lib, name)),
        "left": len(merged.apply_nodes),
        "operations": operations(merged),
    }


def _merged(lib, outputs):
    ours = lib.name == "relgraph"
    basic = importlib.import_module(f"{lib.name}.graph.{'opt' if ours else 'rewriting.basic'}")
    merged, optimizer = lib.FunctionGraph(outputs=outputs, clone=True), basic.MergeOptimizer()
    optimizer.add_requirements(merged)
    optimizer.apply(merged)
    return merged


def values(lib, name):
    """Return the values of the graph as it was built, on random inputs, as nested lists."""
    family, size = FAMILIES[name], SIZES.get(name, SIZE)
    outputs = value_and_gradient(family, FewArguments(lib.T), lib.grad, size)
    inputs = _inputs(lib, outputs)
    mode = importlib.import_module(f"{lib.name}.compile").Mode(linker="py", optimizer=None)
    compiled = importlib.import_module(lib.name).function(inputs, outputs, mode=mode)
    given = drawn(name, inputs, LENGTH**2, "float64")
    return [np.asarray(v).tolist() for v in compiled(*given)]


class FewArguments:
    """A tensor module that adds and multiplies some at a time: NumPy's ufuncs take 32 at most."""

    MOST = 30

    def __init__(self, T):
        self._T = T

    def __getattr__(self, name):
        return getattr(self._T, name)

    def add(self, *terms):
        return self._some_at_a_time(self._T.add, terms)

    def mul(self, *factors):
        return self._some_at_a_time(self._T.mul, factors)

    def _some_at_a_time(self, op, arguments):
        while len(arguments) > 1:
            some, rest = arguments[: self.MOST], arguments[self.MOST :]
            arguments = (*rest, op(*some))
        return arguments[0]


def _inputs(lib, outputs):
    """Return what needs a value, in the order of the names."""
    traversal = importlib.import_module(f"{lib.name}.graph.traversal")
    constant = importlib.import_module(f"{lib.name}.graph.basic").Constant
    found = {v for v in traversal.graph_inputs(outputs) if not isinstance(v, constant)}
    return sorted(found, key=lambda v: v.name)


def main():
    parser = parser_for(__doc__, FAMILIES)
    parser.add_argument("--values", action="store_true", help="compute values, and rewrite nothing")
    options = parser.parse_args()
    measure = values if options.values else rewriting
    answered(options, lambda name, library: measure(Library(library), name))


if __name__ == "__main__":
    main()
