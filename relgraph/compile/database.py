"""`optdb`, the database of all rewriters, and the order in which they are applied.

No other module knows the positions: neither the rule book nor the passes. `ROWS` is the documented
table of optimizations (``spec/001``), with the modes that have each. The laws about sparse matrices
are loaded for the first graph that has one.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np

import relations
from relations.proofs import proved_names
from relgraph import scalar
from relgraph.compile.packs import PREFIX, laws_of_pack, packs_among
from relgraph.compile.phase_form import left_by
from relgraph.graph.basic import Apply, Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Law
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    GlobalOptimizer,
    Heading,
    LocalOptimizer,
    MergeOptimizer,
    Rewriter,
    SequenceOptimizer,
)
from relgraph.graph.opt.base import as_local_optimizer, require_destroy_handler
from relgraph.graph.opt.database import Entry
from relgraph.graph.opt.dispatch import RewriterTables
from relgraph.graph.optdb import (
    EquilibriumDB,
    LocalGroupDB,
    OptimizationDatabase,
    OptimizationQuery,
    SequenceDB,
    TopoDB,
)
from relgraph.graph.reference import performed_on_copies
from relgraph.graph.utils import Memo, spelling_hint
from relgraph.passes.batching import BatchProducts, known_condition
from relgraph.passes.fusion import FuseElemwise
from relgraph.passes.gemm import GemmOptimizer
from relgraph.passes.inplace import (
    inplace_blas,
    inplace_elemwise,
    inplace_lapack,
    inplace_random,
    inplace_setsubtensor,
)
from relgraph.passes.loops import (
    MergeLoops,
    RewriteLoops,
    RewriteSteps,
    batch_products,
    clean,
    inline_graph,
    keep_last_rows,
    push_out,
    sum_products,
    unroll_one_step,
)
from relgraph.passes.open_loop import LoopPass
from relgraph.tensor.basic import key_of_numbers
from relgraph.tensor.costs import operations
from relgraph.tensor.elemwise import scalar_op_of
from relgraph.tensor.type import TensorType


class Row(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name
        The name of the optimization, a tag of the rewriters that belong to it.
    modes
        The modes that have it: the names of the columns.
    aliases
        Other names in the documents, which are tags too.
    """

    name: str
    modes: frozenset[str]
    aliases: tuple[str, ...] = ()


_ALL = "o4 o3 o2 o1 unsafe"
_FULL = "o4 o3 unsafe"


def _row(name: str, modes: str, *aliases: str) -> Row:
    return Row(name, frozenset(modes.split()), aliases)


ROWS = (
    _row("merge", _ALL),
    _row("constant_folding", _ALL),
    _row("shape_promotion", _FULL, "local_shape_lift"),
    _row("fill_cut", _FULL, "local_fill_sink"),
    _row("inc_subtensor_serialize", _FULL, "local_IncSubtensor_serialize"),
    _row("reshape_chain", _FULL, "local_reshape_chain"),
    _row("constant_elimination", _FULL),
    _row("add_canonicalize", _FULL, "local_add_canonizer"),
    _row("mul_canonicalize", _FULL, "local_mul_canonizer"),
    _row("dot22", _FULL, "local_dot_to_dot22"),
    _row("sparse_dot", _FULL, "local_structured_dot"),
    _row("sum_scalar_mul", _FULL, "local_sum_mul_by_scalar"),
    _row("neg_neg", _FULL, "local_neg_neg"),
    _row("neg_div_neg", _FULL, "local_neg_div_neg"),
    _row("add_specialize", _FULL, "local_add_specialize"),
    _row("mul_specialize", _FULL, "local_mul_specialize"),
    _row("pow_specialize", _FULL, "local_pow_specialize"),
    _row("inplace_setsubtensor", "o4", "local_inplace_setsubtensor"),
    _row("gemm", _FULL),
    _row("inplace_elemwise", "o4"),
    _row("inplace_random", "o4"),
    _row("elemwise_fusion", "o4 o3 o2 unsafe"),
    _row("local_log_softmax", "o4 o3 stabilization unsafe"),
    _row("local_remove_all_assert", "unsafe"),
)
"""All rows, in the order of the table."""

TAGS_OF_ROW = {row.name: (row.name, *row.aliases) for row in ROWS}
"""The tags of a row, by its name: this, and its aliases."""

