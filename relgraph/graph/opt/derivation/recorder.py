"""Recorder: the feature that records a derivation while a graph is rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.features.feature import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.notation.algebra import algebra
from relgraph.graph.opt.base import Rewriter, display_name
from relgraph.graph.opt.derivation.edits import Add, Change, Edit, EditLog, Make, Remove
from relgraph.graph.opt.derivation.replay import Derivation, Step

UNNAMED = "(unnamed)"
_BACKWARD = " (backward)"


class _OpenStep:
    """A step that is still being recorded; see `replay.Step`."""

    def __init__(
        self, reason: str, edits: list[Edit], before: str, after: str, built: bool
    ) -> None:
        self.reason = reason
        self.edits = edits
        self.before = before
        self.after = after
        self.built = built


class Recorder(Feature):
    """Records every replacement in a graph, with the reason given to `FunctionGraph.replace`.

    A replacement that is undone, because it did not validate, is not kept. An instance serves one
    graph.
    """

    def __init__(self) -> None:
        self._log: EditLog | None = None
        self._drafts: list[_OpenStep] = []
        # imports that belong to the next replacement
        self._pending: list[Edit] = []
        # variables from this number on were imported for the present replacement
        self._fresh = 0

    def clone(self) -> Recorder:
        return type(self)()

    def on_attach(self, fgraph: FunctionGraph) -> None:
        if self._log is not None:
            raise ValueError("a Recorder serves one graph; attach a clone of it")
        self._log = EditLog(fgraph)
        self._fresh = len(self._log.variables)

    @property
    def log(self) -> EditLog:
        if self._log is None:
            raise ValueError("the Recorder has not been attached to a graph")
        return self._log

    def derivation(self, rewriters: Iterable[Rewriter] = ()) -> Derivation:
        """Return the steps so far, and end the recording.

        Parameters
        ----------
        rewriters
            Rewriters that may have made the steps; a step gets the soundness class of its law.
        """
        if any(not isinstance(edit, Make) for edit in self._pending):
            self._drafts.append(_OpenStep(UNNAMED, self._pending, "", "", False))
        known = dict(_laws(rewriters))
        steps = [self._step(i, draft, known) for i, draft in enumerate(self._drafts, 1)]
        self.log.close()
        return Derivation(self.log, steps)

    def _step(self, number: int, draft: _OpenStep, known: dict[str, _Law]) -> Step:
        name = draft.reason.removesuffix(_BACKWARD)
        backward = name != draft.reason
        about = known.get(draft.reason)
        direction = "backward" if backward else "forward" if about is not None else None
        places = [self.log.place(e) for e in draft.edits if isinstance(e, Change)]
        return Step(
            number,
            name,
            direction,
            None if about is None else about.sound,
            draft.before,
            draft.after,
            tuple(places),
            draft.built,
            tuple(draft.edits),
        )

    # -- events of the graph -----------------------------------------------------------------

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._pending += self.log.record_import(node)

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        edit = self.log.record_change(node, i, var, new_var)
        name = UNNAMED if reason is None else str(reason)
        last = self._drafts[-1] if self._drafts else None
        if last is not None and _undoes(edit, name, last):
            self._take_back(last)
        elif last is not None and not self._pending and _continues(edit, name, last):
            last.edits.append(edit)
        else:
            built = edit.new >= self._fresh
            edits = [*self._pending, edit]
            self._drafts.append(_OpenStep(name, edits, algebra(var), algebra(new_var), built))
            self._pending = []
        self._fresh = len(self.log.variables)

    def _take_back(self, last: _OpenStep) -> None:
        last.edits.pop()
        if not any(isinstance(edit, Change) for edit in last.edits):
            # the nodes may be imported again
            self._pending = [*last.edits, *self._pending]
            self._drafts.pop()

    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        self._pending.append(Add(False, i, self.log.number(var)))

    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Remove(False, i, self.log.number(var)), reason, algebra(var), "")

    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Add(True, i, self.log.number(var)), reason, "", algebra(var))

    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Remove(True, i, self.log.number(var)), reason, algebra(var), "")

    def _boundary(self, edit: Add | Remove, reason: str | None, before: str, after: str) -> None:
        name = UNNAMED if reason is None else str(reason)
        self._drafts.append(_OpenStep(name, [*self._pending, edit], before, after, True))
        self._pending = []


def _undoes(edit: Change, name: str, last: _OpenStep) -> bool:
    """Return whether an edit undoes the last one, which failed or was rejected."""
    done = last.edits[-1]
    return (
        isinstance(done, Change)
        and name in ("revert", last.reason)
        and done == Change(edit.node, edit.place, edit.new, edit.old)
    )


def _continues(edit: Change, name: str, last: _OpenStep) -> bool:
    """Return whether an edit belongs to the same replacement as the last one."""
    done = last.edits[-1]
    same = isinstance(done, Change) and (done.old, done.new) == (edit.old, edit.new)
    return same and name == last.reason


class _Law(NamedTuple):
    """The soundness class of a rewriter that applies a law or relation, if it is known."""

    sound: str | None


def _laws(rewriters: Iterable[Rewriter]) -> Iterator[tuple[str, _Law]]:
    """Yield the names of the rewriters, and of those inside them, that apply laws."""
    stack: list[Any] = list(rewriters)
    while stack:
        rewriter = stack.pop()
        stack.extend(rewriter.summary_children())
        law = getattr(rewriter, "law", None)
        if law is None:
            law = getattr(rewriter, "kanren_relation", None)
        if law is None:
            continue
        name = display_name(rewriter)
        sound = getattr(law, "sound", None)
        # the class `stable` is a claim about the forward direction alone
        claims = not (sound == "stable" and name.endswith(_BACKWARD))
        yield name, _Law(sound if claims else None)
