"""`Graph Rewriting`, profiling: the reports that `function` prints, and the same as data.

The numbers are the document's own affair; labels and layout are compared. `Aesara` is read as
`relgraph`, the linker generates no C. The copy lost the dashes of the lines (``0.751816s -
('canonicalize', ...) - 0.004s``) and the signs of exponents (``2.790451e-02s``).
"""

import io
import re
from collections.abc import Callable
from typing import Any

import pytest

import relgraph
import relgraph.tensor as at
from relgraph.compile import Mode, optdb
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    EquilibriumRecord,
    MergeOptimizer,
    PatternSub,
    SequenceOptimizer,
    SequenceRecord,
    in2out,
    profile_rows,
)
from tests.documents.blocks import REWRITING, runs

FUNCTION = [
    "Function profiling",
    "==================",
    "  Message: {message}",
    "  Time in 0 calls to Function.__call__: #s",
    "  Total compile time: #s",
    "    Number of Apply nodes: {nodes}",
    "    relgraph Optimizer time: #s",
    "       relgraph validate time: #s",
    "    relgraph Linker time (includes code generation/compiling): #s",
    "       Import time #s",
    "  Time in all call to relgraph.grad() #s",
]


def mask(text: str) -> list[str]:
    """Return the lines of a report without its times."""
    return re.sub(r"\d+\.\d+(e[+-]\d\d)?", "#", text).splitlines()


@pytest.fixture
def model():
    """A vector, and a graph over it that all phases have something to do with."""
    x = at.dvector("x")
    return x, at.log(1 / (1 + at.exp(-x))) + (x + x) * (x + x) * 1


def profiled(model: Any, **options: Any) -> Any:
    """Return a function of the model whose optimizers are profiled."""
    x, y = model
    with relgraph.config.change_flags(profile_optimizer=True):
        return relgraph.function([x], y, profile=True, **options)


