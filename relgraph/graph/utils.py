"""What every part rests on: interned objects, memos, scratch pads, errors, and time limits.

The time limits count work, so that what a search finds does not depend on what else is running.
"""

from __future__ import annotations

import gc
import inspect
import sys
import time
import weakref
from abc import ABC, ABCMeta
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, wraps
from operator import is_
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeVar, cast

from relgraph.introspection import SignatureOfClass

if TYPE_CHECKING:
    from relgraph.graph.basic import Variable


_P = ParamSpec("_P")
_K = TypeVar("_K")
_V = TypeVar("_V")


class MissingInputError(Exception):
    """A graph needs a variable that is neither an input nor a constant.

    Parameters
    ----------
    message
        What is missing, and where it is used.
    variable
        The missing variable, when it is known.
    """

    def __init__(self, message: str, variable: Variable | None = None) -> None:
        super().__init__(message)
        self.variable = variable


class InconsistencyError(Exception):
    """A graph breaks a condition that a feature keeps (a destroyed value is needed later, say).

    Parameters
    ----------
    text, parts
        A format string and its arguments. The message is formatted when it is read, since a pass
        that tries replacements discards most errors, and a long graph takes long to print.
    """

    def __init__(self, text: str = "", *parts: object) -> None:
        super().__init__(text, *parts)

    def __str__(self) -> str:
        text, *parts = self.args
        return text.format(*parts) if parts else str(text)


class MethodNotDefined(AttributeError):
    """An `Op` lacks a method that was called; the message names both."""


BACKWARD = " (backward)"


def labelled(name: str, direction: str | None) -> str:
    """Return the name of a law with its direction, if that is backward."""
    return name + BACKWARD if direction == "backward" else name


def calling_frame(*modules: str) -> FrameType:
    """Return the innermost frame of another module than some, and those inside them."""
    inside = tuple([f"{module}." for module in modules])
    frame = sys._getframe(1)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(inside):
        frame = frame.f_back
    return frame


class Uncopied:
    """An object whose copies are the object itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class LogicTerm(Uncopied):
    """What denotes a `Variable` inside a law: a logic variable, or a term built from some.

    Calling an `Op` on one gives a term instead of a node. `apply_op` is how: the engine's terms
    define it, and nothing below them needs to know more.
    """

    __slots__ = ()

    def apply_op(self, op: Any, arguments: Sequence[Any]) -> Any:
        """Return the term ``op(*arguments)``, spelt in the vocabulary of this one."""
        raise NotImplementedError(type(self).__name__)

    def apply_function(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Return the term ``function(*args, **kwargs)`` of a function that asks for a type."""
        raise NotImplementedError(type(self).__name__)


class AsksForType(TypeError):
    """A function was called on what stands in a law for a variable, and asks for its type."""


def in_laws(function: Callable[_P, Any], module: str) -> Callable[_P, Any]:
    """Return `function` such that it takes logic variables and terms too.

    Where it asks for the type of one, the term is the call itself, which is done when the law is
    used. On anything else it is `function`.

    Parameters
    ----------
    module
        The name of the module that has the result under the name of `function`.
    """

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> Any:
        try:
            return function(*args, **kwargs)
        except AsksForType:
            term = _first_term((args, tuple(kwargs.values())))
            if term is None:
                raise
            return term.apply_function(function, args, kwargs)

    call.__module__ = module
    call.__qualname__ = function.__name__
    return call


def lifted(value: Any, module: str) -> Any:
    """Return `value`, a function `in_laws`."""
    return in_laws(value, module) if isinstance(value, FunctionType) else value


def _first_term(parts: Any) -> LogicTerm | None:
    stack = [parts]
    while stack:
        part = stack.pop()
        if isinstance(part, LogicTerm):
            return part
        if isinstance(part, tuple | list):
            stack.extend(reversed(part))
        elif isinstance(part, slice):
            stack.extend((part.step, part.stop, part.start))
    return None


