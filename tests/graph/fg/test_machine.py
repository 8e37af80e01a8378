"""Random sequences of edits keep a FunctionGraph whole.

The default is a few thousand edits. ``HYPOTHESIS_PROFILE=long`` makes some 250,000 that shrink to
a short failure; ``RELGRAPH_EDITS=100000`` lengthens the plain loop.
"""

import os

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.graph.fg.edits import Editor, run
from tests.seeds import seed_of


class Edits(RuleBasedStateMachine):
    """An `Editor` whose edits and choices Hypothesis makes."""

    def __init__(self):
        super().__init__()
        self.data = None
        self.editor = Editor(self.pick)

    def pick(self, things):
        return self.data.draw(st.sampled_from(things))

    @rule(data=st.data(), edit=st.sampled_from(Editor.EDITS))
    def edit(self, data, edit):
        self.data = data
        edit(self.editor)

    @invariant()
    def whole(self):
        self.editor.check()


Edits.TestCase.settings = settings(max_examples=60, stateful_step_count=50)
TestEdits = Edits.TestCase


@pytest.mark.parametrize("number", range(3))
def test_a_long_sequence_of_edits(number):
    edits = int(os.environ.get("RELGRAPH_EDITS", "10000"))
    assert run(edits, seed_of("edits", number)).edits == edits
