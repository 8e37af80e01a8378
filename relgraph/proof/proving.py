"""Proves laws: for each dtype that a law admits, by Z3 or by trying all values.

A law of the class ``exact`` is proved bit by bit, and for each combination of dtypes if it admits
several at once; one about more than elements, place by place, for all lengths and for ranks up to
four. Of other classes the algebra is proved, over real numbers: how much is rounded remains with
the checker.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

from relations.proofs import STATUSES, Standing, structure_of
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import Derivation
from relgraph.graph.opt.derivation import HOLD
from relgraph.graph.reference import evaluate
from relgraph.proof.derived import CARRIED, Grounds
from relgraph.proof.elements import Elements, NotTranslated, z3
from relgraph.proof.layout_facts import MOST_AXES
from relgraph.proof.layouts import DTYPES as DTYPES_OF_PLACES
from relgraph.proof.layouts import Layout, has_reshape, layouts, schemes
from relgraph.proof.machine import Translation
from relgraph.proof.places import Places, within
from relgraph.proof.reals import Integers, Reals
from relgraph.proof.statements import (
    DTYPES,
    AnyOp,
    NotElementwise,
    NotStated,
    Statement,
    statements,
)
from relgraph.tensor.elemwise import scalar_op_of
from relgraph.testing.check_result import Counterexample
from relgraph.testing.discovery import discover_laws
from relgraph.testing.judge.evaluation import same_bits
from relgraph.testing.judge.graph_comparison import ReferenceGraph

_VOID = "void"
"""The status of what is claimed of no values at all; no law gets it."""
_NOT_SETTLED = "the solver does not settle it in time"

_NOTHING = "nothing was built that it admits"
_DIVIDING = ("int_div", "mod")
_LEAST_AXES = 2
"""A law is proved for tensors of up to so many axes at least, or not at all."""
_TIMES = 6
"""The layouts of a law may take so many times as long as one dtype, and so may all its dtypes if it
admits several at once."""

_MOST_OPEN = 20
"""Of a law that admits several dtypes at once so many statements may be left open."""

_GROWTH = 4
"""An axis more takes at least so many times as long."""

SECONDS = 10.0
"""How long the solver may take for one dtype."""


@dataclass(frozen=True)
class Proof(Standing):
    """How far a law is proved, and how that was found; the status is the worst of all dtypes.

    Attributes
    ----------
    by_dtype
        The status for each dtype; for ``places`` of a law about these.
    counterexample
        Values for which both sides differ, if it is refuted.
    structure
        A digest of what the law says. A law of the same digest need not be proved again.
    seconds
        How long it took.
    report
        Python source that computes both sides for the counterexample, as the checker reports it.
    """

    by_dtype: Mapping[str, str]
    counterexample: str
    structure: str
    seconds: float
    report: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, for a file."""
        return asdict(self)

    def __str__(self) -> str:
        what = f"{self.law}: {super().__str__()}"
        said = f"{what}: {self.reason}" if self.reason else what
        return f"{said}\n{self.report}" if self.report else said


def prove(
    law: Relation,
    seconds: float = SECONDS,
    dtypes: Sequence[str] = DTYPES,
    grounds: Iterable[Relation] | None = None,
) -> Proof:
    """Prove a law as far as it goes.

    Parameters
    ----------
    law
        A law. Relations that are no equations are not proved.
    seconds
        How long the solver may take for one dtype.
    dtypes
        Those for which a law of the class ``exact`` is proved, if it admits them.
    grounds
        Laws that hold for all values, from which it is derived if it is not proved otherwise. By
        default those of the book that are kept as proved.
    """
    found = _proof_by_solver(law, seconds, dtypes)
    if found.status != "checked":
        return found
    return derived(law, found, _grounds_of_book() if grounds is None else Grounds(grounds), dtypes)


def _proof_by_solver(law: Relation, seconds: float, dtypes: Sequence[str]) -> Proof:
    began = time.perf_counter()
    attempt = _Attempt(seconds, dtypes)
    over = ""
    try:
        if law.sound == "exact":
            over = attempt.exact(law)
        else:
            attempt.reals(law)
            over = "reals"
    except (NotElementwise, NotStated, NotTranslated) as why:
        attempt.reasons[str(why)] += 1
    reached = [*attempt.by_dtype.values(), *([] if over else ["checked"])]
    status = min(reached, key=STATUSES.index, default="checked")
    proved = status in HOLD
    wrong = attempt.difference
    return Proof(
        law.name,
        status,
        over if proved else "",
        "" if proved else attempt.why() if wrong is None else str(wrong),
        (),
        attempt.by_dtype,
        "" if wrong is None else str(wrong),
        structure_of(law),
        round(time.perf_counter() - began, 2),
        "" if wrong is None else str(wrong.as_counterexample(law)),
    )


