"""Primitives of JAX that call jaxprs and stay what they are: loops with a condition, rematerialized
functions, functions with a rule of their own for the derivative, and functions on shards.

They are carried through as a `JaxOp` whose call has rewritten jaxprs in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import jax
from jax import lax

from relgraph.bridges.jax.opaque import (
    JaxCall,
    has_own_pull_back,
    primitive_call,
    source_of,
)

INSIDE = "rewritten inside"
"""Begins why such a primitive is carried through."""

Function = Callable[..., tuple[Any, ...]]
Rewritten = Callable[[Any], Function]
"""Returns the function of a jaxpr, rewritten."""


def _while(given: Mapping[str, Any], rewritten: Rewritten) -> Function:
    holds, step = rewritten(given["cond_jaxpr"]), rewritten(given["body_jaxpr"])
    first, second = given["cond_nconsts"], given["cond_nconsts"] + given["body_nconsts"]

    def loop(*values: Any) -> tuple[Any, ...]:
        of_condition, of_step = values[:first], values[first:second]
        found: tuple[Any, ...] = lax.while_loop(
            lambda states: holds(*of_condition, *states)[0],
            lambda states: step(*of_step, *states),
            tuple(values[second:]),
        )
        return found

    return loop


def _remat(given: Mapping[str, Any], rewritten: Rewritten) -> Function:
    how = {"prevent_cse": given["prevent_cse"], "policy": given["policy"]}
    made: Function = jax.checkpoint(rewritten(given["jaxpr"]), **how)
    return made


def _shard_map(given: Mapping[str, Any], rewritten: Rewritten) -> Function:
    made: Function = jax.shard_map(
        rewritten(given["jaxpr"]),
        mesh=given["mesh"],
        in_specs=given["in_specs"],
        out_specs=given["out_specs"],
        axis_names=given["newly_manual_axes"],
        check_vma=given["check_vma"],
    )
    return made


_FUNCTIONS: dict[str, Callable[[Mapping[str, Any], Rewritten], Function]] = {
    "while": _while,
    "remat2": _remat,
    "shard_map": _shard_map,
}
# Their derivatives are their own; what JAX differentiates is not rewritten.
_WITH_RULES = ("custom_jvp_call", "custom_vjp_call")


def nested_call(eqn: Any, rewritten: Rewritten) -> tuple[JaxCall, str] | None:
    """Return the call of an equation with its jaxprs rewritten, and why it is not read into ops;
    None if it has another primitive.

    Parameters
    ----------
    eqn
        The equation.
    rewritten
        Rewrites a jaxpr.
    """
    name, given = eqn.primitive.name, eqn.params
    if name in _WITH_RULES:
        called = given["call_jaxpr"]
        closed = jax.make_jaxpr(rewritten(called))(*called.in_avals)
        made = primitive_call(eqn.primitive, {**given, "call_jaxpr": closed})
        made = replace(made, name=f"{name}[{source_of(called)[0]}]")
        return made, f"{INSIDE}, with a derivative of its own"
    if name not in _FUNCTIONS:
        return None
    pulls_back = has_own_pull_back(eqn.primitive, given)
    return JaxCall(name, _FUNCTIONS[name](given, rewritten), pulls_back), INSIDE
