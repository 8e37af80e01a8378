"""Random patterns to try an open relation on, made of the ops that its code refers to."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from random import Random
from typing import Any

from relgraph.graph.kanren.rules.rule import Rule, split
from relgraph.graph.kanren.terms.term import Term
from relgraph.graph.op import Op
from relgraph.tensor.contraction import MatrixProduct
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.testing.draw.argument_roles import role_of

_MAX_VISITED = 2000
_PATTERN_COUNT = 400

Head = Op | type[Op]
"""An op, or the class of an op with parameters."""


def ops_in_code(function: Any) -> list[Head]:
    """Return the ops, and classes of ops with parameters, that the code of a function refers to.

    The code of the functions that it calls counts too, except that of libraries and of relgraph's
    own search.
    """
    found: dict[Head, None] = {}
    seen: set[int] = set()
    stack = [function]
    while stack and len(seen) < _MAX_VISITED:
        item = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Op):
            found[item] = None
        elif isinstance(item, type):
            if issubclass(item, Op) and item.__props__ is not None:
                found[item if item.__props__ else item()] = None
        else:
            stack.extend(_referenced(item))
    return list(found)


def _referenced(item: Any) -> Iterator[Any]:
    """Yield the objects that an object refers to: parts of a term, globals of a function..."""
    parts = split(item)
    if parts is not None:
        yield parts[0]
        yield from parts[1]
    elif isinstance(item, functools.partial):
        yield from (item.func, *item.args, *item.keywords.values())
    elif isinstance(item, types.MethodType):
        yield from (item.__func__, item.__self__)
    elif isinstance(item, types.FunctionType):
        yield from _values_read_by(item)
    elif isinstance(item, list | tuple | set | frozenset):
        yield from item
    elif isinstance(item, dict):
        yield from item.values()
    elif type(item).__module__.startswith("relgraph.graph.kanren"):
        yield from getattr(item, "__dict__", {}).values()


def _values_read_by(function: types.FunctionType) -> Iterator[Any]:
    """Yield what a function reads: from its closure, its defaults, its module, other modules."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
    yield from function.__defaults__ or ()
    if _is_library(function.__module__ or ""):
        return
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
        read = [function.__globals__.get(name) for name in code.co_names]
        yield from (x for x in read if x is not None and not isinstance(x, types.ModuleType))
        for module in read:
            if isinstance(module, types.ModuleType):
                for name in code.co_names:
                    member = vars(module).get(name)
                    if isinstance(member, Op | type):
                        yield member


def _is_library(module: str) -> bool:
    """Return whether a module is shared by all laws, so that its ops are not those of one law."""
    if module.partition(".")[0] in (
        "kanren",
        "etuples",
        "unification",
        "cons",
        "numpy",
        "builtins",
    ):
        return True
    return module.startswith("relgraph.") and module != "relgraph.tensor.lawkit.vocabulary"


def random_patterns(heads: list[Head], name: str, random: Random) -> list[Rule]:
    """Return random patterns of some ops, as rules of which only the pattern is given.

    Parameters
    ----------
    heads
        The ops.
    name
        The name of the rules.
    random
        The source of randomness.
    """
    if not heads:
        return []
    terms = _RandomTerms(heads, random)
    depths = [1, 2, 2, 2, 3]
    return [Rule(name, terms.compound(random.choice(depths)), None) for _ in range(_PATTERN_COUNT)]


class _RandomTerms:
    """Random terms over some ops."""

    def __init__(self, heads: list[Head], random: Random) -> None:
        self.heads, self.random = heads, random
        self.variables = lvars("x y z u")
        self.vocabulary = self.variables[0]._ops

    def compound(self, depth: int) -> Term:
        """Return a term of an op and arguments, up to some depth."""
        head = self.random.choice(self.heads)
        cls = head if isinstance(head, type) else type(head)
        arguments = []
        for position in range(_argument_count(head, self.random)):
            role, number = role_of(cls, "", position)
            if role == "tensor":
                nested = self.random.random() < 0.7
                arguments.append(self.tensor_argument(depth - 1 if nested else 0))
            else:
                arguments.append(lvars(f"{role}{number}"))
        return Term(self.op(head), arguments, self.vocabulary)

    def tensor_argument(self, depth: int) -> Any:
        """Return a compound term if `depth` is not 0, else a logic variable or a number."""
        if depth:
            return self.compound(depth)
        first = self.variables[0]
        return self.random.choice([*self.variables, *[first] * 5, 0, 1])

    def op(self, head: Head) -> Any:
        """Return an op, or for a class a term of logic variables; several terms share some."""
        if isinstance(head, Op):
            return head
        names: Any = head.__props__
        props = [
            lvars(name if self.random.random() < 0.6 else f"{name}_{self.random.randrange(3)}")
            for name in names
        ]
        return Term(head, props, self.vocabulary)


def _argument_count(head: Head, random: Random) -> int:
    cls = head if isinstance(head, type) else type(head)
    if issubclass(cls, Elemwise):
        nin = head.nin if isinstance(head, Elemwise) else random.choice([1, 2, 2, 3])
        return nin if nin > 0 else random.choice([2, 2, 3, 4])
    if issubclass(cls, MatrixProduct):
        return 2
    low, high = _ARGUMENT_COUNTS.get(cls.__name__, (1, 1))
    return low if random.random() < 0.6 else random.randint(low, high)


# The least and the greatest number of arguments to try; for any other op it is 1.
_ARGUMENT_COUNTS = {
    "AdvancedIncSubtensor": (3, 4),
    "AdvancedSubtensor": (2, 3),
    "Alloc": (1, 4),
    "ARange": (3, 3),
    "Assert": (2, 3),
    "Eye": (3, 3),
    "IncSubtensor": (2, 3),
    "Join": (1, 3),
    "MakeVector": (1, 3),
    "Reshape": (2, 2),
    "Split": (2, 2),
    "Subtensor": (1, 2),
}