# The graph keeps a folded value. One of more than FREE_BYTES may be at most GROWTH times as large
# as the inputs of its node.
FREE_BYTES = 65_536
GROWTH = 4


class ConstantFolding(LocalOptimizer):
    """Replaces the outputs of a node with constant inputs by constants.

    A node stays if its op says so (`Op.do_constant_folding`), if its computation raises an error
    (it will do so when the graph is run), or if its value is much larger than its inputs.

    Parameters
    ----------
    choices
        Whether a choice folds that is a factor or a dividend. As a number, its 0 makes nan of an
        infinite factor; as a choice, a law takes the other factors into it.
    """

    name = "constant_folding"
    depth = 2

    def __init__(self, *, choices: bool = True) -> None:
        self._choices = choices
        # few numbers are folded, in one graph after the other
        self._known: Memo[tuple[Hashable, ...], list[Constant]] = Memo()

    def might_match(self, node: Apply) -> bool:
        return bool(node.inputs) and all(v.head is Constant for v in node.inputs)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> list[Constant] | bool:
        if not node.inputs or not all(isinstance(v, Constant) for v in node.inputs):
            return False
        if not node.op.do_constant_folding(fgraph, node):
            return False
        if not self._choices and _is_chosen_factor(fgraph, node):
            return False
        numbers = key_of_numbers(node.inputs)
        key = None if numbers is None else (node.op, *[out.type for out in node.outputs], *numbers)
        known = None if key is None else self._known.recall(key)
        if known is None:
            known = self._folded(node)
            if known is None or key is None:
                return known or False
            self._known.keep(key, known)
        return [c.clone() for c in known]

    def _folded(self, node: Apply) -> list[Constant] | None:
        """Return the values of a node as constants; None if they are too large, or raise an error,
        which the node does when the graph is run."""
        if _is_too_large(node.inputs, sum(_known_bytes(out.type) for out in node.outputs)):
            return None
        try:
            found = performed_on_copies(node, [v.data for v in node.inputs])
            if _is_too_large(node.inputs, sum(map(_bytes, found))):
                return None
            return [_constant(out.type, x) for out, x in zip(node.outputs, found, strict=True)]
        except Exception:
            return None


def _is_chosen_factor(fgraph: FunctionGraph, node: Apply) -> bool:
    """Return whether a node is a choice that a product or a quotient is computed of."""
    if scalar_op_of(node) is not scalar.switch:
        return False
    readers = (reader for reader, _ in fgraph.clients[node.outputs[0]] if isinstance(reader, Apply))
    return any(scalar_op_of(reader) in (scalar.mul, scalar.true_div) for reader in readers)


def _is_too_large(inputs: Sequence[Any], made: int) -> bool:
    return made > FREE_BYTES and made > GROWTH * sum(_bytes(v.data) for v in inputs)


def _known_bytes(type_: Any) -> int:
    """Return the size in bytes of a value of a type whose static shape is known; else 0."""
    if not isinstance(type_, TensorType) or None in type_.shape:
        return 0
    return math.prod(n for n in type_.shape if n is not None) * type_.numpy_dtype.itemsize


def _bytes(value: Any) -> int:
    return int(getattr(value, "nbytes", 0))


def _constant(type_: Any, value: Any) -> Constant:
    """Return a constant of a type, made narrower by the lengths of the value's axes."""
    if isinstance(type_, TensorType):
        value = np.asarray(value)
        # An axis without a static length must not get the length 1: it would broadcast.
        shape = [known if n == 1 else n for n, known in zip(value.shape, type_.shape, strict=True)]
        type_ = type_ if shape == list(type_.shape) else type_.clone(shape=shape)
    made: Constant = type_.make_constant(value)
    return made


constant_folding = ConstantFolding()
folding_before_laws = ConstantFolding(choices=False)


def sparse_laws(tables: Sequence[str]) -> list[Any]:
    """Return the laws of some tables of `relations.sparse`."""
    page = import_module("relations.sparse")
    return [law for table in tables for law in getattr(page, table)]


def has_sparse(fgraph: FunctionGraph) -> bool:
    """Return whether an op of a graph is one of sparse matrices."""
    module = sys.modules.get("relgraph.sparse.op")
    if module is None:
        return False
    return any(isinstance(node.op, module.SparseOp) for node in fgraph.apply_nodes)


