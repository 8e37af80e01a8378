"""Scalar ops as instructions of LLVM.

``NATIVE`` has those that are rounded correctly, or do not round. Other ops with a ufunc are calls
of its loop (`find_loop`); what is in neither is left to the first tier.

Quotients by a known number become two products, rounded as a division rounds them. With
``1 / c ≈ high + low`` the quotient is ``fma(x, high, x * low)``. For most divisors that is the
rounded quotient for every ``x``; for which ones is proved here: N. Brisebarre, J.-M. Muller and
S. K. Raina, Accelerating correctly rounded floating-point division when the divisor is known in
advance, IEEE Trans. Comput. 53 (2004). The proof needs that no product is subnormal: quotients that
are less than the smallest normal number over the spacing at 1 may be off by an ulp.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from relgraph import scalar
from relgraph.scalar.basic import Cast
from relgraph.vm.tier.compiler import Loop, fuses_products

_MOST_EXPONENT = {"float32": 30, "float64": 300}
"""By a number of a larger exponent, or of a smaller one, is divided."""
_NEAREST = 8
"""A quotient farther from a midpoint of two floats than so many units is rounded right: both
products are off by less."""


@lru_cache(maxsize=4096)
def reciprocal_in_two(divisor: float, dtype: str) -> tuple[float, float] | None:
    """Return ``high`` and ``low`` of one sign by which quotients are rounded right; None if there
    are none.

    Parameters
    ----------
    divisor
        A number of the dtype.
    dtype
        "float32" or "float64".
    """
    usable = math.isfinite(divisor) and divisor != 0
    exponent = math.frexp(divisor)[1]
    if not usable or abs(exponent) > _MOST_EXPONENT[dtype]:
        return None
    # so that an infinity or a zero meets no other sign, `high` is rounded towards zero
    nearest = np.dtype(dtype).type(1) / np.dtype(dtype).type(divisor)
    exact = 1 / Fraction(divisor)
    high = nearest if abs(_exactly(nearest)) <= abs(exact) else np.nextafter(nearest, nearest * 0)
    rest = np.dtype(dtype).type(float(exact - _exactly(high)))
    if rest == 0:
        return float(high), 0.0
    for low in (rest, np.nextafter(rest, rest * 2), np.nextafter(rest, rest * 0)):
        if all(_is_rounded(x, divisor, high, low) for x in _hard_cases(divisor, dtype)):
            return float(high), float(low)
    return None


def _exactly(x: Any) -> Fraction:
    return Fraction(float(x))


def _hard_cases(divisor: float, dtype: str) -> Iterator[Any]:
    """Yield the numbers of one binade whose quotients are nearest to midpoints.

    With integers ``X`` and ``C`` of ``p`` bits for a number and the divisor, a midpoint is
    ``M / 2**shift`` for an odd ``M``, and ``X 2**shift - M C`` says how far it is.
    """
    bits = np.finfo(dtype).nmant + 1
    fraction, _ = math.frexp(abs(divisor))
    c = int(math.ldexp(fraction, bits))
    least = 1 << (bits - 1)
    # the quotient is 1 or more, or less
    for shift in (bits, bits + 1):
        common = math.gcd(1 << shift, c)
        period = c // common
        inverse = pow((1 << shift) // common, -1, period) if period > 1 else 0
        for distance in range(common, _NEAREST + 1, common):
            for signed in (distance, -distance):
                first = signed // common * inverse % period
                x = first + -(-(least - first) // period) * period
                while x < 2 * least:
                    if (x >= c) == (shift == bits):
                        yield np.dtype(dtype).type(math.ldexp(x, 1 - bits))
                    x += period


def _is_rounded(x: Any, divisor: float, high: Any, low: Any) -> bool:
    """Return whether the two products give the rounded quotient of a number."""
    found = _exactly(x) * _exactly(high) + _exactly(x * low)
    return bool(_rounded(found, x.dtype) == x / x.dtype.type(divisor))


def _rounded(x: Fraction, dtype: Any) -> Any:
    """Return the nearest float, the even one of two."""
    # a double that is inexact is made odd, so that to round it again does no harm
    near = float(x)
    if dtype == np.float64:
        return np.float64(near)
    if _exactly(near) != x and math.frexp(near)[0] * 2**53 % 2 == 0:
        near = math.nextafter(near, math.inf if x > _exactly(near) else -math.inf)
    return np.float32(near)


MEMORY = {
    "bool": "i8",
    **{f"{sign}int{bits}": f"i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float",
    "float64": "double",
}
"""The dtypes that are compiled, with their types in memory."""


def register_type(dtype: str) -> str:
    """Return the type of LLVM of a value that is computed with."""
    return "i1" if dtype == "bool" else MEMORY[dtype]


def itemsize(dtype: str) -> int:
    """Return the number of bytes of a dtype."""
    return int(np.dtype(dtype).itemsize)


def kind(dtype: str) -> str:
    """Return "b", "i", "u" or "f"."""
    return np.dtype(dtype).kind


def literal(value: Any, dtype: str) -> str:
    """Return a number as it is written in LLVM."""
    if dtype == "bool":
        return "true" if value else "false"
    if kind(dtype) == "f":
        as_double = float(np.dtype(dtype).type(value))
        return f"0x{struct.unpack('<Q', struct.pack('<d', as_double))[0]:016X}"
    return str(int(value))


def pointer(address: int) -> str:
    """Return an address as it is written in LLVM."""
    return f"inttoptr (i64 {address} to ptr)"


class Code:
    """The lines of a function of LLVM, and what it allocates before them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.allocations: list[str] = []
        self._names = 0
        self.declared: set[str] = set()

    def name(self) -> str:
        """Return a new name."""
        self._names += 1
        return f"t{self._names}"

    def add(self, text: str) -> None:
        """Add an instruction without a result."""
        self.lines.append(f"  {text}")

    def make(self, text: str) -> str:
        """Add an instruction; return the name of its result."""
        name = f"%{self.name()}"
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def body(self) -> str:
        """Return the text of the function."""
        return "\n".join(["entry:", *self.allocations, "  br label %start", "start:", *self.lines])

    # -- memory --------------------------------------------------------------------------------

    def allocate(self, text: str) -> str:
        """Return where there is room for something as long as the function runs."""
        name = f"%{self.name()}"
        self.allocations.append(f"  {name} = alloca {text}")
        return name

    def variable(self, type_: str, x: str) -> str:
        """Return where a value is kept that may change, once it has been stored there."""
        place = self.allocate(type_)
        self.add(f"store {type_} {x}, ptr {place}")
        return place

    def at(self, base: str, offset: str | int, type_: str = "i8") -> str:
        """Return the place of an element."""
        return self.make(f"getelementptr {type_}, ptr {base}, i64 {offset}")

    def load(self, type_: str, where: str, rest: str = "") -> str:
        return self.make(f"load {type_}, ptr {where}, align 1{rest}")

    def load_element(self, dtype: str, where: str, rest: str = "") -> str:
        """Return an element of an array in a register."""
        x = self.load(MEMORY[dtype], where, rest)
        return self.make(f"icmp ne i8 {x}, 0") if dtype == "bool" else x

    def store_element(self, x: str, dtype: str, where: str, rest: str = "") -> None:
        if dtype == "bool":
            x = self.make(f"zext i1 {x} to i8")
        self.add(f"store {MEMORY[dtype]} {x}, ptr {where}, align 1{rest}")

    def update(self, type_: str, where: str, how: str, x: str) -> None:
        """Combine what lies somewhere with a value, and store the result there."""
        found = self.make(f"{how} {type_} {self.load(type_, where)}, {x}")
        self.add(f"store {type_} {found}, ptr {where}, align 1")

    def all_of(self, conditions: Iterable[str]) -> str:
        """Return whether all conditions hold."""
        holds = "true"
        for condition in conditions:
            holds = self.make(f"and i1 {holds}, {condition}")
        return holds

    # -- loops ---------------------------------------------------------------------------------

    @contextmanager
    def loop(
        self, length: str, step: str = "1", rest: str = "", end: str | None = None
    ) -> Iterator[str]:
        """Add the instructions of a block as a loop, and give it the counter.

        Parameters
        ----------
        length, step
            Where the counter ends, and how far it goes at a time.
        rest
            What LLVM is told about the loop.
        end
            The name of what follows; by default a new one.
        """
        variable = self.variable("i64", "0")
        head, body, end = self.name(), self.name(), end or self.name()
        self.add(f"br label %{head}")
        self.label(head)
        counter = self.make(f"load i64, ptr {variable}")
        more = self.make(f"icmp slt i64 {counter}, {length}")
        self.add(f"br i1 {more}, label %{body}, label %{end}")
        self.label(body)
        yield counter
        after = self.make(f"add nsw i64 {counter}, {step}")
        self.add(f"store i64 {after}, ptr {variable}")
        self.add(f"br label %{head}{rest}")
        self.label(end)

    def call_loop(
        self, loop: Loop, places: Sequence[tuple[str, str]], count: str, name: str | None = None
    ) -> None:
        """Add a call of a loop of NumPy, or of the named function that replaces it.

        Parameters
        ----------
        places
            Where the inputs and the output begin, and how many bytes their elements are apart.
        count
            The number of elements.
        """
        arguments = self.allocate(f"[{len(places)} x ptr]")
        steps = self.allocate(f"[{len(places)} x i64]")
        lengths = self.variable("i64", count)
        for i, (where, step) in enumerate(places):
            self.add(f"store ptr {where}, ptr {self.at(arguments, i, 'ptr')}")
            self.add(f"store i64 {step}, ptr {self.at(steps, i, 'i64')}")
        given = f"ptr {arguments}, ptr {lengths}, ptr {steps}, ptr {pointer(loop.data)}"
        self.add(f"call void {name or pointer(loop.address)}({given})")

    def intrinsic(self, name: str, dtype: str, *xs: str) -> str:
        """Add a call of a function of floats that LLVM has."""
        type_ = MEMORY[dtype]
        full = f"@llvm.{name}.f{itemsize(dtype) * 8}"
        self.declared.add(f"declare {type_} {full}({', '.join([type_] * len(xs))})")
        return self.make(f"call {type_} {full}({', '.join(f'{type_} {x}' for x in xs)})")


