"""When a function is compiled, which tier runs a call, and how a loop is interleaved."""

import copy
import pickle
from threading import Barrier, Thread

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import config, function, scalar
from relgraph.compile import Mode, get_mode
from relgraph.compile.compilation import compiled_graphs
from relgraph.vm import linker
from relgraph.vm.linker import VMLinker, duration
from relgraph.vm.tier import compiler, tiers
from relgraph.vm.tier.block_loops import most_alive, side_by_side
from relgraph.vm.tier.lowering import Operand, Step, Value
from relgraph.vm.tier.scalar_code import NATIVE
from relgraph.vm.tier.tiers import Policy, TieredProgram
from tests.arrays import assert_close
from tests.vm.tier.conftest import needs_compiler

x, y = at.dvector("x"), at.dvector("y")
OUTPUTS = [at.exp(x) * y + x, at.sum(x * y)]
VALUES = np.linspace(-1, 1, 50), np.linspace(0, 2, 50)


@pytest.fixture
def policy(monkeypatch):
    def use(**what):
        monkeypatch.setitem(tiers.POLICIES, "auto", Policy(**what))
        monkeypatch.setattr(config, "tier", "auto")
        compiled_graphs.clear()  # they keep the policy that they were made with

    return use


def test_names_of_tiers():
    assert Mode().tier == "auto" and Mode(tier="vm").tier == "vm"
    with pytest.raises(ValueError, match="no tier is called 'fast'; there are auto, vm, compiled"):
        Mode(tier="fast")
    with pytest.raises(ValueError, match="the linker 'py' has no tier that is compiled"):
        Mode("py", tier="compiled")
    with pytest.raises(ValueError, match=r"config\.tier is one of"):
        config.tier = "fast"


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(linker, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'relgraph\[numba\]'"):
        Mode(tier="compiled")
    monkeypatch.setattr(config, "tier", "auto")
    made = function([x, y], OUTPUTS)
    assert Mode().present_tier == "vm" and not isinstance(made._run, TieredProgram)
    assert "Tier" not in str(function([x, y], OUTPUTS, profile=True).profile)


@needs_compiler
def test_modes_keep_their_tier():
    mode = Mode(optimizer="strict", tier="compiled")
    changed = mode.including("canonicalize").excluding("merge")
    for same in (changed, pickle.loads(pickle.dumps(mode)), copy.copy(mode), get_mode(mode)):
        assert same.tier == "compiled"
    assert repr(mode).endswith(", tier='compiled')")
    assert "tier" not in repr(Mode())
    assert Mode(VMLinker(allow_gc=False), tier="compiled").present_tier == "vm"


@needs_compiler
def test_modes_with_other_tiers_are_not_compiled_as_one():
    made = [function([x, y], OUTPUTS, mode=Mode(tier=tier)) for tier in ("vm", "compiled", "vm")]
    kinds = [isinstance(f._run, TieredProgram) for f in made]
    assert kinds == [False, True, False]
    loaded = pickle.loads(pickle.dumps(made[1]))
    assert isinstance(loaded._run, TieredProgram)
    np.testing.assert_array_equal(loaded(*VALUES)[0], made[0](*VALUES)[0])


@needs_compiler
@pytest.mark.parametrize("aside", [False, True])
def test_a_function_that_is_called_again_is_compiled(policy, aside):
    policy(calls=3, seconds=0.0, rounds=2, aside=aside)
    made = function([x, y], OUTPUTS, profile=True)
    record = made.profile.tiers
    expected = made(*VALUES)
    made(*VALUES)
    assert record.state == "vm"
    made(*VALUES)
    assert record.state == "compiled" if not aside else record.state in ("compiling", "compiled")
    for _ in range(10_000):
        found = made(*VALUES)
        assert_close(found, expected, rtol=1e-14)
        if record.chosen:
            break
    ((_, (faster, vm, own)),) = record.chosen.items()
    assert faster == ("compiled" if own < vm else "vm")
    # another kind of arguments is measured by itself
    for _ in range(4):
        made(np.ones(9), np.ones(9))
    assert len(record.chosen) == 2
    assert record.calls["compiled"] >= 4
    assert "faster on 8 to 15 elements: " in str(made.profile)


@needs_compiler
def test_what_takes_no_time_is_not_compiled(policy):
    policy(calls=1, seconds=1e6)
    made = function([x, y], OUTPUTS)
    for _ in range(10):
        made(*VALUES)
    assert made._run.record.state == "vm"


@needs_compiler
def test_what_takes_little_is_compiled_after_many_calls(policy):
    policy(calls=3, seconds=2e-3, rounds=1, aside=False)
    made = function([x, y], OUTPUTS)
    for _ in range(200_000):
        made(*VALUES)
        if made._run.record.state != "vm":
            break
    assert made._run.record.state == "compiled"


@needs_compiler
def test_a_profile_says_which_tier_ran(policy):
    policy(calls=2, seconds=0.0, rounds=0, aside=False)
    made = function([x, y], OUTPUTS, profile=True)
    assert "Tier: not compiled" in str(made.profile)
    for _ in range(5):
        made(*VALUES)
    text = str(made.profile)
    assert (
        f"Tier: compiled in {duration(made.profile.tiers.seconds)}, 0 nodes left to NumPy" in text
    )
    assert "calls by NumPy: 2, compiled: 3" in text
    assert "Tier: compiled" in made.profile._repr_html_()
    assert made.profile.node_times.calls and set(made.profile.node_times.calls.values()) == {2}


@needs_compiler
def test_nothing_more_is_compiled_where_the_process_ends(policy, monkeypatch):
    policy(calls=1, seconds=0.0, rounds=1, aside=False)
    monkeypatch.setattr(tiers._worker, "ends", True)
    made = function([x, y], OUTPUTS)
    made(*VALUES)
    assert made._run.record.error == "InterruptedError: the process ends"
    assert made._run.record.segments == []


@needs_compiler
@pytest.mark.parametrize("aside", [False, True])
def test_a_compilation_that_fails_leaves_numpy_running(policy, monkeypatch, aside):
    def fail(text):
        raise RuntimeError("out of registers")

    monkeypatch.setattr(compiler, "_engine", fail)
    policy(calls=1, seconds=0.0, rounds=0, aside=aside)
    made = function([x, y], OUTPUTS, profile=True)
    expected = made(*VALUES)
    while made.profile.tiers.state in ("vm", "compiling"):
        made(*VALUES)
    np.testing.assert_array_equal(made(*VALUES)[0], expected[0])
    assert (
        "Tier: the compilation failed, and NumPy runs all: RuntimeError: out of registers"
        in str(made.profile)
    )


@needs_compiler
def test_threads_call_a_function_while_it_is_swapped(policy):
    policy(calls=40, seconds=0.0, rounds=3)
    made = function([x, y], OUTPUTS)
    values = [(np.full(k, 0.5), np.arange(k) * 1.0) for k in (10, 70, 30_000)]
    expected = [function([x, y], OUTPUTS, mode=Mode(tier="vm"))(*v) for v in values]
    wrong, start = [], Barrier(4)

    def call(thread):
        start.wait()
        for k in range(400):
            i = (k + thread) % 3
            found = made(*values[i])
            same = [np.allclose(a, b, 1e-13, 0) for a, b in zip(found, expected[i], strict=True)]
            if not all(same):
                wrong.append((thread, k, found))

    threads = [Thread(target=call, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# How many vectors a loop has side by side.

ADD = NATIVE[type(scalar.add)]


def chain(length):
    """Sums, each of the one before and an array."""
    x, y = Value("float64", ((0, 0),)), Value("float64", ((1, 0),))
    steps = []
    for _ in range(length):
        out = Value("float64", ((0, 0),))
        steps.append(Step(out, ADD, [Operand(x, (False,)), Operand(y, (False,))]))
        x = out
    return steps


def reversed_sum(length):
    """A chain whose values are all read again, the last one first."""
    steps = chain(length)
    total = steps[-1].out
    for step in reversed(steps[:-1]):
        out = Value("float64", ((0, 0),))
        steps.append(Step(out, ADD, [Operand(total, (False,)), Operand(step.out, (False,))]))
        total = out
    return steps


def test_what_is_alive():
    assert most_alive([]) == 0
    assert most_alive(chain(1)) == 0
    assert most_alive(chain(30)) == 2
    assert most_alive(reversed_sum(30)) == 30


def test_narrow_chains_have_more_vectors_and_loops_over_many_arrays_one():
    assert side_by_side(chain(30), arrays=3) == 8
    assert side_by_side(reversed_sum(30), arrays=3) == 4
    assert side_by_side(chain(30), arrays=40) == 1
