"""`map`, `reduce`, `foldl` and `foldr`: loops of one kind, built by `scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.tensor.loops.scan import LoopOptions, build_loop, one_or_list, scan


def map(
    fn: Callable[..., Any],
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return what `fn` gives for the rows of sequences; parameters and results are those of `scan`.

    No step reads what another one has computed.
    """
    return scan(
        fn, sequences, None, non_sequences, None, truncate_gradient, go_backwards, name=name
    )


def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return the outputs of the last step of a loop, or their first values if no step is made.

    Parameters
    ----------
    fn, sequences, non_sequences, go_backwards, name
        As for `scan`.
    outputs_info
        The value of each output before the first step.

    Returns
    -------
    outputs, updates
        As for `scan`, without the new axis.
    """
    options = LoopOptions(go_backwards=go_backwards, name=name)
    loop = build_loop(fn, sequences, outputs_info, non_sequences, None, options)
    last = [
        found[-1] if value is None else value
        for found, value in zip(loop.outputs, loop.last, strict=True)
    ]
    return one_or_list(last), loop.updates


def foldl(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return `reduce` from the first row to the last."""
    return reduce(fn, sequences, outputs_info, non_sequences, name=name)


def foldr(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    *,
    name: str | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Return `reduce` from the last row to the first."""
    return reduce(fn, sequences, outputs_info, non_sequences, go_backwards=True, name=name)
