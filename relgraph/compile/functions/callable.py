"""The function that users call."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.compile.functions.arguments import In, Out
from relgraph.compile.profiling import FunctionProfile
from relgraph.compile.sharedvalue import Container, SharedVariable, copy_value, describe_value
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation


@dataclass
class FunctionMaker:
    """What a function was made from, and what became of it.

    Attributes
    ----------
    fgraph
        The graph that is run. Its inputs are the arguments and then the shared variables, its
        outputs the results and then the updates.
    inputs, outputs
        The arguments and results, in the user's own variables.
    unpack
        Makes what a call returns of the list of results.
    shared_inputs
        The shared variables that the graph reads.
    updated
        For each update, the position of the input whose next value it is.
    overwritten
        The positions of inputs that the graph overwrites.
    mode
        How it was made.
    rebuild
        Makes the function anew without updates, with some shared variables replaced.
    zero_dimensional
        The positions of the outputs that are arrays of rank 0.
    """

    fgraph: FunctionGraph
    inputs: list[In]
    outputs: list[Out]
    unpack: Callable[[list[Any]], Any]
    shared_inputs: list[SharedVariable]
    updated: list[int]
    overwritten: list[int]
    mode: Any
    rebuild: Callable[..., Function]
    zero_dimensional: list[int]


class Function:
    """A graph that can be called.

    Arguments are given by position or by the name of their variable. They are checked, and
    converted where that loses nothing, unless `trust_input` is set.

    Attributes
    ----------
    maker
        What it was made from; ``maker.fgraph`` is the optimized graph.
    profile
        Times of its making and its calls, or None.
    derivation
        How its graph came to be what it is, step by step; None unless ``trace`` was asked for.
    trust_input
        Whether positional arguments are taken as they are. A wrong one then fails in a node, or
        not at all.
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
        self.trust_input = False
        self._run = run
        self._defaults = list(defaults)
        self._containers = list(containers)
        names = Counter(p.name for p in maker.inputs)
        self._places = {
            p.name: i for i, p in enumerate(maker.inputs) if p.name and names[p.name] == 1
        }
        self._count = len(maker.inputs)
        self._n_results = len(maker.outputs)
        self._zero_dimensional = maker.zero_dimensional
        self._filters = [
            (i, p.variable.type.filter, p.strict, p.allow_downcast)
            for i, p in enumerate(maker.inputs)
        ]
        all_containers = [*self._defaults, *self._containers]
        self._targets = [all_containers[i] for i in maker.updated]
        self._overwritten = maker.overwritten

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results for the given arguments.

        Raises
        ------
        TypeError
            If arguments are missing, too many, unknown, or of a wrong dtype or rank.
        """
        started = time.perf_counter() if self.profile is not None else 0.0
        values: list[Any]
        if kwargs or len(args) != self._count:
            values = self._bind(args, kwargs)
        else:
            values = list(args)
        if not self.trust_input or kwargs:
            for i, filter_value, strict, allow_downcast in self._filters:
                try:
                    values[i] = filter_value(values[i], strict, allow_downcast)
                except (TypeError, ValueError) as error:
                    raise self._misfit(i, values[i], error) from error
        values.extend([c.value for c in self._containers])
        if self._overwritten:
            self._separate(values)
        results = self._run(*values)
        for i in self._zero_dimensional:
            results[i] = np.asarray(results[i])
        if self._targets:
            for container, value in zip(self._targets, results[self._n_results :], strict=True):
                assert container is not None
                container.value = value
            del results[self._n_results :]
        if self.profile is not None:
            self.profile.count_call(time.perf_counter() - started)
        return self.maker.unpack(results)

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return a value for each argument: given by position, by name, or by default."""
        if len(args) > self._count:
            raise TypeError(f"{self._described()} takes {self._count} arguments, got {len(args)}")
        values: dict[int, Any] = dict(enumerate(args))
        for name, value in kwargs.items():
            place = self._places.get(name)
            if place is None:
                known = ", ".join(map(repr, self._places)) or "none"
                raise TypeError(
                    f"{self._described()} has no argument called {name!r}; its names are {known}"
                )
            if place in values:
                raise TypeError(f"{self._described()} got argument {name!r} twice")
            values[place] = value
        for i, default in enumerate(self._defaults):
            if i not in values:
                if default is None:
                    raise TypeError(
                        f"{self._described()} takes {self._count} arguments, got "
                        f"{len(args) + len(kwargs)}: argument {i} {self._argument_name(i)} is "
                        "missing"
                    )
                mutable = self.maker.inputs[i].mutable and self.maker.inputs[i].update is None
                values[i] = copy_value(default.value) if mutable else default.value
        return [values[i] for i in range(self._count)]

    def _separate(self, values: list[Any]) -> None:
        """Copy what would be overwritten while another input in the same storage is needed."""
        for i in self._overwritten:
            mine = values[i]
            if isinstance(mine, np.ndarray) and any(
                j != i and isinstance(other, np.ndarray) and np.may_share_memory(mine, other)
                for j, other in enumerate(values)
            ):
                values[i] = mine.copy()

    def _misfit(self, i: int, value: Any, error: Exception) -> TypeError:
        return TypeError(
            f"argument {i} {self._argument_name(i)} of {self._described()}: expected "
            f"{self.maker.inputs[i].variable.type}, got {describe_value(value)}: {error}"
        )

    def _described(self) -> str:
        return "function" if self.name is None else f"function `{self.name}`"

    def _argument_name(self, i: int) -> str:
        given = self.maker.inputs[i]
        return f"`{given.name if given.name is not None else given.variable}`"

    def _container(self, key: Any) -> Container:
        for i, given in enumerate(self.maker.inputs):
            if key is given.variable or (isinstance(key, str) and key == given.name):
                found = self._defaults[i]
                if found is None:
                    raise KeyError(f"argument {key} of {self._described()} has no default value")
                return found
        for var, container in zip(self.maker.shared_inputs, self._containers, strict=True):
            if key is var or (isinstance(key, str) and key == var.name):
                return container
        raise KeyError(f"{self._described()} has no input {key}")

    def __getitem__(self, key: Variable | str) -> Any:
        """Return the value of an argument that has a default, or of a shared variable."""
        return self._container(key).value

    def __setitem__(self, key: Variable | str, value: Any) -> None:
        """Change the default value of an argument, or the value of a shared variable."""
        self._container(key).set(value)

    def copy(
        self,
        swap: Mapping[SharedVariable, SharedVariable] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
        profile: bool | FunctionProfile | None = None,
    ) -> Function:
        """Return a function that computes the same; nothing is optimized again.

        Default values that are updated are the copy's own; shared variables stay shared.

        Parameters
        ----------
        swap
            Shared variables, and what the copy uses in their place.
        delete_updates
            Make a copy without updates (which is made from the start, since the graph may
            overwrite what it updates).
        name
            The name of the copy; that of the original if None.

        Raises
        ------
        ValueError
            If `swap` names a variable that the function does not use, or leads to one that it
            uses already.
        TypeError
            If the variables of a pair have different types.
        """
        pairs = {} if swap is None else dict(swap)
        self._check_swap(pairs)
        label = self.name if name is None else name
        if delete_updates:
            return self.maker.rebuild(pairs, label)
        containers = [
            pairs[var].container if var in pairs else container
            for var, container in zip(self.maker.shared_inputs, self._containers, strict=True)
        ]
        defaults = [None if d is None else d.duplicate() for d in self._defaults]
        own = FunctionProfile(message=label) if profile is True else profile or None
        copied = Function(self.maker, self._run, defaults, containers, label, own, self.derivation)
        copied.trust_input = self.trust_input
        return copied

    def __copy__(self) -> Function:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how to make the function of its optimized graph, by linking that again."""
        given = (self._defaults, self._containers, self.name, self.profile, self.derivation)
        return _linked, (type(self), self.maker, given, self.trust_input)

    def _check_swap(self, pairs: Mapping[SharedVariable, SharedVariable]) -> None:
        used = self.maker.shared_inputs
        for old, new in pairs.items():
            if old not in used:
                raise ValueError(f"{self._described()} does not use the shared variable {old}")
            if new in used:
                raise ValueError(f"{self._described()} uses {new} already; swap {old} for another")
            if new.type != old.type:
                raise TypeError(f"{new} is of type {new.type}, and {old} of type {old.type}")

    def __repr__(self) -> str:
        names = ", ".join(self._argument_name(i).strip("`") for i in range(self._count))
        return f"<{self._described()} of ({names})>"


def _linked(
    kind: type[Function], maker: FunctionMaker, given: tuple[Any, ...], trust_input: bool
) -> Function:
    """Return the function that was made like this, without optimizing anything again."""
    made = kind(maker, maker.mode.linker.link(maker.fgraph), *given)
    made.trust_input = trust_input
    return made