def derived(law: Relation, proof: Proof, grounds: Grounds, dtypes: Sequence[str] = DTYPES) -> Proof:
    """Return a proof of a law of which some part is derived, if it can be; else the one given.

    Parameters
    ----------
    proof
        How far the law is proved without others.
    grounds
        The laws that it may rest on.
    dtypes
        See `prove`.
    """
    if proof.status != "checked" or law.sound not in CARRIED:
        return proof
    began = time.perf_counter()
    attempt = _Attempt(SECONDS, dtypes, dict(proof.by_dtype))
    try:
        found = attempt.derivations(law, grounds)
    except (NotElementwise, NotStated, NotTranslated):
        return proof
    if not found:
        return proof
    rests_on = dict.fromkeys(ground for one in found for ground in grounds.of(one))
    return replace(
        proof,
        status="derived",
        over="bits" if law.sound == "exact" else "reals",
        by_dtype=attempt.by_dtype,
        reason="",
        rests_on=tuple(rests_on),
        seconds=round(proof.seconds + time.perf_counter() - began, 2),
    )


def derived_in_turn(
    results: Iterable[Mapping[str, Any]], laws: Mapping[str, Relation]
) -> Iterator[Proof]:
    """Yield proofs of laws that follow from others, after those of the laws that they rest on.

    Parameters
    ----------
    results
        What was found of laws without others, as `Proof.as_dict` gives it.
    laws
        These laws by name, and others that they may rest on: those that are kept as proved.
    """
    known = {result["law"]: Proof(**result) for result in results}
    others = [law for name, law in laws.items() if name not in known and _is_ground(law)]
    while True:
        own = [laws[name] for name, proof in known.items() if proof.holds]
        grounds = Grounds([*others, *own])
        pairs = [(proof, derived(laws[name], proof, grounds)) for name, proof in known.items()]
        found = [new for old, new in pairs if new is not old]
        if not found:
            return
        known |= {proof.law: proof for proof in found}
        yield from found


@cache
def _grounds_of_book() -> Grounds:
    return Grounds(law for law in discover_laws().values() if _is_ground(law))


def _is_ground(law: Relation) -> bool:
    """Return whether it is kept that a law holds, without others: no law is to rest on itself."""
    return law.proof.holds and not law.proof.rests_on


