"""Forms as functions of other languages compute what the forms compute."""

from __future__ import annotations

import argparse
import ctypes
import functools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from relgraph.commands.improve import add_arguments
from relgraph.formulas.expressions import Expr, apply, in_floats, inputs_of, named, ops_by_name
from relgraph.formulas.expressions import scaled_product as scaled
from relgraph.formulas.sources import LANGUAGES
from relgraph.search.accuracy import NotSupported, from_fpcore, improve, page, parsed, source

x, y, z = map(named, "xyz")
CC = shutil.which("cc")
POINTS = np.array([0.0, 1e-300, -1e-9, 0.3, -0.5, 0.99, 1.5, -2.0, 30.0, -800.0, 1e200])

NEAR_ZERO = ("x_less_sin", "tan_less_x", "log1pmx", "log1p_sqr", "hypot1m1", "log_cosh")
FORMS = {
    "choice": parsed("where(abs(x) < 1, log1p(x), sqrt(x * x + 1))"),
    "conditions": parsed("where((x > 0) & ~(x > 1) | (x == -2), x, exp(x))"),
    "numbers": parsed("pi * x + math.e + 1e-300 - 7 + x**3"),
    "functions": parsed("arctan2(sinh(x), cosh(x)) + cbrt(x) - hypot(x, 2) + minimum(x, 3)"),
    "sign": parsed("-(x - -x) / -2"),
    "names": parsed("exp(x * x + 1) / (exp(x * x + 1) + 1)"),
    "the sign of a number": apply("sign", x),
    "softplus": apply("softplus", x),
    "sigmoid": apply("sigmoid", x),
    "cosm1": apply("cosm1", x),
    "add_error": apply("add_error", x, y),
    "mul_error": apply("mul_error", x, y),
    "fma": apply("fma", x, y, z),
    "squares": apply("sqr_less_sqr", x, y),
    "length": apply("add", apply("length", x, y), apply("length", x, y, z)),
    "clip": apply("clip", x, parsed("-1"), y),
    "log1mexp": apply("log1mexp", parsed("-abs(x)")),
    **{name: apply(name, x) for name in NEAR_ZERO},
    "scaled product": scaled((x, y, y), (z, z)),
}


def values(form: Expr) -> dict[str, Any]:
    grids = np.meshgrid(*[POINTS + k / 8 for k, _ in enumerate(inputs_of(form))])
    return {n: g.reshape(-1) for n, g in zip(inputs_of(form), grids, strict=True)}


def assert_close(found: Any, form: Expr, given: dict[str, Any]) -> None:
    expected = in_floats(form, given)
    # how a function that is written out overflows is its own
    usual = np.isfinite(expected) & (np.abs(expected) > 1e-290) | (expected == 0)
    assert usual.sum() > len(usual) / 2
    np.testing.assert_allclose(np.asarray(found)[usual], expected[usual], rtol=4e-15, atol=1e-290)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("language", ["numpy", "jax"])
def test_in_python(name: str, language: str) -> None:
    form, namespace = FORMS[name], dict[str, Any]()
    given = values(form)
    exec(source(form, inputs_of(form), language, "made"), namespace)
    with np.errstate(all="ignore"), jax.enable_x64(True):
        assert_close(namespace["made"](**given), form, given)


@pytest.mark.skipif(CC is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", FORMS)
def test_in_c(name: str, tmp_path: Path) -> None:
    form = FORMS[name]
    given, text = values(form), source(form, inputs_of(form), "c", "made")
    (tmp_path / "made.c").write_text(text)
    flags = ["-std=gnu99", "-O2", "-ffp-contract=off", "-Wall", "-Werror", "-shared", "-fPIC"]
    command = [str(CC), *flags, "made.c", "-o", "made.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    made = ctypes.CDLL(str(tmp_path / "made.so")).made
    made.restype, made.argtypes = ctypes.c_double, [ctypes.c_double] * len(given)
    assert_close([made(*row) for row in zip(*given.values(), strict=True)], form, given)


@pytest.mark.parametrize("name", [n for n in FORMS if n != "scaled product"])
def test_in_fpcore(name: str) -> None:
    form = FORMS[name]
    (core,) = from_fpcore(source(form, inputs_of(form), "fpcore"))
    given = values(form)
    assert_close(in_floats(core.expr, given), form, given)


def test_the_command_takes_all_languages() -> None:
    command = argparse.ArgumentParser()
    add_arguments(command)
    for language in LANGUAGES:
        assert command.parse_args(["x", "--source", language]).source == language


def test_a_helper_has_a_name_of_its_own() -> None:
    namespace: dict[str, Any] = {}
    exec(source(apply("cosm1", named("cosm1_")), ["cosm1_"], name="cosm1"), namespace)
    assert namespace["cosm1"](1e-8) == pytest.approx(-5e-17, rel=1e-15)


@pytest.mark.parametrize("language", ["numpy", "c"])
def test_inputs_get_names_that_the_language_has(language: str) -> None:
    # formulas of FPCore have such names
    names = ["z.re", "z_re", "np", "exp", "double", "2nd", "lambda"]
    form = functools.reduce(lambda a, b: apply("add", a, b), map(named, names))
    text = source(apply("exp", form), names, language)
    if language == "c":
        assert (
            "(double z_re, double z_re_, double np, double exp_, double double_, double _2nd"
            in text
        )
    else:
        namespace: dict[str, Any] = {}
        exec(text, namespace)
        assert namespace["f"](*[0.1] * 7) == pytest.approx(np.exp(0.7), rel=1e-14)
        assert "def f(z_re, z_re_, np_, exp, double, _2nd, lambda_):" in text


def test_cases_do_not_warn() -> None:
    namespace: dict[str, Any] = {}
    exec(source(parsed("where(x > 0, log(x), x)"), "x"), namespace)
    with np.errstate(all="raise"):
        assert list(namespace["f"](np.array([1.0, -1.0]))) == [0.0, -1.0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_op_has_a_source_or_is_refused_by_name(language: str) -> None:
    made = 0
    ops = ops_by_name()
    for name, op in ops.items():
        inputs = "xyzw"[: max(2, op.scalar_op.nin) if op.scalar_op.nin < 0 else op.scalar_op.nin]
        try:
            text = source(apply(name, *map(named, inputs)), inputs, language)
        except NotSupported as error:
            assert "there is no function" in str(error)
        else:
            made += len(text) > 0
    assert made > 0.6 * len(ops)


def test_what_has_no_source_is_named() -> None:
    with pytest.raises(NotSupported, match="no function erf in numpy"):
        source(apply("erf", x), "x")
    with pytest.raises(NotSupported, match="scaled_product"):
        source(FORMS["scaled product"], "xyz", "fpcore")
    with pytest.raises(ValueError, match="no language 'fortran'; there are numpy, jax, c, fpcore"):
        source(x, "x", "fortran")


def test_a_page_has_what_was_found() -> None:
    found = improve("(1 - cos(x)) / x**2", domain="abs(x) < 1", samples=64, seconds=2)
    text = page(found, "<cosine>")
    assert text.startswith("<!DOCTYPE html>") and "<h1>&lt;cosine&gt;</h1>" in text
    assert text.count("<svg") == len(found.points.inputs) == 1
    assert f"{found.best.error:.2f} after" in text and "import numpy as np" in text
    for step in found.best.derivations[0]:
        assert step.name in text
    assert found.source("c") in text.replace("&lt;", "<").replace("&gt;", ">")
    assert [f.expr for f in found.forms].count(found.original.expr) == 1
