"""`Function`: a compiled graph that can be called, copied and pickled.

The function behind a call is generated for a signature, so that what is not used costs nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.compile.io import FunctionSpecification, In
from relgraph.compile.lengths import Requirement, checked_call
from relgraph.compile.mode import Mode
from relgraph.compile.profiling import FunctionProfile
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation
from relgraph.graph.shared_values import Container, SharedVariable, copy_value
from relgraph.graph.utils import said_of_filter
from relgraph.introspection import Displayed
from relgraph.on_first_use import loaded
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import from_source
from relgraph.vm.linker import ProfiledRunner
from relgraph.vm.schedule import Runner


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
    source = [f"def call({', '.join(arguments)}):", *body, " return unpack(results)"]
    return from_source(source, names, "call")


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


@dataclass
class FunctionMaker:
    """The compiled graph of a function, and the inputs and outputs it was compiled from.

    Attributes
    ----------
    fgraph
        The optimized graph. Its inputs are the arguments followed by the shared variables; its
        outputs are the results followed by the updates.
    spec
        The inputs, outputs and updates, with the user's variables.
    overwritten
        The positions of the inputs that the graph overwrites.
    mode
        The mode of the function.
    rebuild
        Compiles the function again without updates, with some shared variables replaced.
    requirements
        What a call checks of the lengths of its inputs, since no node of the graph does.
    """

    fgraph: FunctionGraph
    spec: FunctionSpecification
    overwritten: list[int]
    mode: Mode
    rebuild: Callable[..., Function]
    requirements: list[Requirement]


class Function(Displayed):
    """A compiled graph that can be called.

    Arguments are passed by position or by name. They are checked, and converted if that loses
    nothing, unless `trust_input` is set.

    Attributes
    ----------
    maker
        The compiled graph; ``maker.fgraph`` is the `FunctionGraph`.
    profile
        The times of the compilation and the calls, or None.
    derivation
        The steps of the optimization; None unless ``trace`` was set.
    trust_input
        Whether positional arguments are not checked. A wrong one then fails in a node, or not at
        all. It is False unless you set it.
    """

    def __init__(
        self,
        maker: FunctionMaker,
        run: Callable[..., list[Any]],
        defaults: Sequence[Container | None],
        containers: Sequence[Container],
        name: str | None = None,
        profile: FunctionProfile | None = None,
        derivation: Derivation | None = None,
    ) -> None:
        self.maker = maker
        self.name = name
        self.profile = profile
        self.derivation = derivation
        self._run = run
        self._defaults = list(defaults)
        self._containers = list(containers)
        names = Counter(p.name for p in maker.spec.inputs)
        self._positions = {
            p.name: i for i, p in enumerate(maker.spec.inputs) if p.name and names[p.name] == 1
        }
        self._argument_count = len(maker.spec.inputs)
        self.trust_input = False

    @property
    def trust_input(self) -> bool:
        """Whether positional arguments are not checked."""
        return self._trust_input

    @trust_input.setter
    def trust_input(self, trust: bool) -> None:
        self._trust_input = bool(trust)
        # Generated when it is first called.
        self._call: Callable[..., Any] = self._first_call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results for the given arguments.

        Raises
        ------
        TypeError
            If an argument is missing, unknown, or of a wrong dtype or shape, or there are too many.
        """
        if kwargs or len(args) != self._argument_count:
            return self._call_with_names(args, kwargs)
        return self._call(*args)

    def _call_with_names(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call with arguments passed by name or left out; those passed by name are checked."""
        values = self._bind(args, kwargs)
        if kwargs and self._trust_input:
            values = [self._converted(i, value) for i, value in enumerate(values)]
        return self._call(*values)

    def _first_call(self, *args: Any) -> Any:
        """Generate the function that calls are made by, and call it."""
        make = getattr(self._run, "make_call", generate_call)
        call = make(self._call_parts(), self._trust_input)
        requirements = self.maker.requirements
        if requirements and not self._trust_input:
            variables = [
                *(p.variable for p in self.maker.spec.inputs),
                *self.maker.spec.shared_inputs,
            ]
            call = checked_call(call, requirements, variables, self._containers)
        self._call = call if self.profile is None else _timed(call, self.profile)
        return self._call(*args)

    def _call_parts(self) -> CallParts:
        maker = self.maker
        containers = [*self._defaults, *self._containers]
        updated = [containers[i] for i in maker.spec.update_positions]
        run = self._run
        return CallParts(
            run=getattr(run, "run", run),
            numbers=getattr(run, "numbers", frozenset()),
            inputs=maker.spec.inputs,
            shared=self._containers,
            updated=[c for c in updated if c is not None],
            convert=self._converted,
            unalias=self._unalias_overwritten if maker.overwritten else None,
            zero_dimensional=[
                i
                for i, v in enumerate(maker.fgraph.outputs)
                if isinstance(v.type, TensorType) and v.type.ndim == 0
            ],
            n_results=len(maker.spec.outputs),
            unpack=maker.spec.unpack,
        )

    def _converted(self, i: int, value: Any) -> Any:
        """Return the value of argument `i`, converted to its type.

        Raises
        ------
        TypeError
            If it can't be converted.
        """
        given = self.maker.spec.inputs[i]
        try:
            return given.variable.type.filter(value, given.strict, given.allow_downcast)
        except (TypeError, ValueError) as error:
            raise self._wrong_argument(i, value, error) from error

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the value of each argument: passed by position or by name, or the default."""
        if len(args) > self._argument_count:
            raise TypeError(f"{self._description()} takes {self._counted()}, got {len(args)}")
        values: dict[int, Any] = dict(enumerate(args))
        for name, value in kwargs.items():
            position = self._positions.get(name)
            if position is None:
                known = ", ".join(map(repr, self._positions)) or "none"
                raise TypeError(
                    f"{self._description()} has no argument called {name!r}; its names are {known}"
                )
            if position in values:
                raise TypeError(f"{self._description()} got argument {name!r} twice")
            values[position] = value
        for i, default in enumerate(self._defaults):
            if i not in values:
                if default is None:
                    raise TypeError(
                        f"{self._description()} takes {self._counted()}, got "
                        f"{len(args) + len(kwargs)}: argument {i} {self._argument_name(i)} is "
                        "missing"
                    )
                mutable = (
                    self.maker.spec.inputs[i].mutable and self.maker.spec.inputs[i].update is None
                )
                values[i] = copy_value(default.value) if mutable else default.value
        return [values[i] for i in range(self._argument_count)]

    def _unalias_overwritten(self, values: list[Any]) -> None:
        """Copy each value that will be overwritten and shares storage with another value."""
        for i in self.maker.overwritten:
            overwritten = values[i]
            type_ = self.maker.fgraph.inputs[i].type
            if any(
                j != i and type_.may_share_memory(overwritten, other)
                for j, other in enumerate(values)
            ):
                values[i] = copy_value(overwritten)

    def _wrong_argument(self, i: int, value: Any, error: Exception) -> TypeError:
        said = said_of_filter(error, self.maker.spec.inputs[i].variable.type, value)
        return TypeError(f"argument {i} {self._argument_name(i)} of {self._description()}: {said}")

    def _counted(self) -> str:
        return f"{self._argument_count} argument{'s' if self._argument_count != 1 else ''}"

    def _description(self) -> str:
        return "function" if self.name is None else f"function `{self.name}`"

    def _argument_name(self, i: int) -> str:
        given = self.maker.spec.inputs[i]
        return f"`{given.name if given.name is not None else given.variable}`"

    def _container(self, key: Any) -> Container:
        for i, given in enumerate(self.maker.spec.inputs):
            if key is given.variable or (isinstance(key, str) and key == given.name):
                found = self._defaults[i]
                if found is None:
                    raise KeyError(f"argument {key} of {self._description()} has no default value")
                return found
        for var, container in zip(self.maker.spec.shared_inputs, self._containers, strict=True):
            if key is var or (isinstance(key, str) and key == var.name):
                return container
        raise KeyError(f"{self._description()} has no input {key}")

    def __getitem__(self, key: Variable | str) -> Any:
        """Return the default value of an argument, or the value of a shared variable.

        Raises
        ------
        KeyError
            If there is no such input, or it has no default value.
        """
        return self._container(key).value

    def __setitem__(self, key: Variable | str, value: Any) -> None:
        """Set the default value of an argument, or the value of a shared variable.

        Raises
        ------
        KeyError
            If there is no such input, or it has no default value.
        """
        self._container(key).set(value)

    def copy(
        self,
        swap: Mapping[SharedVariable, SharedVariable] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
        profile: bool | FunctionProfile | None = None,
    ) -> Function:
        """Return a copy of the function, which is not optimized again.

        The copy has its own default values; shared variables stay shared.

        Parameters
        ----------
        swap
            For shared variables, the ones that the copy uses in their place.
        delete_updates
            Whether the copy has no updates. Then it is compiled again, since the graph may
            overwrite the storage of what it updates.
        name
            The name of the copy; by default that of the original.
        profile
            The profile of the copy, or whether it has one.

        Raises
        ------
        ValueError
            If the function does not use a variable in `swap`, or already uses its replacement.
        TypeError
            If a replacement has another type.
        """
        pairs = {} if swap is None else dict(swap)
        self._check_swap(pairs)
        label = self.name if name is None else name
        if delete_updates:
            return self.maker.rebuild(pairs, label)
        containers = [
            pairs[var].container if var in pairs else container
            for var, container in zip(self.maker.spec.shared_inputs, self._containers, strict=True)
        ]
        defaults = [None if d is None else d.duplicate() for d in self._defaults]
        own = FunctionProfile(message=label) if profile is True else profile or None
        run = self._run
        if own is not None or self.profile is not None:
            run = linked(self.maker.fgraph, self.maker.mode, own)
        copied = Function(self.maker, run, defaults, containers, label, own, self.derivation)
        copied.trust_input = self.trust_input
        return copied

    def __copy__(self) -> Function:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the optimized graph; loading links it again."""
        given = (self._defaults, self._containers, self.name, self.profile, self.derivation)
        return _relinked, (type(self), self.maker, given, self.trust_input)

    def _check_swap(self, pairs: Mapping[SharedVariable, SharedVariable]) -> None:
        used = self.maker.spec.shared_inputs
        for old, new in pairs.items():
            if old not in used:
                raise ValueError(f"{self._description()} does not use the shared variable {old}")
            if new in used:
                raise ValueError(
                    f"{self._description()} uses {new} already; swap {old} for another"
                )
            if new.type != old.type:
                raise TypeError(f"{new} is of type {new.type}, and {old} of type {old.type}")

    def __repr__(self) -> str:
        names = ", ".join(self._argument_name(i).strip("`") for i in range(self._argument_count))
        return f"<{self._description()} of ({names})>"


def _timed(call: Callable[..., Any], profile: FunctionProfile) -> Callable[..., Any]:
    """Return a call whose time is added to a profile."""

    def timed(*args: Any) -> Any:
        started = time.perf_counter()
        result = call(*args)
        profile.count_call(time.perf_counter() - started)
        return result

    return timed


def linked(fgraph: FunctionGraph, mode: Mode, profile: FunctionProfile | None) -> Runner:
    """Return a function that runs a graph; if there is a profile, the times of nodes go to it."""
    profiled = None
    if profile is not None:
        profiled = ProfiledRunner(mode.linker, fgraph, profile.node_times)
    tier = mode.present_tier
    if tier == "vm":
        return mode.linker.link(fgraph) if profiled is None else profiled
    tiers = loaded("relgraph.vm.tier.tiers")
    record = None
    if profile is not None:
        record = profile.tiers = tiers.TierRecord()
    plain = mode.linker.link(fgraph)
    run: Runner = tiers.TieredProgram(
        fgraph, profiled or plain, not mode.rounds, tiers.POLICIES[tier], record, plain
    )
    return run


def _relinked(
    kind: type[Function], maker: FunctionMaker, given: tuple[Any, ...], trust_input: bool
) -> Function:
    """Return a function with an optimized graph, which is linked again."""
    profile: FunctionProfile | None = given[3]
    loaded = kind(maker, linked(maker.fgraph, maker.mode, profile), *given)
    loaded.trust_input = trust_input
    return loaded