@dataclass
class _Attempt:
    """The results for one law.

    Attributes
    ----------
    seconds, dtypes
        See `prove`.
    by_dtype
        See `Proof`.
    difference
        Values for which both sides differ.
    reasons
        Why dtypes are not proved, and how many.
    """

    seconds: float
    dtypes: Sequence[str]
    by_dtype: dict[str, str] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    difference: _Difference | None = None
    admits: bool = False

    def __post_init__(self) -> None:
        # what other programs take does not count
        self._end = time.process_time() + _TIMES * self.seconds

    def why(self) -> str:
        """Return why dtypes are not proved."""
        return "; ".join(self.reasons) or _NOTHING

    def _is_late(self, statement: Statement) -> bool:
        """Return whether there is no time left for a statement about several dtypes, or so many are
        open that one more says nothing."""
        is_over = time.process_time() > self._end or self.reasons.total() > _MOST_OPEN
        return _is_mixed(statement) and is_over

    def bits(self, law: Relation) -> None:
        """Prove that both sides have the same bits, for each dtype."""
        for statement in _statements(law, self.dtypes):
            if self._is_late(statement):
                self.reasons["it admits too many dtypes at once"] += 1
                self._note(statement.dtype, "checked")
                return
            status = self._of_machine(statement)
            self._note(statement.dtype, status)
            if statement.dtype == "float32" and status == "proved" and not _is_mixed(statement):
                renamed = {"float32": "bfloat16"}
                self._note("bfloat16", self._of_machine(statement, renamed))

    def _note(self, dtype: str, status: str) -> None:
        """Note a status for a dtype; of a law about several ops the worst."""
        if status == _VOID:
            self.reasons["what its guards and divisors assume holds of no values"] += 1
            return
        known = self.by_dtype.get(dtype, status)
        self.by_dtype[dtype] = min(known, status, key=STATUSES.index)

    def exact(self, law: Relation) -> str:
        """Prove that both sides are the same, and return over what."""
        try:
            self.bits(law)
        except (NotElementwise, NotStated):
            self.by_dtype.clear()
            return f"ranks up to {self.places(law)}"
        return "bits"

    def places(self, law: Relation) -> int:
        """Prove that elements come from the same places, for tensors of each rank.

        Dtypes and ranks are gone through apart: what becomes of a dtype does not depend on shapes.

        Returns
        -------
        axes
            The rank up to which it was proved in time, at least `_LEAST_AXES`.
        """
        rounds: list[tuple[int, Sequence[str]]]
        rounds = [(axes, DTYPES_OF_PLACES[:1]) for axes in range(MOST_AXES + 1)]
        others = [*permutations(DTYPES_OF_PLACES, 2), *((d,) for d in DTYPES_OF_PLACES[1:])]
        rounds[2:2] = [(1, dtypes) for dtypes in others]
        open_rules = set(range(len(schemes(law))))
        took = 0.0
        for axes, dtypes in rounds:
            began = time.process_time()
            if axes > _LEAST_AXES and not open_rules and began + _GROWTH * took > self._end:
                return axes - 1
            for layout in layouts(law, axes, dtypes):
                open_rules.discard(layout.rule)
                late = time.process_time() > self._end
                if late and axes > _LEAST_AXES and not open_rules:
                    return axes - 1
                if late:
                    self.reasons["there are too many ways to build it"] += 1
                status = "checked" if late else self._of_places(layout)
                self._note("places", status)
                if status == "checked":
                    return 0
            took = time.process_time() - began
        if open_rules:
            self._note("places", "checked")
            self.reasons[_NOTHING] += 1
        return MOST_AXES

    def _of_places(self, layout: Layout) -> str:
        of = Places(has_reshape(layout))
        old = of.of(layout.old)
        shape, assumed = old.shape, [fact(of) for fact in layout.facts]
        index = [z3.FreshInt("i") for _ in shape]
        element = old.at(index)
        assumed += of.required
        of.required = []
        new = of.of(layout.new)
        if len(new.shape) != len(shape):
            self.reasons["the sides have different ranks"] += 1
            return "checked"
        pairs = zip(shape, new.shape, strict=True)
        claims = [n == m for n, m in pairs if not z3.eq(n, m)]
        found = new.at(index)
        if not z3.eq(element, found):
            claims.append(z3.Implies(within(index, shape), element == found))
        known = {term.get_id() for term in assumed}
        claims += [term for term in of.required if term.get_id() not in known]
        assumed += of.known
        answer = "unsat"
        if claims:
            answer = self._decided([*assumed, z3.Not(z3.And(claims))])
        if answer == "unsat":
            self.admits = self.admits or self._decided(assumed) == "sat"
            return "proved" if self.admits else _VOID
        why = "elements may come from different places" if answer == "sat" else _NOT_SETTLED
        self.reasons[f"{why}: {layout}"] += 1
        return "checked"

    def _decided(self, terms: Sequence[Any]) -> str:
        """Return the answer about terms of linear arithmetic, which many tactics only delay."""
        return str(self._solver(terms, z3.SimpleSolver()).check())

    def reals(self, law: Relation) -> None:
        """Prove that both sides are equal as real numbers."""
        for statement in _statements(law, ("float64",)):
            self._note("reals", self._of_reals(statement, law.sound))

    def _of_reals(self, statement: Statement, sound: str) -> str:
        elements = Reals(statement.inputs, statement.nodes)
        answer, model = self._answer(statement, elements)
        if answer == "sat":
            values = elements.values_in(model)
            if _disagree(statement, values, sound):
                self._show(_difference(statement, values))
                return "refuted"
            self.reasons["the sides differ as real numbers for what its guards admit"] += 1
        elif answer == "unknown":
            self.reasons[_NOT_SETTLED] += 1
        return {"unsat": "proved", _VOID: _VOID}.get(answer, "checked")

    def derivations(self, law: Relation, grounds: Grounds) -> list[Derivation]:
        """Return how what the law says follows from other laws where it is not proved; none if it
        does not follow."""
        exact, found = law.sound == "exact", list[Derivation]()
        known = {d for d, status in self.by_dtype.items() if exact and status in HOLD}
        for statement in _statements(law, self.dtypes if exact else ("float64",)):
            # float32s and bfloat16s are what the same statements are about
            about = {statement.dtype, *(("bfloat16",) if statement.dtype == "float32" else ())}
            if about <= known:
                continue
            if self._is_late(statement):
                return []
            one = grounds.derivation(law, statement)
            if one is not None:
                found.append(one)
                self.by_dtype.update(dict.fromkeys(about if exact else ("reals",), "derived"))
            elif about & self.by_dtype.keys():
                return []
            else:
                status = (
                    self._of_machine(statement) if exact else self._of_reals(statement, law.sound)
                )
                if status in ("checked", "refuted"):
                    return []
        return found

    def _holds_of_integers(self, statement: Statement) -> bool:
        """Return whether a statement with quotients holds of integers that wrap around."""
        if not any(getattr(scalar_op_of(n), "name", "") in _DIVIDING for n in statement.nodes):
            return False
        try:
            elements = Integers(statement.inputs, statement.nodes)
            return self._answer(statement, elements)[0] == "unsat"
        except NotTranslated:
            return False

    def _of_machine(self, statement: Statement, renamed: Mapping[str, str] | None = None) -> str:
        if renamed is None and self._holds_of_integers(statement):
            return "proved"
        try:
            elements = Translation(statement.inputs, statement.nodes, renamed)
            answer, model = self._answer(statement, elements)
        except NotTranslated as why:
            self.reasons[str(why)] += 1
            return "checked"
        if answer in ("unsat", _VOID):
            return "proved" if answer == "unsat" else _VOID
        if any(isinstance(scalar_op_of(node), AnyOp) for node in statement.nodes):
            self.reasons["it does not hold of every elementwise op"] += 1
            return "checked"
        if renamed is None and _are_few(statement):
            return self._exhausted(statement)
        if answer == "unknown":
            self.reasons[_NOT_SETTLED] += 1
            return "checked"
        values = {} if renamed else elements.values_in(model)
        return self._judged(statement, values, "checked", _why_open(elements))

    def _answer(self, statement: Statement, elements: Elements) -> tuple[str, Any]:
        """Return whether the sides differ for some values that guards admit, and such values.

        The answer is ``sat``, ``unsat`` or ``unknown``; `_VOID` if no values are admitted at all:
        of these anything could be proved.
        """
        assumed = [*map(elements.of, statement.assumed), *elements.assumed]
        sides = [elements.of(side) for side in (statement.old, statement.new)]
        different = z3.Not(sides[0] == sides[1])
        booleans = [x for x in elements.inputs.values() if z3.is_bool(x)]
        # where conditions are known, the solver does not look at what is not chosen
        for known in product((False, True), repeat=len(booleans)):
            given = [x == value for x, value in zip(booleans, known, strict=True)]
            solver = self._solver([*assumed, *given, different])
            answer = str(solver.check())
            if answer != "unsat":
                break
        if answer == "unsat" and assumed:
            admits = str(self._solver(assumed).check())
            answer = {"sat": "unsat", "unsat": _VOID}.get(admits, admits)
        return answer, solver.model() if answer == "sat" else None

    def _solver(self, terms: Sequence[Any], solver: Any = None) -> Any:
        solver = z3.Solver() if solver is None else solver
        solver.set("timeout", int(1000 * self.seconds))
        solver.add(*terms)
        return solver

    def _exhausted(self, statement: Statement) -> str:
        """Return the status after trying all values of the inputs that guards admit."""
        values = all_values(statement.inputs)
        admitted = _admitted(statement, values)
        if not admitted.any():
            return _VOID
        return self._judged(statement, {v: x[admitted] for v, x in values.items()}, "exhausted")

    def _judged(
        self, statement: Statement, values: Mapping[Variable, Any], otherwise: str, why: str = ""
    ) -> str:
        """Return ``refuted`` if all guards are stated and NumPy finds the sides different for some
        values; ``checked`` if they are not; a status if it finds no difference, and note why."""
        found = _difference(statement, values) if values else None
        if found is not None and statement.unstated:
            names = " and ".join(dict.fromkeys(statement.unstated))
            self.reasons[f"what {names} says of elements is not stated"] += 1
            return "checked"
        if found is not None:
            self._show(found)
            return "refuted"
        if why:
            self.reasons[why] += 1
        return otherwise

    def _show(self, found: _Difference | None) -> None:
        """Keep values for which the sides differ; float64s are what most users know."""
        if self.difference is None or (found is not None and found.statement.dtype == "float64"):
            self.difference = found


