"""A memory of which rewriters may match which nodes, which can outlive the process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply

if TYPE_CHECKING:
    from relgraph.graph.opt.base import LocalOptimizer

_PACKAGE = __name__.partition(".")[0]
_PLAIN = (bool, int, float, complex, str, type(None))

# Texts of ops that are made by the thousand must not pile up.
_LIMIT = 10_000


class CandidateMemory:
    """Which rewriters may match nodes of which structures.

    What it knows is known by text: the names of the rewriters, and of the ops with their
    properties. Of nodes with ops that are not of this package nothing is kept.

    Parameters
    ----------
    load
        Returns what `dump` gave in another process; called when the memory is first asked.

    Attributes
    ----------
    learned
        How many answers are new since then.
    """

    def __init__(self, load: Callable[[], Mapping[str, Any]]) -> None:
        self.learned = 0
        self._load: Callable[[], Mapping[str, Any]] | None = load
        self._answers: dict[str, dict[str, bool]] = {}
        self._texts: dict[Any, str | None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        # what it knows has its own file, and is of this process
        return type(self), (dict,)

    def answers(self, node: Apply, of_op: bool) -> dict[str, bool]:
        """Return the known answers by the name of the rewriter; new ones are to be added to it.

        Parameters
        ----------
        of_op
            Whether the answers are about all nodes of the op of `node`, or else of its structure.
        """
        if self._load is not None:
            data, self._load = self._load(), None
            self._answers = _unpacked(data)
        text = self._text(node.op) if of_op else self._structure(node)
        return {} if text is None else self._answers.setdefault(text, {})

    def dump(self) -> dict[str, Any]:
        """Return all that is known, as lists, strings and numbers."""
        names: dict[str, int] = {}
        packed: dict[str, list[list[int]]] = {}
        for text, known in self._answers.items():
            yes_no: list[list[int]] = [[], []]
            for name, may_match in known.items():
                yes_no[not may_match].append(names.setdefault(name, len(names)))
            packed[text] = yes_no
        return {"names": list(names), "answers": packed}

    def _structure(self, node: Apply) -> str | None:
        heads = [self._text(v.head) for v in node.inputs]
        op = self._text(node.op)
        if op is None or None in heads:
            return None
        if node.op.commutative and node.op.associative and len(heads) > 2:
            heads = [str(len(heads)), *sorted({str(head) for head in heads})]
        return f"{op} of {', '.join(map(str, heads))}"

    def _text(self, op: Any) -> str | None:
        if op not in self._texts:
            if len(self._texts) >= _LIMIT:
                self._texts.clear()
            self._texts[op] = text_of(op)
        return self._texts[op]


def text_of(x: Any) -> str | None:
    """Return a text that is that of no other op, head or property; None if there is none for it."""
    if isinstance(x, _PLAIN):
        return repr(x)
    kind = type(x)
    if kind is tuple:
        items = [text_of(item) for item in x]
        return None if None in items else f"({', '.join(map(str, items))})"
    named = x if isinstance(x, type) else kind
    if named.__module__.partition(".")[0] != _PACKAGE:
        return None
    name = f"{named.__module__}.{named.__qualname__}"
    if named is x:
        return name
    if isinstance(x, Enum) or is_dataclass(x):
        return f"{name}:{x!r}"
    names = getattr(kind, "__props__", None)
    if names is None:
        return None
    props = [text_of(getattr(x, prop)) for prop in names]
    return None if None in props else f"{name}{{{', '.join(map(str, props))}}}"


def _unpacked(data: Mapping[str, Any]) -> dict[str, dict[str, bool]]:
    """Return the answers in what `CandidateMemory.dump` gave; none if it is something else."""
    try:
        names = data["names"]
        return {
            text: {names[i]: True for i in yes} | {names[i]: False for i in no}
            for text, (yes, no) in data["answers"].items()
        }
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}


def those_that_may_match(
    rewriters: Iterable[LocalOptimizer], node: Apply, of_op: bool
) -> tuple[LocalOptimizer, ...]:
    """Return those of some rewriters that may match a node like `node`, in order.

    Parameters
    ----------
    of_op
        Whether like it are all nodes of its op, or else those of its structure.
    """
    found: list[LocalOptimizer] = []
    memory: CandidateMemory | None = None
    known: dict[str, bool] = {}
    for rewriter in rewriters:
        ask = rewriter.might_match_op if of_op else rewriter.might_match
        name = rewriter.name
        if rewriter.memory is None or name is None:
            may_match = ask(node)
        else:
            if rewriter.memory is not memory:
                memory = rewriter.memory
                known = memory.answers(node, of_op)
            if name not in known:
                known[name] = bool(ask(node))
                memory.learned += 1
            may_match = known[name]
        if may_match:
            found.append(rewriter)
    return tuple(found)
