"""Lines that check lengths, where neither types nor earlier checks settle them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.vm.kernels import kernel_of
from relgraph.vm.lines.symbol_table import SymbolTable

Axis = tuple[Variable, int]


def check_lines(node: Apply, groups: Iterable[Sequence[Axis]], symbols: SymbolTable) -> list[str]:
    """Return lines that call the `perform` of a node, which raises, if lengths differ.

    Parameters
    ----------
    groups
        Sequences of axes; those of one have to be equally long.
    """
    conditions = length_conditions(groups, symbols)
    if not conditions:
        return []
    arguments = ", ".join(symbols.array_name(v) for v in node.inputs)
    text = " and ".join(conditions)
    return [f"if not ({text}): {symbols.bind('k', performed(node))}({arguments})"]


def length_conditions(groups: Iterable[Sequence[Axis]], symbols: SymbolTable) -> list[str]:
    """Return the conditions for the axes of each group to be equally long.

    After them they are known to be: where they do not hold the node must raise an error.
    """
    conditions: list[tuple[list[str], tuple[Variable, ...], int]] = []
    lengths = symbols.lengths
    for group in groups:
        of_length: dict[int, Axis] = {}
        for var, axis in group:
            of_length.setdefault(lengths.of(var)[axis], (var, axis))
        if len(of_length) > 1:
            texts = [
                str(~length) if length < 0 else length_text(*axis, symbols)
                for length, axis in of_length.items()
            ]
            conditions.append((texts, tuple(v for v, _ in of_length.values()), len(of_length)))
            first = next(iter(of_length))
            for length in of_length:
                lengths.equate(first, length)
    return _compared(conditions, symbols)


def _compared(
    conditions: Sequence[tuple[list[str], tuple[Variable, ...], int]], symbols: SymbolTable
) -> list[str]:
    """Return the comparisons; one of shapes where all axes of the same tensors are compared."""
    involved = {variables for _, variables, _ in conditions}
    if len(conditions) > 1 and len(involved) == 1:
        (variables,) = involved
        whole = all(v.type.ndim == len(conditions) for v in variables)
        if whole and len(set(variables)) == len(variables):
            return [" == ".join(f"{symbols.name_of(v)}.shape" for v in variables)]
    return [" == ".join(texts) for texts, _, _ in conditions]


def length_text(var: Variable, axis: int, symbols: SymbolTable) -> str:
    """Return the expression for the length of an axis of a tensor."""
    name = symbols.name_of(var)
    return f"len({name})" if axis == 0 else f"{name}.shape[{axis}]"


def performed(node: Apply) -> Any:
    """Return a function that computes a node by its kernel: its output, or the list of them."""
    kernel = kernel_of(node)

    def compute(*values: Any) -> Any:
        cells: list[list[Any]] = [[None] for _ in node.outputs]
        kernel(values, cells)
        return cells[0][0] if len(cells) == 1 else [cell[0] for cell in cells]

    return compute