class paused_collector:
    """Keep the cyclic garbage collector off inside a block.

    Rewriting makes and drops thousands of small cycles (variable and owner), and each collection
    would walk the whole graph.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._was_on:
            gc.enable()


class Scratchpad:
    """A namespace for notes that people attach to a variable or a node (``x.tag.why = "..."``)."""

    def __init__(self, **notes: Any) -> None:
        self.__dict__.update(notes)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"tag has no note {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __repr__(self) -> str:
        return f"Scratchpad({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


def _key_part(value: Any) -> Hashable:
    """Return a key under which two properties are equal only if they are indistinguishable."""
    kind = type(value)
    if kind is float:
        return (float, value.hex())
    if kind is tuple:
        return (tuple, tuple(_key_part(v) for v in value))
    return (kind, value)


def _without_hash(obj: Any) -> str:
    """Return the name and value of the first property of an object that has no hash."""
    for name, value in zip(obj.__props__, obj.props(), strict=True):
        try:
            hash(value)
        except TypeError:
            return f"{name} is {value!r}"
    raise AssertionError(f"every property of {obj!r} has a hash")


def _restore(cls: type[MetaObject], state: dict[str, Any]) -> Any:
    """Return the interned object that a pickled one stood for."""
    obj = cls.__new__(cls)
    obj.__dict__.update(state)
    return cls.intern(obj)


_RANKS = {0: "scalar", 1: "vector", 2: "matrix"}


def describe_value(value: Any) -> str:
    """Return a description of a value for errors: of an array what it is, its dtype and shape, of
    anything else its repr and class."""
    kind, dtype, shape = type(value), getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or not isinstance(shape, tuple):
        text = repr(value)
        return f"{text if len(text) <= 60 else text[:57] + '...'} ({kind.__name__})"
    if kind.__module__ == "numpy":
        what = _RANKS.get(len(shape), f"{len(shape)}-dimensional array")
    else:
        what = f"{kind.__name__} of {kind.__module__.partition('.')[0]}"
    return f"{'an' if what[0] in 'AEIOUaeiou8' else 'a'} {what} of dtype {dtype} and shape {shape}"


def said_of_filter(error: Exception, type: Any, value: Any) -> str:
    """Return what an error of ``type.filter(value)`` says, with what was expected if it does not
    say that itself."""
    text = str(error)
    return text if str(type) in text else f"expected {type}, not {describe_value(value)}: {text}"


class MetaType(ABCMeta):
    """The metaclass of `Op` and `Type`: equal objects are one object.

    A class with ``__props__`` compares by the values of those attributes; a class with an
    ``__eq__`` and a ``__hash__`` of its own compares by them; any other object is equal to itself
    alone. In the first two cases calling the class twice for the same thing gives the same object,
    so that everything downstream may compare by identity. Objects of different classes are
    different ones, whatever an inherited ``__eq__`` says.

    A class with an ``__eq__`` but no ``__hash__`` is hashed by identity, and its objects are not
    interned, since they may change: what compares them has to use ``==``.
    """

    _by_props: ClassVar[weakref.WeakValueDictionary[Hashable, Any]] = weakref.WeakValueDictionary()

    __signature__ = SignatureOfClass()

    # Rewriting asks for classes all the time. None of these has virtual subclasses, for which
    # ABCMeta would look in Python.
    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    _equal_by_hand: bool
    _changeable: bool
    _by_hand: weakref.WeakKeyDictionary[Any, weakref.ref[Any]]

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        made: Any = cls
        if made.__hash__ is None:
            made.__hash__ = object.__hash__
        by_hand = any("__eq__" in vars(base) for base in cls.__mro__[:-1])
        cls._changeable = by_hand and made.__hash__ is object.__hash__
        cls._equal_by_hand = by_hand and not cls._changeable
        cls._by_hand = weakref.WeakKeyDictionary()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        known = None if kwargs else cls._of_props(args)
        if known is not None:
            return known
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, LogicTerm):
                return arg.apply_op(cls, cls.bind_props(*args, **kwargs))
        return cls.intern(super().__call__(*args, **kwargs))

    def _of_props(cls, args: tuple[Any, ...]) -> Any:
        """Return the object whose properties are `args`, if there is one and a call with its
        properties gives it: no second one is made only to be thrown away."""
        props: tuple[str, ...] | None = cast(Any, cls).__props__
        defaults = None if props is None else _defaults_in_order(cls, props)
        if defaults is None or len(args) > len(defaults):
            return None
        given = (*args, *defaults[len(args) :])
        try:
            return MetaType._by_props.get((cls, tuple([_key_part(arg) for arg in given])))
        except TypeError:  # an argument without a hash is no property
            return None

    def intern(cls, obj: Any) -> Any:
        """Return the one object that equals `obj`, which is `obj` itself the first time."""
        if cls._equal_by_hand:
            known = cls._by_hand.get(obj)
            found = None if known is None else known()
            if found is not None:
                return found
            cls._by_hand[obj] = weakref.ref(obj)
            return obj
        props = obj.__props__
        if props is None or cls._changeable:
            return obj
        key = (cls, tuple(_key_part(getattr(obj, name)) for name in props))
        try:
            return MetaType._by_props.setdefault(key, obj)
        except TypeError:
            raise TypeError(f"{cls.__name__}: {_without_hash(obj)}, which has no hash") from None

    def bind_props(cls, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the arguments of a constructor call in the order of ``__props__``.

        Raises
        ------
        TypeError
            If the class has no properties, or its constructor does not name them.
        """
        props: tuple[str, ...] | None = cast(Any, cls).__props__
        if props is None:
            raise TypeError(f"{cls.__name__} has no __props__, so a law can't match on them")
        if not kwargs and len(args) == len(props) and _defaults_in_order(cls, props) is not None:
            return args
        bound = inspect.signature(cast(Any, cls).__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        unnamed = [name for name in props if name not in bound.arguments]
        if unnamed:
            raise TypeError(
                f"{cls.__name__} takes no argument called {unnamed[0]!r}, "
                "so a law can't match on that property"
            )
        return tuple(bound.arguments[name] for name in props)


@cache
def _defaults_in_order(cls: Any, props: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Return the defaults of the parameters of a class, `Parameter.empty` for one without, if they
    are its properties, in their order; else None."""
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    if not plain or tuple(p.name for p in parameters) != props:
        return None
    return tuple(p.default for p in parameters)


class MetaObject(Uncopied, ABC, metaclass=MetaType):
    """An object that is interned by its ``__props__`` (see `MetaType`)."""

    __props__: ClassVar[tuple[str, ...] | None] = None

    def props(self) -> tuple[Any, ...]:
        """Return the values of ``__props__``, in order."""
        return tuple(getattr(self, name) for name in self.__props__ or ())

    def props_dict(self) -> dict[str, Any]:
        """Return the names and values of ``__props__``."""
        return {name: getattr(self, name) for name in self.__props__ or ()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.__dict__.copy())

    def __str__(self) -> str:
        name = type(self).__name__
        if not self.__props__:
            return name
        return f"{name}{{{', '.join(f'{k}={v}' for k, v in self.props_dict().items())}}}"

    def __repr__(self) -> str:
        if self.__props__:
            return str(self)
        return f"<{type(self).__module__}.{type(self).__qualname__} at {id(self):#x}>"


def is_transient(obj: MetaObject) -> bool:
    """Return whether an object may be one of any number of its kind, each of any size.

    That is an op without ``__props__``, which is equal to itself alone, an op that compares by an
    inner graph, and an op with such a property. What has only plain properties is small.
    """
    props, cls = obj.__props__, type(obj)
    if props is None or cls._equal_by_hand:
        return True
    parts = [getattr(obj, name) for name in props]
    return any(isinstance(part, MetaObject) and is_transient(part) for part in parts)


class _WhileAlive(weakref.ref[Any]):
    """A key that equals an object as long as the object lives, and does not keep it alive."""

    __slots__ = ("_hash",)

    _hash: int

    def __new__(cls, obj: Any, callback: Callable[[Any], None]) -> _WhileAlive:
        self = super().__new__(cls, obj, callback)
        self._hash = hash(obj)
        return self

    def __eq__(self, other: object) -> bool:
        mine = self()
        return mine is not None and mine is (other() if type(other) is _WhileAlive else other)

    def __hash__(self) -> int:
        return self._hash


def _weak(key: Any, callback: Callable[[Any], None]) -> Any:
    """Return a key that equals `key` and keeps no transient object alive; `key` if it holds none.

    The callback is called when one of them dies.
    """
    if isinstance(key, MetaObject):
        return _WhileAlive(key, callback) if is_transient(key) else key
    if type(key) not in (tuple, frozenset):
        return key
    parts = [_weak(part, callback) for part in key]
    return key if all(map(is_, parts, key)) else type(key)(parts)


class Memo(dict[_K, _V]):
    """What was found out about ops and types, by keys that hold them.

    Its size is bounded: after `generation` new entries those are forgotten that were not used in
    the meantime. An entry about a transient op (see `is_transient`) is forgotten when the op dies;
    the value must not hold the op.

    A hot path may look up a key as in any dict, and `recall` it if it is not there.

    Parameters
    ----------
    generation
        So many entries are kept at least, and twice as many at most.
    """

    __slots__ = ("__weakref__", "_generation", "_older")

    def __init__(self, generation: int = 250) -> None:
        super().__init__()
        self._generation = generation
        self._older: dict[_K, _V] = {}

    def recall(self, key: _K) -> _V | None:
        """Return the value of a key, or None."""
        found = self.get(key)
        if found is None:
            found = self._older.pop(key, None)
            if found is not None:
                self.keep(key, found)
        return found

    def keep(self, key: _K, value: _V) -> _V:
        """Keep a value, and return it."""
        if len(self) >= self._generation:
            self._older = dict(self)
            self.clear()
        here, kept = weakref.ref(self), list[Any]()

        def forget(_: Any) -> None:
            memo = here()
            if memo is not None and kept:
                memo.pop(kept[0], None)
                memo._older.pop(kept[0], None)

        weak = _weak(key, forget)
        if weak is not key:
            kept.append(weak)
        self[weak] = value
        return value


def memoized(generation: int) -> Callable[[Callable[..., _V]], Callable[..., _V]]:
    """Return a decorator of functions of ops and types, whose results a `Memo` keeps.

    Their arguments are hashable and come without names; their results must not hold an argument.
    """

    def decorated(function: Callable[..., _V]) -> Callable[..., _V]:
        # in a tuple, since a result may be None
        memo: Memo[tuple[Any, ...], tuple[_V]] = Memo(generation)

        @wraps(function)
        def call(*args: Any) -> _V:
            found = memo.recall(args)
            if found is None:
                found = memo.keep(args, (function(*args),))
            return found[0]

        return call

    return decorated


def spelling_hint(name: str, known: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """Return the end of an error that asks for known names written nearly the same, if any are."""
    near = get_close_matches(name, list(known))
    return f"; did you mean {' or '.join(map(shown, near))}?" if near else ""


_WAITED = 0.1
"""How much a second counts in which others have the processor: a search finds the same on a busy
machine, but does not go on for ever."""


def worked() -> float:
    """Return seconds, of which only differences mean something: those of this thread's work, and a
    tenth of those in which it waited."""
    return (1 - _WAITED) * time.thread_time() + _WAITED * time.perf_counter()


class Deadline:
    """The end of some seconds of work. The clock of a thread takes long to read, and is read only
    when it may be over.

    Parameters
    ----------
    seconds
        How long it is until then.
    """

    def __init__(self, seconds: float) -> None:
        self._end = worked() + seconds
        self._not_before = time.perf_counter() + seconds

    @property
    def is_over(self) -> bool:
        """Whether so much work was done."""
        now = time.perf_counter()
        if now < self._not_before:
            return False
        self._not_before = now + self.left
        return self._not_before <= now

    @property
    def left(self) -> float:
        """The seconds of work that are left."""
        return self._end - worked()