class NotNative(Exception):
    """Raised where no instructions compute an op on some dtypes as NumPy does."""


def _insist(condition: bool) -> None:
    if not condition:
        raise NotNative


def convert(code: Code, x: str, old: str, new: str) -> str:
    """Return a value in another dtype; raise `NotNative` if NumPy does not say what it is."""
    if old == new:
        return x
    source, target = register_type(old), register_type(new)
    before, after = kind(old), kind(new)
    if new == "bool":
        zero = literal(0, old)
        return code.make(f"{'fcmp une' if before == 'f' else 'icmp ne'} {source} {x}, {zero}")
    if before == "f":
        _insist(after == "f")
        name = "fpext" if new == "float64" else "fptrunc"
    elif after == "f":
        name = "sitofp" if before == "i" else "uitofp"
    elif itemsize(old) == itemsize(new) and old != "bool":
        return x
    elif itemsize(old) > itemsize(new):
        name = "trunc"
    else:
        name = "sext" if before == "i" else "zext"
    return code.make(f"{name} {source} {x} to {target}")


class Operands(NamedTuple):
    """What an op is computed from.

    Attributes
    ----------
    code
        What instructions are added to.
    values, dtypes
        The values of the inputs, in registers, and their dtypes.
    dtype
        The dtype of the output.
    exact
        Whether the bits have to be NumPy's.
    """

    code: Code
    values: Sequence[str]
    dtypes: Sequence[str]
    dtype: str
    exact: bool

    def converted(self, i: int) -> str:
        """Return input `i` in the dtype of the output."""
        return convert(self.code, self.values[i], self.dtypes[i], self.dtype)

    def all_in(self, dtype: str) -> list[str]:
        """Return the inputs in a dtype."""
        pairs = zip(self.values, self.dtypes, strict=True)
        return [convert(self.code, x, d, dtype) for x, d in pairs]