def _is_mixed(statement: Statement) -> bool:
    """Return whether a statement is about inputs of several dtypes, conditions aside."""
    return len({v.type.dtype for v in statement.inputs} - {"bool"}) > 1


def _admitted(statement: Statement, values: Mapping[Variable, Any]) -> Any:
    """Return which values of the inputs the guards admit, as far as they are stated."""
    admitted = np.ones(len(next(iter(values.values()))), bool)
    for condition in evaluate(statement.assumed, dict(values)):
        admitted &= condition
    return admitted


def _disagree(statement: Statement, values: Mapping[Variable, Any], sound: str) -> bool:
    """Return whether the checker finds the sides different for values that the guards admit."""
    if sound not in CARRIED or not values or statement.unstated:
        return False
    if not np.all(_admitted(statement, values)):
        return False
    inputs = list(values)
    with np.errstate(all="ignore"):
        reference = ReferenceGraph(inputs, [statement.old], list(values.values()))
        return reference.compare(inputs, [statement.new], sound) is not None


@dataclass(frozen=True)
class _Difference:
    """Values for which the sides of a statement differ."""

    statement: Statement
    values: Sequence[Any]
    old: Any
    new: Any

    def __str__(self) -> str:
        pairs = zip(self.statement.inputs, self.values, strict=True)
        inputs = ", ".join(f"{v} = {x[0]!r}" for v, x in pairs)
        return f"for {inputs} the sides are {self.old[0]!r} and {self.new[0]!r}"

    def as_counterexample(self, law: Relation) -> Counterexample:
        """Return it as the checker reports it."""
        of = self.statement
        return Counterexample(
            law.name,
            str(law),
            law.sound,
            "forward",
            "the bits differ" if law.sound == "exact" else f"they differ by more than {law.sound}",
            of.inputs,
            of.old,
            of.new,
            self.values,
            self.old,
            self.new,
        )


