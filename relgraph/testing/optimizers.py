"""Whether an optimizer keeps what graphs compute."""

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
from relgraph.testing.cases import Case, search
from relgraph.testing.draw.graphs import RandomGraph
from relgraph.testing.draw.graphs import graphs as random_graphs
from relgraph.testing.judge.agreement import Disagreement, Reference
from relgraph.testing.source.reproduction import source_of, unoptimized

EXAMPLES = 200

# These claim nothing themselves, and change no value.
_MERGING = ("merge", "MergeOptimizer")
_EXACT = (*_MERGING, "constant_folding")
_LARGEST_GRAPH = 300


@dataclass(frozen=True)
class OptimizerCounterexample:
    """A graph and values for which an optimizer does not keep what is computed.

    Attributes
    ----------
    case
        The graph, and values of its inputs.
    what
        What is wrong.
    step
        The first step of the derivation after which it is wrong; None if there is no such step.
    source
        Python source that shows it.
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


@dataclass(frozen=True)
class OptimizerCheck:
    """What a check of an optimizer has found.

    Attributes
    ----------
    name
        The optimizer.
    graphs
        How many graphs it was run on.
    undefined
        How many graphs were left out, since they can't be computed for the values drawn.
    changed
        How many of them it changed.
    ops
        How often each op occurred in them, by name.
    replaced
        How many replacements it made, apart from merging what is there twice.
    laws
        How often each rewriter fired, by name; merging included.
    compared
        How many graphs were compared how closely, by soundness class.
    counterexample
        What shows that it fails, or None.
    seconds
        How long it took.
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

    @property
    def vacuous(self) -> bool:
        """Whether nothing fired, so that nothing has been checked."""
        return self.counterexample is None and self.replaced == 0

    @property
    def passed(self) -> bool:
        """Whether it was checked and keeps what graphs compute."""
        return self.counterexample is None and not self.vacuous

    @property
    def status(self) -> str:
        """``passed``, ``failed``, or ``unchecked`` where nothing fired."""
        return "passed" if self.passed else "unchecked" if self.vacuous else "failed"

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.status} ({self.graphs} graphs, {self.changed} changed, "
            f"{len(self.ops)} ops, {self.replaced} replacements by {len(self.laws)} rewriters, "
            f"{self.seconds:.1f} s)"
        )
        return text if self.counterexample is None else f"{text}\n{self.counterexample}"


def check_optimizer(
    optimizer: Any,
    graphs: st.SearchStrategy[RandomGraph] | None = None,
    examples: int = EXAMPLES,
    gradients: bool = True,
    seed: int = 0,
    unnamed: str = "rounding",
    shrink: bool = True,
) -> OptimizerCheck:
    """Check on random graphs that an optimizer keeps what they compute.

    The values of the optimized graph are compared with those of the graph as it was: the dtypes
    and shapes always; the bits, if only exact laws fired; else as closely as rounding lets one
    ask, wherever the classes of the laws that fired apply (see `Relation`).

    Parameters
    ----------
    optimizer
        A GlobalOptimizer; a `Mode` or the name of one; a LocalOptimizer or a law, which is
        applied until it changes nothing.
    graphs
        A strategy for graphs, such as ``graphs(ops=...)``; by default one of all ops, in which
        the patterns of the optimizer's laws come often.
    examples
        How many graphs to draw.
    gradients
        Whether to add to some graphs the gradients of their outputs.
    seed
        The same seed gives the same graphs.
    unnamed
        The soundness class of rewriters that claim none.
    shrink
        Whether to look for the simplest counterexample when there is one.

    Returns
    -------
    result
        It has not `passed` if nothing fired.

    Raises
    ------
    TypeError
        If `optimizer` is none.
    """
    started = time.perf_counter()
    name, found = _optimizer(optimizer)
    check = _Check(name, found, unnamed)
    strategy = random_graphs(matching=found) if graphs is None else graphs

    def draw(from_: Any) -> Case:
        graph = from_(strategy)
        outputs = list(graph.outputs)
        if gradients and from_(_GRADIENTS):
            outputs = with_gradients(graph.inputs, outputs)
        return Case(list(graph.inputs), outputs, list(from_(graph.values())))

    failing = search(draw, check.fails, examples, seed, shrink)
    counterexample = None if failing is None else check.explain(failing, optimizer)
    return check.result(counterexample, time.perf_counter() - started)


_GRADIENTS = st.booleans()


def _optimizer(optimizer: Any) -> tuple[str, GlobalOptimizer]:
    if isinstance(optimizer, str):
        return optimizer, get_mode(optimizer).optimizer
    if isinstance(optimizer, Mode):
        return repr(optimizer), optimizer.optimizer
    if isinstance(optimizer, GlobalOptimizer):
        return display_name(optimizer), optimizer
    made = EquilibriumOptimizer([optimizer])
    return str(getattr(optimizer, "name", None) or type(optimizer).__name__), made


def with_gradients(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """Return `outputs`, and the gradients of their sum by the inputs where there are any.

    Parameters
    ----------
    inputs, outputs
        A graph; of its outputs, the floats are summed.
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
    """Runs an optimizer on cases, and keeps count until one fails."""

    def __init__(self, name: str, optimizer: GlobalOptimizer, unnamed: str) -> None:
        self.name = name
        self._optimizer = optimizer
        self._unnamed = unnamed
        self._failed = False
        self._graphs = self._undefined = self._changed = self._replaced = 0
        self._ops: Counter[str] = Counter()
        self._laws: Counter[str] = Counter()
        self._compared: Counter[str] = Counter()

    def fails(self, case: Case) -> bool:
        """Return whether what a case computes is not kept."""
        problem, _reference, _derivation = self.problem(case)
        self._failed |= problem is not None
        return problem is not None

    def problem(self, case: Case) -> tuple[Disagreement | None, Any, Derivation | None]:
        """Return what is wrong with the optimized graph, if anything is."""
        try:
            reference = Reference(case.inputs, case.outputs, case.values)
        except (ValueError, IndexError, AssertionError):
            # There are values for which an op is not defined: an int to the power of -1, say.
            self._undefined += not self._failed
            return None, None, None
        if len(reference.usual) > _LARGEST_GRAPH:
            return None, None, None
        fgraph = unoptimized(case.inputs, case.outputs)
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
        """Return the class that all that fired together belongs to."""
        found = {self._claim_of(step) for step in steps} - {"exact"}
        if not found:
            return "exact"
        # A stable law may be wrong where something is infinite, one that rounds may be less stable.
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
        """Return what shows that the optimizer fails for a case."""
        problem, reference, derivation = self.problem(case)
        assert problem is not None
        step = None if derivation is None else self._first_wrong(reference, derivation)
        where = "" if problem.output is None else f" of output {problem.output}"
        what = f"{self.name} does not keep the value{where}: {problem.what}."
        if problem.expected is not None:
            what += f"\nexpected: {problem.expected!r}\nfound:    {problem.found!r}"
        source = source_of(case, problem.output, given, self._optimizer, self.name)
        return OptimizerCounterexample(case, what, step, source)

    def _first_wrong(self, reference: Reference, derivation: Derivation) -> Any:
        for count in range(1, len(derivation) + 1):
            fgraph = derivation.replay(steps=count)
            sound = self.claim(derivation[:count])
            if reference.compare(fgraph.inputs, fgraph.outputs, sound) is not None:
                return derivation[count - 1]
        return None

    def result(
        self, counterexample: OptimizerCounterexample | None, seconds: float
    ) -> OptimizerCheck:
        """Return what has been found."""
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
        )
