"""A program: arrays, and steps that are text, for NumPy and for relgraph.

A program is a value. NumPy runs it step by step; relgraph builds a graph of it; and as text it can
be pasted. Values have numbers, leaves first; in the text of a step ``{0}`` is its first argument.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from inspect import getsource
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.special

import relgraph.tensor as at

LAYOUTS = {
    "C": "{x}",
    "F": "np.asfortranarray({x})",
    "strided": "np.repeat({x}, 2, axis=-1)[..., ::2]",
    "reversed": "np.flip(np.flip({x}).copy())",
    "broadcast": "np.broadcast_to({x}[:1], {x}.shape)",
}


@dataclass(frozen=True, eq=False)
class Leaf:
    """An array that a program starts from.

    Attributes
    ----------
    kind
        ``input``: a variable; ``constant``: `at.constant` of the array; ``array``: the array
        itself, as an operand beside variables.
    static
        For a variable: for each axis its length, or None where its type is not to know it.
    layout
        One of `LAYOUTS`.
    """

    value: np.ndarray
    kind: str = "input"
    static: tuple[int | None, ...] = ()
    layout: str = "C"

    def laid_out(self) -> np.ndarray:
        """Return a fresh array with this layout."""
        text = LAYOUTS[self.layout].format(x="x")
        made: np.ndarray = eval(_compiled(text), {"np": np, "x": self.value.copy()})
        return made


@dataclass(frozen=True)
class Step:
    """One operation, as text.

    Attributes
    ----------
    numpy, relgraph
        Expressions, with ``{0}``, ``{1}`` for the arguments.
    args
        The numbers of the values that it takes.
    rounds
        Whether the result may be rounded.
    """

    numpy: str
    relgraph: str
    args: tuple[int, ...]
    rounds: bool = True


@dataclass(frozen=True, eq=False)
class Program:
    """Leaves, steps, and the numbers of the values that are its outputs."""

    leaves: tuple[Leaf, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.steps)


@lru_cache(4096)
def _compiled(text: str) -> CodeType:
    return compile(text, "<program>", "eval")


def set_(x: Any, key: Any, y: Any) -> Any:
    x = np.array(x)
    x[key] = y
    return x


def inc(x: Any, key: Any, y: Any) -> Any:
    x = np.array(x)
    # `np.add.at` has no weak numbers: it takes uint64 and 3 for floats
    np.add.at(x, key, x.dtype.type(y) if isinstance(y, int) else y)
    return x


def cast(x: Any, dtype: str) -> Any:
    return np.asarray(x).astype(dtype)


def dot(x: Any, y: Any) -> Any:
    return np.dot(np.array(x, order="C"), np.array(y, order="C"))


def matmul(x: Any, y: Any) -> Any:
    multiply = np.dot if max(x.ndim, y.ndim) < 3 else np.matmul
    return multiply(np.array(x, order="C"), np.array(y, order="C"))


HELPERS = (set_, inc, cast, dot, matmul)
"""What the steps of NumPy are written with, beside its functions."""


_EXACT = ("negative", "abs", "sign", "maximum", "minimum", "ravel", "reshape", "concatenate")
_EXACT += ("logical_not", "where", "max", "sort")


def taken_apart(step: Step, first: int) -> list[Step]:
    """Return the steps that an expression is made of, each of one operation.

    Parameters
    ----------
    first
        The number of the first new value; the arguments of `step` keep theirs.
    """
    steps: list[Step] = []
    known = {f"v{k}": i for k, i in enumerate(step.args)}

    def name_of(node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name | ast.Constant | ast.Slice | ast.Tuple):
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return node
        if isinstance(node, ast.List):
            return ast.List([name_of(e) for e in node.elts])
        whole = _with_names(node, name_of)
        if isinstance(whole, ast.Attribute) and whole.attr != "T":
            return whole
        return ast.Name(_add_step(steps, known, whole, first))

    text = step.numpy.format(*known)
    name_of(ast.parse(text, mode="eval").body)
    return steps


def _with_names(node: ast.expr, name_of: Callable[[ast.expr], ast.expr]) -> ast.expr:
    """Return an expression, the operands of which are named."""
    if isinstance(node, ast.Call):
        return ast.Call(node.func, [name_of(a) for a in node.args], node.keywords)
    if isinstance(node, ast.BinOp):
        return ast.BinOp(name_of(node.left), node.op, name_of(node.right))
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, name_of(node.operand))
    if isinstance(node, ast.Compare):
        return ast.Compare(name_of(node.left), node.ops, [name_of(c) for c in node.comparators])
    if isinstance(node, ast.Subscript):
        return ast.Subscript(name_of(node.value), node.slice)
    if isinstance(node, ast.Attribute):
        return ast.Attribute(name_of(node.value), node.attr)
    raise TypeError(f"a step is not made of {ast.dump(node)}")


def _add_step(steps: list[Step], known: dict[str, int], node: ast.expr, first: int) -> str:
    text = ast.unparse(node)
    used = list(dict.fromkeys(re.findall(r"\bv\d+\b|\bw\d+\b", text)))
    for k, name in enumerate(used):
        text = re.sub(rf"\b{name}\b", f"{{{k}}}", text)
    rounds = not isinstance(node, ast.Compare | ast.Subscript | ast.UnaryOp | ast.Attribute)
    rounds &= not any(f"np.{name}(" in text for name in _EXACT)
    made = Step(text, text.replace("np.", "at."), tuple(known[n] for n in used), rounds)
    if made in steps:
        return f"w{first + steps.index(made)}"
    steps.append(made)
    number = first + len(steps) - 1
    known[f"w{number}"] = number
    return f"w{number}"


def program_of(text: str, *values: Any, dtype: str = "float64") -> Program:
    """Return a program that computes an expression of inputs with some values, step by step."""
    arrays = [np.array(value, dtype) for value in values]
    leaves = tuple(Leaf(array, "input", (None,) * array.ndim) for array in arrays)
    steps = taken_apart(Step(text, text, tuple(range(len(leaves)))), len(leaves))
    return Program(leaves, tuple(steps), (len(leaves) + len(steps) - 1,))


NUMPY: dict[str, Any] = {
    "np": np,
    "sp": scipy.special,
    **{helper.__name__: helper for helper in HELPERS},
}
RELGRAPH: dict[str, Any] = {"np": np, "at": at}
_WIDE = {"float16": "longdouble", "float32": "longdouble", "float64": "longdouble"}
_WIDE |= {"complex64": "clongdouble", "complex128": "clongdouble"}


def widened(x: Any) -> Any:
    """Return an array of floats in the widest type that NumPy has; others as they are."""
    x = np.asarray(x)
    return x.astype(_WIDE[x.dtype.name]) if x.dtype.name in _WIDE else x


def _narrow(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        return widened(function(*[np.asarray(a).astype(float) for a in args], **kwargs))

    return run


# SciPy has few functions in long double.
_SCIPY = ("erf", "erfc", "gammaln", "softmax", "log_softmax", "logsumexp")
WIDE: dict[str, Any] = {
    **NUMPY,
    "cast": lambda x, dtype: cast(x, _WIDE.get(dtype, dtype)),
    "sp": SimpleNamespace(
        expit=scipy.special.expit, **{f: _narrow(getattr(scipy.special, f)) for f in _SCIPY}
    ),
}

Hook = Callable[[int, Any], Any]


@contextmanager
def quiet() -> Iterator[None]:
    """NumPy says nothing of overflow, nor of means of nothing."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@quiet()