Native = Callable[[Operands], str]
"""Adds the instructions of an op; returns the value of the output, or raises `NotNative`."""


def _folded(for_float: str | None, for_integer: str | None, for_bool: str | None) -> Native:
    def native(given: Operands) -> str:
        name = {"f": for_float, "b": for_bool}.get(kind(given.dtype), for_integer)
        if name is None:
            raise NotNative
        total, *others = given.all_in(given.dtype)
        for x in others:
            total = given.code.make(f"{name} {register_type(given.dtype)} {total}, {x}")
        return total

    return native


def _comparison(dtype: str, for_float: str, signed: str, unsigned: str) -> str:
    """Return the instruction that compares numbers of a dtype."""
    if kind(dtype) == "f":
        return f"fcmp {for_float}"
    return f"icmp {signed if kind(dtype) == 'i' else unsigned}"


def _compared(for_float: str, signed: str, unsigned: str) -> Native:
    def native(given: Operands) -> str:
        common = np.result_type(*given.dtypes).name
        kinds = set(map(kind, given.dtypes))
        _insist(common in MEMORY and not (kind(common) == "f" and kinds == {"i", "u"}))
        x, y = given.all_in(common)
        which = _comparison(common, for_float, signed, unsigned)
        return given.code.make(f"{which} {register_type(common)} {x}, {y}")

    return native


