"""The arguments of `function`, checked and brought into one form."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from relgraph.compile.functions.inputs_outputs import In, Out, converted_like
from relgraph.compile.sharedvalue import SharedVariable
from relgraph.graph.basic import Constant, Variable, ancestors, clone_replace, graph_inputs
from relgraph.graph.basic import applys_between as nodes_between
from relgraph.graph.utils import MissingInputError
from relgraph.printing import debugprint

OnUnused = Literal["raise", "warn", "ignore"]


class UnusedInputError(ValueError):
    """The outputs of a function do not depend on one of its inputs."""


@dataclass
class FunctionSpecification:
    """The inputs, outputs and updates of a function that is to be compiled.

    Attributes
    ----------
    inputs, outputs
        The arguments and results that the user gave.
    shared_inputs
        The shared variables that the graph reads or updates.
    results
        For each output the variable to compute, with the givens substituted.
    update_positions
        For each update, the position of its variable among the arguments and shared variables.
    updates
        For each update, the variable whose value is stored.
    unpack
        Converts the list of results to what a call returns.
    """

    inputs: list[In]
    outputs: list[Out]
    shared_inputs: list[SharedVariable]
    results: list[Variable]
    update_positions: list[int]
    updates: list[Variable]
    unpack: Callable[[list[Any]], Any]


def read_specification(
    inputs: Iterable[Variable | In],
    outputs: Any,
    updates: Any,
    givens: Any,
    no_default_updates: bool | Sequence[Variable],
    on_unused_input: OnUnused | None,
) -> FunctionSpecification:
    """Return the specification of a function; parameters and errors are those of `function`."""
    arguments = _read_inputs(inputs)
    outs, unpack = _read_outputs(outputs)
    given = _read_pairs("givens", givens)
    for old, new in given.items():
        given[old] = converted_like(new, old, "what is given for")
    explicit = {p.variable: p.update for p in arguments if p.update is not None}
    shared_updates = _read_updates(updates)
    wanted = [out.variable for out in outs]
    own = {p.variable: p.variable for p in arguments}

    shared_inputs: dict[SharedVariable, None] = {}
    while True:
        exprs = [*wanted, *explicit.values(), *shared_updates.values()]
        replaced = clone_replace(exprs, {**own, **given}) if given else exprs
        found = (v for v in graph_inputs(replaced, own) if isinstance(v, SharedVariable))
        shared_inputs = dict.fromkeys([*found, *shared_updates])
        defaults = {
            v: converted_like(v.default_update, v, "the default update of")
            for v in shared_inputs
            if v.default_update is not None
            and v not in shared_updates
            and not _has_no_default_update(v, no_default_updates)
        }
        if not defaults:
            break
        shared_updates.update(defaults)
    all_inputs = [p.variable for p in arguments] + list(shared_inputs)
    positions = {v: i for i, v in enumerate(all_inputs)}
    update_positions = [positions[v] for v in (*explicit, *shared_updates)]
    _check_no_shared_inputs(arguments)
    _check_missing(replaced, all_inputs)
    _check_unused(arguments, replaced, on_unused_input or "raise")
    return FunctionSpecification(
        arguments,
        outs,
        list(shared_inputs),
        replaced[: len(outs)],
        update_positions,
        replaced[len(outs) :],
        unpack,
    )


def _has_no_default_update(
    var: SharedVariable, no_default_updates: bool | Sequence[Variable]
) -> bool:
    if isinstance(no_default_updates, bool):
        return no_default_updates
    return any(var is other for other in no_default_updates)


def _read_inputs(inputs: Iterable[Variable | In]) -> list[In]:
    if isinstance(inputs, Variable | In) or not isinstance(inputs, Iterable):
        raise TypeError(f"the inputs of a function are a list of variables, not {inputs!r}")
    arguments = [copy(p) if isinstance(p, In) else In(p) for p in inputs]
    seen: set[Variable] = set()
    for p in arguments:
        if p.variable in seen:
            raise ValueError(f"{p.variable} is given twice among the inputs of the function")
        seen.add(p.variable)
    return arguments


def _read_outputs(outputs: Any) -> tuple[list[Out], Callable[[list[Any]], Any]]:
    """Return the outputs as a list, and what converts a list of results to the user's form."""
    if outputs is None:
        return [], _none
    if isinstance(outputs, Mapping):
        return [_result(v) for v in outputs.values()], partial(_as_dict, list(outputs))
    if isinstance(outputs, list | tuple):
        return [_result(v) for v in outputs], _as_list
    return [_result(outputs)], _single


