"""`to_sympy`: a graph as an expression of SymPy's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

import relgraph.tensor as at
from relgraph import scalar
from relgraph.bridges.sympy.functions import LOGICAL, TO_SYMPY, as_number, is_truth
from relgraph.bridges.sympy.numbers import number_to_sympy
from relgraph.compile.optimize import is_same_graph
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import Cast
from relgraph.scalar.dtypes import is_complex, is_discrete
from relgraph.scalar.records import opened
from relgraph.tensor.contraction import Dot
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.systems.determinants import Cofactors, Det
from relgraph.tensor.linalg.systems.inverses import Inverse
from relgraph.tensor.reductions.reduction import CAReduce


def to_sympy(variable: Variable, symbols: Mapping[Variable, Any] | None = None) -> Any:
    """Return the graph of a variable as an expression of SymPy's.

    Where all of it is elementwise, a tensor stands for any one of its elements. Where there are
    products of matrices, determinants and the like, matrices are matrix symbols.

    Parameters
    ----------
    variable
        A tensor variable.
    symbols
        What stands for a variable. For others a symbol of its name is made, with the assumptions
        that the dtype tells: integer, real or complex.

    Raises
    ------
    NotImplementedError
        If an op has no counterpart; the error names it.
    ValueError
        If an input has no name and no symbol.
    """
    found: dict[Variable, Any] = dict(symbols or {})
    nodes = _needed(variable, found)
    of_elements = all(isinstance(n.op, Elemwise | DimShuffle) for n in nodes)
    leaf = _element if of_elements else _matrix_or_number
    for node in nodes:
        if not isinstance(node.op, Elemwise) and type(node.op) not in _MATRICES:
            raise NotImplementedError(f"to_sympy: there is no function of SymPy's for {node.op}")

    def value(v: Variable) -> Any:
        if v not in found:
            found[v] = leaf(v)
        return found[v]

    for node in nodes:
        made = _written(node, [value(v) for v in _inputs(node)], of_elements)
        found.update(zip(node.outputs, made, strict=True))
    return value(variable)


def _needed(variable: Variable, known: Mapping[Variable, Any]) -> list[Apply]:
    """Return the nodes that a variable needs, in order; of a trace only the last one."""
    done: dict[Apply, None] = {}
    stack = [variable]
    while stack:
        node = stack[-1].owner
        if node is None or stack[-1] in known or node in done:
            stack.pop()
            continue
        missing = [v for v in _inputs(node) if v.owner is not None and v.owner not in done]
        missing = [v for v in missing if v not in known]
        stack.extend(missing)
        if not missing:
            done[node] = None
    return list(done)


def _inputs(node: Apply) -> Sequence[Variable]:
    """Return what is written before a node is: of the trace of a matrix, the matrix."""
    matrix = _traced(node)
    return node.inputs if matrix is None else [matrix]


def _traced(node: Apply) -> Variable | None:
    """Return the matrix whose trace a node is, or None."""
    if not isinstance(node.op, CAReduce) or node.inputs[0].owner is None:
        return None
    part = node.inputs[0].owner
    if not isinstance(part.op, AdvancedSubtensor) or part.inputs[0].type.ndim != 2:
        return None
    matrix: Variable = part.inputs[0]
    return matrix if is_same_graph(node.outputs[0], at.trace(matrix)) else None


def _element(v: Any) -> Any:
    """Return a symbol for an input or constant, of which one element is meant."""
    if isinstance(v, Constant):
        number = v.unique_value()
        if number is None:
            raise NotImplementedError(f"to_sympy: {v} is an array, and SymPy's numbers are single")
        return number_to_sympy(number)
    return sp.Symbol(_name_of(v), **_assumptions(v.type.dtype))


def _assumptions(dtype: str) -> dict[str, bool]:
    if dtype == "bool":
        return {}
    if is_discrete(dtype):
        return {"integer": True}
    return {"complex": True} if is_complex(dtype) else {"real": True}


def _matrix_or_number(v: Any) -> Any:
    rank = v.type.ndim
    if rank == 0 or (isinstance(v, Constant) and v.unique_value() is not None):
        return _element(v)
    if isinstance(v, Constant) and rank == 2:
        return sp.ImmutableDenseMatrix(
            [[number_to_sympy(x) for x in row] for row in v.data.tolist()]
        )
    if rank != 2 or isinstance(v, Constant):
        raise NotImplementedError(
            f"to_sympy: beside products of matrices {v} of rank {rank} is neither a matrix nor a "
            "number"
        )
    name = _name_of(v)
    lengths = [
        sp.Symbol(f"{name}_{axis}", integer=True, nonnegative=True) if n is None else n
        for axis, n in zip(("rows", "columns"), v.type.shape, strict=True)
    ]
    return sp.MatrixSymbol(name, *lengths)


def _name_of(v: Variable) -> str:
    if v.name is None:
        raise ValueError(f"to_sympy: {v} has no name: give it one, or a symbol for it")
    return v.name


def _written(node: Apply, inputs: list[Any], of_elements: bool) -> Sequence[Any]:
    op = node.op
    if isinstance(op, Elemwise) and of_elements:
        return elements(op.scalar_op, inputs)
    if isinstance(op, DimShuffle) and of_elements:
        return inputs
    made = _MATRICES[type(op)](node, inputs)
    if made is None:
        raise NotImplementedError(f"to_sympy: there is no function of SymPy's for {op}")
    return [made]


def elements(op: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the results of a scalar op on expressions.

    Raises
    ------
    NotImplementedError
        If there is no such function.
    """
    if isinstance(op, Composite):
        return _opened(op, inputs)
    if isinstance(op, Cast):
        (x,) = inputs
        rounds = is_discrete(op.dtype) and op.dtype != "bool" and not x.is_integer
        return [sp.sign(x) * sp.floor(sp.Abs(x)) if rounds else x]
    function = TO_SYMPY.get(op)
    formula = None if function is not None else opened(op, ("float64",) * len(inputs))
    if formula is not None:
        return _opened(formula, inputs)
    if function is None:
        raise NotImplementedError(f"to_sympy: there is no function of SymPy's for {op}")
    if op in LOGICAL:
        if not all(map(is_truth, inputs)):
            raise NotImplementedError(f"to_sympy: SymPy has no {op} of bits, only of truth values")
        return [function(*inputs)]
    return [function(*(inputs if op is scalar.switch else map(as_number, inputs)))]