def _extreme(for_float: str, signed: str, unsigned: str) -> Native:
    def native(given: Operands) -> str:
        code, dtype = given.code, given.dtype
        # of two zeros NumPy's loops take now the one, now the other
        _insist(not (given.exact and kind(dtype) == "f"))
        type_ = register_type(dtype)
        which = _comparison(dtype, for_float, signed, unsigned)
        best, *others = given.all_in(dtype)
        for x in others:
            taken = code.make(f"{which} {type_} {best}, {x}")
            if kind(dtype) == "f":
                is_nan = code.make(f"fcmp uno {type_} {best}, {best}")
                taken = code.make(f"or i1 {taken}, {is_nan}")
            best = code.make(f"select i1 {taken}, {type_} {best}, {type_} {x}")
        return best

    return native


def _of_float(compute: Callable[[Code, str, str], str]) -> Native:
    """Return how an op of one number is computed if its result is a float."""

    def native(given: Operands) -> str:
        _insist(kind(given.dtype) == "f")
        return compute(given.code, given.converted(0), given.dtype)

    return native


def _intrinsic(name: str) -> Native:
    return _of_float(lambda code, x, dtype: code.intrinsic(name, dtype, x))


def _square(given: Operands) -> str:
    return _MUL(given._replace(values=[*given.values] * 2, dtypes=[*given.dtypes] * 2))


def _negative(given: Operands) -> str:
    x, of_kind, type_ = given.converted(0), kind(given.dtype), register_type(given.dtype)
    _insist(of_kind != "b")
    return given.code.make(f"fneg {type_} {x}" if of_kind == "f" else f"sub {type_} 0, {x}")


def _inverted(given: Operands) -> str:
    ones = "true" if given.dtype == "bool" else -1
    return given.code.make(f"xor {register_type(given.dtype)} {given.values[0]}, {ones}")


def _is_nan(given: Operands) -> str:
    (x,), (dtype,) = given.values, given.dtypes
    _insist(kind(dtype) == "f")
    return given.code.make(f"fcmp uno {MEMORY[dtype]} {x}, {x}")


def _is_infinite(given: Operands) -> str:
    (x,), (dtype,) = given.values, given.dtypes
    _insist(kind(dtype) == "f")
    size = given.code.intrinsic("fabs", dtype, x)
    return given.code.make(f"fcmp oeq {MEMORY[dtype]} {size}, {literal(np.inf, dtype)}")


def _chosen(given: Operands) -> str:
    condition = convert(given.code, given.values[0], given.dtypes[0], "bool")
    x, y = given.converted(1), given.converted(2)
    type_ = register_type(given.dtype)
    return given.code.make(f"select i1 {condition}, {type_} {x}, {type_} {y}")


