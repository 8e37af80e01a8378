"""Named relations, with what people need to find and trust them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from relgraph.graph.kanren.explanation.explain import Explainable, checked_direction
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.rules.extraction import Extraction, extract

if TYPE_CHECKING:
    from relgraph.testing.result import CheckResult

SOUNDNESS = ("exact", "rounding", "stable", "finite", "domain")
"""What a law may claim about values; see `Law`."""


class Relation(Explainable):
    """A named relation between what a node is and what may stand in its place.

    Parameters
    ----------
    name
        What it is called everywhere: in tables, queries, reports and errors.
    goal
        Takes ``(in, out)``, gives a goal.
    tags
        What queries find it by; its soundness class is one of them. What is tagged ``inward`` or
        ``late`` waits in an equilibrium until the others have nothing left to do; see
        `LocalOptimizer`.
    sound
        What it claims about values, for every type it admits:

        ``exact``
            the same dtype, shape and bits for every input, however it lies in memory: what an op
            computes is a function of values and shapes, so a law may swap a copy for a view, but
            not have a sum or a product taken over another shape, where its terms meet in another
            order;
        ``rounding``
            the same up to the rounding of intermediate values, wherever no finite operands over-
            or underflow on the way;
        ``stable``
            where the sides differ by more than that, the right one is nearer the true value;
        ``finite``
            the same up to rounding wherever every input and intermediate value is finite;
        ``domain``
            the same up to rounding under a stated condition that is not checked at run time.
    domain
        That condition, for checks: a predicate of the values of the matched node's inputs.
    tries
        What to try a relation on that has no finite list of rules, when it is checked: terms of
        the shapes that it is meant for. Without them they are made of the ops that it mentions.
    depth
        How many levels of nodes it looks at from the left (see `LocalOptimizer.depth`); None if
        that is not known.
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

    def __call__(self, in_lv: Any, out_lv: Any) -> Any:
        """Return the goal that `out_lv` may stand in the place of `in_lv`."""
        return self.goal(in_lv, out_lv)

    @cached_property
    def forward(self) -> KanrenRelationSub:
        """The local optimizer that replaces what is on the left by what is on the right."""
        made = KanrenRelationSub(self, name=self.name)
        made.late, made.inward, made.depth = self.late, self.inward, self.depth
        return made

    @cached_property
    def backward(self) -> KanrenRelationSub:
        """The local optimizer that replaces what is on the right by what is on the left."""
        return KanrenRelationSub(lambda x, y: self(y, x), name=f"{self.name} (backward)")

    def extraction(self, direction: str = "forward") -> Extraction:
        """Return the rules of one direction, or why there is no finite list of them.

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

    def check(
        self,
        examples: int = 200,
        seed: int | None = None,
        directions: Iterable[str] | None = None,
        **options: Any,
    ) -> CheckResult:
        """Check by evaluating both sides that the law keeps what its class says.

        Parameters
        ----------
        examples, seed, directions, options
            See `relgraph.testing.check_relation`.
        """
        # A law is data on a low layer, and what checks it needs all the others; that it can be
        # asked is worth one of the three imports that go up.
        from relgraph.testing.check import check_relation  # noqa: PLC0415

        return check_relation(self, examples, seed, directions, **options)

    def report(self, file: TextIO | None = None) -> None:
        """Print what each direction comes down to: its rules, or why there is no list of them.

        Of an open one that is followed by what it came down to for the nodes that it has met.

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
    """Make a named `Relation` of the goal constructor that follows."""

    def name_it(goal: Callable[[Any, Any], Any]) -> Relation:
        made = Relation(name, goal, tags, sound, domain, tries, depth)
        made.__doc__ = goal.__doc__
        return made

    return name_it
