"""What `help` says of ops and other objects that are called like functions.

Each text is computed from the object on first use: the sentence is that of the scalar op,
the dtypes are what it resolves, the example is run, the derivative is taken and simplified, and the
laws are all in the rule book that are written with it.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from relgraph.compile import optimize_graph
from relgraph.display import LawTable
from relgraph.gradient import NullTypeGradError, grad
from relgraph.graph.utils import MethodNotDefined
from relgraph.printing import pprint
from relgraph.tensor.constructors import Constructor, PluralConstructor, scalar
from relgraph.tensor.elemwise import Elemwise
from relgraph.testing.discovery import discover_laws

_WIDTH = 88
_MOST_NAMES = 6
_LEAST_SCORE = 2
_INF, _NAN = float("inf"), float("nan")

_DTYPES = ("bool", "int64", "float32", "float64", "complex128")

# Arguments to be tried in examples, by number; the first at which the result says most is shown.
_ARGUMENTS: dict[int, tuple[tuple[Any, ...], ...]] = {
    1: (
        *(([0.0, 1.0],), ([1.0, 2.0],), ([0.25, 0.5],), ([1.5, 3.0],), ([-1.5, 2.5],)),
        *(([-2.0, -0.5],), ([0.0, _NAN],), ([0.0, -_INF],), ([6, 7],), ([1 + 2j, 3j],)),
    ),
    2: (
        *(([1.0, 4.0], [2.0, 3.0]), ([1.0, 4.0], [1.0, 3.0]), ([7.0, 8.0], [4.0, 5.0])),
        *(([0.25, 0.5], [0.5, 0.75]), ([2.0, 3.0], [0.25, 0.5]), ([0.25, 0.5], [2.0, 3.0])),
        *(([-1.5, 0.0], [2.0, 0.5]), ([1.0, 4.0], [2, 3]), ([2, 3], [0.5, 1.5]), ([6, 12], [4, 3])),
    ),
    3: (
        ([True, False], [1.0, 2.0], [3.0, 4.0]),
        ([-1.5, 0.5], [0.0, 0.0], [1.0, 1.0]),
        ([3.0, 4.0], [0.25, 0.75], [1.0, 7.0]),
        ([1.0, 2.0], [2.0, 3.0], [0.25, 0.5]),
        ([0.25, 0.5], [2.0, 3.0], [1.0, 2.0]),
        ([2.0, 3.0], [0.25, 0.5], [1.0, 2.0]),
        ([1.0, 2.0], [3, 4], [0.25, 0.5]),
        ([1, 2], [2, 3], [0.25, 0.5]),
        ([0.5, 0.75], [4.0, 5.0], [0.25, 0.5]),
        ([1, 2], [0.5, 0.75], [0.25, 0.5]),
    ),
    4: (
        ([3.0, 4.0], [2.0, 3.0], [1.0, 2.0], [0.25, 0.5]),
        ([2.0, 3.0], [0.25, 0.5], [1.0, 2.0], [0.25, 0.5]),
        ([0.25, 0.5], [2.0, 3.0], [1.0, 2.0], [0.25, 0.5]),
        ([2.0, 3.0], [4.0, 5.0], [0.25, 0.5], [2.0, 3.0]),
    ),
}


def elementwise(op: Elemwise) -> str:
    """Return what an elementwise op computes, of what, an example, its derivative and laws."""
    names = tuple(op.scalar_op.argument_names)
    # no other name can be called, and several outputs have no one result
    example = _example(op) if op.nout == 1 and str(op).isidentifier() else ""
    derivative = _derivative(op, names) if op.nout == 1 else ""
    parts = [
        f"{op}{signature(op)}",
        _wrapped(op.scalar_op.summary),
        "\n".join(["Parameters", "----------", *_parameters(op, names)]),
        example,
        "\n".join(filter(None, [derivative, _laws(str(op.scalar_op))])),
    ]
    return "\n\n".join(filter(None, parts))


def _wrapped(text: str, indent: str = "") -> str:
    """Return paragraphs in lines of the usual width."""
    filled = [
        textwrap.fill(
            " ".join(paragraph.split()),
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for paragraph in text.split("\n\n")
    ]
    return "\n\n".join(filled)


def _count(op: Elemwise) -> int:
    """Return how many inputs are shown."""
    return op.nin if op.nin >= 0 else max(2, len(op.scalar_op.argument_names))


def _parameters(op: Elemwise, names: Sequence[str]) -> Iterator[str]:
    yield ", ".join(names)
    several = len(names) > 1 or names[0].startswith("*")
    first = "Tensors whose shapes broadcast." if several else "A tensor."
    deciding = op.scalar_op.promoting_inputs
    if deciding:
        first += f" The dtype is that of {_listed([names[i] for i in deciding])}."
        yield _wrapped(first, "    ")
    else:
        yield _wrapped(f"{first} {_dtypes(op)}", "    ")


def _dtypes(op: Elemwise) -> str:
    """Return what dtype the result has for dtypes of the inputs."""
    results = {dtype: _resolved(op, dtype) for dtype in _DTYPES}
    defined = {dtype: found[1] for dtype, found in results.items() if found is not None}
    if not defined:
        return ""
    missing = [dtype for dtype in _DTYPES if dtype not in defined]
    kept = [dtype for dtype, found in defined.items() if found == dtype]
    if len(set(defined.values())) == 1 and len(defined) > 1:
        said = [f"the result is {next(iter(defined.values()))}"]
    else:
        changed: dict[str, list[str]] = {}
        for dtype, found in defined.items():
            if found != dtype:
                changed.setdefault(found, []).append(dtype)
        said = [f"of {_listed(before)} it is {after}" for after, before in changed.items()]
        said += [f"of {_listed(kept)} it is the same"] if kept else []
        said[0] = said[0].replace("it is", "the result is", 1)
    said += [f"not defined for {_listed(missing)}"] if missing else []
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _resolved(op: Elemwise, dtype: str) -> tuple[tuple[str, ...], str] | None:
    """Return dtypes of inputs, all of them `dtype` or as many as may be, and that of the result.

    Return None if the op is not defined for it.
    """
    others = _count(op) - 1
    for dtypes in (
        (dtype, *[dtype] * others),
        (dtype, *["int64"] * others),
        (*["float64"] * others, dtype),
    ):
        try:
            return dtypes, op.scalar_op.output_dtype(*dtypes)
        except (TypeError, MethodNotDefined):
            continue
    return None


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _example(op: Elemwise) -> str:
    """Return a call with its result as in Python's prompt, or nothing if there is none to show."""
    tried = [(_score(op, values), values) for values in _ARGUMENTS.get(_count(op), ())]
    best, values = max(tried, key=lambda pair: pair[0], default=(0, ()))
    if best < _LEAST_SCORE:
        return ""
    written = re.sub(r"\b(nan|inf)\b", r"float('\1')", ", ".join(map(str, values)))
    return f">>> {op}({written}).eval()\n{op(*values).eval()!r}"


