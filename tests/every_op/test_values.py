"""Every op in relgraph has an example, and gives NumPy's values, dtypes and shapes; what
`infer_shape` says is what `perform` gives, whatever the lengths of the axes."""

from __future__ import annotations

import importlib
import pkgutil
from random import Random
from typing import Any

import numpy as np
import pytest

import relgraph
import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph import scalar
from relgraph.gradient import grad
from relgraph.graph.op import Op
from relgraph.graph.traversal import io_toposort
from relgraph.scalar import error_free
from relgraph.scalar.named import NumpyOp, PartOp, ScipyOp
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.shape_slopes import by_first, by_shape
from tests.every_op.cases import CASES, OTHERS, Tensor
from tests.every_op.comparison import DTYPES, compare
from tests.seeds import seed_of
from tests.sparse import test_functions as sparse_functions

SCALARS = {name: op for name, op in vars(scalar).items() if isinstance(op, ScalarOp)}
OF_SCALARS = [
    (at.Elemwise(op), *[Tensor(1)] * (op.nin if op.nin > 0 else 3))
    for op in SCALARS.values()
    if op is not scalar.polygamma
]
OF_SCALARS.append((at.Elemwise(scalar.polygamma), Tensor(1, "int64"), Tensor(1)))
OF_SCALARS.append((at.Elemwise(scalar.Cast("float32")), Tensor(1)))
OF_SCALARS += [
    (at.Elemwise(op), *[Tensor(1)] * op.nin)
    for op in (error_free.fma, error_free.mul_error, error_free.add_error)
]
OF_SCALARS.append((at.Elemwise(error_free.ScaledProduct(2, 1)), *[Tensor(1)] * 3))
EXAMPLES = [*CASES, *OTHERS, *OF_SCALARS]


@pytest.mark.parametrize(
    ("op", "specs"), [(op, specs) for op, *specs in EXAMPLES], ids=[str(op) for op, *_ in EXAMPLES]
)
def test_as_numpy(op: Any, specs: Any) -> None:
    draw = Random(seed_of(op, specs))
    taken = {dtype: compare(op, specs, dtype, draw) for dtype in DTYPES}
    assert sum(taken.values()), "nothing that was drawn suits the op"


def subclasses(cls: type) -> Any:
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


def of_relgraph() -> set[type]:
    """Return the classes of ops in the package that nodes may have."""
    for module in pkgutil.walk_packages(relgraph.__path__, "relgraph."):
        # what belongs to an extra has no ops of its own
        if module.name.split(".")[1] in ("tensor", "sparse", "scalar", "graph", "gradient"):
            importlib.import_module(module.name)
    found = {
        cls
        for cls in subclasses(Op)
        # those of the VM and of proofs stand in no graph
        if cls.__module__.startswith("relgraph.")
        if not {"bridges", "proof", "vm"} & {*cls.__module__.split(".")}
    }
    return {cls for cls in found if not any(s in found for s in cls.__subclasses__())} | {
        type(op) for op, *_ in CASES
    }


# What stands in laws, in the place of an op for any rank, and never in a node.
OF_LAWS_ALONE = {"RelativeDimShuffle", "RelativeSubtensor"}
# Tested by each of their names: ``tests/scalar/named``; `Composite` is in the fused ops, and the
# slopes by shapes have tests of their own.
BY_TABLES = {NumpyOp, ScipyOp, PartOp, scalar.Composite, type(by_shape), type(by_first)}


def of_sparse_examples() -> set[type]:
    """Return the classes of ops of which the functions of sparse matrices are made."""
    x, y = sparse.csr_matrix("x"), sparse.csr_matrix("y")
    d, v, u = at.dmatrix(), at.dvector(), at.dvector()
    found: set[type] = set()
    for case in sparse_functions.CASES.values():
        out = case.graph(x, y, d, v, u)
        outputs = [out]
        if case.differentiable:
            outputs += grad(out.sum(), [x, y, d, v, u], disconnected_inputs="ignore")
        found |= {type(node.op) for node in io_toposort([x, y, d, v, u], outputs)}
    return found


def test_every_op_has_an_example() -> None:
    here = {type(op) for op, *_ in EXAMPLES} | {type(op) for op in SCALARS.values()} | BY_TABLES
    here |= {type(op.scalar_op) for op, *_ in EXAMPLES if isinstance(op, at.Elemwise)}
    here |= of_sparse_examples()
    missing = {cls for cls in of_relgraph() - here if cls.__name__ not in OF_LAWS_ALONE}
    assert not missing, f"no example of {missing}"


def test_a_wrong_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison fails where an op does not compute what NumPy does."""
    monkeypatch.setattr(at.exp.scalar_op, "ufunc", np.expm1)
    with pytest.raises(AssertionError):
        compare(at.exp, [Tensor(2)], "float64", Random(0))
