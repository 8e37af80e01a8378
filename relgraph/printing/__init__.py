"""Graphs as text: `debugprint` prints trees, `pprint` formulas."""

from relgraph.printing.pretty import (
    DefaultPrinter,
    FunctionPrinter,
    IgnorePrinter,
    OperatorPrinter,
    PatternPrinter,
    PrettyPrinter,
    Printer,
    PrinterState,
    pprint,
)
from relgraph.printing.print_op import Print
from relgraph.printing.tree import debugprint, dprint

__all__ = [
    "DefaultPrinter",
    "FunctionPrinter",
    "IgnorePrinter",
    "OperatorPrinter",
    "PatternPrinter",
    "PrettyPrinter",
    "Print",
    "Printer",
    "PrinterState",
    "debugprint",
    "dprint",
    "pprint",
]