class SparseDB(OptimizationDatabase):
    """A database that is filled for the first graph that has sparse matrices.

    Parameters
    ----------
    make
        Returns the database of some laws.
    tables
        The tables of the laws: see `sparse_laws`.
    """

    def __init__(
        self, make: Callable[[list[Any]], OptimizationDatabase], tables: Sequence[str]
    ) -> None:
        super().__init__()
        self.make = make
        self.tables = tables
        self._filled: OptimizationDatabase | None = None

    def filled(self) -> OptimizationDatabase:
        """Return the database of the laws."""
        if self._filled is None:
            self._filled = self.make(sparse_laws(self.tables))
        return self._filled

    def _answer(self, query: OptimizationQuery) -> SparseOptimizer:
        return SparseOptimizer(self, query)


class SparseOptimizer(GlobalOptimizer):
    """Applies laws to a graph if it has sparse matrices.

    Parameters
    ----------
    db
        The database of the laws.
    query
        Which of them.
    """

    def __init__(self, db: SparseDB, query: OptimizationQuery) -> None:
        self.db = db
        self.query = query

    def collapsing_first(self) -> tuple[RewriterTables, ...]:
        # what later optimizers collapse are nodes of tensors, with which these laws do nothing
        return ()

    def apply(self, fgraph: FunctionGraph) -> Any:
        return self.db.filled().query(self.query).optimize(fgraph) if has_sparse(fgraph) else None


INPLACE_FROM = 50
"""The position of the first optimizers that may make ops overwrite their inputs."""

OWN_LAWS_AS_WRITTEN = 0.5
"""Where laws of a mode's own, or of a pack, are applied first: to the graph as it was written, but
merged."""
OWN_LAWS_AFTER_PHASES = 2.05
"""Where they are applied again: on what the phases of laws have made of the graph."""

# For so many queries with packs the database keeps what it made of these.
_MOST_QUERIES = 8

Phase = Literal["canonicalize", "stabilize", "specialize"]


class AddDestroyHandler(GlobalOptimizer):
    """Attaches a DestroyHandler; optimizers that make ops overwrite inputs come after it."""

    def apply(self, fgraph: FunctionGraph) -> None:
        require_destroy_handler(fgraph)


class PhaseDB(EquilibriumDB):
    """A database whose queries give an EquilibriumOptimizer that is printed by table rows.

    Attributes
    ----------
    frugal
        The laws that are applied only where the graph costs no more after that: those of the book
        that have no price. Laws that users register for the phase are applied wherever they match.
    """

    frugal: frozenset[Any] = frozenset()

    def _optimizer(self, found: list[tuple[Entry, Any]]) -> EquilibriumOptimizer:
        optimizer = super()._optimizer(found)
        optimizer.frugal = frozenset(
            as_local_optimizer(item) for _, item in found if item in self.frugal
        )
        optimizer.cost = operations
        return optimizer

    def _answer(self, query: OptimizationQuery) -> EquilibriumOptimizer:
        optimizer = super()._answer(query)
        optimizer.headings = partial(self._by_row, query)
        return optimizer

    def _by_row(self, query: OptimizationQuery) -> list[Rewriter]:
        rows: dict[str, list[Rewriter]] = {}
        others: list[Rewriter] = []
        for entry, item in self._matches(query):
            rewriter = item if isinstance(item, GlobalOptimizer) else as_local_optimizer(item)
            of_rewriter = [tag for tag in entry.tags if tag in TAGS_OF_ROW]
            for row in of_rewriter:
                rows.setdefault(row, []).append(rewriter)
            if not of_rewriter:
                others.append(rewriter)
        return [*(Heading(row, found) for row, found in rows.items()), *others]


def rows_of(law: Any) -> tuple[str, ...]:
    """Return the names of the rows of the documented table that a law belongs to."""
    return tuple(tag for tag in law.tags if tag in TAGS_OF_ROW)


def law_tags(law: Any) -> tuple[str, ...]:
    """Return the tags by which queries find a law of the rule book.

    These are its own tags, its soundness class among them, the names of its table rows, and tags
    for modes. One that holds for all values, as far as was shown, has the tag ``proved``. A law of
    the class ``domain`` is ``unsafe``. Any other law is part of ``fast_run``,
    unless it is of the class ``finite`` and has no row; an exact one is part of ``strict`` too.
    """
    rows = rows_of(law)
    tags = [*law.tags, *(name for row in rows for name in TAGS_OF_ROW[row])]
    if law.sound == "domain":
        tags.append("unsafe")
    if "unsafe" in tags:
        return tuple(dict.fromkeys(tags))
    if law.sound != "finite" or rows:
        tags.append("fast_run")
    if law.sound == "exact":
        tags.append("strict")
    if law.name in proved_names():
        tags.append("proved")
    return tuple(dict.fromkeys(tags))


