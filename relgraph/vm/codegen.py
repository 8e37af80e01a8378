"""What generated programs are made with, and what they become.

The symbol table has the names, lengths and memory layouts of the values of a program; lines check
lengths where neither types nor earlier checks settle them. `Program` is the callable that the
source becomes: it turns NumPy's warnings off, and notes which node has raised an error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from functools import lru_cache, partial
from time import perf_counter
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.printing import debugprint
from relgraph.tensor.memory import KeptStorage, in_order, laid_out
from relgraph.vm.schedule import function_of


class Unknown:
    """A length that is not known; its sum with another one is not known either."""

    __slots__ = ()

    def __add__(self, other: Length) -> Unknown:
        return Unknown()

    __radd__ = __add__


class AxisLength(NamedTuple):
    """The length of an axis of an argument.

    Attributes
    ----------
    argument
        The position of the argument.
    axis
        The axis.
    more
        How much is added to the length.
    """

    argument: int
    axis: int
    more: int = 0


Length = int | Unknown | AxisLength
Axis = tuple[Variable, int]


class EqualLengths:
    """What is known about the axes of values where a line of a program runs.

    A check that the program makes holds for all lines after it, so that each equality has to be
    checked once. It is a union-find structure over lengths; a static one represents its set.

    Attributes
    ----------
    axes
        The lengths of the axes of values, as they were noted.
    """

    def __init__(self) -> None:
        self._parent: dict[Length, Length] = {}
        self.axes: dict[Variable, tuple[Length, ...]] = {}

    def find(self, length: Length) -> Length:
        """Return the representative of all lengths that are equal to `length`."""
        parent = self._parent
        root = length
        while root in parent:
            root = parent[root]
        while length != root:
            parent[length], length = root, parent[length]
        return root

    def equate(self, a: Length, b: Length) -> None:
        """Note that two lengths are equal."""
        a, b = self.find(a), self.find(b)
        if a != b:
            if isinstance(a, int):
                a, b = b, a
            self._parent[a] = b

    def of(self, var: Variable) -> tuple[Length, ...]:
        """Return the lengths of the axes of a tensor; of another variable none."""
        axes = self.axes.get(var)
        if axes is None:
            shape = getattr(var.type, "shape", ())
            axes = tuple([Unknown() if n is None else n for n in shape])
            self.axes[var] = axes
        return tuple([self.find(length) for length in axes])

    def pairs(self) -> list[tuple[Length, Length]]:
        """Return pairs of different lengths that are equal."""
        return [(length, self.find(length)) for length in self._parent]

    def at(self, axis: Axis | int) -> Length:
        """Return the length of an axis; a number is one."""
        return axis if isinstance(axis, int) else self.of(axis[0])[axis[1]]

    def define(self, var: Variable, axes: Sequence[Length]) -> None:
        """Note the lengths of a value that a line computes; its type may know more of them."""
        for n, length in zip(var.type.shape, axes, strict=True):
            if n is not None:
                self.equate(n, length)
        self.axes[var] = tuple(axes)


_BUILTINS = {
    "asarray": np.asarray,
    "float64": np.float64,
    "in_order": in_order,
    "laid_out": laid_out,
}


@dataclass
class SymbolTable:
    """The names of the local variables of a program, and what is known of the values they hold.

    Attributes
    ----------
    namespace
        The objects by name: the globals of the program.
    of_variable
        The name of the local variable that holds the value of each graph variable.
    scalars
        The graph variables of rank 0 whose value is a NumPy scalar and not an array.
    floats
        Those whose value is a Python float: float64, on which Python's operators give the bits that
        NumPy gives, and never warn.
    unshared
        The graph variables whose value is an array that shares no storage: once it is dead, it may
        be overwritten.
    forward
        Those whose value is an array of which all axes run forward in memory.
    ordered
        Those whose value is an array in C order.
    lengths
        What is known about lengths.
    may_warn
        Whether a line may raise a warning of NumPy.
    raised_by_perform
        For the nodes whose line raises another error than their `perform`: what computes them.
    storage
        Where large arrays take memory from; None for new memory.
    places
        The names of the arrays that results are to be written to, where a ufunc computes them.
    overwritten
        For the results of ufuncs that are written over others, these.
    compile_time
        The time in seconds that Python took to compile the source and define the functions.
    """

    namespace: dict[str, Any] = field(default_factory=lambda: dict(_BUILTINS))
    of_variable: dict[Variable, str] = field(default_factory=dict)
    scalars: set[Variable] = field(default_factory=set)
    floats: set[Variable] = field(default_factory=set)
    unshared: set[Variable] = field(default_factory=set)
    forward: set[Variable] = field(default_factory=set)
    ordered: set[Variable] = field(default_factory=set)
    lengths: EqualLengths = field(default_factory=EqualLengths)
    may_warn: bool = False
    raised_by_perform: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    storage: KeptStorage | None = None
    places: dict[Variable, str] = field(default_factory=dict)
    overwritten: dict[Variable, Variable] = field(default_factory=dict)
    compile_time: float = 0.0
    # by identity: the namespace keeps the objects alive
    _shared: dict[int, str] = field(default_factory=dict)

    def name_of(self, var: Variable) -> str:
        """Return the name for the value of a graph variable; that of a constant is bound to it."""
        name = self.of_variable.get(var)
        if name is None:
            if isinstance(var, Constant):
                name = self.bind("c", var.data)
            else:
                name = f"v{len(self.of_variable)}"
            self.of_variable[var] = name
        return name

    def bind(self, prefix: str, value: Any) -> str:
        """Bind an object to a new name with a prefix, and return the name."""
        name = f"{prefix}_{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def shared_name(self, prefix: str, value: Any) -> str:
        """Return the name for an object that many lines refer to: it has one."""
        name = self._shared.get(id(value))
        if name is None:
            name = self._shared[id(value)] = self.bind(prefix, value)
        return name

    def array_name(self, var: Variable) -> str:
        """Return an expression for a value as an array, which `perform` takes whatever its rank."""
        name = self.name_of(var)
        return f"asarray({name})" if var in self.scalars or var in self.floats else name

    def float_name(self, var: Variable, statements: list[str]) -> str:
        """Return an expression for a float64 value of rank 0 as a Python float.

        What converts it is added to `statements`, once for a variable.
        """
        if isinstance(var, Constant):
            value = float(var.data)
            return f"({value!r})" if math.isfinite(value) else self.bind("c", value)
        name = self.name_of(var)
        if var not in self.floats:
            statements.append(f"{name} = float({name})")
            self.floats.add(var)
            self.scalars.discard(var)
        return name

    def scalar_name(self, var: Variable, statements: list[str]) -> str:
        """Return an expression for a value of rank 0 as a NumPy scalar; see `float_name`."""
        if isinstance(var, Constant):
            return self.bind("c", var.data[()])
        name = self.name_of(var)
        if var in self.floats:
            return f"float64({name})"
        if var not in self.scalars:
            statements.append(f"{name} = {name}[()]")
            self.scalars.add(var)
        return name

    def conversions(self, variables: Iterable[Variable]) -> list[str]:
        """Return statements that make numbers of those values that lines take as such."""
        statements = []
        for var in variables:
            name = self.name_of(var)
            if var in self.floats:
                statements.append(f"{name} = float({name})")
            elif var in self.scalars:
                statements.append(f"{name} = {name}[()]")
        return statements

    def define_rank_zero(self, var: Variable, expression: str) -> str:
        """Return the statement for a value of rank 0 that an expression gives as a NumPy scalar."""
        name = self.name_of(var)
        if var.type.dtype == "float64":
            self.floats.add(var)
            return f"{name} = float({expression})"
        self.scalars.add(var)
        return f"{name} = {expression}"

    def define_fresh(self, var: Variable, ordered: bool) -> None:
        """Note that the value of a variable is an array that has just been made."""
        self.unshared.add(var)
        self.forward.add(var)
        if ordered or var.type.ndim <= 1:
            self.ordered.add(var)

    def define_alike(self, var: Variable, other: Variable) -> None:
        """Note that the value of a variable is that of another one, or is written over it."""
        for known in (self.scalars, self.floats, self.unshared, self.forward, self.ordered):
            if other in known:
                known.add(var)


def axes_of(variables: Sequence[Variable]) -> list[list[Axis]]:
    """Return shapes for `Op.infer_shape` and `Op.required_lengths` that name the axes."""
    return [[(v, axis) for axis in range(v.type.ndim)] for v in variables]


def define_lengths(node: Apply, symbols: SymbolTable) -> None:
    """Note the lengths of the outputs of a node, given those of its inputs."""
    shapes = [symbols.lengths.of(v) for v in node.inputs]
    for out, shape in zip(node.outputs, node.op.infer_shape(None, node, shapes), strict=True):
        symbols.lengths.define(out, shape)


def check_lines(node: Apply, symbols: SymbolTable) -> list[str]:
    """Return lines that call the `perform` of a node, which raises, if lengths differ that it
    requires to be equal; note the lengths of its outputs."""
    conditions = length_conditions(node, symbols)
    if not conditions:
        return []
    arguments = ", ".join(symbols.array_name(v) for v in node.inputs)
    text = " and ".join(conditions)
    return [f"if not ({text}): {symbols.bind('k', function_of(node))}({arguments})"]


def length_conditions(node: Apply, symbols: SymbolTable) -> list[str]:
    """Return the conditions for lengths to be equal that a node requires to be; note the lengths of
    its outputs.

    After them they are known to be: where they do not hold the node must raise an error.
    """
    lengths = symbols.lengths
    shapes = [lengths.of(v) for v in node.inputs]
    define_lengths(node, symbols)
    if all(len(set(group)) == 1 for group in node.op.required_lengths(node, shapes)):
        return []
    conditions: list[tuple[list[str], tuple[Any, ...]]] = []
    for group in node.op.required_lengths(node, axes_of(node.inputs)):
        of_length: dict[Length, Axis | int] = {}
        for axis in group:
            of_length.setdefault(lengths.at(axis), axis)
        if len(of_length) > 1:
            texts = [
                str(length) if isinstance(length, int) else length_text(axis, symbols)
                for length, axis in of_length.items()
            ]
            tensors = tuple([a if isinstance(a, int) else a[0] for a in of_length.values()])
            conditions.append((texts, tensors))
            first = next(iter(of_length))
            for length in of_length:
                lengths.equate(first, length)
    return _compared(conditions, symbols)


def _compared(
    conditions: Sequence[tuple[list[str], tuple[Any, ...]]], symbols: SymbolTable
) -> list[str]:
    """Return the comparisons; one of shapes where all axes of the same tensors are compared."""
    involved = {tensors for _, tensors in conditions}
    if len(conditions) > 1 and len(involved) == 1:
        (variables,) = involved
        whole = all(isinstance(v, Variable) for v in variables) and all(
            v.type.ndim == len(conditions) for v in variables
        )
        if whole and len(set(variables)) == len(variables):
            return [" == ".join(f"{symbols.name_of(v)}.shape" for v in variables)]
    return [" == ".join(texts) for texts, _ in conditions]


def length_text(length: Axis | int, symbols: SymbolTable) -> str:
    """Return the expression for the length of an axis of a tensor."""
    if isinstance(length, int):
        return str(length)
    var, axis = length
    name = symbols.name_of(var)
    return f"len({name})" if axis == 0 else f"{name}.shape[{axis}]"


NOTE_DEPTH = 3
_BEGINNING = "while computing this node:"


def add_node_note(
    exc: BaseException, node: Apply, variables: Sequence[Variable], values: Sequence[Any]
) -> None:
    """Add a note to an exception: the node that was computed, and the values it was computed from.

    A node inside the branch of another has the first word.
    """
    if any(note.startswith(_BEGINNING) for note in getattr(exc, "__notes__", ())):
        return
    text = debugprint(node, depth=NOTE_DEPTH, print_type=True, file="str")
    lines = [f"{_BEGINNING}\n{text}"]
    for i, (var, value) in enumerate(zip(variables, values, strict=True)):
        lines.append(f"input {i}, {var} of type {var.type}: {_description(value)}")
    exc.add_note("\n".join(lines))


def _description(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return f"a {type(value).__name__}"
    return f"shape {shape}, dtype {dtype}"


Silence = tuple[Callable[[], Any], Callable[[Any], Any]]


def _silence() -> Silence:
    """Return a function that turns warnings off and gives a token, and one that takes it back.

    `numpy.errstate` does the same by a context variable, but works out what it sets at each entry,
    which takes as long as several operations on small arrays. Here that is done once: NumPy sets
    the variable in a context of ours, where we find it.
    """
    context = Context()
    context.run(np.seterr, all="ignore")
    items = list(context.items())
    if len(items) != 1:
        return partial(np.seterr, all="ignore"), lambda before: np.seterr(**before)
    ((variable, value),) = items
    return lambda: variable.set(value), variable.reset


turn_off, turn_back = _silence()


# A graph of more nodes becomes several functions: for a long one Python's compiler takes more
# memory, and a little more time.
CHUNK_NODES = 400

_serial = itertools.count()


class Program:
    """A callable that computes the list of the outputs of a graph from its inputs.

    Parameters
    ----------
    compute
        The generated function.
    lines
        For the code of each generated function, the node of each of its lines, or None.
    symbols
        The symbol table of these functions.
    numbers
        The positions of the inputs that may be Python floats in place of arrays of rank 0.
    reads
        Returns the variables that a node reads.

    Attributes
    ----------
    run
        The same as calling the program.
    import_time
        The time in seconds that Python took to compile and define the functions.
    """

    def __init__(
        self,
        compute: Callable[..., list[Any]],
        lines: dict[CodeType, list[Apply | None]],
        symbols: SymbolTable,
        numbers: Sequence[int],
        reads: Callable[[Apply], list[Variable]],
    ) -> None:
        self.reads = reads
        self.lines = lines
        self.symbols = symbols
        self.numbers = frozenset(numbers)
        self.import_time = symbols.compile_time
        self.run = (self._quiet if symbols.may_warn else self._plain)(compute)

    def __call__(self, *values: Any) -> list[Any]:
        return self.run(*values)

    def _plain(self, compute: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        def run(*values: Any) -> list[Any]:
            try:
                return compute(*values)
            except Exception as exc:
                self._explain(exc)
                raise

        return run

    def _quiet(self, compute: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """Return a function in which, as in `perform`, results that are not finite don't warn."""

        def run(*values: Any) -> list[Any]:
            token = turn_off()
            try:
                return compute(*values)
            except Exception as exc:
                self._explain(exc)
                raise
            finally:
                turn_back(token)

        return run

    def _explain(self, exc: Exception) -> None:
        """Add a note about the node to an exception, or raise the one that `perform` raises."""
        trace = exc.__traceback__
        while trace is not None:
            nodes = self.lines.get(trace.tb_frame.f_code)
            node = None if nodes is None else nodes[trace.tb_lineno]
            if node is not None:
                found = trace.tb_frame.f_locals
                namespace = self.symbols.namespace
                read = self.reads(node)
                names = [self.symbols.name_of(v) for v in read]
                values = [found.get(name, namespace.get(name)) for name in names]
                perform = self.symbols.raised_by_perform.get(node)
                if perform is not None:
                    exc = _raised(perform, values) or exc
                add_node_note(exc, node, read, values)
                if perform is not None:
                    raise exc from None
                return
            trace = trace.tb_next


def _raised(function: Callable[..., Any], values: Sequence[Any]) -> Exception | None:
    try:
        function(*values)
    except Exception as exc:
        return exc
    return None


@lru_cache(maxsize=512)
def _compiled(source: str, label: str) -> CodeType:
    return compile(source, f"<relgraph {label}>", "exec")


def from_source(lines: Sequence[str], names: dict[str, Any], label: str) -> Callable[..., Any]:
    """Return the function that some lines define.

    Parameters
    ----------
    lines
        The lines; the first one names the function.
    names
        Its globals.
    label
        What tracebacks call the source.
    """
    exec(_compiled("\n".join(lines), label), names)
    function: Callable[..., Any] = names.pop(lines[0].removeprefix("def ").partition("(")[0])
    return function


def define(source: str, name: str, symbols: SymbolTable) -> Any:
    """Return the function that some source defines under a name."""
    filename = f"<relgraph program {next(_serial)}>"
    start = perf_counter()
    # The globals of the functions are the bound objects only.
    exec(compile(source, filename, "exec"), symbols.namespace)
    symbols.compile_time += perf_counter() - start
    return symbols.namespace.pop(name)