def run(
    program: Program, names: Mapping[str, Any] = NUMPY, hook: Hook | None = None
) -> list[np.ndarray]:
    """Return all values of a program, as NumPy computes them of arrays in C order.

    NumPy rounds otherwise for arrays that lie in memory in another way; relgraph does not.

    Parameters
    ----------
    names
        What the steps are written with.
    hook
        Given the number of each value and the value; what it returns is used in its place.
    """
    values: list[Any] = []
    for leaf in program.leaves:
        value: Any = np.array(leaf.laid_out(), order="C")
        values.append(value if hook is None else hook(len(values), value))
    for step in program.steps:
        value = np.array(evaluated(step.numpy, [values[i] for i in step.args], names), order="C")
        values.append(value if hook is None else hook(len(values), value))
    return values


def evaluated(text: str, args: Sequence[Any], names: Mapping[str, Any]) -> Any:
    """Return the value of a step's text."""
    given = {f"v{k}": arg for k, arg in enumerate(args)}
    code = _compiled(text.format(*given))
    return eval(code, {**names, **given})


def leaf_variable(leaf: Leaf, name: str) -> Any:
    """Return what relgraph's side of a program has for a leaf."""
    if leaf.kind == "array":
        return leaf.laid_out()
    if leaf.kind == "constant":
        return at.constant(leaf.laid_out())
    return at.tensor(leaf.value.dtype.name, leaf.static, name)