# A pickled function refers to these by name, so they are no lambdas.
def _none(values: list[Any]) -> None:
    return None


def _as_dict(keys: Sequence[Any], values: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _as_list(values: list[Any]) -> list[Any]:
    return values


def _single(values: list[Any]) -> Any:
    return values[0]


def _result(output: Any) -> Out:
    return output if isinstance(output, Out) else Out(output)


def _read_pairs(what: str, pairs: Any) -> dict[Any, Any]:
    """Return a dict or a list of pairs as a dict; its keys are checked to be variables."""
    if pairs is None:
        return {}
    items = list(pairs.items()) if isinstance(pairs, Mapping) else list(pairs)
    found: dict[Any, Any] = {}
    for item in items:
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise TypeError(f"{what} are a dict or a list of pairs, and {item!r} is not a pair")
        old, new = item
        if not isinstance(old, Variable):
            raise TypeError(f"{what} are for variables, and {old!r} is not one")
        if old in found:
            raise ValueError(f"{what} name {old} twice")
        found[old] = new
    return found


def _read_updates(updates: Any) -> dict[SharedVariable, Variable]:
    found = _read_pairs("updates", updates)
    for old, new in found.items():
        if not isinstance(old, SharedVariable):
            raise TypeError(
                f"updates are for shared variables, and {old} is not one; "
                "an argument is updated by In(variable, value=..., update=...)"
            )
        found[old] = converted_like(new, old, "the update of")
    return found


def _check_no_shared_inputs(arguments: Sequence[In]) -> None:
    for p in arguments:
        if isinstance(p.variable, SharedVariable):
            raise TypeError(
                f"the shared variable {p.variable} brings its own value and can't be an input; "
                "use givens to put an input in its place"
            )


def _check_missing(outputs: Sequence[Variable], inputs: Sequence[Variable]) -> None:
    known = set(inputs)
    missing = next(
        (
            v
            for v in graph_inputs(outputs, blockers=known)
            if v not in known and not isinstance(v, Constant)
        ),
        None,
    )
    if missing is None:
        return
    text = f"the function needs a value for {missing} ({missing.type}), which is not an input"
    for node in nodes_between(known, outputs):
        if missing in node.inputs:
            tree = debugprint(node, depth=3, file="str")
            text += f"; it is input {node.inputs.index(missing)} of this node:\n{tree}"
            break
    raise MissingInputError(text, variable=missing)


def _check_unused(
    arguments: Sequence[In], outputs: Sequence[Variable], on_unused_input: OnUnused
) -> None:
    if on_unused_input not in ("raise", "warn", "ignore"):
        raise ValueError(f"on_unused_input is 'raise', 'warn' or 'ignore', not {on_unused_input!r}")
    if on_unused_input == "ignore":
        return
    used = set(ancestors(outputs, blockers=[p.variable for p in arguments]))
    for i, p in enumerate(arguments):
        if p.variable not in used and p.update is None:
            text = (
                f"input {i} of the function, {p.variable}, is not used by its outputs; leave it "
                "out, or set on_unused_input to 'warn' or 'ignore'"
            )
            if on_unused_input == "raise":
                raise UnusedInputError(text)
            warnings.warn(text, stacklevel=4)
