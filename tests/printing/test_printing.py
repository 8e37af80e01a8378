"""Graphs as formulas and as trees, and printing while a graph runs."""

import io
import math
from collections.abc import Iterable
from typing import Any

import pytest

import relgraph.scalar as rs
import relgraph.tensor as at
from relgraph.gradient import grad
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import HasInnerGraph, Op
from relgraph.graph.reference import evaluate
from relgraph.printing import (
    MAX_NESTING,
    DefaultPrinter,
    FunctionPrinter,
    IgnorePrinter,
    OperatorPrinter,
    PatternPrinter,
    Print,
    Printer,
    PrinterState,
    debugprint,
    dprint,
    letters,
    pprint,
)
from relgraph.scalar import add, exp, float64, mul
from relgraph.tensor.math import _dot

x, y, z = float64("x"), float64("y"), float64("z")
v, A, i = at.vector("v"), at.matrix("A"), at.lscalar("i")
FORMULAS = {
    "(x + y + z)": rs.add(x, y, z),
    "((((-x) * y) / z) - x)": -x * y / z - x,
    "(x ** y)": x**y,
    "(x < y)": x < y,
    "exp((x + y))": rs.exp(x + y),
    "(A + 1.5)": A + 1.5,
    "(A * 1.0)": A * at.constant([[1.0, 1.0]]),
    "(two + v)": at.constant([2.0, 2.0], name="two") + v,
    "(A + nan)": A + float("nan"),
    "(A + v)": A + v,
    "A.T": A.T,
    "v[None]": v.dimshuffle("x", 0),
    "(v[:, None] * v)": v[:, None] * v[None],
    "A.dimshuffle(1, 'x', 0)": A.dimshuffle(1, "x", 0),
    "sum(A)": at.sum(A),
    "sum(A, axis=(1,))": at.sum(A, axis=1),
    "max(A, axis=(1,), keepdims=True)": at.max(A, axis=1, keepdims=True),
    "mean(A, axis=(0,), keepdims=True)": at.mean(A, axis=0, keepdims=True),
    "mean(A, axis=(1,), keepdims=True)": at.mean(A, axis=1, keepdims=True),
    "mean(A, keepdims=True)": at.mean(A, keepdims=True),
    "(A - mean(A, axis=(0,)))": A - at.mean(A, axis=0),
    "(sum((v ** 2.0)) / len(v))": at.sum(v**2) / at.shape_i(v, 0),
    "A.shape[1]": A.shape[1],
    "A[:, i]": A[:, i],
    "set_subtensor(v[1:i], 0.0)": at.set_subtensor(v[1:i], 0.0),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas(formula: str) -> None:
    assert pprint(FORMULAS[formula]) == formula


def test_infix_ops_of_ones_own() -> None:
    w, pp = at.vector("w"), pprint.clone()
    pp.assign(_dot, OperatorPrinter("@", 1, "left"))
    assert pp(A.dot(v + w)) == "(A @ (v + w))"
    assert pp(A.dot(v) + A.dot(w)) == "((A @ v) + (A @ w))"
    pp.assign(_dot, OperatorPrinter("·", -1, "left"))
    assert pp(A.dot(v + w) + v, minimal=True) == "A · (v + w) + v"


def test_minimal_parentheses() -> None:
    assert pprint(x * y + rs.softplus(-x), minimal=True) == "x * y + softplus(-x)"


class Pair(Op):
    """An op with two outputs."""

    __props__ = ()

    def make_node(self, x: Variable, y: Variable) -> Apply:
        return Apply(self, [x, y], [x.type(), y.type()])


def test_printers() -> None:
    a, b = Pair()(x, y)
    pp = pprint.clone()
    assert [pp(a), pp(b)] == ["Pair.0(x, y)", "Pair.1(x, y)"]
    pp.assign(Pair(), FunctionPrinter(["first", "second"]))
    assert pp([a, b]) == "[first(x, y), second(x, y)]"
    pp.assign(Pair(), PatternPrinter(("<%(1)s|%(0)s>", -1000), "%(0)s"))
    assert pp([a, b]) == "[<y|x>, x]"
    pp.assign(Pair(), IgnorePrinter())
    assert pp(b) == "x"
    pp.assign(Pair(), DefaultPrinter())
    assert pp(b) == "Pair.1(x, y)"
    assert pprint.clone()(b) == "Pair.1(x, y)", "the original is not changed"


def test_conditions() -> None:
    pp = pprint.clone()
    pp.assign(Pair, FunctionPrinter(["by_class"] * 2))
    assert pp(Pair()(x, y)[0]) == "by_class(x, y)"
    pp.assign(lambda pstate, v: v.name == "x", PatternPrinter("X"))
    with pytest.raises(TypeError, match="x is not one"):
        pp(x)

    class Shout(Printer):
        def process(self, var: Variable, pstate: PrinterState) -> str:
            return "X!"

    pp.assign(lambda pstate, v: v.name == "x", Shout())
    assert pp(Pair()(x, y)[0]) == "by_class(X!, y)"
    with pytest.raises(TypeError, match="is not an Op, an Op class or a predicate"):
        pp.assign("add", IgnorePrinter())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="assoc is"):
        OperatorPrinter("+", 1, "middle")


