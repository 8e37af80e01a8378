"""Expressions of SymPy's as graphs, by `from_sympy`, and graphs as expressions, by `to_sympy`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import sympy as sp

import relgraph.tensor as at
from relgraph import scalar
from relgraph.bridges.sympy.functions import (
    FROM_SYMPY,
    LOGICAL,
    TO_SYMPY,
    as_number,
    exact_number,
    is_truth,
    number_to_sympy,
)
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import general_toposort
from relgraph.scalar.basic import Cast
from relgraph.scalar.composite import Composite
from relgraph.scalar.named import opened
from relgraph.scalar.type import is_complex, is_discrete
from relgraph.tensor import linalg
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.linalg.functions import Cofactors, Det
from relgraph.tensor.linalg.products import MatMul
from relgraph.tensor.linalg.systems import Inverse
from relgraph.tensor.math import Dot
from relgraph.tensor.reductions import CAReduce


def from_sympy(expr: Any, symbols: Mapping[Any, Any] | None = None) -> Any:
    """Return an expression of SymPy's as a tensor variable.

    A fraction that no float equals is a division of two numbers. Where the symbols denote
    tensors, the expression is about their elements.

    Parameters
    ----------
    expr
        An expression, a relation, a Boolean, or a matrix expression.
    symbols
        For symbols the variable or number to use. For others a variable of their name is made:
        of float64, of int64 if the symbol is an integer, of complex128 if it may be complex; a
        matrix for a `MatrixSymbol`.

    Raises
    ------
    TypeError
        If `expr` is not SymPy's.
    NotImplementedError
        If something in it has no counterpart; the error names it.
    """
    if not isinstance(expr, sp.Basic | sp.MatrixBase):
        raise TypeError(f"from_sympy: {expr!r} is no expression of SymPy's")
    if isinstance(expr, sp.MatrixBase):
        expr = expr.as_immutable()
    found = ExpressionReader(dict(symbols or {})).value(expr)
    return found if isinstance(found, Variable) else at.constant(found)


class ExpressionReader:
    """Reads expressions, equal ones once.

    Parameters
    ----------
    known
        For symbols, or other expressions, what they become.
    """

    def __init__(self, known: dict[Any, Any]) -> None:
        self.known = known

    def value(self, expr: Any) -> Any:
        """Return an expression as a variable, or as a number if it is one."""
        if expr not in self.known:
            self.known[expr] = self._read(expr)
        return self.known[expr]

    def values(self, expr: Any) -> list[Any]:
        return [self.value(arg) for arg in expr.args]

    def _read(self, expr: Any) -> Any:
        for kind, method in _BY_CLASS:
            if isinstance(expr, kind):
                return getattr(self, method)(expr)
        function = FROM_SYMPY.get(type(expr)) or FROM_SYMPY.get(expr.func)
        if function is None:
            raise NotImplementedError(
                f"from_sympy: there is no op for {type(expr).__name__}, in {expr}"
            )
        return function(*self.values(expr))

    def symbol(self, expr: Any) -> Any:
        if expr.is_integer:
            return at.lscalar(expr.name)
        plain = expr.is_complex is None or expr.is_extended_real
        return at.dscalar(expr.name) if plain else at.zscalar(expr.name)

    def number(self, expr: Any) -> Any:
        exact = exact_number(expr)
        if exact is not None:
            return exact
        return at.true_div(at.constant(float(expr.p)), at.constant(float(expr.q)))

    def sum(self, expr: Any) -> Any:
        plus: list[Any] = []
        minus: list[Any] = []
        for term in expr.args:
            (minus if term.could_extract_minus_sign() else plus).append(term)
        total = self._folded(at.add, [self.value(t) for t in plus]) if plus else None
        if not minus:
            return total
        taken = self._folded(at.add, [self.value(-t) for t in minus])
        return -taken if total is None else at.sub(total, taken)

    def product(self, expr: Any) -> Any:
        over: list[Any] = []
        under: list[Any] = []
        for factor in expr.args:
            base, exponent = factor.as_base_exp()
            if factor.is_Rational and exact_number(factor) is None:
                over.append(self.value(sp.Integer(factor.p)))
                under.append(self.value(sp.Integer(factor.q)))
            elif exponent.is_Number and exponent.is_negative and base is not sp.E:
                under.append(self.value(base**-exponent))
            else:
                over.append(self.value(factor))
        if over[:1] == [-1] and len(over) > 1:
            return at.neg(self._quotient(over[1:], under))
        return self._quotient(over, under)

    def _quotient(self, over: list[Any], under: list[Any]) -> Any:
        needed = [v for v in over if not (isinstance(v, int | float) and v == 1)]
        above = self._folded(at.mul, needed)
        return above if not under else at.true_div(above, self._folded(at.mul, under))

    @staticmethod
    def _folded(op: Callable[..., Any], values: list[Any]) -> Any:
        """Return a sum or product of any number of values, none of which is needed."""
        if not values:
            return 1.0
        return values[0] if len(values) == 1 else op(*values)

    def power(self, expr: Any) -> Any:
        base, exponent = expr.as_base_exp()
        if base is sp.E:
            return at.exp(self.value(exponent))
        if exponent.is_Rational and exponent.is_negative:
            return at.true_div(1.0, self.value(base**-exponent))
        if exponent == sp.Rational(1, 2):
            return at.sqrt(self.value(base))
        if exponent == 2:
            return at.sqr(self.value(base))
        if base == 2:
            return at.exp2(self.value(exponent))
        return at.pow(self.value(base), self.value(exponent))

    def cases(self, expr: Any) -> Any:
        last: Any = float("nan")
        for value, condition in reversed(expr.args):
            if condition is sp.true:
                last = self.value(value)
            else:
                last = at.switch(self.value(condition), self.value(value), last)
        return last

    def matrix_symbol(self, expr: Any) -> Any:
        lengths = [int(n) if n.is_Integer else None for n in expr.shape]
        return at.tensor("float64", lengths, expr.name)

    def matrix_product(self, expr: Any) -> Any:
        number, matrices = expr.as_coeff_matrices()
        made = reduce(at.dot, [self.value(m) for m in matrices])
        return made if number == 1 else at.mul(self.value(number), made)

    def matrix_power(self, expr: Any) -> Any:
        if not expr.exp.is_Integer:
            raise NotImplementedError(f"from_sympy: the exponent of {expr} is no integer")
        return linalg.matrix_power(self.value(expr.base), int(expr.exp))

    def dense(self, expr: Any) -> Any:
        rows = [[self._as_tensor(expr[i, j]) for j in range(expr.cols)] for i in range(expr.rows)]
        return at.stack([at.stack(row) for row in rows])

    def _as_tensor(self, expr: Any) -> Any:
        found = self.value(expr)
        return found if isinstance(found, Variable) else at.constant(float(found))


_BY_CLASS: tuple[tuple[Any, str], ...] = (
    (sp.MatrixSymbol, "matrix_symbol"),
    (sp.Symbol, "symbol"),
    (sp.Number | sp.NumberSymbol | type(sp.zoo), "number"),
    (sp.MatMul, "matrix_product"),
    (sp.MatPow, "matrix_power"),
    (sp.MatrixBase, "dense"),
    (sp.Add, "sum"),
    (sp.Mul, "product"),
    (sp.Pow | sp.exp, "power"),
    (sp.Piecewise, "cases"),
)
"""The method of the reader for an expression of a class, the narrower classes first."""


def to_sympy(variable: Variable, symbols: Mapping[Variable, Any] | None = None) -> Any:
    """Return the graph of a variable as an expression of SymPy's.

    Where all of it is elementwise, a tensor denotes any one of its elements. Where there are
    products of matrices, determinants and the like, matrices are matrix symbols.

    Parameters
    ----------
    variable
        A tensor variable.
    symbols
        For variables the symbol to use. For others a symbol of their name is made, with assumptions
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

    def owners(variables: Sequence[Variable]) -> list[Apply]:
        return [v.owner for v in variables if v.owner is not None and v not in known]

    return general_toposort(owners([variable]), lambda node: owners(_inputs(node)))


def _inputs(node: Apply) -> Sequence[Variable]:
    """Return what is written before a node is: of the trace of a matrix, the matrix."""
    matrix = _traced(node)
    return node.inputs if matrix is None else [matrix]


def _traced(node: Apply) -> Variable | None:
    """Return the matrix whose trace a node is, or None."""
    if not isinstance(node.op, CAReduce) or node.inputs[0].owner is None:
        return None
    part = node.inputs[0].owner
    is_sum = node.op.scalar_op is scalar.add and part.op == ExtractDiag(0)
    return part.inputs[0] if is_sum and part.inputs[0].type.ndim == 2 else None


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

    for node in op.nodes:
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
