"""What is generated for a graph: a callable that says which node has raised an error."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from time import perf_counter
from types import CodeType
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.vm.error_notes import add_node_note
from relgraph.vm.lines.symbol_table import SymbolTable
from relgraph.vm.quiet import turn_back, turn_off

_serial = itertools.count()


class Program:
    """A callable that computes the list of the outputs of a graph from its inputs.

    Parameters
    ----------
    compute
        The generated function.
    lines
        For the code of each generated function, the node of each of its lines, or None.
    symbols
        The symbol table of these functions.
    numbers
        The positions of the inputs that may be Python floats in place of arrays of rank 0.
    reads
        Returns the variables that a node reads.

    Attributes
    ----------
    run
        The same as calling the program.
    import_time
        The time in seconds that Python took to compile and define the functions.
    """

    def __init__(
        self,
        compute: Callable[..., list[Any]],
        lines: dict[CodeType, list[Apply | None]],
        symbols: SymbolTable,
        numbers: Sequence[int],
        reads: Callable[[Apply], list[Variable]],
    ) -> None:
        self.reads = reads
        self.lines = lines
        self.symbols = symbols
        self.numbers = frozenset(numbers)
        self.import_time = symbols.compile_time
        self.run = (self._quiet if symbols.may_warn else self._plain)(compute)

    def __call__(self, *values: Any) -> list[Any]:
        return self.run(*values)

    def _plain(self, compute: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        def run(*values: Any) -> list[Any]:
            try:
                return compute(*values)
            except Exception as exc:
                self._explain(exc)
                raise

        return run

    def _quiet(self, compute: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """Return a function in which, as in `perform`, results that are not finite don't warn."""

        def run(*values: Any) -> list[Any]:
            token = turn_off()
            try:
                return compute(*values)
            except Exception as exc:
                self._explain(exc)
                raise
            finally:
                turn_back(token)

        return run

    def _explain(self, exc: Exception) -> None:
        """Add a note about the node to an exception, or raise the one that `perform` raises."""
        trace = exc.__traceback__
        while trace is not None:
            nodes = self.lines.get(trace.tb_frame.f_code)
            node = None if nodes is None else nodes[trace.tb_lineno]
            if node is not None:
                found = trace.tb_frame.f_locals
                namespace = self.symbols.namespace
                read = self.reads(node)
                names = [self.symbols.name_of(v) for v in read]
                values = [found.get(name, namespace.get(name)) for name in names]
                perform = self.symbols.raised_by_perform.get(node)
                if perform is not None:
                    exc = _raised(perform, values) or exc
                add_node_note(exc, node, read, values)
                if perform is not None:
                    raise exc from None
                return
            trace = trace.tb_next


def _raised(function: Callable[..., Any], values: Sequence[Any]) -> Exception | None:
    try:
        function(*values)
    except Exception as exc:
        return exc
    return None


def define(source: str, name: str, symbols: SymbolTable) -> Any:
    """Return the function that some source defines under a name."""
    filename = f"<relgraph program {next(_serial)}>"
    start = perf_counter()
    # The globals of the functions are the bound objects only.
    exec(compile(source, filename, "exec"), symbols.namespace)
    symbols.compile_time += perf_counter() - start
    return symbols.namespace.pop(name)
