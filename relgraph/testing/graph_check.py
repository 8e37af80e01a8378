"""Checks on random graphs: of an optimizer, that it keeps their values; of a linker, that it gives
them, and neither modifies nor shares the caller's arrays.

A graph with values for which a check fails is shrunk, and written as Python that reproduces it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.compile.mode import Mode, get_mode
from relgraph.gradient import NullTypeGradError, grad
from relgraph.graph.basic import Variable, clone_replace, io_toposort
from relgraph.graph.destroyhandler import MutableInputs
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.opt import Derivation, EquilibriumOptimizer, GlobalOptimizer, Recorder
from relgraph.graph.opt.base import display_name
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.type import COMPLEXES
from relgraph.tensor.python_source import as_python
from relgraph.testing.discovery import discover_laws
from relgraph.testing.judge.evaluation import evaluate_all, same_bits
from relgraph.testing.judge.graph_comparison import (
    MERGING,
    Disagreement,
    ReferenceGraph,
    weakest,
)
from relgraph.testing.random_graphs import RandomGraph, local_optimizers_in
from relgraph.testing.random_graphs import graphs as random_graphs


@dataclass(frozen=True, eq=False)
class Case:
    """A graph, and values of its inputs."""

    inputs: list[Variable]
    outputs: list[Variable]
    values: list[Any]

    def source(self, before: str, after: str) -> str:
        """Return Python source that makes the graph and the values, between other lines; a comment
        if there is no such source."""
        try:
            return before + as_python(self.inputs, self.outputs, self.values) + after
        except TypeError as error:
            return f"# {self.outputs}: {error}\n"


class _Failed(Exception):
    """Tells Hypothesis that a case fails."""


Draw = Callable[[Callable[[Any], Any]], Case]
"""Draws a case; its argument is Hypothesis' function that draws from a strategy."""


