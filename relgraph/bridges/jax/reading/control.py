"""Primitives that call jaxprs: calls, conditions, loops; and functions of JAX that are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.bridges.jax.names import inputs_of_scan
from relgraph.bridges.jax.opaque import source_of
from relgraph.bridges.jax.reading import matrices
from relgraph.bridges.jax.reading.equation import Equation, NoCounterpart, Reader, insist
from relgraph.graph.basic import Constant
from relgraph.scalar.dtypes import is_complex
from relgraph.tensor.conditional.if_else import ifelse
from relgraph.tensor.loops.scan import LoopOptions, build_loop


def _softmax(equation: Equation) -> Any:
    # the axes are known to what it calls alone
    called = equation["call_jaxpr"].jaxpr
    sums = [eqn for eqn in called.eqns if eqn.primitive.name == "reduce_sum"]
    insist(len(equation.inputs) == len(sums) == 1)
    return [at.softmax(equation.inputs[0], axis=tuple(int(i) for i in sums[0].params["axes"]))]


def _logaddexp(equation: Equation) -> Any:
    return [at.logaddexp(*equation.inputs)]


# Functions of JAX, by their names and the files that define them, that are one op here. As their
# jaxprs they would have lost what laws know of them, or their derivatives.
_KNOWN: dict[tuple[str, str], Reader] = {
    ("_slogdet_lu", "numpy/linalg.py"): matrices.slogdet,
    ("_slogdet_qr", "numpy/linalg.py"): matrices.slogdet,
    ("_softmax", "nn/functions.py"): _softmax,
    ("det", "numpy/linalg.py"): matrices.det,
    ("inv", "numpy/linalg.py"): matrices.inv,
    ("logaddexp", "lax/other.py"): _logaddexp,
    ("solve", "numpy/linalg.py"): matrices.solve,
}


# What `to_jax` makes has the derivatives of what it is made of.
_OWN = "relgraph/bridges/jax/writing.py"


def _known(equation: Equation, called: Any) -> Any:
    """Return what a function of JAX gives that is known, by its jaxpr.

    Raises
    ------
    NoCounterpart
        If it is none.
    """
    name, file = source_of(called)
    reader = _KNOWN.get((name, "/".join(file.split("/")[-2:]))) if "/jax/" in file else None
    if reader is None or any(is_complex(v.type.dtype) for v in equation.inputs):
        raise NoCounterpart
    return reader(equation)


def call(equation: Equation) -> Any:
    """Read a call of a jaxpr."""
    parameters = equation.parameters
    jaxpr = parameters["call_jaxpr"] if "call_jaxpr" in parameters else parameters["jaxpr"]
    try:
        return _known(equation, jaxpr)
    except NoCounterpart:
        return equation.inline(jaxpr, equation.inputs)


def _custom(equation: Equation) -> Any:
    """Read a function that has a rule of its own for its derivative.

    What it is made of has other derivatives, so it is read only where an op is the same.
    """
    called = equation["call_jaxpr"]
    if source_of(called)[1].endswith(_OWN):
        return equation.inline(called, equation.inputs)
    return _known(equation, called)


def _platform_index(equation: Equation) -> Any:
    platforms = equation["platforms"]
    insist(None in platforms)
    return at.constant(np.int32(platforms.index(None)))


def _cond(equation: Equation) -> Any:
    which, *operands = equation.inputs
    branches = equation["branches"]
    if isinstance(which, Constant):
        chosen = branches[int(np.clip(which.data, 0, len(branches) - 1))]
        return equation.inline(chosen, operands)
    insist(bool(equation.types))
    results = [equation.inline(branch, operands) for branch in branches]
    if len(branches) == 2:
        return ifelse(which, results[1], results[0])
    found = results[-1]
    for i, result in reversed(list(enumerate(results[:-1]))):
        found = ifelse(at.le(which, np.asarray(i, which.type.dtype)), result, found)
    return found


def _scan(equation: Equation) -> Any:
    insist(equation["length"] > 0)
    constants, carried = inputs_of_scan(equation.parameters)
    fixed = list(equation.inputs[:constants])
    first = list(equation.inputs[constants : constants + carried])
    sequences = list(equation.inputs[constants + carried :])
    count = len(equation.types)
    insist(count > 0)

    def step(*given: Any) -> list[Any]:
        rows, states = given[: len(sequences)], given[len(sequences) :]
        return equation.inline(equation["jaxpr"], [*fixed, *states, *rows])

    loop = build_loop(
        step,
        sequences,
        [*first, *[None] * (count - carried)],
        None,
        equation["length"],
        LoopOptions(go_backwards=equation["reverse"]),
    )
    collected = loop.outputs[carried:]
    if equation["reverse"]:
        collected = [rows[::-1] for rows in collected]
    return [*loop.last[:carried], *collected]


READERS: dict[str, Reader] = {
    "closed_call": call,
    "cond": _cond,
    "custom_jvp_call": _custom,
    "custom_vjp_call": _custom,
    "jit": call,
    "platform_index": _platform_index,
    "remat2": call,
    "scan": _scan,
}
