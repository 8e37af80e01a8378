"""`from_sympy`: an expression of SymPy's as a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import sympy as sp
from sympy.matrices.expressions.matexpr import MatrixElement

import relgraph.tensor as at
from relgraph.bridges.sympy.functions import FROM_SYMPY
from relgraph.bridges.sympy.numbers import exact_number
from relgraph.graph.basic import Variable
from relgraph.tensor import linalg


def from_sympy(expr: Any, symbols: Mapping[Any, Any] | None = None) -> Any:
    """Return an expression of SymPy's as a tensor variable.

    A fraction that no float equals is a division of two numbers. Where the symbols stand for
    tensors, the expression is that of their elements.

    Parameters
    ----------
    expr
        An expression, a relation, a Boolean, or a matrix expression.
    symbols
        What stands for a symbol: a variable or a number. For others a variable of its name is made:
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
        What stands for a symbol, or for any other expression.
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
        if isinstance(expr, sp.Rational):
            return at.true_div(at.constant(float(expr.p)), at.constant(float(expr.q)))
        return float(expr)

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
        above = self._folded(at.mul, [v for v in over if not _is_one(v)])
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

    def truth(self, expr: Any) -> bool:
        return bool(expr)

    def imaginary_unit(self, expr: Any) -> complex:
        return 1j

    def matrix_sum(self, expr: Any) -> Any:
        return reduce(at.add, self.values(expr))

    def inverse(self, expr: Any) -> Any:
        return linalg.inv(self.value(expr.arg))

    def transposed(self, expr: Any) -> Any:
        return self.value(expr.arg).T

    def trace(self, expr: Any) -> Any:
        return at.trace(self.value(expr.arg))

    def determinant(self, expr: Any) -> Any:
        return linalg.det(self.value(expr.arg))

    def identity(self, expr: Any) -> Any:
        return at.eye(self.value(expr.shape[0]), dtype="float64")

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

    def element(self, expr: Any) -> Any:
        matrix, i, j = self.values(expr)
        return matrix[i, j]

    def filled(self, expr: Any) -> Any:
        rows, columns = (self.value(n) for n in expr.shape)
        fill = at.zeros if isinstance(expr, sp.ZeroMatrix) else at.ones
        return fill((rows, columns), dtype="float64")


def _is_one(v: Any) -> bool:
    return isinstance(v, int | float) and v == 1


_BY_CLASS: tuple[tuple[Any, str], ...] = (
    (sp.MatrixSymbol, "matrix_symbol"),
    (MatrixElement, "element"),
    (sp.Symbol, "symbol"),
    (sp.logic.boolalg.BooleanAtom, "truth"),
    (type(sp.I), "imaginary_unit"),
    (sp.Number | sp.NumberSymbol | type(sp.zoo), "number"),
    (sp.MatMul, "matrix_product"),
    (sp.MatAdd, "matrix_sum"),
    (sp.Inverse, "inverse"),
    (sp.MatPow, "matrix_power"),
    (sp.Transpose, "transposed"),
    (sp.Trace, "trace"),
    (sp.Determinant, "determinant"),
    (sp.Identity, "identity"),
    (sp.ZeroMatrix | sp.OneMatrix, "filled"),
    (sp.MatrixBase, "dense"),
    (sp.Add, "sum"),
    (sp.Mul, "product"),
    (sp.Pow | sp.exp, "power"),
    (sp.Piecewise, "cases"),
)
"""The method of the reader for an expression of a class, the narrower classes first."""