def _difference(statement: Statement, values: Mapping[Variable, Any]) -> _Difference | None:
    """Return the first values for which the sides differ; None if there are none."""
    with np.errstate(all="ignore"):
        old, new = evaluate([statement.old, statement.new], dict(values))
    old, new = np.broadcast_arrays(old, new)
    places = np.flatnonzero(~same_bits(old, new))
    if not places.size:
        return None
    at = slice(int(places[0]), int(places[0]) + 1)
    return _Difference(statement, [values[v][at] for v in statement.inputs], old[at], new[at])


def _statements(law: Relation, dtypes: Sequence[str]) -> Iterator[Statement]:
    if not isinstance(law, Law):
        raise NotElementwise("it is a relation, not an equation")
    return statements(law, dtypes)


_FEW = 1 << 17


def _are_few(statement: Statement) -> bool:
    """Return whether all values of the inputs can be tried."""
    bits = [8 * np.dtype(v.type.dtype).itemsize for v in statement.inputs]
    return bool(bits) and math.prod(1 << b for b in bits) <= _FEW


def all_values(inputs: Sequence[Variable]) -> dict[Variable, Any]:
    """Return arrays that together hold all combinations of values of inputs."""
    every = [_every(v.type.dtype) for v in inputs]
    grids = np.meshgrid(*every, indexing="ij")
    return {v: grid.reshape(-1) for v, grid in zip(inputs, grids, strict=True)}


def _every(dtype: str) -> Any:
    if dtype == "bool":
        return np.array([False, True])
    size = np.dtype(dtype).itemsize
    return np.arange(1 << (8 * size), dtype=f"uint{8 * size}").view(dtype)


def _why_open(elements: Translation) -> str:
    if elements.is_unknown():
        return "it holds by what an op computes that is not stated"
    return "the solver has a counterexample that NumPy does not confirm"
