"""What `help` says of each public name: computed texts of ops, and docstrings of functions."""

import inspect
import pickle
import pydoc
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.__main__ import main
from relgraph.graph.op import Op
from relgraph.scalar.composite import Composite
from relgraph.scalar.named import PartOp
from relgraph.scalar.type import get_scalar_type
from relgraph.tensor.constructors import Constructor, PluralConstructor
from relgraph.tensor.elemwise import Elemwise

MODULES = (at, at.fft, at.linalg, at.random, at.special)


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the name and value of each public callable of `relgraph.tensor` that is no class."""
    for module in MODULES:
        for name in dir(module):
            value = getattr(module, name)
            home = getattr(value, "__module__", "relgraph.") or "relgraph."
            known = home.startswith("relgraph.tensor") and not name.startswith("_")
            if known and callable(value) and not inspect.isclass(value):
                yield f"{module.__name__}.{name}", value


CALLABLES = dict(public_callables())
COMPUTED = {
    name: value
    for name, value in CALLABLES.items()
    if isinstance(value, Op | Constructor | PluralConstructor)
}
OPS = {name: value for name, value in COMPUTED.items() if isinstance(value, Elemwise)}


@cache
def text_of(value: Any) -> str:
    """Return the computed text of an object, which takes some time."""
    return value.__doc__ or ""


def parameters(value: Any) -> list[str]:
    return list(inspect.signature(value).parameters)


def test_the_public_names_are_found() -> None:
    assert len(CALLABLES) > 700
    assert len(OPS) > 250
    assert {type(value) for value in COMPUTED.values()} == {
        *(Elemwise, Constructor, PluralConstructor)
    }


@pytest.mark.parametrize("name", COMPUTED)
def test_a_computed_text(name: str) -> None:
    value = COMPUTED[name]
    text = text_of(value)
    assert text != inspect.getdoc(type(value))
    lines = text.splitlines()
    assert 8 < len(lines) <= 25, text
    assert max(map(len, lines)) <= 90
    assert lines[0].startswith(f"{getattr(value, '__name__', value)}(")
    assert not [p for p in parameters(value) if not re.search(rf"\b{p}\b", text)]


def test_no_two_computed_texts_are_equal() -> None:
    values = {id(value): value for value in COMPUTED.values()}.values()
    assert len({text_of(value) for value in values}) == len(values)


@pytest.mark.parametrize("name", OPS)
def test_an_example_is_what_evaluation_gives(name: str) -> None:
    text = text_of(OPS[name])
    found = re.search(r"^>>> (\w+)(\(.*\))\.eval\(\)\n((?:.|\n)*?)\n\n", text, re.M)
    assert found is not None
    assert found[1] == str(OPS[name])
    result = eval(f"f{found[2]}", {"f": OPS[name]}).eval()
    assert repr(result) == found[3]
    assert np.isfinite(result).all()


@pytest.mark.parametrize("name", sorted(CALLABLES.keys() - COMPUTED.keys()))
def test_a_docstring(name: str) -> None:
    """It names the parameters, and its example gives what it says."""
    value = CALLABLES[name]
    text = inspect.getdoc(value) or ""
    assert len(text.splitlines()) > 1
    assert not [p for p in parameters(value) if not re.search(rf"\b{p}\b", text)]
    namespace = {**vars(at), name.rpartition(".")[2]: value, "float": float}
    for source, result in re.findall(r"^>>> (.*\.eval\(\))\n((?:.+\n?)*)", text, re.M):
        assert repr(eval(source, namespace)) == result.rstrip()


def test_help_of_an_op_describes_it() -> None:
    assert inspect.getdoc(at.exp) == at.exp.__doc__ == text_of(at.exp)
    text = pydoc.plain(pydoc.render_doc(at.exp))
    assert "The exponential of `x`" in text
    assert ">>> exp([0.0, 1.0]).eval()" in text
    assert "Its derivative: by x, exp(x)." in text
    assert "log-exp" in text
    assert "scalar_op" not in text
    assert len(text.splitlines()) <= 25


def test_help_of_a_class_describes_the_class() -> None:
    for cls in (Elemwise, Constructor, PluralConstructor):
        doc = cls.__doc__ or ""
        assert "Parameters" in doc
        assert doc.splitlines()[0] in pydoc.plain(pydoc.render_doc(cls))


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (at.exp, "(x)"),
        (at.arctan2, "(y, x)"),
        (at.sub, "(x, y)"),
        (at.add, "(*xs)"),
        (at.switch, "(condition, x, y)"),
        (at.clip, "(x, low, high)"),
        (at.ldexp, "(x1, x2)"),
        (at.special.jv, "(v, z)"),
        (at.log_product, "(y, z, *xs)"),
    ],
)
def test_signatures(function: Any, signature: str) -> None:
    assert str(inspect.signature(function)) == signature


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (at.arctan2, "by y, x / (sqr(x) + sqr(y)); by x, -(y / (sqr(x) + sqr(y)))"),
        (at.sign, "Its derivative: by x, 0."),
        (at.eq, "It has no derivative."),
        (at.special.agm, "It has no derivative."),
        (at.ldexp, "by x1, exp2(x2); by x2, 0"),
        (at.add, "for the inputs x and y: by x, 1; by y, 1"),
        (at.special.jv, "Its derivative: by z,"),
        (at.sqrt, "Of bool the result is float16; of int64 it is float64"),
        (at.lt, "The result is bool."),
        (at.switch, "The dtype is that of x and y."),
        (at.invert, "not defined for float32, float64 and complex128"),
        (at.dvector, "A new variable of rank 1 and dtype float64."),
        (at.matrix, "``config.floatX``"),
        (at.vectors, "each made by `vector`"),
    ],
)
def test_what_is_said(function: Any, said: str) -> None:
    assert said in " ".join(text_of(function).split())


def test_an_op_of_a_graph_has_a_text_too() -> None:
    x = at.dvector("x")
    cast = at.cast(x, "float32").owner.op.__doc__ or ""
    assert "cast{float32}(x)\n\nConverts a number" in cast
    assert "Its derivative: by x, 1." in cast
    a, b = [get_scalar_type("float64").make_variable(name) for name in "ab"]
    both = Elemwise(Composite([a, b], [scalar.add(a, b), scalar.mul(a, b)])).__doc__ or ""
    assert "x, y\n    Tensors whose shapes broadcast." in both
    part = Elemwise(PartOp("sici.1")).__doc__ or ""
    assert "Output 1 of ``scipy.special.sici``, elementwise." in part
    assert ">>>" not in (Elemwise(at.exp.scalar_op, {0: 0}).__doc__ or "")


def test_a_text_does_not_change_the_op() -> None:
    before = dict(vars(at.tanh))
    assert at.tanh.__doc__
    assert vars(at.tanh).keys() == before.keys()
    assert pickle.loads(pickle.dumps(at.tanh)) is at.tanh
    assert (repr(at.tanh), hash(at.tanh)) == ("tanh", hash(Elemwise(at.tanh.scalar_op)))


def test_laws_about_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"\((\d+);\s`relgraph\s(laws\s--about\sexp)`\)", at.exp.__doc__ or "")
    assert found is not None
    assert main(found[2].split()) == 0
    assert f"\n{found[1]} laws" in capsys.readouterr().out