def _opened(op: Composite, inputs: Sequence[Any]) -> list[Any]:
    found = dict(zip(op.inner_inputs, inputs, strict=True))

    def value(v: Any) -> Any:
        return number_to_sympy(v.data.item()) if isinstance(v, Constant) else found[v]

    for node in io_toposort(op.inner_inputs, op.inner_outputs):
        made = elements(node.op, [value(v) for v in node.inputs])
        found.update(zip(node.outputs, made, strict=True))
    return [value(v) for v in op.inner_outputs]


# -- matrices --------------------------------------------------------------------------------------


def _elementwise(node: Any, inputs: list[Any]) -> Any:
    """Write sums, differences and products of matrices and numbers."""
    name = str(node.op.scalar_op)
    matrices = [x for x in inputs if x.is_Matrix]
    if not matrices:
        return elements(node.op.scalar_op, inputs)[0]
    if name in ("add", "sub") and len(matrices) == len(inputs):
        return inputs[0] - inputs[1] if name == "sub" else sp.MatAdd(*inputs)
    if name == "neg":
        return -inputs[0]
    numbers = sp.Mul(*[x for x in inputs if not x.is_Matrix])
    if name == "mul":
        product = matrices[0] if len(matrices) == 1 else sp.HadamardProduct(*matrices)
        return numbers * product
    return inputs[0] / inputs[1] if name == "true_div" and not inputs[1].is_Matrix else None


def _rearranged(node: Any, inputs: list[Any]) -> Any:
    (x,) = inputs
    if not x.is_Matrix:
        return x
    return sp.Transpose(x).doit() if node.op.new_order == (1, 0) else None


def _trace(node: Any, inputs: list[Any]) -> Any:
    return None if _traced(node) is None else sp.Trace(inputs[0])


def _product(node: Any, inputs: list[Any]) -> Any:
    return sp.MatMul(*inputs) if all(x.is_Matrix for x in inputs) else None


_MATRICES: dict[type, Callable[[Any, list[Any]], Any]] = {
    Elemwise: _elementwise,
    DimShuffle: _rearranged,
    CAReduce: _trace,
    Dot: _product,
    MatMul: _product,
    Det: lambda node, inputs: sp.Determinant(inputs[0]),
    Cofactors: lambda node, inputs: sp.Determinant(inputs[0]) * sp.Inverse(inputs[0]).T,
    Inverse: lambda node, inputs: sp.Inverse(inputs[0]),
}
