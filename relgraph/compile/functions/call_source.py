"""The function behind a call: generated for a signature, so that what is not used costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

from relgraph.compile.functions.inputs_outputs import In
from relgraph.compile.sharedvalue import Container
from relgraph.tensor.type import TensorType


@dataclass(frozen=True)
class CallParts:
    """What a call is made of.

    Attributes
    ----------
    run
        Computes the list of results and updates from the arguments and the shared variables.
    numbers
        The positions of the arguments that `run` takes as Python floats too.
    inputs
        The arguments.
    shared
        The containers of the shared variables that `run` takes.
    updated
        The container of each update.
    convert
        Takes the position of an argument and its value; returns the converted value, or raises.
    unalias
        Takes the list of values for `run` and copies those that it overwrites and that share
        storage with others; None if it overwrites none.
    zero_dimensional
        The positions of the results and updates that are arrays of rank 0.
    n_results
        The number of results.
    unpack
        Converts the list of results to what a call returns.
    """

    run: Callable[..., list[Any]]
    numbers: Collection[int]
    inputs: Sequence[In]
    shared: Sequence[Container]
    updated: Sequence[Container]
    convert: Callable[[int, Any], Any]
    unalias: Callable[[list[Any]], None] | None
    zero_dimensional: Sequence[int]
    n_results: int
    unpack: Callable[[list[Any]], Any]


def generate_call(parts: CallParts, trusted: bool) -> Callable[..., Any]:
    """Return a function of the arguments, in order, that does what a call does.

    Parameters
    ----------
    parts
        What the call is made of.
    trusted
        Whether the arguments are taken as they are.
    """
    names: dict[str, Any] = {
        "run": parts.run,
        "convert": parts.convert,
        "ndarray": np.ndarray,
        "asarray": np.asarray,
        "unalias": parts.unalias,
        "unpack": parts.unpack,
    }
    arguments = [f"a{i}" for i in range(len(parts.inputs))]
    body: list[str] = []
    if not trusted:
        for i, given in enumerate(parts.inputs):
            body += _conversion(i, given, i in parts.numbers, names)
    values = list(arguments)
    for k, container in enumerate(parts.shared):
        names[f"s{k}"] = container
        # `Container.value` is this too, and takes longer
        values.append(f"(s{k}.here if s{k}.away is None else s{k}.value)")
    body += _run_lines(values, parts.unalias is not None)
    body += [
        f" if type(results[{i}]) is not ndarray: results[{i}] = asarray(results[{i}])"
        for i in parts.zero_dimensional
    ]
    for k, container in enumerate(parts.updated):
        names[f"u{k}"] = container
        # `Container.value` is this too, and takes longer
        body.append(f" u{k}.here = results[{parts.n_results + k}]")
        body.append(f" u{k}.away = u{k}.bring_home = None")
    if parts.updated:
        body.append(f" del results[{parts.n_results}:]")
    source = "\n".join([f"def call({', '.join(arguments)}):", *body, " return unpack(results)"])
    exec(_compiled(source), names)
    call: Callable[..., Any] = names.pop("call")
    return call


def _run_lines(values: Sequence[str], unalias: bool) -> list[str]:
    text = ", ".join(values)
    if not unalias:
        return [f" results = run({text})"]
    return [f" values = [{text}]", " unalias(values)", " results = run(*values)"]


def _conversion(i: int, given: In, takes_number: bool, names: dict[str, Any]) -> list[str]:
    """Return the lines that convert an argument: a test for the exact type, and `convert`."""
    type_ = given.variable.type
    if not isinstance(type_, TensorType):
        return [f" a{i} = convert({i}, a{i})"]
    names[f"d{i}"] = type_.numpy_dtype
    # A dtype that is equal and another object goes the slow way.
    exact = f"type(a{i}) is ndarray and a{i}.dtype is d{i} and a{i}.ndim == {type_.ndim}"
    for axis, n in enumerate(type_.shape):
        if n is not None:
            exact += f" and a{i}.shape[{axis}] == {n}"
    if type_.ndim == 0 and type_.dtype == "float64" and not given.strict:
        number = "pass" if takes_number else f"a{i} = asarray(a{i})"
        return [
            f" if type(a{i}) is float: {number}",
            f" elif not ({exact}): a{i} = convert({i}, a{i})",
        ]
    return [f" if not ({exact}): a{i} = convert({i}, a{i})"]


@lru_cache(maxsize=256)
def _compiled(source: str) -> CodeType:
    return compile(source, "<relgraph call>", "exec")
