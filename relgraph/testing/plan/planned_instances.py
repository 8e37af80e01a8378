"""Finds an instance of a law in each cell of the plan that the law admits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, product

from relgraph.scalar.dtypes import FLOATS
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.testing.instances.cells import AMONG_OTHERS, EXTENTS, KINDS, LONG, Cell, cells_of_kind
from relgraph.testing.instances.instance import Instance
from relgraph.testing.instances.instance_search import BY_CHANCE, InstanceSearch
from relgraph.testing.judge.rewrite_pair import combines_elements, is_elementwise
from relgraph.testing.plan.variants import (
    complex_too,
    with_edge_numbers,
    with_functions,
    with_inputs_of_others,
    with_laid_out_numbers,
    with_nothing,
    with_views,
)

# After how many random graphs for a cell it is tried at another rank.
_TRIES_IN_TURN = 4
# How often for a rank or a length that no kind has, of a law that few random graphs match.
_MOST_TRIES = 300
# How many graphs known for a rank or length are tried in another dtype, and in how many cells of a
# kind all of them are refused for their types before the kind counts as not admitted.
_RETYPED = 3
_CELLS_REFUSED = 2
# The shape of the vectors on which a law decides between branches, and how many graphs are tried.
_LONG = (700,)
_RESHAPED = 3
# Of graphs over long arrays: the kinds, how many elements an input has at least, and how many of a
# rule are taken.
_LONG_KINDS = ("float64", "float32", "complex")
_MANY = 200
_MOST_LONG = 4
_VARIANTS = (with_inputs_of_others, with_laid_out_numbers, with_nothing, with_views)
# The other shapes in which the same graph is tried.
_OTHER_SHAPES = ((), (8, 8))


@dataclass
class Branching:
    """Instances of one graph on which a law decides between branches.

    Attributes
    ----------
    long
        The one over long vectors.
    others
        Those over numbers and over matrices.
    """

    long: Instance
    others: list[Instance]


@dataclass
class PlannedInstances:
    """The instances found for the cells of the plan.

    Attributes
    ----------
    found
        An instance for each cell that has one.
    refusals
        For each other cell what refused the graphs that were tried.
    branching
        Of a law that decides between branches a graph of each kind of floats.
    meeting
        Of ops that work element by element a graph of each kind of floats over long vectors, if it
        has several inputs and decides nothing.
    long
        Of a law that claims each bit, graphs of floats over long arrays, unless it works element by
        element: in what order elements are combined hangs on lengths and on memory layouts.
    of_products
        Of a law that claims each bit, graphs of float64 if some of its ops combine elements, and
        the same of complex numbers: NumPy rounds a single product of these in another way.
    variants
        Instances with an input of another dtype, with other memory layouts of what is no input, and
        with axes of length 0 beside longer ones.
    numbered
        Where a logic variable stands for constants only, a graph with each edge value for it.
    computed
        Where a logic variable is never an input, a graph with a function of one for it.
    """

    found: dict[Cell, Instance] = field(default_factory=dict)
    refusals: dict[Cell, Counter[str]] = field(default_factory=dict)
    branching: list[Branching] = field(default_factory=list)
    meeting: list[Instance] = field(default_factory=list)
    long: list[Instance] = field(default_factory=list)
    of_products: list[Instance] = field(default_factory=list)
    variants: list[Instance] = field(default_factory=list)
    numbered: list[Instance] = field(default_factory=list)
    computed: list[Instance] = field(default_factory=list)


class InstancePlanner:
    """Looks for instances in the cells of the plan.

    What the law does not admit is found out by asking it a bounded number of times. Graphs that it
    matches are built anew in another dtype of the plan: where it refuses each of these, an op or a
    guard of its types does. Ranks and lengths come from random graphs. They are tried more often,
    the rarer the graphs that the law matches are.

    Parameters
    ----------
    searches
        The searches for instances of the rules, at least one; the cells are spread over them.
    tries
        How many random graphs are tried for a cell that may be admitted, at most.
    bits
        Whether the class to be checked for claims each bit.
    """

    def __init__(self, searches: Sequence[InstanceSearch], tries: int, bits: bool = False) -> None:
        self._searches = searches
        self._tries, self._bits = tries, bits
        self._planned = PlannedInstances()

    def run(self) -> PlannedInstances:
        """Return an instance for each cell that is admitted.

        Raises
        ------
        InvalidRewrite
            See `InstanceSearch.find`.
        """
        for extent in EXTENTS:
            if not any(self._known(Cell(kind, extent), "wholly") for kind in KINDS):
                kinds = Counter(cell.kind for v in self._instances() for cell in v.free_cells)
                usual = kinds.most_common(1)[0][0] if kinds else "float64"
                self._draw(Cell(usual, extent), 0, self._tries_for_one())
        found = self._planned.found
        for turn, kind in enumerate(KINDS):
            refused = 0
            for cell in cells_of_kind(kind):
                if refused == _CELLS_REFUSED and all(c.kind != kind for c in found):
                    break
                if not self._known(cell, "wholly"):
                    self._retype(cell)
                if self._best(cell):
                    continue
                if _by_types(self._planned.refusals[cell]):
                    refused += 1
                elif any(c.extent == cell.extent for c in found):
                    self._draw(cell, turn, self._tries)
                    self._best(cell)
        planned = self._planned
        for kind in FLOATS:
            branching = self._find_branching(kind)
            planned.branching += branching
            planned.meeting += [] if branching else self._find_meeting(kind)
        for search in self._searches if self._bits else ():
            if not all(is_elementwise(instance.pair) for instance in search.instances):
                planned.long += self._find_long(search)
            if any(combines_elements(instance.pair) for instance in search.instances):
                planned.of_products += complex_too(search)
        for search in self._searches:
            planned.numbered += with_edge_numbers(search)
            planned.computed += with_functions(search)
            for variants in _VARIANTS:
                planned.variants += variants(search)
        return planned

    def _find_branching(self, kind: str) -> list[Branching]:
        """Return a graph of a kind of floats on which a law decides between branches, if any."""
        for search in self._searches:
            deciding = [v for v in search.instances if _decides(v, kind)]
            for instance in sorted(deciding, key=lambda v: v.computed)[:_RESHAPED]:
                long = search.over(_LONG, instance)
                if long:
                    others = [v for s in _OTHER_SHAPES for v in search.over(s, instance)]
                    return [Branching(long[0], others)]
        return []

    def _find_meeting(self, kind: str) -> list[Instance]:
        """Return a graph of a kind with several inputs over long vectors, if there is one."""
        for search in self._searches:
            alike = [v for v in search.instances if v.wholly is not None and v.wholly.kind == kind]
            for instance in sorted(alike, key=lambda v: (-len(v.inputs), v.computed))[:1]:
                if len(instance.inputs) > 1:
                    return search.over(_LONG, instance)
        return []

    def _find_long(self, search: InstanceSearch) -> list[Instance]:
        """Return graphs of a rule over long arrays."""
        found: dict[int, Instance] = {}
        for kind, turn in product(_LONG_KINDS, range(self._tries)):
            instance = search.find_in(Cell(kind, LONG), turn)
            if isinstance(instance, Instance) and any(s.size >= _MANY for s in instance.inputs):
                found[id(instance)] = instance
        by_inputs = sorted(found.values(), key=lambda instance: instance.computed)
        return by_inputs[:_MOST_LONG]

    def _tries_for_one(self) -> int:
        """Return after how many random graphs the law would have matched some."""
        attempts = sum(search.attempts for search in self._searches)
        instances = sum(len(search.instances) for search in self._searches)
        return max(self._tries, min(_MOST_TRIES, 3 * attempts // max(instances, 1)))

    def _best(self, cell: Cell) -> bool:
        """Look for an instance in a cell; return whether there is one.

        The best is wholly in it. Else it is one with an input in it, or only a constant.
        """
        return any(self._known(cell, how) for how in ("wholly", "free", "any"))

    def _known(self, cell: Cell, how: str) -> bool:
        for instance in self._instances():
            if (
                instance.wholly == cell
                if how == "wholly"
                else cell in (instance.free_cells if how == "free" else instance.cells)
            ):
                self._planned.found[cell] = instance
                self._planned.refusals.pop(cell, None)
                return True
        return False

    def _instances(self) -> Iterator[Instance]:
        for search in self._searches:
            yield from search.instances

    def _draw(self, cell: Cell, turn: int, tries: int) -> None:
        """Draw graphs for a cell until one is wholly in it."""
        refusals = self._planned.refusals.setdefault(cell, Counter())
        for attempt, search in zip(range(tries), cycle(self._searches), strict=False):
            # by turns a vector and a matrix of the same lengths
            found = search.find_in(cell, turn + attempt // _TRIES_IN_TURN)
            if isinstance(found, str):
                refusals[found] += 1
            elif found.wholly == cell:
                return

    def _retype(self, cell: Cell) -> None:
        """Try the graphs known for an extent in another dtype until one is wholly in a cell.

        All inputs and constants of the dtype get the other one, or to stand beside it one input.
        """
        refusals = self._planned.refusals.setdefault(cell, Counter())
        tries = 0
        for search in self._searches:
            for instance in sorted(search.instances, key=lambda v: v.wholly is None):
                alone = cell.extent != AMONG_OTHERS
                sources = [c for c in instance.free_cells if not alone or c.extent == cell.extent]
                inputs = instance.graph.inputs_in(sources[0].dtypes) if sources else []
                if len(inputs) < 2 - alone:
                    continue
                only = None if alone else inputs[tries % len(inputs)]
                found = search.find_like(instance, sources[0], cell, tries, only)
                tries += 1
                if isinstance(found, str):
                    refusals[found] += 1
                if tries == _RETYPED or (isinstance(found, Instance) and cell in found.cells):
                    return


def _by_types(refusals: Counter[str]) -> bool:
    """Return whether graphs were refused, and all for the types of their variables."""
    return bool(refusals) and not any(why == BY_CHANCE or " is no " in why for why in refusals)


def _decides(instance: Instance, kind: str) -> bool:
    """Return whether all is of a kind, and a new side chooses between values."""
    if instance.wholly is None or instance.wholly.kind != kind:
        return False
    nodes = instance.pair.nodes_of(instance.pair.new)
    return any(isinstance(n.op, Elemwise) and n.op.scalar_op.name == "switch" for n in nodes)