def find_failing_case(
    draw: Draw, fails: Callable[[Case], bool], examples: int, seed: int, shrink: bool = True
) -> Case | None:
    """Return the simplest failing case that is found, or None.

    Parameters
    ----------
    draw
        Draws a case.
    fails
        Returns whether a case fails.
    examples
        How many cases to draw.
    seed
        The seed of Hypothesis.
    shrink
        Whether to shrink the failing case.
    """
    found: list[Case] = []

    @seeded(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        report_multiple_bugs=False,
        print_blob=False,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def examine(data: st.DataObject) -> None:
        case = draw(data.draw)
        if fails(case):
            found.append(case)
            raise _Failed

    try:
        examine()
    except (_Failed, Flaky):
        if not found:
            raise
        return shrink_case(found[-1], fails) if shrink else found[-1]
    return None


def shrink_case(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a smaller case that fails too; `case` itself if none is found.

    Its only output is an output of `case` or an intermediate variable, if one alone fails.
    Intermediate variables are replaced by inputs that have their values.
    """
    inner = [v for v in _computed_variables(case) if v not in case.outputs]
    alone = [Case(case.inputs, [v], case.values) for v in (*inner, *case.outputs)]
    case = _first_failing(alone, fails) or case
    while True:
        variables = [v for v in reversed(_computed_variables(case)) if v not in case.outputs]
        found = _first_failing((_replaced_by_input(case, v) for v in variables), fails)
        if found is None:
            return _without_unused_inputs(case)
        case = found


def _first_failing(cases: Iterable[Case], fails: Callable[[Case], bool]) -> Case | None:
    for case in cases:
        with suppress(Exception):  # a check that raises tells nothing
            if fails(case):
                return case
    return None


def _computed_variables(case: Case) -> list[Variable]:
    """Return the variables that nodes of the graph compute, in order."""
    return [v for node in io_toposort(case.inputs, case.outputs) for v in node.outputs]


def _replaced_by_input(case: Case, v: Any) -> Case:
    """Return the case with a new input, which has the value of `v`, in its place."""
    value = evaluate_all(case.inputs, [v], case.values)[v]
    new = v.type(f"x{len(case.inputs)}")
    outputs = clone_replace(list(case.outputs), {v: new})
    return Case([*case.inputs, new], outputs, [*case.values, value])


def _without_unused_inputs(case: Case) -> Case:
    """Return the case without the inputs that the graph does not read."""
    read = {v for node in io_toposort(case.inputs, case.outputs) for v in node.inputs}
    read.update(case.outputs)
    kept = [i for i, v in enumerate(case.inputs) if v in read]
    return Case([case.inputs[i] for i in kept], case.outputs, [case.values[i] for i in kept])


def copy_for_optimizer(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> FunctionGraph:
    """Return a copy of a graph for an optimizer, which may not overwrite its inputs."""
    fgraph = FunctionGraph(inputs, outputs, clone=True)
    fgraph.attach_feature(MutableInputs([]))
    fgraph.attach_feature(ReplaceValidate())
    return fgraph


def optimize_copy(
    optimizer: GlobalOptimizer, inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> FunctionGraph:
    """Return a copy of a graph, optimized as `check_optimizer` does it."""
    fgraph = copy_for_optimizer(inputs, outputs)
    optimizer.optimize(fgraph)
    return fgraph


def evaluate_outputs(
    inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
) -> list[Any]:
    """Return the values of the outputs of a graph; no input is overwritten."""
    found = evaluate_all(inputs, outputs, values)
    return [found[v] for v in outputs]


def reproduction_source(
    case: Case, output: int | None, given: Any, optimizer: GlobalOptimizer, name: str
) -> str:
    """Return Python source that prints an output of a graph before and after an optimizer.

    If `given` is the name of a mode, or a law of the rule book, the source runs it. If not, the
    source makes both graphs; if the optimizer raises, it reads a variable ``optimizer``.

    Parameters
    ----------
    case
        The graph, and values of its inputs.
    output
        The position of the output that is wrong; None if the outputs can't be computed.
    given
        What `check_optimizer` was given.
    optimizer
        The optimizer that `given` denotes.
    name
        Its name in reports.
    """
    known = _optimizer_source(given)
    both_graphs = None if known else _before_and_after_source(case, output, optimizer)
    if both_graphs is not None:
        return both_graphs
    index = "" if output is None else f"[{output}]"
    unknown = "" if known else f"# optimizer is {name}\n"
    return case.source(
        f"{unknown}from relgraph.testing.graph_check import evaluate_outputs, optimize_copy\n",
        f"{known}fgraph = optimize_copy(optimizer, inputs, outputs)\n"
        f"print(evaluate_outputs(inputs, outputs, values){index})\n"
        f"print(evaluate_outputs(fgraph.inputs, fgraph.outputs, values){index})\n",
    )


def _optimizer_source(given: Any) -> str:
    """Return the lines that import an optimizer and assign it, or nothing if it can't be
    imported."""
    if isinstance(given, str):
        return (
            "from relgraph.compile.mode import get_mode\n"
            f"optimizer = get_mode({given!r}).optimizer\n"
        )
    if isinstance(given, Relation) and discover_laws().get(given.name) is given:
        return (
            "from relgraph.graph.opt import EquilibriumOptimizer\n"
            "from relgraph.testing.discovery import discover_laws\n"
            f"optimizer = EquilibriumOptimizer([discover_laws()[{given.name!r}]])\n"
        )
    return ""


def _before_and_after_source(
    case: Case, output: int | None, optimizer: GlobalOptimizer
) -> str | None:
    """Return source that makes a graph and the optimized one; None if there is no such source."""
    try:
        fgraph = optimize_copy(optimizer, case.inputs, case.outputs)
        back = dict(zip(fgraph.inputs, case.inputs, strict=True))
        after = clone_replace(list(fgraph.outputs), back)
        i = 0 if output is None else output
        text = as_python(case.inputs, [case.outputs[i], after[i]], case.values)
    except Exception:  # The optimizer may raise anything.
        return None
    return (
        "from relgraph.testing.graph_check import evaluate_outputs\n"
        f"{text}"
        "# the second output is what the optimizer makes of the first one\n"
        "for output in outputs:\n"
        "    print(evaluate_outputs(inputs, [output], values)[0])\n"
    )


EXAMPLES = 200

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


@dataclass
class GraphCheck:
    """What a check on random graphs has found so far.

    Attributes
    ----------
    name
        What was checked.
    graphs
        The number of graphs that were checked.
    ops
        How often each op occurred in the graphs, by name.
    seconds
        How long the check took.
    has_failed
        Whether a case has failed; then a simpler one is looked for, and nothing is counted.
    """

    name: str
    graphs: int = 0
    ops: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    has_failed: bool = field(default=False, init=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether something was checked, and nothing was wrong."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        """Return whether it passed, for ``assert check_optimizer(...)``."""
        return self.passed

    def failing(self, draw: Draw, problem: Callable[[Case], Any], *how: Any) -> Case | None:
        """Return the simplest case with a problem that is found, or None; the further arguments are
        those of `find_failing_case`."""

        def fails(case: Case) -> bool:
            found = problem(case) is not None
            self.has_failed |= found
            return found

        started = time.perf_counter()
        found = find_failing_case(draw, fails, *how)
        self.seconds = time.perf_counter() - started
        return found

    def count(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        """Count a graph and its ops."""
        self.graphs += 1
        self.ops.update(str(node.op).split("{")[0] for node in io_toposort(inputs, outputs))


@dataclass
class OptimizerCheck(GraphCheck):
    """The result of the check of an optimizer.

    Attributes
    ----------
    undefined
        The number of graphs that were left out because an op is not defined for the values drawn.
    changed
        The number of graphs that it changed.
    replaced
        The number of replacements it made, those that merge equal nodes left out.
    laws
        How often each rewriter was applied, by name; merging included.
    compared
        The number of graphs by the soundness class that they were compared for.
    counterexample
        A counterexample, or None.
    required
        How many graphs it has to change for the check to pass.
    silent
        The names of its local optimizers that did nothing on any graph.
    """

    undefined: int = 0
    changed: int = 0
    replaced: int = 0
    laws: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    counterexample: OptimizerCounterexample | None = None
    required: int = 1
    silent: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it changed enough graphs, and all graphs kept their values."""
        return self.status == "passed"

    @property
    def status(self) -> str:
        """``passed``, ``failed``, or ``unchecked`` if fewer graphs than `required` were changed."""
        if self.counterexample is not None:
            return "failed"
        return "unchecked" if self.changed < self.required else "passed"

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.status} ({self.graphs} graphs, {self.changed} changed, "
            f"{len(self.ops)} ops, {self.replaced} replacements by {len(self.laws)} rewriters, "
            f"{len(self.silent)} silent, {self.seconds:.1f} s)"
        )
        if self.status == "unchecked":
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
    name, to_check = _name_and_optimizer(optimizer)
    required = max(1, examples // _GRAPHS_FOR_A_CHANGE) if required is None else required
    found = OptimizerCheck(name, required=required)
    check = _Check(to_check, unnamed, found)
    strategy = random_graphs(matching=to_check) if graphs is None else graphs
    draw = partial(draw_case, strategy=strategy, gradients=gradients)
    failing = found.failing(
        draw, lambda case: check.problem(case, False)[0], examples, seed, shrink
    )
    if failing is not None:
        found.counterexample = check.explain(failing, optimizer)
    names = dict.fromkeys(map(display_name, local_optimizers_in(to_check)))
    found.silent = tuple(name for name in names if name not in found.laws)
    return found


def draw_case(
    from_: Callable[[Any], Any], strategy: st.SearchStrategy[RandomGraph], gradients: bool
) -> Case:
    """Return a graph and values of its inputs, drawn from strategies.

    Parameters
    ----------
    from_
        Hypothesis' function that draws from a strategy.
    strategy
        The strategy for graphs.
    gradients
        Whether some graphs have the gradients of their outputs too.
    """
    graph = from_(strategy)
    outputs = list(graph.outputs)
    if gradients and from_(st.booleans()):
        outputs = with_gradients(graph.inputs, outputs)
    return Case(list(graph.inputs), outputs, list(from_(graph.values())))


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
    cost = reduce(at.add, map(at.sum, costs))
    try:
        found = grad(cost, wrt, disconnected_inputs="ignore", stabilize=False)
    except (MethodNotDefined, NullTypeGradError):
        return list(outputs)
    return [*outputs, *found]


class _Check:
    """Runs an optimizer on cases, and counts in `found` what it does until one fails."""

    def __init__(self, optimizer: GlobalOptimizer, unnamed: str, found: OptimizerCheck) -> None:
        self._optimizer, self._unnamed, self._found = optimizer, unnamed, found

    def problem(
        self, case: Case, texts: bool = True
    ) -> tuple[Disagreement | None, Any, Derivation | None]:
        """Return what is wrong with the optimized graph, the original graph, and the derivation.

        The first is None if nothing is wrong; all are None if the case is left out. For `texts` see
        `Recorder`.
        """
        try:
            reference = ReferenceGraph(case.inputs, case.outputs, case.values)
        except (ValueError, IndexError, AssertionError):
            # An op is not defined for these values: an integer to the power of -1, say.
            self._found.undefined += not self._found.has_failed
            return None, None, None
        if len(io_toposort(case.inputs, case.outputs)) > _LARGEST_GRAPH:
            return None, None, None
        fgraph = copy_for_optimizer(case.inputs, case.outputs)
        recorder = Recorder(texts)
        try:
            with fgraph.attached(recorder):
                self._optimizer.optimize(fgraph)
        except Exception as error:
            raises = Disagreement(None, f"the optimizer raises {type(error).__name__}: {error}")
            return raises, reference, None
        derivation = recorder.derivation([self._optimizer])
        sound = self.claim(derivation)
        if not self._found.has_failed:
            self._count(case, derivation, sound)
        return reference.compare(fgraph.inputs, fgraph.outputs, sound), reference, derivation

    def claim(self, steps: Iterable[Any]) -> str:
        """Return the soundness class of a sequence of steps."""
        return weakest(steps, self._unnamed) or self._unnamed

    def _count(self, case: Case, derivation: Derivation, sound: str) -> None:
        found = self._found
        made = sum(step.name not in MERGING for step in derivation)
        found.count(case.inputs, case.outputs)
        found.laws.update(step.name for step in derivation)
        found.compared[sound] += 1
        found.changed += made > 0
        found.replaced += made

    def explain(self, case: Case, given: Any) -> OptimizerCounterexample:
        """Return a counterexample for a failing case."""
        problem, reference, derivation = self.problem(case)
        assert problem is not None
        step = None if derivation is None else self._first_wrong(reference, derivation)
        where = "" if problem.output is None else f" of output {problem.output}"
        what = f"{self._found.name} does not keep the value{where}: {problem.reason}."
        if problem.expected is not None:
            what += f"\nexpected: {problem.expected!r}\nfound:    {problem.found!r}"
        source = reproduction_source(case, problem.output, given, self._optimizer, self._found.name)
        return OptimizerCounterexample(case, what, step, source)

    def _first_wrong(self, reference: ReferenceGraph, derivation: Derivation) -> Any:
        for count in range(1, len(derivation) + 1):
            fgraph = derivation.replay(steps=count)
            sound = self.claim(derivation[:count])
            if reference.compare(fgraph.inputs, fgraph.outputs, sound) is not None:
                return derivation[count - 1]
        return None


@dataclass
class LinkerCheck(GraphCheck):
    """The result of the check of a linker.

    Attributes
    ----------
    problem
        What is wrong, with Python source that reproduces it; None if nothing is.
    """

    problem: str | None = None

    @property
    def passed(self) -> bool:
        """Whether graphs were run and nothing was wrong."""
        return self.problem is None and self.graphs > 0

    def __str__(self) -> str:
        text = (
            f"{self.name}: {'passed' if self.passed else 'failed'} ({self.graphs} graphs, "
            f"{len(self.ops)} ops, {self.seconds:.1f} s)"
        )
        return text if self.problem is None else f"{text}\n{self.problem}"

    __repr__ = __str__


def check_linker(
    linker: str = "vm",
    optimizer: Any = None,
    graphs: st.SearchStrategy[RandomGraph] | None = None,
    examples: int = EXAMPLES,
    gradients: bool = True,
    seed: int = 0,
) -> LinkerCheck:
    """Check on random graphs that a linker gives the results of the reference, bit for bit.

    The reference is the `perform` of each node of the optimized graph in turn. Results with complex
    numbers may differ by rounding: NumPy rounds a complex product differently where it is written
    over one of its factors. So may all results of a linker that says `rounds`; values that it is
    given are not subnormal if it says `flushes`.

    Each function is called for two sets of values, and for the first set again after its results
    have been overwritten. It must not modify its arguments, and its results must not share storage
    with them or with the results of another call.

    Parameters
    ----------
    linker
        The name of the linker.
    optimizer
        The optimizer of the graphs: an argument of `Mode`, a `Mode`, or the name of one.
    graphs, examples, gradients, seed
        As for `check_optimizer`.
    """
    of_mode = get_mode(optimizer) if isinstance(optimizer, str) else optimizer
    mode = Mode(linker, of_mode.optimizer if isinstance(of_mode, Mode) else of_mode)
    found = LinkerCheck(linker if optimizer is None else f"{linker} ({optimizer})")
    strategy = random_graphs() if graphs is None else graphs

    def draw(from_: Any) -> Case:
        case = draw_case(from_, strategy, gradients)
        if getattr(mode.linker, "flushes", False):
            return replace(case, values=[_flushed(value) for value in case.values])
        return case

    problem = partial(_problem, mode, found)
    failing = found.failing(draw, problem, examples, seed)
    if failing is not None:
        found.problem = f"{problem(failing)}\n\n{_source(failing, linker, optimizer)}"
    return found


def _problem(mode: Mode, found: LinkerCheck, case: Case) -> str | None:
    """Return what is wrong with a case; None if nothing is. Graphs and ops are counted in `found`
    until one fails."""
    others = [_reversed(v) for v in case.values]
    # A wrong linker may overwrite its arguments.
    originals = [np.array(v) for v in case.values]
    try:
        for values in (case.values, others):
            evaluate_all(case.inputs, case.outputs, values)
    except (ValueError, IndexError, AssertionError):
        # An op is not defined for these values.
        return None
    try:
        run = function(case.inputs, case.outputs, mode=mode, on_unused_input="ignore")
        graph = run.maker.fgraph
        if not found.has_failed:
            found.count(graph.inputs, graph.outputs)
        rounds = getattr(mode.linker, "rounds", False)
        wrong = misbehaviour(run, graph, case.values, others, rounds)
        return next((why for why in wrong if why is not None), None)
    except Exception as error:
        return f"it raises {type(error).__name__}: {error}"
    finally:
        for value, copy in zip(case.values, originals, strict=True):
            if value.flags.writeable:
                value[...] = copy


def _flushed(value: Any) -> Any:
    """Return an array with zeros in the place of subnormal numbers."""
    if value.dtype.kind != "f":
        return value
    with np.errstate(invalid="ignore"):
        subnormal = np.abs(value) < np.finfo(value.dtype).tiny
    return np.where(subnormal, np.zeros_like(value), value) if subnormal.any() else value


def _reversed(value: Any) -> Any:
    """Return an array reversed along all axes: other values, which are valid indices too."""
    return np.array(value[(slice(None, None, -1),) * value.ndim])


def misbehaviour(
    run: Any, graph: Any, values: Sequence[Any], others: Sequence[Any], rounds: bool = False
) -> Iterator[str | None]:
    """Yield what is wrong with a function, or None, for one thing that may be wrong after another.

    Parameters
    ----------
    run
        The function that the linker made.
    graph
        The graph that it computes.
    values, others
        Two sets of values of its inputs.
    rounds
        Whether results may differ from the reference by rounding.
    """
    nodes = io_toposort(graph.inputs, graph.outputs)
    may_round = rounds or any(v.type.dtype in COMPLEXES for node in nodes for v in node.outputs)
    before = [np.array(v) for v in values]
    first = run(*values)
    kept = [np.array(r) for r in first]
    yield _wrong(graph, before, first, "the first call", may_round)
    for i, (value, copy) in enumerate(zip(values, before, strict=True)):
        if not bool(np.all(same_bits(np.asarray(value), copy))):
            yield f"argument {i} is modified"
        for k, result in enumerate(first):
            if np.shares_memory(result, value):
                yield f"result {k} shares storage with argument {i}"
    second = run(*(np.array(v) for v in others))
    yield _wrong(graph, others, second, "a call with other values", may_round)
    yield _difference(first, kept, "the first call, after the second one,")
    for result in (*first, *second):
        if result.flags.writeable:
            result.fill(1)
    yield _difference(run(*values), kept, "a call after the results were overwritten")


def _wrong(
    graph: Any, values: Sequence[Any], found: Sequence[Any], when: str, may_round: bool
) -> str | None:
    """Return how results differ from the reference; None if they don't, or by rounding that is
    allowed."""
    wrong = _difference(found, evaluate_outputs(graph.inputs, graph.outputs, values), when)
    if wrong is None or not may_round:
        return wrong
    reference = ReferenceGraph(graph.inputs, graph.outputs, values)
    return None if reference.accepts(found) else wrong


def _difference(found: Sequence[Any], expected: Sequence[Any], when: str) -> str | None:
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if not isinstance(a, np.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
            return f"output {i} of {when} is {a!r}, which is no array like {b!r}"
        if not bool(np.all(same_bits(a, b))):
            return f"output {i} of {when} differs\nexpected: {b!r}\nfound:    {a!r}"
    return None


def _source(case: Case, linker: str, optimizer: Any) -> str:
    by_name = f"get_mode({optimizer!r}).optimizer" if isinstance(optimizer, str) else "optimizer"
    expression = "None" if optimizer is None else by_name
    return case.source(
        "from relgraph.compile import Mode, function\n"
        "from relgraph.compile.mode import get_mode\n"
        "from relgraph.graph.reference import evaluate\n",
        f"mode = Mode({linker!r}, {expression})\n"
        "f = function(inputs, outputs, mode=mode, on_unused_input='ignore')\n"
        "print(evaluate(outputs, dict(zip(inputs, values))))\n"
        "print(f(*values))\n",
    )
