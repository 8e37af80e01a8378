"""`trace`: the graph of a function that is written with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relgraph.bridges.arguments import argument_names, as_type, function_name, is_pair
from relgraph.bridges.pytrees import flatten
from relgraph.bridges.traced import Traced
from relgraph.graph.basic import Variable
from relgraph.tensor.basic import as_tensor_variable


def trace(fn: Callable[..., Any]) -> Callable[..., Traced]:
    """Return a function that takes specifications of the arguments of `fn` and gives its graph.

    `fn` is called once, on variables. NumPy's functions, Python's operators and the methods of
    arrays build graphs of them; a variable has no truth value, so `fn` can't ask about values.

    Parameters
    ----------
    fn
        A function of arrays, or of nested tuples, lists and dicts of arrays, that returns such.

    Returns
    -------
    traced
        A function. Its arguments are those of `fn`, by place and by name, with a specification in
        the place of each array: an array or a number, which stands for its dtype and shape; a pair
        ``(dtype, shape)``, where a length of None is left open; a `TensorType`; anything else with
        a dtype and a shape; or a variable, which is used itself. It returns a `Traced`.

    Raises
    ------
    TypeError
        If a specification is none of these, or `fn` returns something else than tensors and
        numbers; and what `fn` raises.
    """

    def traced(*args: Any, **kwargs: Any) -> Traced:
        specs, arguments = flatten((args, kwargs), is_pair)
        inputs = [
            _input(spec, name)
            for spec, name in zip(specs, argument_names(fn, arguments), strict=True)
        ]
        by_place, by_name = arguments.filled(inputs)
        found, results = flatten(fn(*by_place, **by_name))
        outputs = [_output(fn, value) for value in found]
        return Traced(inputs, outputs, arguments, results, function_name(fn))

    return traced


def _input(spec: Any, name: str) -> Variable:
    if isinstance(spec, Variable):
        return spec
    return as_type(spec, name).make_variable(name)


def _output(fn: Callable[..., Any], value: Any) -> Variable:
    if isinstance(value, Variable):
        return value
    try:
        made: Variable = as_tensor_variable(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{function_name(fn)} returned {value!r}, which is no tensor") from error
    return made
