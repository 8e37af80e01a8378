"""`DaskProgram`: a graph that is lowered anew at each call, for the arrays that it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
from dask.delayed import Delayed

from relgraph.engines.dask.blocks import Blocks, as_one_block, is_blocked
from relgraph.engines.dask.interpretation import Run
from relgraph.engines.dask.sources import Argument, in_memory
from relgraph.graph.basic import Variable
from relgraph.graph.shared_values.container import copy_value
from relgraph.tensor.type import TensorType

if TYPE_CHECKING:
    from relgraph.compile.compiled_function import CallParts
    from relgraph.engines.dask.linker import DaskLinker


class DaskProgram:
    """Computes the outputs of a graph from its inputs.

    Parameters
    ----------
    inputs, outputs
        Those of the graph.
    linker
        Says how arrays are cut, and whether results are computed.
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], linker: DaskLinker
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.linker = linker

    def __call__(self, *values: Any) -> list[Any]:
        """Return the computed values of the outputs."""
        blocks = self.linker.blocks()
        return computed(self._lowered([blocks.cut(x) for x in values], blocks))

    def _lowered(self, values: Sequence[Any], blocks: Blocks) -> list[Any]:
        return Run(dict(zip(self.inputs, values, strict=True)), blocks).outputs(self.outputs)

    def make_call(self, parts: CallParts, trusted: bool) -> Callable[..., Any]:
        """Return the function behind a call of a `Function`.

        Parameters
        ----------
        parts
            What the call is made of.
        trusted
            Whether arguments in memory are taken as they are.
        """
        arguments = [self._argument(i, parts, trusted) for i in range(len(parts.inputs))]
        n = parts.n_results

        def call(*given: Any) -> Any:
            blocks = self.linker.blocks()
            lazy = self.linker.compute is False or (
                self.linker.compute is None and any(map(is_blocked, given))
            )
            pairs = zip(arguments, given, strict=True)
            values = [argument.value(x, blocks, lazy) for argument, x in pairs]
            values += [in_memory(c.value, blocks, lazy) for c in parts.shared]
            found = self._lowered(values, blocks)
            # with updates the blocks are read now: what goes over all of them is read along
            along = [i for i in range(n) if parts.updated and blocks.is_settled_early(found[i])]
            now = [*along, *range(n, len(found))] if lazy else list(range(len(found)))
            for i, x in zip(now, computed([found[i] for i in now]), strict=True):
                found[i] = x
            results = found[:n]
            if lazy:
                pairs = zip(results, self.outputs, strict=False)
                results = [later(x, v) for x, v in pairs]
            for container, value in zip(parts.updated, found[n:], strict=True):
                container.value = value
            return parts.unpack(results)

        return call

    def _argument(self, i: int, parts: CallParts, trusted: bool) -> Argument:
        given = parts.inputs[i]
        name = given.name if given.name is not None else given.variable

        def convert(x: Any) -> Any:
            return x if trusted and isinstance(x, np.ndarray) else parts.convert(i, x)

        kind = self.inputs[i].type
        return Argument(f"argument {i} `{name}`", kind, convert, given.strict, given.allow_downcast)


def computed(values: Sequence[Any]) -> list[Any]:
    """Return values in memory, computed in one go. None shares storage with another array."""
    found = dask.compute(*values)
    return [
        # the blocks of several have been put together in new storage
        np.asarray(x) if is_blocked(v) and v.npartitions > 1 else _own(x)
        for v, x in zip(values, found, strict=True)
    ]


def _own(x: Any) -> Any:
    return np.array(x) if isinstance(x, np.ndarray | np.generic) else copy_value(x)


def later(x: Any, variable: Variable) -> Any:
    """Return a result as a Dask array; what is no array is computed."""
    if not isinstance(variable.type, TensorType):
        return _own(x.compute() if isinstance(x, Delayed) else x)
    return x if is_blocked(x) else as_one_block(np.array(x))
