"""The result of the check of a law: what it covered, and the counterexample if it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.traversal import as_string
from relgraph.introspection import Displayed
from relgraph.tensor.python_source import as_python


@dataclass(frozen=True)
class Counterexample(Displayed):
    """A graph, with values of its inputs, for which a law does not keep its claim.

    Attributes
    ----------
    law
        The name of the law.
    algebra
        The law as text.
    sound
        The soundness class it claims.
    direction
        ``forward`` or ``backward``.
    why
        What is wrong, in words.
    inputs, values
        The inputs of the graph, and their values; None if the law is wrong whatever they are.
    old, new
        The variable that was matched, and its replacement; None if the law raised an error.
    old_value, new_value
        The values of both, if there are any.
    where
        The index of an element that is wrong, or None.
    """

    law: str
    algebra: str
    sound: str
    direction: str
    why: str
    inputs: Sequence[Variable]
    old: Variable
    new: Variable | None
    values: Sequence[Any] | None = None
    old_value: Any = None
    new_value: Any = None
    where: tuple[int, ...] | None = None

    def __str__(self) -> str:
        """Return Python source that reproduces the failure when it is run."""
        place = f", first at {list(self.where)}" if self.where else ""
        lines = [
            f"# law {self.law}: {self.algebra}",
            f"# claimed {self.sound}, {self.direction}: {self.why}{place}",
        ]
        outputs = [self.old] if self.new is None else [self.old, self.new]
        try:
            lines.append(as_python(self.inputs, outputs, self.values).rstrip())
        except TypeError as error:
            graphs = as_string(list(self.inputs), outputs)
            lines.append(f"# {graphs} (it has no source: {error})")
            return "\n".join(lines)
        if self.values is not None:
            lines += [
                "from relgraph.graph.reference import evaluate",
                "for side in outputs:",
                "    print(evaluate([side], dict(zip(inputs, values)))[0])",
                f"# before: {_one_line(self.old_value)}",
            ]
            if self.new_value is not None:
                lines.append(f"# after:  {_one_line(self.new_value)}")
        elif self.new is None:
            lines.append(f"# law.{self.direction}.transform(None, outputs[0].owner) raises")
        elif self.new.type is not self.old.type:
            lines.append("print(*[side.type for side in outputs])")
        return "\n".join(lines)

    __repr__ = __str__


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)


def _one_line(value: Any) -> str:
    # both sides may differ in the last bit
    with np.printoptions(floatmode="unique"):
        return " ".join(repr(value).split())


@dataclass
class Coverage:
    """What a check has covered of its plan.

    The plan has a cell for each kind of dtype with each of the ranks 0, 1 and 2 and of the lengths
    0, 1 and more, and one for the edge values of each kind. A law with several rules, or with two
    directions, has cells for each of them.

    Attributes
    ----------
    covered
        The cells with a graph on which both sides were compared.
    not_admitted
        The cells with no graph that the law rewrites, and what most often ruled out those tried.
    not_found
        The same for those among others whose kind and whose rank or length are covered, and that
        the law's types do not exclude: it may admit them, but in a bounded number of tries no graph
        came up.
    not_covered
        The cells that the law admits and that were not compared, and why. A check with any of them
        has not passed.
    examples
        How often both sides were compared by plan.
    """

    covered: list[str] = field(default_factory=list)
    not_admitted: dict[str, str] = field(default_factory=dict)
    not_found: dict[str, str] = field(default_factory=dict)
    not_covered: dict[str, str] = field(default_factory=dict)
    examples: int = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of dtypes with a cell that is covered."""
        # `float16` of ``forward: float16, rank 1``
        cells = [name.rpartition(": ")[2] for name in self.covered]
        return tuple(dict.fromkeys(cell.partition(",")[0] for cell in cells))

    def as_dict(self) -> dict[str, Any]:
        """Return the coverage as a dict for JSON."""
        return {"kinds": self.kinds, **vars(self)}

    def __str__(self) -> str:
        text = (
            f"by plan: {self.examples} examples in {len(self.covered)} cells "
            f"of {', '.join(self.kinds) or 'no kind'}; {len(self.not_admitted)} not admitted, "
            f"{len(self.not_found)} not found"
        )
        missing = [f"\nnot covered: {cell}: {why}" for cell, why in self.not_covered.items()]
        return text + "".join(missing)

    __repr__ = __str__


@dataclass(frozen=True)
class CheckResult(Displayed):
    """The result of the check of one law.

    Attributes
    ----------
    name, algebra, sound
        The name of the law, the law as text, and the soundness class it was checked for.
    status
        ``passed``, ``failed``, or ``unchecked``: no example failed, but none could have, or not
        all that the law admits was covered.
    reason
        Why it failed or was not checked.
    examples
        How often both sides were evaluated and compared on random values, those of the plan aside.
    instances
        The number of different graphs among the examples.
    types
        The number of different combinations of input types.
    edge_values
        The number of different edge values of the inputs: nan, infinities, zeros, ones, numbers of
        extreme size.
    counterexample
        A counterexample, or None.
    stronger
        A stronger soundness class that held in all examples, or None.
    directions
        The directions that were checked.
    refusals
        How many random graphs each condition of the law refused.
    seconds
        How long the check took.
    remarks
        What is worth knowing about the law although it does not fail for it, one sentence each.
    coverage
        What was compared by plan, and what not.
    """

    name: str
    algebra: str
    sound: str
    status: str
    reason: str = ""
    examples: int = 0
    instances: int = 0
    types: int = 0
    edge_values: int = 0
    counterexample: Counterexample | None = None
    stronger: str | None = None
    directions: tuple[str, ...] = ()
    refusals: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    remarks: tuple[str, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def passed(self) -> bool:
        """Whether the law was checked and holds."""
        return self.status == "passed"

    def __bool__(self) -> bool:
        """Return whether it passed, for ``assert law.check()``."""
        return self.passed

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a dict for JSON."""
        found = {
            **vars(self),
            "law": self.algebra,
            "seconds": round(self.seconds, 3),
            "coverage": self.coverage.as_dict(),
            "counterexample": None if self.counterexample is None else str(self.counterexample),
        }
        del found["algebra"]
        return found

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.sound}, {self.status} ({_counted(self.examples, 'example')}, "
            f"{_counted(self.instances, 'instance')}, {_counted(self.types, 'type')}, "
            f"{_counted(self.edge_values, 'edge value')}, {self.seconds:.2f} s)"
        )
        if self.stronger is not None:
            text += f"; it held as {self.stronger} throughout"
        if self.reason:
            text += f"\n{self.reason}"
        text += "".join(f"\nremark: {remark}" for remark in self.remarks)
        if self.coverage.covered or self.coverage.not_covered:
            text += f"\n{self.coverage}"
        return text if self.counterexample is None else f"{text}\n{self.counterexample}"

    __repr__ = __str__