def _phase(
    name: str, laws: Iterable[Any], folding: ConstantFolding | None = None, *modes: str
) -> PhaseDB:
    """Return the database of one phase, in some modes with `folding` before its laws: a law that
    holds for finite values makes 0 of 0 / 0."""
    laws = list(laws)
    db = PhaseDB(name=name, ignore_newtrees=False)
    if folding is not None:
        db.register("constant_folding", folding, *modes)
    _register_laws(db, laws)
    db.frugal = frozenset(law for law in laws if not law.may_cost)
    return db


def _register_laws(db: OptimizationDatabase, laws: Iterable[Any]) -> None:
    for law in laws:
        tags = law_tags(law)
        # The name of the database is no tag of an unsafe law: a query for that leaves it out.
        db.register(law.name, law, *tags, use_db_name_as_tag="unsafe" not in tags)


class RootDB(SequenceDB):
    """A SequenceDB that finds the laws of rule packs where a query includes their tags.

    The tag of a pack is ``pack:`` and its name. Its laws are selected as others are, by their own
    tags too. They are applied until they change nothing: to the graph as it was written, and again
    after the phases, where a law is also tried in the form in which these leave its left side.
    """

    def __init__(self, name: str, inplace_from: float) -> None:
        super().__init__(name=name, inplace_from=inplace_from)
        self._packs: dict[str, OptimizationDatabase] = {}
        # what was made of packs, by the queries that included them
        self._placed: Memo[Any, list[tuple[GlobalOptimizer, float]]] = Memo(_MOST_QUERIES)

    def knows(self, tag: str) -> bool:
        """As for other databases; a pack whose tag it is is loaded, and its tags are known then.

        Raises
        ------
        PackError
            If there is no such pack, or it can't be loaded.
        """
        if tag.startswith(PREFIX):
            self._pack(tag.removeprefix(PREFIX))
            return True
        return super().knows(tag) or any(pack.knows(tag) for pack in self._packs.values())

    def _pack(self, name: str) -> OptimizationDatabase:
        if name not in self._packs:
            db = OptimizationDatabase(f"{PREFIX}{name}")
            _register_laws(db, laws_of_pack(name))
            self._packs[name] = db
        return self._packs[name]

    def _answer(self, query: OptimizationQuery) -> SequenceOptimizer:
        names = packs_among(query.include)
        if names:
            query = query.register(*self._placed_packs(names, query))
        return super()._answer(query)

    def _placed_packs(
        self, names: tuple[str, ...], query: OptimizationQuery
    ) -> list[tuple[GlobalOptimizer, float]]:
        """Return what applies the laws of packs that a query selects, with its positions."""
        key = (query.key(), self.revision)
        placed = self._placed.recall(key)
        if placed is None:
            laws = [law for name in names for law in self._pack(name).query(query)]
            others = tuple(tag for tag in query.include if not tag.startswith(PREFIX))
            placed = placed_beside(query.changed(include=others), self, laws)
            for optimizer, _ in placed:
                optimizer.name = ", ".join(f"{PREFIX}{name}" for name in names)
            self._placed.keep(key, placed)
        return placed


def placed_beside(
    query: OptimizationQuery, db: OptimizationDatabase, rewriters: Sequence[Any]
) -> list[tuple[GlobalOptimizer, float]]:
    """Return what applies rewriters beside those of a query of a database, with its positions."""
    placed: list[tuple[GlobalOptimizer, float]] = [(equilibrium_of(rewriters), OWN_LAWS_AS_WRITTEN)]
    if query.include and query.position_cutoff > OWN_LAWS_AFTER_PHASES:
        before = db.query(query.changed(position_cutoff=OWN_LAWS_AFTER_PHASES))
        placed.append((equilibrium_of(rewriters, before), OWN_LAWS_AFTER_PHASES))
    return placed


