"""The same graph, where something else stands in the place of a tensor."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.graph.kanren import computo, whereo
from relgraph.tensor.lawkit.guards import is_constant, is_nonnegative
from relgraph.tensor.lawkit.type_guards import ranko
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing import check_relation
from relgraph.testing.instances.input_values import bytes_needed, decode_values
from relgraph.testing.instances.plan import (
    InstancePlanner,
    with_edge_numbers,
    with_functions,
    with_laid_out_numbers,
    with_views,
)
from tests.testing.mutants.spoiled import Spoiled
from tests.testing.plan.test_branch_points import searched

x, y, c = lvars("x y c")
ROOT = law("root", at.exp2(at.log2(x)), x, whereo(is_nonnegative, x), sound="finite")
HALF = law("half", x / c, x * 0.5, computo(c, lambda x: 2.0, x))
CONSTANT = law("constant", x / c, x * (1 / c), whereo(is_constant, c), sound="finite")
MIXED = law("mixed", x / y, x * (1 / y), sound="finite", mixed=True)


def values_of(instance, v):
    data = b"\0" * bytes_needed(instance.inputs)
    values = instance.pair.run(decode_values(data, instance.inputs))
    return values[instance.graph.bindings[v]]


def test_what_is_never_an_input_has_each_layout():
    found = [values_of(i, x) for i in with_views(searched(ROOT))]
    assert any(a.ndim == 2 and a.flags.f_contiguous and not a.flags.c_contiguous for a in found)
    assert any(0 in a.strides and a.size > 1 for a in found)
    assert any(s < 0 for a in found for s in a.strides)
    assert not list(with_views(searched(law("any", at.exp2(at.log2(x)), x, sound="finite"))))


def test_what_is_never_an_input_is_a_function_of_one():
    found = list(with_functions(searched(ROOT)))
    assert {spec.shape for i in found for spec in i.inputs} == {(32,)}
    assert all(str(i.graph.bindings[x].owner.op) == "abs" for i in found)


def test_numbers_have_each_order_of_axes():
    found = list(with_laid_out_numbers(searched(HALF)))
    divisors = [values_of(i, x) for i in found]
    assert [a.shape for a in divisors] == [(3, 2, 2)] * 3
    arrays = [i.pair.old.owner.inputs[1] for i in found]
    columns, other, rows = (
        i.pair.run([a])[v] for i, a, v in zip(found, divisors, arrays, strict=True)
    )
    assert columns.flags.f_contiguous and not columns.flags.c_contiguous
    assert not other.flags.f_contiguous and not other.flags.c_contiguous
    assert rows.shape == (1, 2, 2) and rows.strides[0] == 0


def test_edge_numbers_stand_beside_vectors_with_room_for_all():
    found = list(with_edge_numbers(searched(CONSTANT)))
    assert {spec.shape for i in found for spec in i.inputs} == {(32,)}
    numbers = [float(np.ravel(i.graph.bindings[c].data)[0]) for i in found]
    assert {-0.0, 1.0, np.finfo("float64").max} <= set(numbers)


def test_a_law_about_several_dtypes_has_inputs_of_each_beside_each():
    variants = InstancePlanner([searched(MIXED)], 8).run().variants
    mixed = [{v.type.dtype for v in i.pair.inputs} for i in variants]
    for pair in ({"float16", "float32"}, {"float16", "int8"}, {"bool", "float16"}):
        assert pair in mixed


def test_constants_beside_floats_have_other_dtypes():
    negated = law("t", -(c * x), at.mul(x, c, -1), whereo(is_constant, c), sound="domain")
    variants = InstancePlanner([searched(negated)], 8).run().variants
    dtypes = {i.graph.bindings[c].type.dtype for i in variants if i.inputs}
    assert {"uint8", "int64", "float32"} <= dtypes


def test_one_of_two_axes_has_no_elements_where_the_other_has():
    outer = law("t", x @ y, x * y, ranko(x, 2), ranko(y, 2), sound="domain")
    variants = InstancePlanner([searched(outer)], 8).run().variants
    shapes = [(i.inputs[0].shape, i.inputs[1].shape) for i in variants if len(i.inputs) > 1]
    assert any(0 in a and 0 not in b for a, b in shapes + [(b, a) for a, b in shapes])


def test_checks_find_what_is_wrong_there_alone():
    for where in ("negative strides", "zero strides", "subnormal numbers"):
        wrong = law("root", ROOT.lhs, Spoiled(where)(x), whereo(is_nonnegative, x), sound="finite")
        assert check_relation(wrong, shrink=False).status == "failed", where
    laid_out = Spoiled("fortran order")(c)
    wrong = law("half", x / c, x / laid_out, computo(c, lambda x: 2.0, x))
    assert check_relation(wrong, shrink=False).status == "failed"
