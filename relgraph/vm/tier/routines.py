"""Functions of LLVM, written once for a dtype: of each element of arrays, and of whole matrices.

The former are faster than NumPy's, where bits may differ by rounding: functions of arrays that
`operations` takes apart, and loops of NumPy written as arithmetic, eight numbers at a time. Sine
and cosine: after a reduction to [-pi/4, pi/4] by pi/2 in three parts (Cody and Waite 1980), with
the polynomials of fdlibm (Ng 1993). The latter are products and what LAPACK does, by
SciPy's BLAS and LAPACK. They want arrays by columns: an array by rows is the transpose of one by
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from relgraph.scalar.cancellation import length
from relgraph.tensor.fortran import c_function
from relgraph.vm.tier.compiler import Loop
from relgraph.vm.tier.scalar_code import MEMORY, Code, literal, pointer

LARGEST = 1e4
"""Beyond it the reduction is not exact."""
# pi/2: the first two parts have 33 bits, so that their products with a number up to 2**20 are exact
_HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
_SINE = (
    *(1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06),
    *(-1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01),
)
_COSINE = (
    *(-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07),
    *(2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02),
)


def _polynomial(coefficients: Sequence[float], z: Any) -> Any:
    total: Any = coefficients[0]
    for c in coefficients[1:]:
        total = total * z + c
    return total


def _reduced(x: Any) -> tuple[Any, Any, Any, Any]:
    """Return the sine and cosine of what is left of `x`, and two bits of its quadrant."""
    k = np.floor(x * (2 / np.pi) + 0.5)
    r = x
    for part in _HALF_PI:
        r = r - k * part
    z = r * r
    sine = np.where(r == 0.0, r, r + z * r * _polynomial(_SINE, z))
    half = z * 0.5
    rest = 1.0 - half
    cosine = rest + (((1.0 - rest) - half) + z * z * _polynomial(_COSINE, z))
    pairs = np.floor(k * 0.5)
    odd = k * 0.5 != pairs
    upper = pairs * 0.5 != np.floor(pairs * 0.5)
    return sine, cosine, odd, upper


def _sin(x: Any) -> Any:
    sine, cosine, odd, upper = _reduced(x)
    found = np.where(odd, cosine, sine)
    return np.where(upper, -found, found)


def _cos(x: Any) -> Any:
    sine, cosine, odd, upper = _reduced(x)
    found = np.where(odd, sine, cosine)
    return np.where(odd ^ upper, -found, found)


def _is_large(x: Any) -> Any:
    return np.abs(x) > LARGEST


def _hypot(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + y * y)


def _may_overflow(x: Any, y: Any) -> Any:
    square = x * x + y * y
    usual = (square > 1e-280) & (square < 1e280)
    return ~(usual | ((x == 0.0) & (y == 0.0)))


def power(exponent: int) -> Callable[..., Any]:
    """Return a positive power of a number as products: a function of it and the exponent."""

    def formula(x: Any, _: Any) -> Any:
        found, square, left = None, x, exponent
        while left:
            if left % 2:
                found = square if found is None else found * square
            left //= 2
            square = square * square if left else square
        return found

    return formula


MOST_FACTORS = 8
"""Up to this exponent a power is computed as products: each rounds."""


def _sigmoid(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, e) / (1.0 + e)


def _logaddexp(*inputs: Any) -> Any:
    """The largest one, and the logarithm of 1 and what the others are beside it."""
    largest: Any = inputs[0]
    others: Any = 0.0
    for x in inputs[1:]:
        difference = np.where(x == largest, 0.0, x - largest)  # of infinities it is nan
        share = np.exp(-np.abs(difference))
        others = np.where(difference <= 0.0, others + share, (others + 1.0) * share)
        largest = np.maximum(largest, x)
    return largest + np.log1p(others)


FORMULAS: dict[str, Callable[..., Any]] = {
    "sigmoid": _sigmoid,
    "length": partial(length.array_formula, np),
    "logaddexp": _logaddexp,
}
"""Formulas by other functions, by the names of ops."""

LOOPS: dict[Any, tuple[Callable[..., Any], Callable[..., Any]]] = {
    np.sin: (_sin, _is_large),
    np.cos: (_cos, _is_large),
    np.hypot: (_hypot, _may_overflow),
}
"""Formulas of functions of float64 by their ufuncs, and for which arguments they do not hold."""


def faster_name(loop: Loop) -> str | None:
    """Return the name of the function that replaces a loop of NumPy; None if there is none."""
    if loop.ufunc not in LOOPS or set(loop.dtypes) != {"float64"}:
        return None
    return routine_name(loop.ufunc.__name__, "float64")


Compute = Callable[[Code, Sequence[str], Any], str]


_ACCESS, _LOOP = "!1000000", "!1000001"
METADATA = f"""{_ACCESS} = distinct !{{}}
{_LOOP} = distinct !{{{_LOOP}, !{{!"llvm.loop.parallel_accesses", {_ACCESS}}}}}"""
"""What says that the elements of a loop do not depend on each other."""


MOST_ROWS = 32_768
"""Larger matrices are left to NumPy: LAPACK counts elements by 32 bits."""
WORK_COLUMNS = 64
"""So many columns LAPACK has for working by blocks."""


class _Function(Code):
    """A function of one dtype; one of whole arrays returns whether it could compute its results."""

    def __init__(
        self, name: str, dtype: str, parameters: Sequence[str], of_elements: bool = False
    ) -> None:
        super().__init__()
        self.dtype, self.type = dtype, MEMORY[dtype]
        given = ", ".join(f"{'ptr' if p.isupper() else 'i64'} %{p}" for p in parameters)
        result, apart = ("void", "") if of_elements else ("i1", "noinline ")
        self.head = f"define internal {result} {routine_name(name, dtype)}({given}) {apart}{{"

    def text(self) -> str:
        return f"{self.head}\n{self.body()}\n}}"

    def places(self, base: str, *terms: tuple[str, str]) -> str:
        """Return the place of an element: at the sum of products of an index and a stride."""
        total = "0"
        for index, stride in terms:
            total = self.make(f"add nsw i64 {total}, {self.make(f'mul nsw i64 {index}, {stride}')}")
        return self.at(base, total, self.type)

    def element(self, base: str, *terms: tuple[str, str]) -> str:
        return self.load(self.type, self.places(base, *terms))

    def store(self, x: str, base: str, *terms: tuple[str, str]) -> None:
        self.add(f"store {self.type} {x}, ptr {self.places(base, *terms)}, align 1")

    def strides(self, transposed: str, rows: str, columns: str) -> tuple[str, str]:
        """Return the strides of a matrix by rows, or of one that is the transpose of such."""
        first = self.make(f"select i1 {transposed}, i64 1, i64 {columns}")
        return first, self.make(f"select i1 {transposed}, i64 {rows}, i64 1")

    def flag(self, name: str) -> str:
        return self.make(f"icmp ne i64 {name}, 0")

    def whole(self, x: str) -> str:
        """Return where an integer lies as Fortran takes it."""
        return self.variable("i32", self.make(f"trunc i64 {x} to i32"))

    def number(self, x: float) -> str:
        return self.variable(self.type, literal(x, self.dtype))

    def letter(self, condition: str, letters: str = "TN") -> str:
        """Return where one of two letters is that Fortran takes: whether a matrix by columns is
        transposed, or which triangle of it is read."""
        x = self.make(f"select i1 {condition}, i8 {ord(letters[0])}, i8 {ord(letters[1])}")
        return self.variable("i8", x)

    def fortran(self, library: str, name: str, *places: str) -> None:
        given = ", ".join(f"ptr {place}" for place in places)
        self.add(f"call void {pointer(c_function(library, name, self.dtype))}({given})")

    def branch(self, condition: str) -> tuple[str, str]:
        """Go two ways; return the names of the blocks that are to follow."""
        yes, no = self.name(), self.name()
        self.add(f"br i1 {condition}, label %{yes}, label %{no}")
        return yes, no

    def fail_unless(self, condition: str) -> None:
        well, ill = self.branch(condition)
        self.label(ill)
        self.add("ret i1 false")
        self.label(well)


def faster_text(loop: Loop, compute: Compute, declared: set[str]) -> str:
    """Return the text of a function that replaces a loop of NumPy, and calls it where it must.

    Parameters
    ----------
    loop
        The loop.
    compute
        Adds the instructions for a formula of numbers to some code; returns the result.
    declared
        The functions of LLVM that are declared; what is used is added.
    """
    parameters = ("ARGUMENTS", "LENGTHS", "STEPS", "DATA")
    f = _Function(loop.ufunc.__name__, "float64", parameters, of_elements=True)
    arrays = [f.load("ptr", f.at("%ARGUMENTS", k, "ptr")) for k in range(len(loop.dtypes))]
    steps = [f.load("i64", f.at("%STEPS", k, "i64")) for k in range(len(arrays) - 1)]
    are_plain = f.all_of([f.make(f"icmp eq i64 {step}, 8") for step in steps])
    in_doubt = f.variable("i1", "false")
    fast, slow = f.branch(are_plain)
    f.label(fast)
    access = f", !llvm.access.group {_ACCESS}"
    with f.loop(f.load("i64", "%LENGTHS"), rest=f", !llvm.loop {_LOOP}") as i:
        *places, target = [f.at(array, i, f.type) for array in arrays]
        values = [f.load(f.type, place, access) for place in places]
        formula, doubtful = LOOPS[loop.ufunc]
        f.store_element(compute(f, values, formula), f.dtype, target, access)
        f.update("i1", in_doubt, "or", compute(f, values, doubtful))
    done = f.name()
    f.add(f"br i1 {f.make(f'load i1, ptr {in_doubt}')}, label %{slow}, label %{done}")
    f.label(slow)
    given = f"ptr %ARGUMENTS, ptr %LENGTHS, ptr %STEPS, ptr {pointer(loop.data)}"
    f.add(f"call void {pointer(loop.address)}({given})")
    f.add(f"br label %{done}")
    f.label(done)
    f.add("ret void")
    declared |= f.declared
    return f.text()


_Writer = Callable[[_Function], None]

ROUTINES: dict[str, tuple[Sequence[str], _Writer]] = {}
"""The parameters of the functions of whole arrays, and what writes their instructions."""


def _routine(*parameters: str) -> Callable[[_Writer], _Writer]:
    """Enter what writes a function in `ROUTINES`.

    The function has its name, and returns true at the end.
    """

    def enter(write: _Writer) -> _Writer:
        ROUTINES[write.__name__.lstrip("_")] = parameters, write
        return write

    return enter


@_routine("X", "tx", "Y", "ty", "OUT", "m", "k", "n")
def _product(f: _Function) -> None:
    """``OUT = X Y`` of an `m` x `k` and a `k` x `n` matrix.

    `OUT` is cleared: some versions of the BLAS multiply its content.
    """
    tx, ty = f.flag("%tx"), f.flag("%ty")
    size = f.make("mul nsw i64 %m, %n")
    with f.loop(size) as i:
        f.store(literal(0, f.dtype), "%OUT", (i, "1"))
    some, none = f.branch(f.make(f"icmp sgt i64 {f.make(f'mul nsw i64 {size}, %k')}, 0"))
    f.label(none)
    f.add("ret i1 true")
    f.label(some)
    m, k, n = f.whole("%m"), f.whole("%k"), f.whole("%n")
    column, others = f.branch(f.make("icmp eq i64 %n, 1"))
    f.label(column)
    _multiply_vector(f, "%X", f.make(f"xor i1 {tx}, true"), k, m, "%Y")
    f.label(others)
    row, matrices = f.branch(f.make("icmp eq i64 %m, 1"))
    f.label(row)
    _multiply_vector(f, "%Y", ty, k, n, "%X")
    f.label(matrices)
    ld_x = f.make(f"select i1 {tx}, ptr {m}, ptr {k}")
    ld_y = f.make(f"select i1 {ty}, ptr {k}, ptr {n}")
    f.fortran(
        *("blas", "gemm", f.letter(ty), f.letter(tx), n, m, k, f.number(1)),
        *("%Y", ld_y, "%X", ld_x, f.number(0), "%OUT", n),
    )


def _multiply_vector(
    f: _Function, matrix: str, turned: str, summed: str, kept: str, vector: str
) -> None:
    """Multiply a matrix by columns, or its transpose, and a vector, and return.

    Parameters
    ----------
    turned
        Whether its transpose is meant.
    summed, kept
        The length of the axis that is summed over, and of the other one.
    """
    rows = f.make(f"select i1 {turned}, ptr {summed}, ptr {kept}")
    columns = f.make(f"select i1 {turned}, ptr {kept}, ptr {summed}")
    one = f.whole("1")
    f.fortran(
        *("blas", "gemv", f.letter(turned), rows, columns, f.number(1), matrix, rows),
        *(vector, one, f.number(0), "%OUT", one),
    )
    f.add("ret i1 true")


def _copy(
    f: _Function, base: str, strides: tuple[str, str], rows: str, columns: str, out: str
) -> None:
    """Copy a matrix to one by columns.

    Fail if there is nothing, or more than LAPACK counts, or the sum of its elements is not finite.
    """
    some = f.make(f"icmp sgt i64 {columns}, 0")
    f.fail_unless(f.all_of([some, f.make(f"icmp sle i64 {columns}, {MOST_ROWS}")]))
    total = f.number(0)
    with f.loop(columns) as j, f.loop(rows) as i:
        x = f.element(base, (i, strides[0]), (j, strides[1]))
        f.store(x, out, (j, rows), (i, "1"))
        f.update(f.type, total, "fadd reassoc", x)
    x = f.load(f.type, total)
    rest = f.make(f"fsub {f.type} {x}, {x}")
    f.fail_unless(f.make(f"fcmp oeq {f.type} {rest}, {literal(0, f.dtype)}"))


@_routine("A", "LU", "PIVOTS", "n")
def _lu(f: _Function) -> None:
    """The LU factors, by columns, of the transpose of an `n` x `n` matrix, and the pivots, which
    count from 1.

    It fails if the matrix is empty or not finite; then the first pivot is 0.
    """
    f.add("store i32 0, ptr %PIVOTS")
    # what is a matrix by rows is its transpose by columns
    _copy(f, "%A", ("1", "%n"), "%n", "%n", "%LU")
    n = f.whole("%n")
    f.fortran("lapack", "getrf", n, n, "%LU", n, "%PIVOTS", f.allocate("i32"))


@_routine("A", "LDL", "PIVOTS", "WORK", "n", "lower")
def _ldl(f: _Function) -> None:
    """The factors of an `n` x `n` matrix of which one triangle by columns is read, and the pivots:
    of a symmetric one.

    It fails as `_lu` does, and if the matrix is singular.
    """
    f.add("store i32 0, ptr %PIVOTS")
    _copy(f, "%A", ("1", "%n"), "%n", "%n", "%LDL")
    triangle, n, info = f.letter(f.flag("%lower"), "LU"), f.whole("%n"), f.allocate("i32")
    room = f.whole(f.make(f"mul i64 %n, {WORK_COLUMNS}"))
    f.fortran("lapack", "sytrf", triangle, n, "%LDL", n, "%PIVOTS", "%WORK", room, info)
    regular, singular = f.branch(f.make(f"icmp eq i32 {f.load('i32', info)}, 0"))
    f.label(singular)
    f.add("store i32 0, ptr %PIVOTS")
    f.add("ret i1 false")
    f.label(regular)


@_routine("A", "ta", "OUT", "n", "lower")
def _cholesky(f: _Function) -> None:
    """The Cholesky factor of an `n` x `n` matrix; it fails unless that is positive definite."""
    lower, n, info = f.flag("%lower"), f.whole("%n"), f.allocate("i32")
    # what is lower by rows is upper by columns
    _copy(f, "%A", f.strides(f.flag("%ta"), "%n", "%n")[::-1], "%n", "%n", "%OUT")
    f.fortran("lapack", "potrf", f.letter(lower, "UL"), n, "%OUT", n, info)
    f.fail_unless(f.make(f"icmp eq i32 {f.make(f'load i32, ptr {info}')}, 0"))
    with f.loop("%n") as i, f.loop("%n") as j:
        above, below = (f.make(f"icmp {sign} i64 {j}, {i}") for sign in ("sgt", "slt"))
        is_zero = f.make(f"select i1 {lower}, i1 {above}, i1 {below}")
        found = f.element("%OUT", (i, "%n"), (j, "1"))
        kept = f.make(f"select i1 {is_zero}, {f.type} {literal(0, f.dtype)}, {f.type} {found}")
        f.store(kept, "%OUT", (i, "%n"), (j, "1"))


@_routine("C", "tc", "B", "tb", "OUT", "FACTOR", "COLUMNS", "n", "m", "lower")
def _cho_solve(f: _Function) -> None:
    """``A OUT = B`` where `C` is the Cholesky factor of `A`; it fails as `_solve` does."""
    _copy(f, "%C", f.strides(f.flag("%tc"), "%n", "%n"), "%n", "%n", "%FACTOR")
    _fail_unless_regular(f, "%FACTOR")
    _solve_by_columns(f, "potrs", f.letter(f.flag("%lower"), "LU"), ("%FACTOR",))


def _fail_unless_factored(f: _Function) -> None:
    f.fail_unless(f.make(f"icmp ne i32 {f.load('i32', '%PIVOTS')}, 0"))


@_routine("LU", "ta", "PIVOTS", "tp", "B", "tb", "OUT", "COLUMNS", "n", "m")
def _solve(f: _Function) -> None:
    """``A OUT = B`` for an `n` x `n` and an `n` x `m` matrix; it fails if one is empty or not
    finite, or `A` is singular."""
    _fail_unless_factored(f)
    _fail_unless_regular(f, "%LU")
    _solve_by_columns(f, "getrs", f.letter(f.flag("%ta"), "NT"), ("%LU", "%PIVOTS"))


@_routine("LDL", "tl", "PIVOTS", "tp", "B", "tb", "OUT", "COLUMNS", "WORK", "n", "m", "lower")
def _symmetric_solve(f: _Function) -> None:
    """``A OUT = B`` for a symmetric `A`; it fails as `_solve` does."""
    _fail_unless_factored(f)
    triangle = f.letter(f.flag("%lower"), "LU")
    _solve_by_columns(f, "sytrs2", triangle, ("%LDL", "%PIVOTS"), "%WORK")


def _solve_by_columns(
    f: _Function, name: str, how: str, factors: tuple[str, ...], *work: str
) -> None:
    """Solve a system of factors by columns and the right side `B`, write `OUT`, and return."""
    _copy(f, "%B", f.strides(f.flag("%tb"), "%n", "%m"), "%n", "%m", "%COLUMNS")
    n, m, info = f.whole("%n"), f.whole("%m"), f.allocate("i32")
    factor, *pivots = factors
    f.fortran("lapack", name, how, n, m, factor, n, *pivots, "%COLUMNS", n, *work, info)
    with f.loop("%n") as i, f.loop("%m") as j:
        f.store(f.element("%COLUMNS", (j, "%n"), (i, "1")), "%OUT", (i, "%m"), (j, "1"))


@_routine("LU", "ta", "PIVOTS", "tp", "OUT", "WORK", "n")
def _inverse(f: _Function) -> None:
    """``A OUT = 1`` for an `n` x `n` matrix; it fails as `_solve` does."""
    _fail_unless_factored(f)
    _fail_unless_regular(f, "%LU")
    # the inverse of the transpose by columns is that of the matrix by rows
    _copy(f, "%LU", ("1", "%n"), "%n", "%n", "%OUT")
    n, room = f.whole("%n"), f.whole(f.make(f"mul i64 %n, {WORK_COLUMNS}"))
    f.fortran("lapack", "getri", n, "%OUT", n, "%PIVOTS", "%WORK", room, f.allocate("i32"))
    turned, done = f.branch(f.flag("%ta"))
    f.label(turned)
    with f.loop("%n") as i, f.loop(i) as j:
        below, above = (f.element("%OUT", (k, "%n"), (m, "1")) for k, m in ((i, j), (j, i)))
        f.store(above, "%OUT", (i, "%n"), (j, "1"))
        f.store(below, "%OUT", (j, "%n"), (i, "1"))
    f.add(f"br label %{done}")
    f.label(done)


def _fail_unless_regular(f: _Function, factors: str) -> None:
    """Fail if there is a zero on the diagonal of a factor."""
    singular = f.variable("i1", "false")
    with f.loop("%n") as i:
        pivot = f.element(factors, (i, "%n"), (i, "1"))
        zero = f.make(f"fcmp oeq {f.type} {pivot}, {literal(0, f.dtype)}")
        f.update("i1", singular, "or", zero)
    f.fail_unless(f.make(f"xor i1 {f.make(f'load i1, ptr {singular}')}, true"))


@_routine("LU", "PIVOTS", "SIGN", "LOG", "n")
def _slogdet(f: _Function) -> None:
    """The sign and logarithm of the determinant of an `n` x `n` matrix, as `slogdet_of_floats`
    has them."""
    _fail_unless_factored(f)
    minus_one, zero, one = (literal(x, f.dtype) for x in (-1, 0, 1))
    negative, total = f.variable("i1", "false"), f.number(0)
    with f.loop("%n") as i:
        pivot = f.element("%LU", (i, "%n"), (i, "1"))
        log = f.intrinsic("log", f.dtype, f.intrinsic("fabs", f.dtype, pivot))
        f.update(f.type, total, "fadd", log)
        row = f.make(f"sext i32 {f.load('i32', f.at('%PIVOTS', i, 'i32'))} to i64")
        moved = f.make(f"icmp ne i64 {row}, {f.make(f'add i64 {i}, 1')}")
        below = f.make(f"fcmp olt {f.type} {pivot}, {zero}")
        f.update("i1", negative, "xor", f.make(f"xor i1 {moved}, {below}"))
    found = f.load(f.type, total)
    f.store(found, "%LOG")
    below = f.make(f"load i1, ptr {negative}")
    sign = f.make(f"select i1 {below}, {f.type} {minus_one}, {f.type} {one}")
    gone = f.make(f"fcmp oeq {f.type} {found}, {literal(-np.inf, f.dtype)}")
    sign = f.make(f"select i1 {gone}, {f.type} {zero}, {f.type} {sign}")
    f.store(sign, "%SIGN")


@_routine("X", "OUT", "m", "n")
def _places(f: _Function) -> None:
    """``OUT``: the `m` indices ``X`` of an axis of length `n`, counted from the front.

    It fails if one is out of bounds, and has 0 in its place.
    """
    within = f.variable("i1", "true")
    with f.loop("%m") as i:
        x = f.element("%X", (i, "1"))
        below = f.make(f"icmp slt i64 {x}, 0")
        place = f.make(f"select i1 {below}, i64 {f.make(f'add i64 {x}, %n')}, i64 {x}")
        fits = f.make(f"icmp ult i64 {place}, %n")
        f.store(f.make(f"select i1 {fits}, i64 {place}, i64 0"), "%OUT", (i, "1"))
        f.update("i1", within, "and", fits)
    f.fail_unless(f.load("i1", within))


def routine_name(name: str, dtype: str) -> str:
    """Return the name of a function in LLVM."""
    return f"@{name}_{dtype}"


def routine_text(name: str, dtype: str, declared: set[str]) -> str:
    """Return the text of a function.

    Parameters
    ----------
    declared
        The functions of LLVM that are declared; what is used is added.
    """
    parameters, write = ROUTINES[name]
    function = _Function(name, dtype, parameters)
    write(function)
    function.add("ret i1 true")
    declared |= function.declared
    return function.text()
