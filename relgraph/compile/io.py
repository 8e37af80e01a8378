"""The inputs and outputs of a function: `In` and `Out`, the arguments of `function` brought into
one form, and which results may share storage.

A function modifies an argument only if its `In` is mutable, and a result shares storage only if its
`Out` borrows; other outputs that share storage are copied.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Literal

from relgraph.graph.basic import (
    Apply,
    Constant,
    Variable,
    ancestors,
    clone_replace,
    graph_inputs,
    view_roots,
)
from relgraph.graph.basic import applys_between as nodes_between
from relgraph.graph.destroyhandler import destroyers_of
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import TypedOp
from relgraph.graph.shared_values import SharedVariable, copy_value
from relgraph.graph.type import Type
from relgraph.graph.utils import MissingInputError
from relgraph.printing import debugprint


class In:
    """An input of a function.

    Parameters
    ----------
    variable
        The variable that the argument is a value of.
    name
        The name of the argument; by default that of the variable.
    value
        The default value of the argument.
    update
        An expression for the default value at the next call.
    mutable
        Whether the function may overwrite the argument.
    strict
        Whether to accept only values of the variable's type, without conversion.
    allow_downcast
        Whether a conversion may lose precision; None for only that of a Python float.
    borrow
        Whether a result may share the storage of the argument, if its `Out` borrows too; by
        default as `mutable`.

    Raises
    ------
    TypeError
        If `variable` is not a variable, or `update` can't be converted to its type.
    ValueError
        If `variable` is a constant, `mutable` is combined with ``borrow=False``, or there is an
        `update` without a `value`.
    """

    def __init__(
        self,
        variable: Variable,
        name: str | None = None,
        value: Any = None,
        update: Variable | None = None,
        mutable: bool | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        borrow: bool | None = None,
    ) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"an input of a function is a Variable, not {variable!r}")
        if isinstance(variable, Constant):
            raise ValueError(f"the constant {variable} can't be an input of a function")
        self.variable = variable
        self.name = variable.name if name is None else name
        self.value = value
        self.update = None if update is None else converted_like(update, variable, "the update of")
        if update is not None and value is None:
            raise ValueError(f"input {variable} has an update and no value to begin with")
        self.mutable = bool(mutable)
        self.borrow = self.mutable if borrow is None else bool(borrow)
        if self.mutable and not self.borrow:
            raise ValueError(
                f"input {variable}: mutable=True lets the function overwrite the argument, "
                "and borrow=False forbids that it shares it; drop one of the two"
            )
        self.strict = strict
        self.allow_downcast = allow_downcast

    def __repr__(self) -> str:
        return f"In({self.variable})"


class Out:
    """An output of a function.

    Parameters
    ----------
    variable
        The variable whose value is the result.
    borrow
        Whether the result may share storage with another borrowed result, a borrowed argument, or
        the value of a shared variable.

    Raises
    ------
    TypeError
        If `variable` is not a variable.
    """

    def __init__(self, variable: Variable, borrow: bool = False) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"an output of a function is a Variable, not {variable!r}")
        self.variable = variable
        self.borrow = bool(borrow)

    def __repr__(self) -> str:
        return f"Out({self.variable}, borrow={self.borrow})"


def converted_like(new: Any, old: Variable, role: str) -> Variable:
    """Return `new` converted to a variable of the type of `old`.

    Parameters
    ----------
    new
        A variable, a number or an array.
    old
        The variable whose type is taken.
    role
        What `new` is for `old`, for the error: "the update of", say.

    Raises
    ------
    TypeError
        If `new` can't be converted without a change of its values.
    """
    try:
        return old.type.filter_variable(new, allow_convert=True)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        found = f"{new} of type {new.type}" if isinstance(new, Variable) else f"{new!r}"
        raise TypeError(
            f"{role} {old} has to be of type {old.type}, and {found} is not and can't be "
            "converted safely; cast it, or declare a wider type"
        ) from error


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
    """Return the specification of a function; parameters and errors are as for `function`."""
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
        if isinstance(p.variable, SharedVariable):
            raise TypeError(
                f"the shared variable {p.variable} brings its own value and can't be an input; "
                "use givens to put an input in its place"
            )
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
    return [_result(outputs)], itemgetter(0)


# A pickled function refers to these by name, so they are no lambdas.
def _none(values: list[Any]) -> None:
    return None


def _as_dict(keys: Sequence[Any], values: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _as_list(values: list[Any]) -> list[Any]:
    return values


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


class DeepCopyOp(TypedOp):
    """A copy of its input, which shares no storage with it."""

    __props__ = ()
    is_identity = True
    keeps_shape = True

    def output_types(self, *input_types: Type) -> Sequence[Type]:
        if len(input_types) != 1:
            raise TypeError(f"{self} takes one input, not {len(input_types)}")
        return input_types

    def compute(self, node: Apply, x: Any) -> Any:
        return copy_value(x)

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Any:
        return list(output_gradients)

    def __str__(self) -> str:
        return "deep_copy"


deep_copy = DeepCopyOp()


def destroyed_inputs(fgraph: FunctionGraph) -> set[Variable]:
    """Return the inputs of the graph whose storage a node overwrites."""
    if not any(node.op.destroy_map for node in fgraph.apply_nodes):
        return set()
    return {v for v in fgraph.inputs if destroyers_of(fgraph, v)}


def insert_copies(fgraph: FunctionGraph, spec: FunctionSpecification) -> None:
    """Replace each result and update by a copy that would share storage that it must not share.

    An update may use the storage of the input that it updates. Of two outputs that must not share
    storage, the later one is copied: updates come first, results that borrow last.
    """
    n_results = len(spec.outputs)
    updated = {n_results + k: fgraph.inputs[i] for k, i in enumerate(spec.update_positions)}
    inputs = set(fgraph.inputs)
    borrowed = {v for v, p in zip(fgraph.inputs, spec.inputs, strict=False) if p.borrow}
    borrowed.update(fgraph.inputs[len(spec.inputs) :])
    borrows = [out.borrow for out in spec.outputs]
    used_by: dict[Variable, int] = {}

    def shares_wrongly(i: int, root: Variable) -> bool:
        if isinstance(root, Constant):
            return True  # The caller could modify the constant.
        other = used_by.get(root)
        if other is None and (root not in inputs or root is updated.get(i)):
            return False
        if i >= n_results or not borrows[i]:
            return True
        if other is None:
            return root not in borrowed
        return other < n_results and not borrows[other]

    for i in [*updated, *sorted(range(n_results), key=borrows.__getitem__)]:
        var = fgraph.outputs[i]
        roots = view_roots(var, overwritten=True)
        if any(shares_wrongly(i, root) for root in roots):
            fgraph.change_node_input("output", i, deep_copy(var), reason="insert_copies")
        else:
            used_by.update((root, i) for root in roots if root not in used_by)
