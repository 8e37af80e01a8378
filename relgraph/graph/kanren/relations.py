"""Relations with a name, tags and a soundness class, and the decorator that makes them.

A relation is pickled by its name and the module that defines it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

from relgraph.graph.kanren.compilation import Extraction, extract
from relgraph.graph.kanren.explanation import Diagnosis, Explanation, NoSuchDirection, explain, told
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.rules import Failure, Reason
from relgraph.graph.utils import Uncopied, calling_frame, labelled
from relgraph.introspection import Displayed
from relgraph.on_first_use import loaded

if TYPE_CHECKING:
    from relations.proofs import Standing
    from relgraph.proof.proving import Proof
    from relgraph.testing.check_result import CheckResult


# The kit has functions that make laws; a law is defined by the page that calls them.
_NOT_DEFINING = (__name__.rpartition(".")[0], "relations.kit")


def find(module: str, name: str) -> Any:
    """Return the relation called `name` that a variable of a module holds, itself or in a table.

    Raises
    ------
    LookupError
        If there is none.
    """
    for item in _held_by(module):
        if getattr(item, "name", None) == name and hasattr(item, "goal"):
            return item
    raise LookupError(f"the module {module} has no relation called {name}")


def is_found(relation: Any, module: str | None) -> bool:
    """Return whether `find` leads back to `relation`."""
    if module is None or module == "__main__" or module not in sys.modules:
        return False
    try:
        return find(module, relation.name) is relation
    except LookupError:
        return False


def _held_by(module: str) -> Iterator[Any]:
    stack: list[Any] = [value for _, value in sorted(vars(import_module(module)).items())]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        else:
            yield item


def checked_direction(direction: str) -> None:
    """Raise an error unless `direction` is ``forward`` or ``backward``.

    Raises
    ------
    ValueError
        If it is not.
    """
    if direction not in ("forward", "backward"):
        raise ValueError(f"a direction is forward or backward, not {direction!r}")


SOUNDNESS = ("exact", "rounding", "stable", "finite", "domain")
"""The soundness classes; see `Relation`."""


class Relation(Uncopied, Displayed):
    """A named relation between a term and its replacement.

    Parameters
    ----------
    name
        Its name in tables, queries, reports and errors.
    goal
        A goal constructor: takes ``(in, out)`` and returns a goal.
    tags
        The tags that queries find it by; its soundness class is added. Those tagged ``inward`` or
        ``late`` are tried by an equilibrium when the others have nothing left to do (see
        `LocalOptimizer`). Those of the class ``stable``, and those tagged ``priced``, since that is
        what their result is worth, or ``invests``, since what follows saves it again, may make a
        graph cost more; a phase applies all others where they don't.
    sound
        Its soundness class, a claim about the values of both sides for every type it admits:

        ``exact``
            the same dtype, shape and bits for every input, however it lies in memory: what an op
            computes is a function of values and shapes, so a law may swap a copy for a view, but
            not have a sum or a product taken over another shape, where its terms meet in another
            order;
        ``rounding``
            the same up to the rounding of intermediate values, wherever no finite operands over-
            or underflow on the way, and no zero meets a nan or an infinity in a product of
            matrices, which is what its kernel makes of them;
        ``stable``
            where the sides differ by more than that, the right one is nearer the true value (of a
            sum or product of three or more, the order may make it over- or underflow, and a factor
            that has underflowed makes it nan beside an infinite one);
        ``finite``
            the same up to rounding wherever every input and intermediate value is finite;
        ``domain``
            the same up to rounding under a stated condition that is not checked at run time;
            elsewhere the right side may raise.
    domain
        That condition, for checks: a predicate of the values of the matched node's inputs.
    tries
        Terms to check a relation on that has no finite list of rules, or a law whose conditions
        few instances of its left side meet; by default they are made of the ops that it mentions.
    depth
        How many levels of nodes the forward direction looks at (see `LocalOptimizer.depth`); None
        if that is not known.
    """

    def __init__(
        self,
        name: str,
        goal: Callable[[Any, Any], Any],
        tags: Iterable[str] = (),
        sound: str = "exact",
        domain: Any = None,
        tries: Sequence[Any] = (),
        depth: int | None = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"a relation's name is a string, not {name!r}")
        if sound not in SOUNDNESS:
            raise ValueError(f"{name}: sound is one of {', '.join(SOUNDNESS)}, not {sound!r}")
        self.name = name
        self.module = calling_frame(*_NOT_DEFINING).f_globals.get("__name__")
        if domain is not None and sound != "domain":
            raise ValueError(f"{name}: it has a domain, but claims to be {sound}")
        self.goal = goal
        self.sound = sound
        self.domain = domain
        self.tries = tuple(tries)
        self.depth = depth
        self.tags = (sound, *(tag for tag in tags if tag != sound))
        self.late = "late" in self.tags
        self.inward = "inward" in self.tags
        self.flattens = "flattens" in self.tags
        self.may_cost = not {"stable", "priced", "invests"}.isdisjoint(self.tags)

    def __call__(self, in_lv: Any, out_lv: Any) -> Any:
        """Return the goal that `out_lv` may replace `in_lv`."""
        return self.goal(in_lv, out_lv)

    @cached_property
    def forward(self) -> KanrenRelationSub:
        """The local optimizer that replaces the left side by the right one."""
        made = KanrenRelationSub(self, name=self.name)
        made.late, made.inward, made.depth = self.late, self.inward, self.depth
        return made

    @cached_property
    def backward(self) -> KanrenRelationSub:
        """The local optimizer that replaces the right side by the left one."""
        return KanrenRelationSub(lambda x, y: self(y, x), name=labelled(self.name, "backward"))

    def extraction(self, direction: str = "forward") -> Extraction:
        """Return the rules of one direction, or why it has no finite list of them.

        Parameters
        ----------
        direction
            ``forward`` or ``backward``.
        """
        checked_direction(direction)
        return self._extraction(direction)

    def _extraction(self, direction: str) -> Extraction:
        if direction == "forward":
            return extract(self, f"{self.name} forward")
        return extract(lambda x, y: self(y, x), f"{self.name} backward")

    def explain(self, variable: Any, direction: str = "forward") -> Explanation:
        """Return why this does not match `variable`, or its bindings and result if it does.

        Parameters
        ----------
        variable
            A variable of a graph; its node is what is matched.
        direction
            ``forward`` or ``backward``.

        Raises
        ------
        TypeError
            If `variable` is not a variable.
        """
        checked_direction(direction)
        try:
            rewriter = getattr(self, direction)
        except NoSuchDirection as why:
            none = Diagnosis(Failure(Reason.DIRECTION, found=str(why)))
            return told(self.name, direction, variable, none)
        return explain(rewriter, variable, self.name, direction)

    def check(
        self,
        examples: int = 200,
        seed: int = 0,
        directions: Iterable[str] | None = None,
        **options: Any,
    ) -> CheckResult:
        """Check the soundness class by evaluating both sides.

        Parameters
        ----------
        examples, seed, directions, options
            See `relgraph.testing.check_relation`.
        """
        # Laws are on a low layer, and their check needs all the others. This is one of the
        # few imports upwards that are allowed.
        from relgraph.testing.law_check import check_relation  # noqa: PLC0415

        return check_relation(self, examples, seed, directions, **options)

    @property
    def proof(self) -> Standing:
        """How far it is known to be proved: what is kept of laws that say the same."""
        found: Standing = loaded("relations.proofs", "standing_of")(self)
        return found

    def prove(self, seconds: float = 10.0, grounds: Iterable[Relation] | None = None) -> Proof:
        """Prove that the law holds for all values, as far as a solver goes, or derive it from laws
        that do.

        Parameters
        ----------
        seconds, grounds
            See `relgraph.proof.proving.prove`.
        """
        # as in `check`
        from relgraph.proof.proving import prove  # noqa: PLC0415

        return prove(self, seconds, grounds=grounds)

    def report(self, file: TextIO | None = None) -> None:
        """Print the rules of each direction, or why it has no finite list of them.

        For an open relation, what is known of the structures that it has met is printed too.

        Parameters
        ----------
        file
            Where to print; standard output by default.
        """
        for direction in ("forward", "backward"):
            found = self.extraction(direction)
            print(found, file=file)
            rewriter = getattr(self, direction, None)
            if found.status == "open" and type(rewriter) is KanrenRelationSub:
                print(rewriter.specialization, file=file)

    def __reduce__(self) -> tuple[Any, ...]:
        if is_found(self, self.module):
            return find, (self.module, self.name)
        return object.__new__, (type(self),), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        # compiled functions are made again
        return {k: v for k, v in vars(self).items() if k not in ("forward", "backward")}

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


def relation(
    name: str,
    tags: Iterable[str] = (),
    sound: str = "exact",
    domain: Any = None,
    tries: Sequence[Any] = (),
    depth: int | None = None,
) -> Callable[[Callable[[Any, Any], Any]], Relation]:
    """Return a decorator that makes a `Relation` of a goal constructor.

    The parameters are those of `Relation`.
    """

    def decorate(goal: Callable[[Any, Any], Any]) -> Relation:
        made = Relation(name, goal, tags, sound, domain, tries, depth)
        made.__doc__ = goal.__doc__
        return made

    return decorate
