"""Functions of rules that outlive the process: their code, and what its globals stand for."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from etuples.core import ExpressionTuple

from relgraph.graph.kanren.rules.codegen import HELPERS, Transform, function_of, written
from relgraph.graph.kanren.rules.rule import Rule
from relgraph.graph.kanren.search.goals import Compute, Readers, Where
from relgraph.graph.kanren.terms.term import Arguments, Literal, Term, is_variable
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar

_NUMBERS = (bool, int, float, complex)

_Reference = int | str | tuple[Any, ...]


class FunctionMemory:
    """The functions of rules by the names of the rules.

    The globals of a function are parts of its rule; they are kept as the places of these parts (see
    `parts_of`). A rule of the same name that is written otherwise is compiled anew.

    Parameters
    ----------
    load
        Returns what `dump` gave in another process; called when the memory is first asked. It must
        be data of the user's own: code that it holds is run.

    Attributes
    ----------
    learned
        How many functions are new since then.
    """

    def __init__(self, load: Callable[[], Mapping[str, bytes]]) -> None:
        self.learned = 0
        self._load: Callable[[], Mapping[str, bytes]] | None = load
        self._kept: dict[str, bytes] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        # what it knows has its own file, and is of this process
        return type(self), (dict,)

    def compiled(self, rule: Rule) -> Transform:
        """Return the function of a rule, as `compile_rule` does.

        Raises
        ------
        NotCompilable
            As `compile_rule`.
        """
        if self._load is not None:
            self._kept, self._load = dict(self._load()), None
        kept = self._kept.get(rule.name)
        made = None if kept is None else _restored(kept, rule)
        if made is not None:
            return made
        writer = written(rule)
        function = function_of(writer)
        packed = _packed(rule, function.__code__, writer.constants)
        if packed is not None:
            self._kept[rule.name] = packed
            self.learned += 1
        return function

    def dump(self) -> dict[str, bytes]:
        """Return all that is known."""
        return self._kept


def parts_of(rule: Rule) -> list[Any]:
    """Return all parts of a rule, in an order that is the same in every process."""
    found: list[Any] = []
    stack = [rule.pattern, rule.template, *rule.conditions]
    while stack:
        part = stack.pop()
        found.append(part)
        cls = type(part)
        if cls is Term:
            stack.append(part.op)
            stack.extend(part.args)
        elif cls is tuple or cls is list:
            stack.extend(part)
        elif cls is Literal:
            found.append(part.value)
        elif cls is Where:
            found.append(part.predicate)
            stack.extend(part.variables)
        elif cls is Compute:
            found.append(part.function)
            stack.append(part.out)
            stack.extend(part.variables)
        elif cls is Readers:
            found.append(part.test)
            stack.extend(part.variables)
        elif cls is Arguments:
            stack.append(part.of)
        elif cls is ExpressionTuple:
            stack.extend(part._tuple)
        elif cls is ConstrainedVar:
            found.append(part.constraint)
    return found


def _shape(rule: Rule, parts: list[Any]) -> str:
    """Return a text that rules have in common whose functions have the same code."""
    flags = (rule.regroup, rule.as_written, rule.one_dtype, rule.complex, rule.finite)
    words = [f"{flags} {rule.one_client}"]
    places: dict[Any, int] = {}
    for i, part in enumerate(parts):
        cls = type(part)
        words.append(cls.__name__)
        if is_variable(part):
            words.append(str(places.setdefault(part, i)))
        elif isinstance(part, Op) or cls in _NUMBERS:
            words.append(str(part))
        elif cls is FunctionType:
            words.append(part.__qualname__)
    return " ".join(words)


def _packed(rule: Rule, code: CodeType, constants: Mapping[str, Any]) -> bytes | None:
    """Return a function as bytes; None if a global of it is no part of its rule."""
    parts = parts_of(rule)
    places = {id(part): i for i, part in enumerate(parts)}
    references = [_reference(value, places) for value in constants.values()]
    if None in references:
        return None
    return marshal.dumps((_shape(rule, parts), code, tuple(constants), tuple(references)))


def _restored(packed: bytes, rule: Rule) -> Transform | None:
    """Return the function that `_packed` made bytes of; None if it was of another rule."""
    shape, code, names, references = marshal.loads(packed)
    parts = parts_of(rule)
    if shape != _shape(rule, parts):
        return None
    namespace = dict(HELPERS)
    for name, reference in zip(names, references, strict=True):
        namespace[name] = _referred(reference, parts)
    return FunctionType(code, namespace)


def _reference(value: Any, places: Mapping[int, int]) -> _Reference | None:
    """Return the place of a value; its text if it is an integer, its items' if it is a tuple."""
    place = places.get(id(value))
    if place is not None:
        return place
    if type(value) is int:
        return str(value)
    if type(value) is not tuple:
        return None
    items = tuple([_reference(item, places) for item in value])
    return None if None in items else items


def _referred(reference: _Reference, parts: list[Any]) -> Any:
    if isinstance(reference, int):
        return parts[reference]
    if isinstance(reference, str):
        return int(reference)
    return tuple([_referred(item, parts) for item in reference])