def equilibrium_of(
    rewriters: Iterable[Any], after: GlobalOptimizer | None = None
) -> EquilibriumOptimizer:
    """Return what applies rewriters until they change nothing.

    Parameters
    ----------
    rewriters
        Rewriters and laws.
    after
        What was applied to the graph before. A law is also tried in the form in which that leaves
        its left side.
    """
    if after is None:
        return EquilibriumOptimizer(list(rewriters))
    return EquilibriumOptimizer([form for item in rewriters for form in forms(item, after)])


def _add(db: SequenceDB, position: float, name: str, optimizer: Any, *tags: str) -> None:
    """Register an optimizer at a position, with the tags of the row of its name as well."""
    db.register(name, optimizer, *tags, *TAGS_OF_ROW.get(name, ()), position=position)


def _blas_phase() -> SequenceDB:
    """Return the passes that replace products by calls of the BLAS, in order."""
    laws = LocalGroupDB(name="dot22")
    for law in relations.BLAS:
        laws.register(law.name, law, *law_tags(law))
    db = SequenceDB(name="blas")
    _add(db, 0, "dot22", TopoDB(laws), "fast_run")
    _add(db, 5, "batch_products", BatchProducts(), "fast_run")
    _add(db, 10, "gemm", GemmOptimizer(), "fast_run")
    return db


class LoopDB(SequenceDB):
    """A database of passes over loops, whose queries give a `RewriteLoops`."""

    def _answer(self, query: OptimizationQuery) -> SequenceOptimizer:
        return RewriteLoops(*super()._answer(query).opts)


def _loop_passes() -> LoopDB:
    """Return the passes over loops, in order."""
    db = LoopDB(name="loops")
    for position, (name, optimizer, tags) in enumerate(
        (
            ("scan_clean", LoopPass(clean), ("fast_run", "strict")),
            ("scan_push_out", LoopPass(push_out), ("fast_run", "strict")),
            ("scan_batch_products", LoopPass(batch_products), ("fast_run",)),
            ("scan_sum_products", LoopPass(sum_products), ("fast_run",)),
            ("scan_merge_nodes", MergeOptimizer(), ("fast_run", "strict")),
            ("scan_merge", MergeLoops(), ("fast_run", "strict")),
            ("scan_clean_again", LoopPass(clean), ("fast_run", "strict")),
            ("scan_keep_last_rows", LoopPass(keep_last_rows), ("fast_run", "strict")),
            ("scan_unroll_one_step", LoopPass(unroll_one_step), ("fast_run", "strict")),
        )
    ):
        db.register(name, optimizer, *tags, position=position)
    return db


def _stabilizing_laws() -> list[str]:
    """Return the names of the laws that have the tag ``stabilization``.

    Laws that are also in the phase ``canonicalize``, or belong to a table row of other modes, have
    not.
    """
    canonical = {law.name for law in relations.CANONICALIZE}
    other_rows = {row.name for row in ROWS if "stabilization" not in row.modes}
    laws = [law for law in relations.STABILIZE if law.name not in canonical]
    laws = [law for law in laws if not other_rows.intersection(law.tags)]
    return [law.name for law in laws if "fast_run" in law_tags(law)]