def test_a_printer_may_ask_for_the_text_of_an_argument() -> None:
    class Loud(Printer):
        def process(self, var: Variable, pstate: PrinterState) -> Iterable[str]:
            assert var.owner is not None
            return [pstate.pprinter.process(var.owner.inputs[0], pstate).upper(), "!"]

    pp = pprint.clone()
    pp.assign(rs.exp, Loud())
    assert pp(rs.exp(x + y)) == "(X + Y)!"


def test_several_outputs() -> None:
    assert pprint(FunctionGraph([x, y], [x + y, x])) == "[(x + y), x]"
    with pytest.raises(TypeError, match="is not a Variable"):
        pprint([1])  # type: ignore[list-item]


def test_what_a_long_formula_repeats_has_a_name() -> None:
    e = rs.exp(float64("x") + float64("t1"))
    for _ in range(3):
        e = e * rs.tanh(e)
    assert "t0" not in pprint(e), "what is short is written out"
    for _ in range(30):
        e = e * rs.tanh(e)
    *definitions, formula = pprint([e, rs.neg(e)]).splitlines()
    assert definitions[:2] == [
        "t0 = exp((x + t1))",
        "t2 = (t0 * tanh(t0))",
    ]
    assert formula == "[t34, (-t34)]"
    assert len(definitions) == 34


def test_the_names_say_what_is_written_out_elsewhere() -> None:
    e = x + 1.0
    for _ in range(9):
        e = (e * 0.5) / (rs.sin(e) + 2.0)
    *definitions, formula = pprint(e).splitlines()
    values = {"x": 0.3, "sin": math.sin}
    for line in definitions:
        name, _, meaning = line.partition(" = ")
        values[name] = eval(meaning, {}, values)
    expected = 1.3
    for _ in range(9):
        expected = (expected * 0.5) / (math.sin(expected) + 2.0)
    assert eval(formula, {}, values) == pytest.approx(expected)


def test_text_asked_for_by_a_printer_is_not_repeated_either() -> None:
    class Squared(Printer):
        def process(self, var: Variable, pstate: PrinterState) -> str:
            assert var.owner is not None
            text = pstate.pprinter.process(var.owner.inputs[0], pstate)
            return f"{text}*{text}"

    pp = pprint.clone()
    pp.assign(rs.sqr, Squared())
    e = x
    for _ in range(60):
        e = rs.sqr(e)
    lines = pp(e).splitlines()
    assert len("".join(lines)) < 60_000
    assert lines[0].startswith("t0 = x*x*x") and lines[-1].startswith("t")


# Graphs as trees.


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
    """An op that represents exp(a)."""

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
    assert text(add(y, y)) == "add [id A] ''\n |y [id B]\n |y [id B]\n"
    assert text(mul(x, y, z)) == "mul [id A] ''\n |x [id B]\n |y [id C]\n |z [id D]\n"


def test_where_it_prints_to(capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    assert debugprint(y) is dprint(y, file=file) is None
    assert capsys.readouterr().out == file.getvalue() == "y [id A]\n"


def test_nesting_and_repetition() -> None:
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
    e = exp(exp(x, name="inner"))
    assert text(e, depth=2) == "exp [id A] ''\n |exp [id B] 'inner'\n"
    assert text(e, depth=1, print_type=True) == "exp [id A] <float64> ''\n"


def test_kinds_of_ids() -> None:
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
    a, b = TwoOutputs()(x)
    assert text([a, b], print_destroy_map=True, print_view_map=True) == (
        "TwoOutputs.0 [id A] '' d={0: [0]} v={1: [0]}\n"
        " |x [id B]\n"
        "TwoOutputs.1 [id A] '' d={0: [0]} v={1: [0]}\n"
        " |···\n"
    )


def test_inner_graphs_follow() -> None:
    assert text(Inner()(x)) == (
        "Inner [id A] ''\n"
        " |x [id B]\n"
        "\n"
        "Inner graphs:\n"
        "\n"
        "Inner [id A] ''\n"
        " >exp [id C] ''\n"
        " > |a [id D]\n"
    )


def test_tree_long_chain() -> None:
    length = 20_000
    e = x
    for _ in range(length):
        e = exp(e)
    assert len(text(e, depth=5).splitlines()) == 5
    full = text(e)
    postponed = full.count("Continued:")
    assert length // MAX_NESTING <= postponed <= length // (MAX_NESTING - 2)
    assert full.count("exp [id") == length + postponed
    assert full.endswith(f"|x [id {letters(length)}]\n")


# Printing while a graph runs.


def test_prints_and_passes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate([Print("here:")(x) * 2], {x: 3.0}) == [6.0]
    assert capsys.readouterr().out == "here: 3.0\n"


def test_is_one_op_and_a_view() -> None:
    assert Print("a") is Print("a")
    assert Print("a") is not Print("b")
    assert Print("a").view_map == {0: [0]}
    with pytest.raises(TypeError, match="takes one input, not 2"):
        Print()(x, y)


def test_has_a_gradient() -> None:
    g = grad(Print("a")(x) * x, x)
    assert evaluate([g], {x: 3.0}) == [6.0]