def _score(op: Elemwise, values: Sequence[Any]) -> int:
    """Return how much the result at some values says of an op: 0 for an error, 1 for a warning or a
    result that is not finite."""
    arrays = [np.asarray(value) for value in values]
    try:
        op(*values)
        with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = np.asarray(op.scalar_op.impl(*arrays))
            differs = [not np.array_equal(result, x) for x in arrays]
    except (TypeError, ValueError):
        return 0
    if warned or not np.isfinite(result).all():
        return 1
    return _LEAST_SCORE + all(differs) + 2 * bool(result[0] != result[-1])


def _derivative(op: Elemwise, names: Sequence[str]) -> str:
    """Return the derivative by each input, simplified."""
    names = tuple(names) if op.nin >= 0 else tuple("xyzw"[: _count(op)])
    resolved = _resolved(op, "float64")
    if resolved is None:
        return "It has no derivative."
    inputs = [scalar(name, dtype) for name, dtype in zip(names, resolved[0], strict=True)]
    try:
        by_input = [_derivative_by(op(*inputs), x) for x in inputs]
    except (TypeError, ValueError, MethodNotDefined):
        return "It has no derivative."
    parts = [f"by {x.name}, {text}" for x, text in zip(inputs, by_input, strict=True) if text]
    if not parts:
        return "It has no derivative."
    of = "" if op.nin >= 0 else f" for the inputs {_listed(names)}"
    return _wrapped(f"Its derivative{of}: {'; '.join(parts)}.")


# with a series the derivative of boxcox has a thousand characters
_LONGEST_FORMULA = 240


def _derivative_by(output: Any, x: Any) -> str | None:
    try:
        slope = optimize_graph(grad(output, x, disconnected_inputs="ignore"))
    except NullTypeGradError:
        return None
    text = str(pprint(slope, minimal=True))
    if len(text) > _LONGEST_FORMULA:
        return "a formula of many terms, which `grad` gives"
    return re.sub(r"^(-?\d+)\.0$", r"\1", text)


@cache
def _rule_book() -> LawTable:
    return LawTable(discover_laws().values())


def _laws(name: str) -> str:
    """Return the names of some laws about an op or a function, and how to see all."""
    # the shortest are those that say what it is
    laws = sorted(_rule_book().about(name), key=lambda law: len(str(law)))
    if not laws:
        return ""
    more = ", ..." if len(laws) > _MOST_NAMES else ""
    shown = ", ".join([law.name for law in laws[:_MOST_NAMES]])
    return _wrapped(f"Laws about it: {shown}{more} ({len(laws)}; `relgraph laws --about {name}`).")


def plain_signature(made: Any) -> str:
    """Return the parameters of a function with their defaults, without types."""
    found = signature(made)
    parameters = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=found.empty))


def constructor(made: Constructor) -> str:
    """Return what kind of variables a constructor makes."""
    name, dtype = made.__name__, made.dtype
    variable = made("x", "float64" if dtype is None else None)
    kind = "``config.floatX``, or of `dtype`" if dtype is None else dtype
    given = "its dtype; by default ``config.floatX``" if dtype is None else "not to be given here"
    shape = (
        f"Its static shape, by default {made.shape}: for each axis a length, or None if it is not "
        "known."
    )
    return f"""{name}{plain_signature(made)}

{_wrapped(f"A new variable of rank {variable.ndim} and dtype {kind}.")}

Parameters
----------
name
    Its name.
dtype
    {given[0].upper()}{given[1:]}.
shape
{_wrapped(shape, "    ")}

>>> {name}('x').type
{made("x").type!r}"""


def plural_constructor(made: PluralConstructor) -> str:
    """Return what kind of variables a constructor of several makes."""
    name, one = made.__name__, made.one.__name__
    return f"""{name}{plain_signature(made)}

A list of new variables, each made by `{one}`.

Parameters
----------
names
    The name of each; or one int, how many without names there are.
dtype
    As that of `{one}`.

>>> {name}('x', 'y')
{made("x", "y")!r}"""
