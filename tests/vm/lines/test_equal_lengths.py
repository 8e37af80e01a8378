"""What a program knows about lengths."""

import relgraph.tensor as at
from relgraph.vm.codegen import EqualLengths


def test_lengths_are_found_equal_through_others():
    lengths = EqualLengths()
    a, b, c, d = (lengths.new() for _ in range(4))
    lengths.equate(a, b)
    lengths.equate(c, d)
    assert lengths.find(a) == lengths.find(b) != lengths.find(c)
    lengths.equate(b, d)
    assert len({lengths.find(n) for n in (a, b, c, d)}) == 1


def test_a_static_length_stands_for_its_set():
    lengths = EqualLengths()
    a, b = lengths.new(), lengths.new()
    lengths.equate(a, b)
    lengths.equate(~3, b)
    lengths.equate(a, ~3)
    assert lengths.find(a) == lengths.find(b) == ~3


def test_variables():
    lengths = EqualLengths()
    x, y, z = at.dmatrix("x"), at.row("y"), at.TensorType("float64", (None, 4))("z")
    n, m = lengths.of(x)
    assert n != m and lengths.of(x) == (n, m)
    assert lengths.of(y)[0] == ~1 and lengths.of(z)[1] == ~4
    lengths.define(z, (m, n))
    assert lengths.of(z) == (m, ~4) and lengths.of(x) == (~4, m)