def _clipped(given: Operands) -> str:
    code, dtype = given.code, given.dtype
    x, low, high = given.all_in(dtype)
    both = given._replace(dtypes=[dtype, dtype])
    raised = NATIVE[type(scalar.maximum)](both._replace(values=[x, low]))
    found = NATIVE[type(scalar.minimum)](both._replace(values=[raised, high]))
    if kind(dtype) != "f":
        return found
    type_ = register_type(dtype)
    same = code.make(f"fcmp oeq {type_} {found}, {x}")
    return code.make(f"select i1 {same}, {type_} {x}, {type_} {found}")


_MUL = _folded("fmul", "mul", "and")
_DIV = _folded("fdiv", None, None)


def _quotient(given: Operands) -> str:
    """Divide; by a known number by multiplications, which take a fraction of the time."""
    code, dtype, x = given.code, given.dtype, given.converted(0)
    divisor = _known_float(given.values[1]) if given.dtypes[1] == dtype else 0.0
    by_products = fuses_products() and not given.exact
    factors = reciprocal_in_two(divisor, dtype) if by_products else None
    if factors is None:
        return _DIV(given)
    type_ = MEMORY[dtype]
    high, low = [literal(factor, dtype) for factor in factors]
    if factors[1] == 0:
        return code.make(f"fmul {type_} {x}, {high}")
    return code.intrinsic("fma", dtype, x, high, code.make(f"fmul {type_} {x}, {low}"))


def _known_float(x: str) -> float:
    """Return the value of a literal of a float; 0 for other texts."""
    if not x.startswith("0x"):
        return 0.0
    found: float = struct.unpack("<d", struct.pack("<Q", int(x, 16)))[0]
    return found


NATIVE: dict[type[Any], Native] = {
    type(scalar.add): _folded("fadd", "add", "or"),
    type(scalar.mul): _MUL,
    type(scalar.sub): _folded("fsub", "sub", None),
    type(scalar.true_div): _quotient,
    type(scalar.and_): _folded(None, "and", "and"),
    type(scalar.or_): _folded(None, "or", "or"),
    type(scalar.xor): _folded(None, "xor", "xor"),
    type(scalar.invert): _inverted,
    type(scalar.neg): _negative,
    type(scalar.sqr): _square,
    type(scalar.abs): _intrinsic("fabs"),
    type(scalar.sqrt): _intrinsic("sqrt"),
    type(scalar.floor): _intrinsic("floor"),
    type(scalar.ceil): _intrinsic("ceil"),
    type(scalar.trunc): _intrinsic("trunc"),
    type(scalar.reciprocal): _of_float(
        lambda code, x, dtype: code.make(f"fdiv {MEMORY[dtype]} {literal(1, dtype)}, {x}")
    ),
    type(scalar.eq): _compared("oeq", "eq", "eq"),
    type(scalar.neq): _compared("une", "ne", "ne"),
    type(scalar.lt): _compared("olt", "slt", "ult"),
    type(scalar.le): _compared("ole", "sle", "ule"),
    type(scalar.gt): _compared("ogt", "sgt", "ugt"),
    type(scalar.ge): _compared("oge", "sge", "uge"),
    type(scalar.isnan): _is_nan,
    type(scalar.isinf): _is_infinite,
    type(scalar.maximum): _extreme("oge", "sge", "uge"),
    type(scalar.minimum): _extreme("ole", "sle", "ule"),
    type(scalar.clip): _clipped,
    type(scalar.switch): _chosen,
    type(scalar.second): lambda given: given.converted(1),
    type(scalar.identity): lambda given: given.converted(0),
    Cast: lambda given: given.converted(0),
}
"""How ops are computed, by their class."""


def native(op: Any, dtypes: Sequence[str], dtype: str, exact: bool) -> Native | None:
    """Return how an op is computed on some dtypes; None if NumPy has to."""
    found = NATIVE.get(type(op))
    if found is None:
        return None
    try:
        found(Operands(Code(), ["%x"] * len(dtypes), dtypes, dtype, exact))
    except NotNative:
        return None
    return found
