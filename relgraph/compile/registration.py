"""Laws and other rewriters of the user's own: in a mode, in one call of `optimize_graph`, or added
to the phases of `optdb` and taken out again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relgraph.compile.database import Phase, forms, law_tags, optdb, optimizer_up_to
from relgraph.graph.opt import GlobalOptimizer
from relgraph.graph.opt.base import as_local_optimizer, display_name
from relgraph.graph.utils import calling_frame


def is_interactive() -> bool:
    """Return whether the call comes from a notebook or a prompt, whose module has no file."""
    names = calling_frame("relgraph").f_globals
    return names.get("__name__") == "__main__" and "__file__" not in names


def is_rewriter(item: Any) -> bool:
    """Return whether `item` is a rewriter or a law, or a list or tuple."""
    if isinstance(item, list | tuple):
        return True
    try:
        own_rewriters([item])
    except TypeError:
        return False
    return True


def own_rewriters(items: Any) -> tuple[Any, ...]:
    """Return the rewriters in a rewriter or law, or in nested lists and tuples of them, in order.

    Raises
    ------
    TypeError
        If something else is among them.
    AttributeError
        If a law has no direction forward.
    """
    if isinstance(items, list | tuple):
        return tuple(rewriter for item in items for rewriter in own_rewriters(item))
    if not isinstance(items, GlobalOptimizer):
        as_local_optimizer(items)
    return (items,)


def with_replaced(old: Iterable[Any], new: Iterable[Any]) -> tuple[Any, ...]:
    """Return `old` and `new`; a new rewriter takes the place of an old one of the same name."""
    found = {display_name(rewriter): rewriter for rewriter in old}
    found.update((display_name(rewriter), rewriter) for rewriter in new)
    return tuple(found.values())


# What was registered in a notebook or at a prompt: a phase, "mode" or "optimizer", and the name.
_registered_interactively: set[tuple[str, str]] = set()


def may_replace(kind: str, name: str) -> bool:
    """Return whether a notebook's cell that is run again replaces what it registered."""
    return (kind, name) in _registered_interactively and is_interactive()


def note_registration(kind: str, name: str) -> None:
    """Note that something was registered, by this call."""
    if is_interactive():
        _registered_interactively.add((kind, name))


# By phase and name: what was registered here.
_registered: dict[tuple[Phase, str], Any] = {}


def _with_mode_tag(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tags if "unsafe" in tags else (*tags, "fast_run")


def _register(phase: Phase, item: Any, tags: tuple[str, ...], name: str | None) -> Any:
    """Register `item`; if it is a tag or None, return a decorator that registers."""
    if item is None or isinstance(item, str):
        all_tags = tags if item is None else (item, *tags)
        return lambda decorated: _register(phase, decorated, all_tags, name)
    label = name if name is not None else getattr(item, "name", None)
    if label is None:
        raise TypeError(f"{item!r} has no name: register it with name=...")
    own = law_tags(item) if hasattr(item, "sound") else getattr(item, "tags", ())
    every = _with_mode_tag((*own, *tags))
    if may_replace(phase, label):
        _remove(label, phase)
    # found out before the law is there, which would rewrite its own left side
    found = forms(item, optimizer_up_to(phase))
    db = optdb[phase]
    db.register(label, item, *every, use_db_name_as_tag="unsafe" not in every)
    for form in found:
        if form is not item:
            every = _with_mode_tag((*law_tags(form), *tags))
            known = "unsafe" not in every
            db.register(_form_name(label, phase), form, *every, use_db_name_as_tag=known)
    _registered[phase, label] = item
    note_registration(phase, label)
    return item


def _form_name(label: str, phase: Phase) -> str:
    """Return the name of a law in the form in which a phase leaves its left side."""
    return f"{label} in {phase}"


def _remove(label: str, phase: Phase) -> None:
    del _registered[phase, label]
    _registered_interactively.discard((phase, label))
    for name in (label, _form_name(label, phase)):
        if name in list(optdb[phase]):
            optdb[phase].unregister(name)


def unregister(item: Any) -> None:
    """Take a rewriter out of the phases that it was registered for.

    Parameters
    ----------
    item
        What `register_canonicalize`, `register_stabilize` or `register_specialize` was given, or
        the name it was registered under.

    Raises
    ------
    KeyError
        If nothing of that name was registered by these functions. (To leave out a law of the rule
        book, exclude its name from a mode.)
    """
    label = item if isinstance(item, str) else getattr(item, "name", None)
    found = [
        (phase, name)
        for (phase, name), known in _registered.items()
        if name == label or known is item
    ]
    for phase, name in found:
        _remove(name, phase)
    if not found:
        raise KeyError(f"register_canonicalize and so on have registered nothing called {label!r}")


def register_canonicalize(item: Any = None, *tags: str, name: str | None = None) -> Any:
    """Add a LocalOptimizer or a law to the phase ``canonicalize``, and return it.

    With tags only, return a decorator: ``@register_canonicalize("mine")``.

    Parameters
    ----------
    item
        The LocalOptimizer or law. It is part of ``fast_run`` unless it has the tag ``unsafe``.
    tags
        Further tags.
    name
        The name it is registered under; by default its own.

    Raises
    ------
    TypeError
        If `item` is neither a LocalOptimizer nor a law, or has no name.
    ValueError
        If the name is taken. (A notebook's cell that is run again replaces what it registered.)
    """
    return _register("canonicalize", item, tags, name)


def register_stabilize(item: Any = None, *tags: str, name: str | None = None) -> Any:
    """Add a LocalOptimizer or a law to the phase ``stabilize``; see `register_canonicalize`."""
    return _register("stabilize", item, tags, name)


def register_specialize(item: Any = None, *tags: str, name: str | None = None) -> Any:
    """Add a LocalOptimizer or a law to the phase ``specialize``; see `register_canonicalize`."""
    return _register("specialize", item, tags, name)