def build(program: Program) -> tuple[list[Any], list[Any]]:
    """Return relgraph's variables for the values of a program: the inputs, and the outputs."""
    values = [leaf_variable(leaf, f"v{i}") for i, leaf in enumerate(program.leaves)]
    inputs = [v for v, leaf in zip(values, program.leaves, strict=True) if leaf.kind == "input"]
    for step in program.steps:
        values.append(evaluated(step.relgraph, [values[i] for i in step.args], RELGRAPH))
    return inputs, [at.as_tensor_variable(values[i]) for i in program.outputs]


def arguments(program: Program) -> list[np.ndarray]:
    """Return fresh arrays for the inputs of a program."""
    return [leaf.laid_out() for leaf in program.leaves if leaf.kind == "input"]


def _number(x: Any) -> str:
    if isinstance(x, complex):
        return f"complex({x.real!r}, {x.imag!r})"
    return repr(x)


def _nested(x: Any) -> str:
    return f"[{', '.join(map(_nested, x))}]" if isinstance(x, list) else _number(x)


def literal(array: np.ndarray) -> str:
    """Return an array as Python, to the bit (but for the payload of a nan)."""
    if array.size == 0:
        return f"np.zeros({array.shape}, {array.dtype.name!r})"
    return f"np.array({_nested(array.tolist())}, {array.dtype.name!r})"


def source(program: Program, mode: str) -> str:
    """Return a program as Python that runs it both ways and prints both."""
    lines = [
        "from typing import Any",
        "import numpy as np",
        "import scipy.special as sp",
        "from numpy import inf, nan",
        "import relgraph.tensor as at",
        "from relgraph.compile import Mode, function",
    ]
    steps = " ".join(step.numpy for step in program.steps)
    lines += [getsource(helper) for helper in HELPERS if f"{helper.__name__}(" in steps]
    names = [f"v{i}" for i in range(len(program.leaves) + len(program.steps))]
    for name, leaf in zip(names, program.leaves, strict=False):
        lines.append(f"{name} = {literal(leaf.value)}")
        if leaf.layout != "C":
            lines.append(f"{name} = {LAYOUTS[leaf.layout].format(x=name)}")
    inputs = [n for n, leaf in zip(names, program.leaves, strict=False) if leaf.kind == "input"]
    lines.append(f"given = [{', '.join(inputs)}]")
    done = len(program.leaves)
    outputs = f"[{', '.join(names[i] for i in program.outputs)}]"
    for name, step in zip(names[done:], program.steps, strict=True):
        made = step.numpy.format(*[names[i] for i in step.args])
        lines.append(f"{name} = np.array({made}, order='C')")
    lines.append(f"expected = {outputs}")
    for name, leaf in zip(names, program.leaves, strict=False):
        if leaf.kind == "input":
            lines.append(f"{name} = at.tensor({leaf.value.dtype.name!r}, {leaf.static}, {name!r})")
        elif leaf.kind == "constant":
            lines.append(f"{name} = at.constant({name})")
    for name, step in zip(names[done:], program.steps, strict=True):
        lines.append(f"{name} = {step.relgraph.format(*[names[i] for i in step.args])}")
    lines.append(
        f"f = function([{', '.join(inputs)}], {outputs}, mode={mode}, on_unused_input='ignore')"
    )
    lines.append("for a, b in zip(expected, f(*given)):")
    lines.append("    print(a.dtype, a.shape, a.tolist(), b.dtype, b.shape, b.tolist(), sep='\\n')")
    return "\n".join(lines)
