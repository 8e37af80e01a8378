"""Matching by egglog: which parts of laws match which classes of an e-graph.

What is in the e-graph is written as facts, and the pattern of a rule as a query over them: a join
of the relations of its parts, which egglog evaluates on new facts alone (Zhang et al., "Better
together: unifying Datalog and equality saturation", PLDI 2023). Its matches are handed back to
Python between rounds. A sum or product is a set of arguments there, so that its order and its
grouping cost nothing; the other ops have an argument at each place.

========================== =====================================================================
``(n2x op c a b)``         in the class `c` is a term of the op with this number on two classes
``(s op m c)``             in the class `c` is the sum or product number `m`
``(h m i a)``              its argument `i` is in the class `a`
``(k l c)``                the class `c` is the constant that leaf `l` of some rule stands for
``(z c)``, ``(w op)``      the class `c` is a number, and the op says nothing more about it
``(on rule)``              the query of the rule is switched on
``(p7x c ...)``            the class `c` is what some part of a pattern says of others
``(q5x rule ...)``         a match of a rule: the numbers of terms, sums and places
========================== =====================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from egglog.bindings import EGraph as Egglog

_PRELUDE = """
(sort E)
(constructor V (i64) E)
(function rep (E) i64 :merge (min old new))
(relation in_v (i64))
(relation in_u (i64 i64))
(relation in_dead (i64))
(relation in_on (i64))
(relation in_off (i64))
(relation on (i64))
(ruleset load)
(ruleset parts)
(ruleset match)
(ruleset clear)
(rule ((in_v a)) ((set (rep (V a)) a) (delete (in_v a))) :ruleset load)
(rule ((in_u a b)) ((union (V a) (V b)) (delete (in_u a b))) :ruleset load)
(rule ((in_on r)) ((on r) (delete (in_on r))) :ruleset load)
(rule ((in_off r)) ((delete (on r)) (delete (in_off r))) :ruleset load)
"""

_SUMS_ARE_DROPPED = """
(rule ((in_dead m) (s o m c)) ((delete (s o m c))) :ruleset load)
(rule ((in_dead m) (h m i a)) ((delete (h m i a))) :ruleset load)
(rule ((z c) (w o) (s o m c)) ((delete (s o m c))) :ruleset load)
"""

_KINDS = {"v": "E", "i": "i64"}
"""What a column of a fact holds: the class of a term, or a number."""

Match = tuple[int, ...]


class Matcher:
    """Facts about an e-graph, and the queries of rules over them.

    Use it in a ``with`` statement: facts are handed over in files of a temporary folder.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._egglog = Egglog(fact_directory=self._folder.name)
        self._run(_PRELUDE)
        self._relations: set[str] = set()
        self._facts: dict[str, list[Sequence[int]]] = {}
        self._widths: set[int] = set()
        self._parts: dict[tuple[str, ...], str] = {}
        self._program: list[str] = []
        for relation, columns in (("s", "iiv"), ("h", "iiv"), ("k", "iv"), ("z", "v"), ("w", "i")):
            self.declare(relation, columns)
        self._program.append(_SUMS_ARE_DROPPED)

    def __enter__(self) -> Matcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def declare(self, relation: str, columns: str) -> None:
        """Declare a relation whose columns hold classes (``v``) and numbers (``i``)."""
        if relation in self._relations:
            return
        self._relations.add(relation)
        names = [f"x{k}" for k in range(len(columns))]
        values = [f"(V {n})" if c == "v" else n for n, c in zip(names, columns, strict=True)]
        self._program += [
            f"(relation {relation} ({' '.join(_KINDS[c] for c in columns)}))",
            f"(relation in_{relation} ({' '.join('i64' for _ in columns)}))",
            f"(rule ((in_{relation} {' '.join(names)})) (({relation} {' '.join(values)}) "
            f"(delete (in_{relation} {' '.join(names)}))) :ruleset load)",
        ]
        if relation.startswith("n"):
            fact = f"({relation} {' '.join(names)})"
            self._program.append(f"(rule ((z x1) (w x0) {fact}) ((delete {fact})) :ruleset load)")

    def state(self, relation: str, *values: int) -> None:
        """State a fact; terms are given by number."""
        self._facts.setdefault(relation, []).append(values)

    def ask(self, rule: int, facts: Sequence[str], columns: Sequence[str]) -> None:
        """Add the query of a rule: facts over variables, and those of them that a match gives."""
        width = len(columns) + 1
        if width not in self._widths:
            self._widths.add(width)
            names = " ".join(f"x{k}" for k in range(width))
            self._program += [
                f"(relation q{width}x ({' '.join('i64' for _ in range(width))}))",
                f"(rule ((q{width}x {names})) ((delete (q{width}x {names}))) :ruleset clear)",
            ]
        head = f"(q{width}x {rule} {' '.join(columns)})"
        self._program.append(f"(rule ((on {rule}) {' '.join(facts)}) ({head}) :ruleset match)")
        self.switch(rule, on=True)

    def part(self, facts: Sequence[str], columns: Sequence[str], kinds: str) -> str:
        """Return the relation of what some facts hold of, which rules may share.

        Parameters
        ----------
        columns, kinds
            The variables that it relates, and whether each is a class (``v``) or a number (``i``).
        """
        key = (*facts, "of", *columns)
        if key not in self._parts:
            name = self._parts[key] = f"p{len(self._parts)}x"
            self._program.append(f"(relation {name} ({' '.join(_KINDS[k] for k in kinds)}))")
            head = f"({name} {' '.join(columns)})"
            self._program.append(f"(rule ({' '.join(facts)}) ({head}) :ruleset parts)")
        return self._parts[key]

    def switch(self, rule: int, on: bool) -> None:
        """Switch the query of a rule on or off; once it is on again, all its matches are new."""
        self.state("on" if on else "off", rule)

    def drop(self, term: int) -> None:
        """Drop a sum or product from the facts: another one says the same."""
        self.state("dead", term)

    def matches(self) -> list[Match]:
        """Return the new matches: the number of a rule, and the values of its columns."""
        self._flush()
        self._run("(run-schedule (saturate (run parts)) (run match))")
        functions = self._egglog.freeze().functions
        number = self._egglog.value_to_i64
        found = [
            tuple(map(number, row.inputs))
            for width in sorted(self._widths)
            for row in functions[f"q{width}x"].rows
        ]
        self._run("(run clear 1)")
        found.sort()
        return found

    def _flush(self) -> None:
        for command in self._program:
            # one by one: every part of what is parsed carries all of the text
            self._run(command)
        self._program.clear()
        if not self._facts:
            return
        commands = []
        for relation, rows in self._facts.items():
            text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
            Path(self._folder.name, f"{relation}.facts").write_text(text, encoding="ascii")
            commands.append(f'(input in_{relation} "{relation}.facts")')
        self._facts.clear()
        # once more, since what is stated may be what is to be dropped
        self._run(" ".join([*commands, "(run load 2)"]))

    def _run(self, program: str) -> Any:
        return self._egglog.run_program(*self._egglog.parse_program(program))