@pytest.fixture
def printed(model, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Make a function of the model under some settings, and return what that printed."""

    def made(**flags: bool) -> str:
        x, y = model
        with relgraph.config.change_flags(**flags):
            relgraph.function([x], y, name="PATH_TO_A_FILE:23")
        out, err = capsys.readouterr()
        assert out == ""
        return err

    return made


# what a program prints
@runs(REWRITING, "Profiling function compilation", "Function profiling")
def test_function_profiling(printed) -> None:
    assert printed(profile=False) == ""
    lines = mask(printed(profile=True))
    nodes = int(re.search(r"Apply nodes: (\d+)", lines[5])[1])  # type: ignore[index]
    values = {"message": "PATH_TO_A_FILE:23", "nodes": nodes}
    assert lines == [line.format(**values) for line in FUNCTION]


def test_function_profiling_the_time_of_grad() -> None:
    x = at.dscalar("x")
    before = relgraph.function([x], x, profile=True).profile.grad_time
    relgraph.grad(at.exp(x) * x, x)
    assert relgraph.function([x], x, profile=True).profile.grad_time > before


def test_detailed_profiling_needs_both_settings(printed) -> None:
    assert printed(profile_optimizer=True) == ""
    assert "Optimizer Profile" not in printed(profile=True)


# what a program prints
@runs(
    REWRITING,
    "Detailed profiling of optimizations",
    "Optimizer Profile",
    "0.751816s ('canonicalize', 'EquilibriumOptimizer', 4) (explained)",
)
def test_detailed_profiling(printed) -> None:
    """What each phase says below its line, `tests/graph/opt/test_profile.py` compares whole."""
    lines = mask(printed(profile=True, profile_optimizer=True))
    start = lines.index("Optimizer Profile")
    assert lines[start - 1] == ""
    assert lines[start + 1] == "-" * len("Optimizer Profile")
    head = lines[start + 2 : start + 6]
    assert re.fullmatch(
        r"SeqOptimizer optdb time #s for \d+/\d+ nodes before/after optimization", head[0]
    )
    assert head[1:] == [
        "  #s for fgraph.validate()",
        "  #s for callback",
        "  time      - (name, class, index) - validate time",
    ]
    body = lines[start + 6 :]
    phases = {0: "merge1", 2: "canonicalize", 3: "stabilize", 4: "specialize"}
    for index, name in phases.items():
        kind = "Merge" if name.startswith("merge") else "Equilibrium"
        assert f"  #s - ('{name}', '{kind}Optimizer', {index}) - #s" in body
        assert kind == "Merge" or f"    EquilibriumOptimizer {name}" in body


# what a program prints
@runs(
    REWRITING,
    "Detailed profiling of optimizations",
    "Optimizer Profile / SeqOptimizer OPT_FAST_RUN (explained)",
)
def test_detailed_profiling_of_a_sequence(model) -> None:
    """The explained head; then the steps by the time they took, each indented below its line."""
    inner = SequenceOptimizer(
        MergeOptimizer(), in2out(PatternSub((at.exp, "v"), "v"), name="noexp")
    )
    inner.name = "inner"
    outer = SequenceOptimizer(inner)
    outer.name = "OPT_FAST_RUN"
    f = profiled(model, mode=Mode(optimizer=outer))
    _, record = f.profile.optimizer_profile
    out = io.StringIO()
    f.profile.summary(out)
    lines = mask(out.getvalue())
    nodes = r"\d+/\d+ nodes before/after optimization"
    start = next(i for i, line in enumerate(lines) if "OPT_FAST_RUN" in line)
    assert re.fullmatch(rf"SeqOptimizer OPT_FAST_RUN time #s for {nodes}", lines[start])
    assert lines[start + 4] == "  #s - ('inner', 'SequenceOptimizer', 0) - #s"
    assert re.fullmatch(rf"    SeqOptimizer inner time #s for {nodes}", lines[start + 5])
    assert "      #s - ('noexp', 'TopoOptimizer', 1) - #s" in lines
    topo = lines.index("        TopoOptimizer noexp")
    assert re.fullmatch(r" +nb_node \(start, end, changed\) \(\d+, \d+, 1\)", lines[topo + 1])
    for line, label in zip(
        lines[topo + 2 :], ("init io_toposort", "loop time", "callback_time"), strict=False
    ):
        assert line.startswith(f"{' ' * 12}{label} ")
    steps = {s.optimizer.name: s.time for s in record.steps[0].profile.steps}
    printed = [re.findall("'([a-zA-Z]+)', '", s)[0] for s in lines if s.startswith("      #s - (")]
    assert printed == sorted(steps, key=lambda name: -steps[name])


def test_profile_as_data(model) -> None:
    f = profiled(model)
    f([1.0])
    profile = f.profile
    assert profile.calls == 1 and profile.call_time > 0
    assert profile.nodes == len(f.maker.fgraph.apply_nodes)
    assert profile.compile_time > profile.optimizer_time > 0
    assert profile.linker_time > profile.import_time > 0
    optimizer, record = profile.optimizer_profile
    assert isinstance(record, SequenceRecord) and record.nodes_after == profile.nodes
    assert [s.optimizer.name for s in record.steps] == [o.name for o in optimizer]
    (stabilize,) = [s.profile for s in record.steps if s.optimizer.name == "stabilize"]
    assert isinstance(stabilize, EquilibriumRecord) and stabilize.stop_reason == "fixpoint"
    assert stabilize.applied["log-sigmoid"] == 1
    assert sum(sum(p.applied.values()) for p in stabilize.passes) == sum(stabilize.applied.values())
    used = {r.name for r in stabilize.rewriters.values() if r.applied}
    assert used < {r.name for r in stabilize.rewriters.values()} <= set(optdb["stabilize"]) | used


def test_profile_as_a_table(model) -> None:
    f = profiled(model, name="a<b")
    rows = profile_rows(*f.profile.optimizer_profile)
    assert (rows[0].name, rows[0].kind) == ("optdb", "SequenceOptimizer")
    below = [row for row in rows if re.match(r"  \S", row.name)]
    assert {row.name.strip() for row in below} == {o.name for o in f.profile.optimizer_profile[0]}
    assert [row.time for row in below] == sorted((row.time for row in below), reverse=True)
    (law,) = [row for row in rows if row.name == "    log-sigmoid"]
    assert law.applied == 1 and law.created > 0 and law.time > 0
    html = f.profile._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 2
    assert "<caption>Function profiling: a&lt;b</caption>" in html
    assert "<script>" in html and "data-sort" in html
    for text in ("Total compile time", "log-sigmoid", "canonicalize", "validate time"):
        assert text in html
    assert html.count("<tr>") == html.count("</tr>") == len(FUNCTION) - 3 + len(rows) + 1
    x, y = model
    plain = relgraph.function([x], y, profile=True).profile._repr_html_()
    assert plain.count("<table>") == 1


def test_local_optimizers_may_answer_with_a_dict() -> None:
    """The last paragraph: a client of the node is replaced, and not the node."""
    x = at.dvector("x")

    class SinkNeg(relgraph.graph.LocalOptimizer):
        def transform(self, fgraph, node):
            (client, _), *others = fgraph.clients[node.outputs[0]]
            if node.op != at.neg or others or getattr(client, "op", None) != at.sinh:
                return False
            return {client.outputs[0]: -at.sinh(node.inputs[0])}

    fgraph = relgraph.graph.FunctionGraph([x], [at.exp(at.sinh(-x))])
    EquilibriumOptimizer([SinkNeg()]).optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(exp(neg(sinh(x))))"
