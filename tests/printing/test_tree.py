"""Graphs as trees."""

import io
from typing import Any

import pytest

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import HasInnerGraph, Op
from relgraph.printing import MAX_NESTING, debugprint, dprint, letters
from relgraph.scalar import add, exp, float64, mul


def text(graph: Any, **options: Any) -> str:
    printed = dprint(graph, file="str", **options)
    assert printed is not None
    return printed


class TwoOutputs(Op):
    """An op with two outputs."""

    __props__ = ()
    destroy_map = {0: [0]}
    view_map = {1: [0]}

    def make_node(self, x: Variable) -> Apply:
        return Apply(self, [x], [x.type(), x.type()])


class Inner(Op, HasInnerGraph):
    """An op that stands for exp(a)."""

    __props__ = ()

    def __init__(self) -> None:
        self.a = float64("a")
        self.b = exp(self.a)

    def make_node(self, x: Variable) -> Apply:
        return Apply(self, [x], [x.type()])

    @property
    def fn(self) -> Any:
        return None

    @property
    def inner_inputs(self) -> list[Variable]:
        return [self.a]

    @property
    def inner_outputs(self) -> list[Variable]:
        return [self.b]


def test_documented_form() -> None:
    y, x, z = float64("y"), float64("x"), float64("z")
    assert text(add(y, y)) == "add [id A] ''\n |y [id B]\n |y [id B]\n"
    assert text(mul(x, y, z)) == "mul [id A] ''\n |x [id B]\n |y [id C]\n |z [id D]\n"


def test_prints_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    y = float64("y")
    assert debugprint(add(y, y)) is None
    assert capsys.readouterr().out == "add [id A] ''\n |y [id B]\n |y [id B]\n"


def test_prints_to_a_file() -> None:
    file = io.StringIO()
    dprint(float64("y"), file=file)
    assert file.getvalue() == "y [id A]\n"


def test_nesting_and_repetition() -> None:
    x, y = float64("x"), float64("y")
    s = add(x, y)
    assert text(mul(mul(s, x), s)) == (
        "mul [id A] ''\n"
        " |mul [id B] ''\n"
        " | |add [id C] ''\n"
        " | | |x [id D]\n"
        " | | |y [id E]\n"
        " | |x [id D]\n"
        " |add [id C] ''\n"
        "   |···\n"
    )


def test_depth_and_type_and_names() -> None:
    x = float64("x")
    e = exp(exp(x, name="inner"))
    assert text(e, depth=2) == "exp [id A] ''\n |exp [id B] 'inner'\n"
    assert text(e, depth=1, print_type=True) == "exp [id A] <float64> ''\n"


def test_kinds_of_ids() -> None:
    x = float64("x")
    assert text(exp(x), id_type="int") == "exp [id 0] ''\n |x [id 1]\n"
    assert text(exp(x), id_type="") == "exp ''\n |x\n"
    assert f"|x [id {id(x)}]" in text(exp(x), id_type="auto")
    with pytest.raises(ValueError, match="id_type is"):
        text(x, id_type="char")


@pytest.mark.parametrize(
    ("number", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (27, "AB"), (701, "ZZ"), (702, "AAA")]
)
def test_letters(number: int, name: str) -> None:
    assert letters(number) == name


def test_what_can_be_printed() -> None:
    x, y = float64("x"), float64("y")
    s = add(x, y)
    assert text(s.owner) == text([s]) == text(s)
    fgraph = FunctionGraph([x, y], [exp(s)], clone=False)
    assert text(fgraph) == "exp [id A] '' 1\n |add [id B] '' 0\n   |x [id C]\n   |y [id D]\n"

    class Compiled:
        class maker:
            pass

    Compiled.maker.fgraph = fgraph  # type: ignore[attr-defined]
    assert text(Compiled()) == text(fgraph)
    with pytest.raises(TypeError, match="'x' can't be printed as a graph"):
        dprint("x")


def test_outputs_and_maps() -> None:
    a, b = TwoOutputs()(float64("x"))
    assert text([a, b], print_destroy_map=True, print_view_map=True) == (
        "TwoOutputs.0 [id A] '' d={0: [0]} v={1: [0]}\n"
        " |x [id B]\n"
        "TwoOutputs.1 [id A] '' d={0: [0]} v={1: [0]}\n"
        " |···\n"
    )


def test_inner_graphs_follow() -> None:
    assert text(Inner()(float64("x"))) == (
        "Inner [id A] ''\n"
        " |x [id B]\n"
        "\n"
        "Inner graphs:\n"
        "\n"
        "Inner [id A] ''\n"
        " >exp [id C] ''\n"
        " > |a [id D]\n"
    )


def test_long_chain() -> None:
    length = 100_000
    x = float64("x")
    e = x
    for _ in range(length):
        e = exp(e)
    assert len(text(e, depth=5).splitlines()) == 5
    full = text(e)
    postponed = full.count("Continued:")
    assert length // MAX_NESTING <= postponed <= length // (MAX_NESTING - 2)
    assert full.count("exp [id") == length + postponed
    assert full.endswith(f"|x [id {letters(length)}]\n")
