"""Checks an optimizer: the values of random graphs before and after it are compared."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.compile.mode import Mode, get_mode
from relgraph.gradient import NullTypeGradError, grad
from relgraph.graph.basic import io_toposort
from relgraph.graph.opt import Derivation, EquilibriumOptimizer, GlobalOptimizer, Recorder
from relgraph.graph.opt.base import display_name
from relgraph.graph.utils import MethodNotDefined
from relgraph.testing.draw.graphs import RandomGraph
from relgraph.testing.draw.graphs import graphs as random_graphs
from relgraph.testing.draw.pattern_appliers import local_optimizers_in
from relgraph.testing.judge.graph_comparison import Disagreement, ReferenceGraph
from relgraph.testing.source.failing_cases import Case, find_failing_case
from relgraph.testing.source.optimizer_source import copy_for_optimizer, reproduction_source

EXAMPLES = 200

# Rewriters without a soundness class that change no value.
_MERGING = ("merge", "MergeOptimizer")
_EXACT = (*_MERGING, "constant_folding")
_LARGEST_GRAPH = 300
# One of so many graphs has to be changed, or the check counts for nothing.
_GRAPHS_FOR_A_CHANGE = 10


@dataclass(frozen=True)
class OptimizerCounterexample:
    """A graph, with values of its inputs, whose outputs an optimizer changes.

    Attributes
    ----------
    case
        The graph, and values of its inputs.
    what
        What is wrong, in words.
    step
        The first step of the derivation after which the graph is wrong; None if there is none.
    source
        Python source that reproduces the failure.
    """

    case: Case = field(repr=False)
    what: str
    step: Any
    source: str

    def __str__(self) -> str:
        lines = [self.what]
        if self.step is not None:
            sound = f" ({self.step.sound})" if self.step.sound else ""
            lines.append(f"It is wrong first after step {self.step}{sound}.")
        return "\n".join([*lines, "", self.source])

    __repr__ = __str__


@dataclass(frozen=True)
class OptimizerCheck:
    """The result of the check of an optimizer.

    Attributes
    ----------
    name
        The name of the optimizer.
    graphs
        The number of graphs that it was run on.
    undefined
        The number of graphs that were left out because an op is not defined for the values drawn.
    changed
        The number of graphs that it changed.
    ops
        How often each op occurred in the graphs, by name.
    replaced
        The number of replacements it made, those that merge equal nodes left out.
    laws
        How often each rewriter was applied, by name; merging included.
    compared
        The number of graphs by the soundness class that they were compared for.
    counterexample
        A counterexample, or None.
    seconds
        How long the check took.
    required
        How many graphs it has to change for the check to pass.
    silent
        The names of its local optimizers that did nothing on any graph.
    """

    name: str
    graphs: int = 0
    undefined: int = 0
    changed: int = 0
    ops: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    laws: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    counterexample: OptimizerCounterexample | None = None
    seconds: float = 0.0
    required: int = 1
    silent: tuple[str, ...] = ()

    @property
    def vacuous(self) -> bool:
        """Whether it changed too few graphs for the check to say anything."""
        return self.counterexample is None and self.changed < self.required

    @property
    def passed(self) -> bool:
        """Whether it changed enough graphs, and all graphs kept their values."""
        return self.counterexample is None and not self.vacuous

    @property
    def status(self) -> str:
        """``passed``, ``failed``, or ``unchecked`` if fewer graphs than `required` were changed."""
        return "passed" if self.passed else "unchecked" if self.vacuous else "failed"

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.status} ({self.graphs} graphs, {self.changed} changed, "
            f"{len(self.ops)} ops, {self.replaced} replacements by {len(self.laws)} rewriters, "
            f"{len(self.silent)} silent, {self.seconds:.1f} s)"
        )
        if self.vacuous:
            text += f"\nit has to change {self.required} graphs"
        return text if self.counterexample is None else f"{text}\n{self.counterexample}"

    __repr__ = __str__


def check_optimizer(
    optimizer: Any,
    graphs: st.SearchStrategy[RandomGraph] | None = None,
    examples: int = EXAMPLES,
    gradients: bool = True,
    seed: int = 0,
    unnamed: str = "rounding",
    shrink: bool = True,
    required: int | None = None,
) -> OptimizerCheck:
    """Check on random graphs that an optimizer keeps the values of their outputs.

    The dtypes and shapes must always stay. If only exact laws were applied, the bits must stay too.
    If not, the values must agree as closely as rounding allows, where the soundness classes of the
    applied laws make a claim (see `Relation`).

    Parameters
    ----------
    optimizer
        A `GlobalOptimizer`; a `Mode` or the name of one; a `LocalOptimizer` or a law, which is
        applied until it changes nothing.
    graphs
        A strategy for graphs, such as ``graphs(ops=...)``; by default one of all ops, in which
        graphs are frequent that the optimizer's laws match, or made of the ops that it tracks.
    examples
        How many graphs to draw.
    gradients
        Whether to add the gradients of their outputs to some graphs.
    seed
        The seed of all random choices.
    unnamed
        The soundness class of rewriters that claim none.
    shrink
        Whether to shrink the counterexample if there is one.
    required
        How many graphs the optimizer has to change; by default a tenth of `examples`, and at least
        one. If all graphs keep their values and it changes fewer, nothing much has been checked.

    Returns
    -------
    result
        Its `status` is ``unchecked``, and `passed` is False, if fewer graphs were changed.

    Raises
    ------
    TypeError
        If `optimizer` is none of these.
    """
    started = time.perf_counter()
    name, to_check = _name_and_optimizer(optimizer)
    required = max(1, examples // _GRAPHS_FOR_A_CHANGE) if required is None else required
    check = _Check(name, to_check, unnamed, required)
    strategy = random_graphs(matching=to_check) if graphs is None else graphs

    def draw(from_: Any) -> Case:
        graph = from_(strategy)
        outputs = list(graph.outputs)
        if gradients and from_(_GRADIENTS):
            outputs = with_gradients(graph.inputs, outputs)
        return Case(list(graph.inputs), outputs, list(from_(graph.values())))

    failing = find_failing_case(draw, check.fails, examples, seed, shrink)
    counterexample = None if failing is None else check.explain(failing, optimizer)
    return check.result(counterexample, time.perf_counter() - started)


_GRADIENTS = st.booleans()


def _name_and_optimizer(optimizer: Any) -> tuple[str, GlobalOptimizer]:
    if isinstance(optimizer, str):
        return optimizer, get_mode(optimizer).optimizer
    if isinstance(optimizer, Mode):
        return repr(optimizer), optimizer.optimizer
    if isinstance(optimizer, GlobalOptimizer):
        return display_name(optimizer), optimizer
    made = EquilibriumOptimizer([optimizer])
    return str(getattr(optimizer, "name", None) or type(optimizer).__name__), made


def with_gradients(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """Return the outputs of a graph and the gradients of their sum with respect to its inputs.

    Parameters
    ----------
    inputs, outputs
        The graph. The gradients are those of the sum of its float outputs, with respect to float
        and complex inputs; there are none if an op has no gradient.
    """
    costs = [out for out in outputs if out.type.dtype in ("float32", "float64")]
    wrt = [v for v in inputs if v.type.dtype in ("float32", "float64", "complex128")]
    if not costs or not wrt:
        return list(outputs)
    cost = at.sum(costs[0])
    for other in costs[1:]:
        cost = cost + at.sum(other)
    try:
        found = grad(cost, wrt, disconnected_inputs="ignore", stabilize=False)
    except (MethodNotDefined, NullTypeGradError):
        return list(outputs)
    return [*outputs, *found]


class _Check:
    """Runs an optimizer on cases, and counts what it does until one fails."""

    def __init__(self, name: str, optimizer: GlobalOptimizer, unnamed: str, required: int) -> None:
        self.name, self._required = name, required
        self._optimizer = optimizer
        self._unnamed = unnamed
        self._failed = False
        self._graphs = self._undefined = self._changed = self._replaced = 0
        self._ops: Counter[str] = Counter()
        self._laws: Counter[str] = Counter()
        self._compared: Counter[str] = Counter()

    def fails(self, case: Case) -> bool:
        """Return whether the optimizer changes the value of an output."""
        problem, _reference, _derivation = self.problem(case)
        self._failed |= problem is not None
        return problem is not None

    def problem(self, case: Case) -> tuple[Disagreement | None, Any, Derivation | None]:
        """Return what is wrong with the optimized graph, the original graph, and the derivation.

        The first is None if nothing is wrong; all are None if the case is left out.
        """
        try:
            reference = ReferenceGraph(case.inputs, case.outputs, case.values)
        except (ValueError, IndexError, AssertionError):
            # An op is not defined for these values: an integer to the power of -1, say.
            self._undefined += not self._failed
            return None, None, None
        if len(reference.node_values) > _LARGEST_GRAPH:
            return None, None, None
        fgraph = copy_for_optimizer(case.inputs, case.outputs)
        recorder = Recorder()
        fgraph.attach_feature(recorder)
        try:
            self._optimizer.optimize(fgraph)
        except Exception as error:
            return (
                Disagreement(None, f"the optimizer raises {type(error).__name__}: {error}"),
                reference,
                None,
            )
        finally:
            fgraph.remove_feature(recorder)
        derivation = recorder.derivation([self._optimizer])
        sound = self.claim(derivation)
        self._count(case, derivation, sound)
        return reference.compare(fgraph.inputs, fgraph.outputs, sound), reference, derivation

    def claim(self, steps: Iterable[Any]) -> str:
        """Return the soundness class of a sequence of steps."""
        found = {self._claim_of(step) for step in steps} - {"exact"}
        if not found:
            return "exact"
        # A stable law may change infinite values, and a law that rounds may be less stable.
        return found.pop() if len(found) == 1 else "domain" if "domain" in found else "finite"

    def _claim_of(self, step: Any) -> str:
        if step.sound is not None:
            return str(step.sound)
        return "exact" if step.name in _EXACT else self._unnamed

    def _count(self, case: Case, derivation: Derivation, sound: str) -> None:
        if self._failed:
            return
        self._graphs += 1
        made = sum(step.name not in _MERGING for step in derivation)
        self._changed += made > 0
        self._replaced += made
        self._laws.update(step.name for step in derivation)
        self._compared[sound] += 1
        self._ops.update(
            str(node.op).split("{")[0] for node in io_toposort(case.inputs, case.outputs)
        )

    def explain(self, case: Case, given: Any) -> OptimizerCounterexample:
        """Return a counterexample for a failing case."""
        problem, reference, derivation = self.problem(case)
        assert problem is not None
        step = None if derivation is None else self._first_wrong(reference, derivation)
        where = "" if problem.output is None else f" of output {problem.output}"
        what = f"{self.name} does not keep the value{where}: {problem.reason}."
        if problem.expected is not None:
            what += f"\nexpected: {problem.expected!r}\nfound:    {problem.found!r}"
        source = reproduction_source(case, problem.output, given, self._optimizer, self.name)
        return OptimizerCounterexample(case, what, step, source)

    def _first_wrong(self, reference: ReferenceGraph, derivation: Derivation) -> Any:
        for count in range(1, len(derivation) + 1):
            fgraph = derivation.replay(steps=count)
            sound = self.claim(derivation[:count])
            if reference.compare(fgraph.inputs, fgraph.outputs, sound) is not None:
                return derivation[count - 1]
        return None

    def result(
        self, counterexample: OptimizerCounterexample | None, seconds: float
    ) -> OptimizerCheck:
        """Return the result of the check."""
        return OptimizerCheck(
            self.name,
            self._graphs,
            self._undefined,
            self._changed,
            self._ops,
            self._replaced,
            self._laws,
            self._compared,
            counterexample,
            seconds,
            self._required,
            self._silent(),
        )

    def _silent(self) -> tuple[str, ...]:
        """Return the names of the local optimizers that did nothing, in order."""
        names = [display_name(local) for local in local_optimizers_in(self._optimizer)]
        return tuple(name for name in dict.fromkeys(names) if name not in self._laws)