def _build_optdb() -> RootDB:
    all_modes = ("fast_run", "fast_compile", "strict")
    db = RootDB(name="optdb", inplace_from=INPLACE_FROM)
    # Merging comes first, so that every later phase has a smaller graph.
    _add(db, 0, "merge1", MergeOptimizer(), "merge", *all_modes)
    # What is taken out of sparse matrices, before laws about tensors look at what is in between.
    structure = SparseDB(partial(_phase, "sparse_structure"), ["STRUCTURE"])
    _add(db, 0.7, "sparse_structure", structure, "fast_run", "strict")
    # Simplify, and bring equal expressions to the same form.
    canonical = (*relations.CANONICALIZE, *relations.UNCHECKED)
    canonicalize = _phase("canonicalize", canonical, folding_before_laws, *all_modes)
    canonicalize.register("known_condition", known_condition, "fast_run", "fast_compile")
    canonicalize.register("inline_graph", inline_graph, "fast_run", "fast_compile")
    _add(db, 1, "canonicalize", canonicalize, *all_modes, "proved")
    # Replace expressions by others that round or overflow less, before specialization hides them.
    stabilize = _phase("stabilize", relations.STABILIZE)
    for name in _stabilizing_laws():
        stabilize.add_tags(name, "stabilization")
    _add(db, 1.5, "stabilize", stabilize, "fast_run", "strict", "proved")
    # Replace general ops by special ones.
    specialize = _phase("specialize", relations.SPECIALIZE, constant_folding, "fast_run", "strict")
    _add(db, 2, "specialize", specialize, "fast_run", "strict", "proved")
    _add(db, 2.03, "loops", _loop_passes(), "fast_run", "strict")
    products = SparseDB(partial(_phase, "sparse_dot"), ["STRUCTURE", "PRODUCTS"])
    _add(db, 2.1, "sparse_dot", products, "fast_run")
    # Products are replaced after all laws that match them.
    _add(db, 2.5, "blas", _blas_phase(), "fast_run")
    _add(db, 47, "loop_steps", RewriteSteps(), *all_modes)
    _add(db, 48, "elemwise_fusion", FuseElemwise(), "fast_run")
    _add(db, 49, "merge2", MergeOptimizer(), "merge", "fast_run", "strict")
    _add(db, 49.5, "add_destroy_handler", AddDestroyHandler(), "fast_run")
    db.add_tags("add_destroy_handler", "inplace")  # it overwrites nothing, but serves those who do
    for position, name, inplace in (
        (60, "inplace_setsubtensor", inplace_setsubtensor()),
        (70, "inplace_blas", inplace_blas()),
        (72, "inplace_lapack", inplace_lapack()),
        (75, "inplace_elemwise", inplace_elemwise()),
        (99, "inplace_random", inplace_random()),
    ):
        _add(db, position, name, inplace, "fast_run", "inplace")
    _add(db, 100, "merge3", MergeOptimizer(), "merge", "fast_run", "strict")
    return db


optdb = _build_optdb()

# A query may name rows of the table in which nothing is registered yet.
_ROW_TAGS = frozenset(tag for tags in TAGS_OF_ROW.values() for tag in tags)


def require_known(db: OptimizationDatabase, query: OptimizationQuery) -> None:
    """Raise ValueError if a query asks a database for a tag that nothing there has; the message
    names tags that are written nearly the same."""
    for what, tag in query.all_tags():
        if tag not in _ROW_TAGS and not db.knows(tag):
            hint = spelling_hint(tag, db.tags() | _ROW_TAGS, repr)
            raise ValueError(f"{what}: no rewriter has the tag {tag!r}{hint}")


_STABILIZATION = OptimizationQuery(include=["stabilization"])

PREDEFINED_QUERIES: dict[str, OptimizationQuery] = {
    "merge": OptimizationQuery(include=["merge"]),
    "fast_compile": OptimizationQuery(include=["fast_compile"]),
    "fast_run": OptimizationQuery(include=["fast_run"]),
    "o1": OptimizationQuery(include=["fast_compile"]),
    "o2": OptimizationQuery(include=["fast_compile", "elemwise_fusion"]),
    "o3": OptimizationQuery(include=["fast_run"], exclude=["inplace"]),
    "o4": OptimizationQuery(include=["fast_run"]),
    "Stabilization": _STABILIZATION,
    "stabilization": _STABILIZATION,
    "stabilize": _STABILIZATION,
    "unsafe": OptimizationQuery(include=["fast_run", "unsafe"], exclude=["inplace"]),
    "strict": OptimizationQuery(include=["strict"]),
}


_CLASSES = {
    law.name: law.sound
    for phase in (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
    for law in phase
}


def forms(rewriter: Any, optimizer: GlobalOptimizer) -> list[Any]:
    """Return what has to be tried on an optimized graph so that a law fires on it.

    Parameters
    ----------
    rewriter
        A law, its `forward` direction, or any other rewriter.
    optimizer
        What was applied to the graph.

    Returns
    -------
    list
        `rewriter`, and in front of it a law of the same name in the form in which the optimizer
        leaves its left side, where that is another one (see `relgraph.compile.phase_form`).
    """
    law = getattr(rewriter, "law", rewriter)
    if not isinstance(law, Law) or (law is not rewriter and rewriter is not law.forward):
        return [rewriter]
    made = left_by(law, optimizer, _CLASSES)
    return [rewriter] if made is None else [made, rewriter]


PHASES: tuple[Phase, ...] = ("canonicalize", "stabilize", "specialize")
"""The phases that laws are registered for, in order."""


def optimizer_up_to(phase: Phase) -> GlobalOptimizer:
    """Return what is applied to a graph up to the end of a phase."""
    return optdb.query(OptimizationQuery(include=PHASES[: PHASES.index(phase) + 1]))
