"""Failures: the reasons why a rule does not match, and the outcome of a diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from relgraph.graph.basic import Variable

Path = tuple[int, ...]
Bindings = dict[Any, Any]

GUARDS = 1_000_000
"""The progress of an attempt that has matched all of its pattern."""


class Reason(StrEnum):
    """Why a law does not match; `MATCH` if it does."""

    MATCH = "it matches"
    LEAF = "nothing computes the variable"
    OUTPUTS = "the node has several outputs, and the pattern is about one"
    OP = "another op"
    PARAMETER = "another parameter of the op"
    ARITY = "another number of arguments"
    NUMBER = "another number, or none"
    DIFFERENT = "something else than what the same variable stands for already"
    CONSTRAINT = "a variable of the pattern is constrained"
    PARTNER = "no argument is what the pattern looks for"
    LEFT_OVER = "arguments are left over"
    BROADCAST = "a number broadcasts what is beside it"
    GROUPING = "it would have to regroup"
    NOT_FINITE = "a constant is not finite"
    CONDITION = "a condition says no"
    READ = "a value is read elsewhere"
    COSTS = "the graph would cost more"
    GOAL = "a goal of the relation fails"
    COMPUTED = "a computed value is another one"
    PENDING = "a condition can't be decided"
    OPEN = "the result is open"
    BUILD = "the result can't be built"
    ROUNDED = "a number is rounded, beside numbers of a wider dtype"
    DTYPES = "more than one dtype"
    COMPLEX = "complex numbers"
    TYPE = "the result does not fit"
    SAME = "the result is what is there"
    DIRECTION = "there is no such direction"
    FILTER = "the node filter says no"
    BUDGET = "the search was given up"
    NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Failure:
    """Where and why an attempt to match failed.

    Attributes
    ----------
    path
        The place: from the root, the index of an input, of an input of that, and so on.
    wanted, found
        The part of the pattern there, and what the graph has.
    values
        The values that a guard was given, by name.
    """

    reason: Reason
    path: Path = ()
    wanted: Any = None
    found: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)


class Diagnosis(NamedTuple):
    """The outcome of all attempts to match: a failure, or bindings and a result."""

    failure: Failure | None
    bindings: Bindings
    result: Variable | None
    progress: tuple[int, int]
