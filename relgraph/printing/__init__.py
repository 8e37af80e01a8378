"""Graphs as text: as trees for debugging, as formulas for people."""

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
from relgraph.printing.runtime import Print
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
