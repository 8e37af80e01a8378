"""Values are those of the reference, the user's arrays are left alone, and results are apart."""

from random import Random

import numpy as np
import pytest

from relgraph.compile import function
from relgraph.tensor import fortran
from tests.aliasing.campaign import MODES, campaign, laid_out, problems
from tests.aliasing.programs import N, random_program
from tests.seeds import sampled, seed_of


@pytest.mark.parametrize("block", sampled(range(10), 4, "blocks of programs"))
def test_random_programs_in_every_mode(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if block % 2:
        monkeypatch.setattr(fortran, "SMALL", 0)  # as if the matrices were large
    assert not list(campaign(seed_of("aliasing", block), 30))


def test_what_they_hold() -> None:
    """Enough of the programs overwrite something, and by each kind of op."""
    kinds = {"Elemwise", "IncSubtensor", "AdvancedIncSubtensor", "Gemm"}
    overwriting: dict[str, int] = {}
    first = seed_of("aliasing")
    for seed in range(first, first + 400):
        if set(overwriting) >= kinds and seed >= first + 60:
            break
        program = random_program(seed)
        f = function(
            *program.specification(), "o4", updates=program.updates, on_unused_input="ignore"
        )
        for node in f.maker.fgraph.apply_nodes:
            if node.op.destroy_map:
                kind = type(node.op).__name__
                overwriting[kind] = overwriting.get(kind, 0) + 1
    assert set(overwriting) >= kinds


def test_a_wrong_result_is_found() -> None:
    """The check is not blind: a program whose arguments are declared otherwise fails it."""
    found = 0
    first = seed_of("aliasing declared otherwise")
    for seed in range(first, first + 100):
        program = random_program(seed)
        program.borrowed = set(range(len(program.outputs)))
        program.mutable = set(range(len(program.inputs)))
        inputs, outputs = program.specification()
        program.specification = lambda given=(inputs, outputs): given  # type: ignore[method-assign, misc]
        program.borrowed, program.mutable = set(), set()
        found += any(True for _ in problems(program))
    assert found >= 10


def test_layouts_have_the_same_values() -> None:
    values = np.arange(N * N).reshape(N, N)
    layouts = [laid_out(values, Random(seed_of("layout", i))) for i in range(60)]
    assert all(np.array_equal(a, values) for a in layouts)
    # by rows, by columns, within a larger array, and backward
    kinds = {(8 * N, 8), (8, 8 * N), (48 * N, 24), (-8 * N, 8)}
    assert {a.strides for a in layouts} == kinds
    assert "o4" in MODES
