"""Derives what laws say of elements from laws that are proved, by a search over equal forms.

Each step is by a law that holds for all values, so both sides are equal for all that the types of
the law admit. What its own guards say is not assumed: conditions of the steps are evaluated on
inputs of which nothing is known. An ``exact`` law rests on laws that are proved bit by bit or place
by place, those of other classes on some that are proved over the reals too. These are equal where
every divisor is not zero and every function is defined, so no step may bring in an op for which
that is to be asked. Two arguments of an op that commutes change places without a law, if that is
exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from relations.proofs import Ground, structure_of
from relgraph.graph.basic import Apply, Variable, io_toposort
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import Derivation, Recorder
from relgraph.graph.traversal import equal_computations
from relgraph.proof.reals import OPS as DEFINED_EVERYWHERE
from relgraph.proof.statements import Statement
from relgraph.scalar.basic import Cast
from relgraph.search.egraph import Rewrite, TooLong
from relgraph.search.laws import Direction, directions
from relgraph.search.proof import REORDERED, claims_of, make, on_its_own
from relgraph.search.regrouping import Thinning
from relgraph.search.rules import NodeByNode
from relgraph.search.saturation import Limits, Saturation
from relgraph.search.variables import VariableEGraph
from relgraph.tensor.elemwise import scalar_op_of

CARRIED = {
    "exact": ("exact",),
    "rounding": ("exact", "rounding"),
    "finite": ("exact", "rounding", "finite"),
}
"""The classes of the laws that one of a class may rest on."""

_LIMITS = Limits(nodes=300, rounds=8, seconds=1.0)
_MOST_STEPS = 30


COMMUTES = frozenset(["add", "mul", "eq", "neq", "and_", "or_", "xor"])
"""Scalar ops that compute the same bits of two swapped arguments: that is proved of these alone. Of
zeros of both signs a maximum may be either one."""


class _Terms(VariableEGraph):
    """Terms of which arguments change places only where that is proved to be exact."""

    def _is_unordered(self, node: Apply) -> bool:
        name = getattr(scalar_op_of(node), "name", "")
        return name in COMMUTES and super()._is_unordered(node)


class Grounds:
    """Laws that hold for all values, for others to rest on.

    Parameters
    ----------
    laws
        The laws.
    """

    def __init__(self, laws: Iterable[Relation]) -> None:
        self._laws = {law.name: law for law in laws}
        self._ways: dict[str, list[Direction]] = {}

    def derivation(self, law: Relation, statement: Statement) -> Derivation | None:
        """Return how one side of what a law says becomes the other; None if no way is found."""
        ways = [way for way in self._ways_for(law.sound) if way.reason.law is not law]
        egraph = _Terms(regroups=False)
        old, new = (egraph.term(side) for side in (statement.old, statement.new))
        Saturation(egraph, ways, _LIMITS, Thinning(egraph)).run()
        if egraph.find(old) is not egraph.find(new):
            return None
        try:
            steps = list(egraph.rewrites(old, new, _MOST_STEPS))
        except TooLong:
            return None
        found = _recorded(statement, steps, law.sound == "exact")
        names = {*self._laws, REORDERED.label}
        return None if found is None or not names.issuperset(found.laws) else found

    def of(self, derivation: Derivation) -> tuple[Ground, ...]:
        """Return the laws that a derivation rests on."""
        laws = [self._laws[name] for name in derivation.laws if name in self._laws]
        return tuple([Ground(law.name, law.module or "", structure_of(law)) for law in laws])

    def _ways_for(self, sound: str) -> list[Direction]:
        """Return the directions of the laws that one of a class may rest on."""
        if sound not in self._ways:
            ways = directions(self._laws.values(), CARRIED.get(sound, ()))
            self._ways[sound] = [way for way in ways if not isinstance(way, NodeByNode)]
        return self._ways[sound]


def _recorded(statement: Statement, steps: Sequence[Rewrite], anywhere: bool) -> Derivation | None:
    """Return the derivation by some steps; None if they do not lead to the other side, or, unless
    they hold anywhere, by ops that are not defined where those of both sides are."""
    fgraph = on_its_own([statement.old], statement.inputs)
    given = [v for side in (statement.old, statement.new) for v in _in_part(side)]
    recorder = Recorder()
    with fgraph.attached(recorder):
        for step in steps:
            make(fgraph, 0, step)
            if not anywhere and not all(map(partial(_is_among, given), _in_part(*fgraph.outputs))):
                return None
    if not equal_computations(fgraph.outputs, [statement.new]):
        return None
    return recorder.derivation(claims_of(steps).values())


def _in_part(out: Variable) -> list[Variable]:
    """Return what is computed by ops that may not be defined everywhere, as real functions."""
    nodes = [node for node in io_toposort([], [out]) if scalar_op_of(node) is not None]
    return [
        node.outputs[0]
        for node in nodes
        if not isinstance(scalar_op_of(node), Cast)
        and scalar_op_of(node).name not in DEFINED_EVERYWHERE
    ]


def _is_among(given: Sequence[Variable], v: Variable) -> bool:
    return any(equal_computations([v], [w]) for w in given)
