"""A memory of which rewriters may match which nodes, which can outlive the process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.utils import Memo

if TYPE_CHECKING:
    from relgraph.graph.opt.base import LocalOptimizer

_PACKAGE = __name__.partition(".")[0]
_PLAIN = (bool, int, float, complex, str, type(None))

# Of so many groups of rewriters, and of so many structures, the answers are kept.
_MOST_GROUPS = 32
_MOST_ROWS = 2000


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
        self._answers: Memo[str, dict[str, bool]] = Memo(_MOST_ROWS // 2)
        # what was loaded, a text for each row that has not been asked for yet
        self._packed: dict[str, str] = {}
        self._names: list[str] = []
        self._groups: dict[str, Memo[str, str]] = {}
        # the empty text for what has none
        self._texts: Memo[Any, str] = Memo()

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
        self._require_loaded()
        text = self.text_of_node(node, of_op)
        return {} if text is None else self._row(text)

    def group(self, names: Iterable[str]) -> Memo[str, str]:
        """Return what is known of the rewriters with some names, taken together.

        By the texts of nodes, it is which of them may match: their places, as a text. What is new
        is to be added to it.
        """
        self._require_loaded()
        key = blake2b("\n".join(names).encode(), digest_size=12).hexdigest()
        # the group that was used last is the last one
        rows = self._groups.pop(key, None)
        self._groups[key] = rows = Memo(_MOST_ROWS // 2) if rows is None else rows
        return rows

    def _require_loaded(self) -> None:
        if self._load is not None:
            data, self._load = self._load(), None
            self._names, self._packed, groups = _checked(data)
            self._groups = {key: Memo(_MOST_ROWS // 2, rows) for key, rows in groups.items()}

    def _row(self, text: str) -> dict[str, bool]:
        """Return what is known of the nodes with a text."""
        known = self._answers.recall(text)
        if known is None:
            row = _unpacked(self._packed.pop(text, ";"), self._names)
            known = self._answers.keep(text, row)
        return known

    def dump(self) -> dict[str, Any]:
        """Return all that is known, as lists, strings and numbers."""
        places = {name: i for i, name in enumerate(self._names)}
        packed = dict(self._packed)
        for text, known in self._answers.entries().items():
            yes_no: tuple[list[str], list[str]] = ([], [])
            for name, may_match in known.items():
                yes_no[not may_match].append(str(places.setdefault(name, len(places))))
            packed[text] = ";".join(map(" ".join, yes_no))
        packed = dict(list(packed.items())[-_MOST_ROWS:])
        groups = {k: g.entries() for k, g in list(self._groups.items())[-_MOST_GROUPS:]}
        return {"names": list(places), "answers": packed, "groups": groups}

    def text_of_node(self, node: Apply, of_op: bool) -> str | None:
        """Return the text of the op of a node, or of its structure; None if there is none."""
        return self._text(node.op) if of_op else self._structure(node)

    def _structure(self, node: Apply) -> str | None:
        heads = [self._text(v.head) for v in node.inputs]
        op = self._text(node.op)
        if op is None or None in heads:
            return None
        if node.op.commutative and node.op.associative and len(heads) > 2:
            heads = [str(len(heads)), *sorted({str(head) for head in heads})]
        return f"{op} of {', '.join(map(str, heads))}"

    def _text(self, op: Any) -> str | None:
        found = self._texts.recall(op)
        if found is None:
            found = self._texts.keep(op, text_of(op) or "")
        return found or None


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


def _checked(
    data: Mapping[str, Any],
) -> tuple[list[str], dict[str, str], dict[str, dict[str, str]]]:
    """Return the names, rows and groups that `CandidateMemory.dump` gave; none of anything else."""
    names, rows, groups = data.get("names"), data.get("answers"), data.get("groups")
    if not isinstance(names, list) or not isinstance(rows, dict) or not isinstance(groups, dict):
        return [], {}, {}
    return (
        names,
        rows,
        {key: of_group for key, of_group in groups.items() if type(of_group) is dict},
    )


def _unpacked(row: str, names: Sequence[str]) -> dict[str, bool]:
    """Return the answers of a row by name; none if it is no row of these names."""
    try:
        yes, no = row.split(";")
        found = {names[int(i)]: True for i in yes.split()}
        found.update((names[int(i)], False) for i in no.split())
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}
    return found


class KeptCandidates:
    """The rewriters of a large group that may match nodes of a structure, as a memory has them.

    Parameters
    ----------
    rewriters
        Rewriters with one memory, in order.
    memory
        The memory.
    ask
        Finds out which of them may match a node, or others of its op; see `those_that_may_match`.
    """

    def __init__(
        self,
        rewriters: Sequence[LocalOptimizer],
        memory: CandidateMemory,
        ask: Callable[[Apply, bool], Iterable[LocalOptimizer]],
    ) -> None:
        self._rewriters = rewriters
        self._memory = memory
        self._ask = ask
        self._rows = memory.group([r.name or "" for r in rewriters])

    def candidates(self, node: Apply, of_op: bool) -> list[LocalOptimizer]:
        """Return those that may match `node`, in order."""
        text = self._memory.text_of_node(node, of_op)
        known = None if text is None else self._rows.recall(text)
        if known is not None:
            with suppress(LookupError, ValueError, AttributeError):
                return [self._rewriters[int(i)] for i in known.split()]
        found = list(self._ask(node, of_op))
        if text is not None:
            chosen = set(found)
            places = [str(i) for i, r in enumerate(self._rewriters) if r in chosen]
            self._rows.keep(text, " ".join(places))
            self._memory.learned += 1
        return found


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
