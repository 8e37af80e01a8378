"""The Huber loss as an Op, and laws about it: what the fourth essay builds."""

import numpy as np

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op


class Huber(Op):
    """x²/2 where abs(x) < 1, and abs(x) - 1/2 beyond: elementwise, of floats."""

    __props__ = ()

    def make_node(self, x):
        x = at.as_tensor_variable(x)
        if x.type.dtype not in ("float32", "float64"):
            raise TypeError(f"huber takes floats, not {x.type}")
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        size = np.abs(x)
        bound = np.minimum(size, 1)
        output_storage[0][0] = np.asarray(bound * (size - bound / 2), dtype=x.dtype)

    def grad(self, inputs, output_gradients):
        (x,) = inputs
        (upstream,) = output_gradients
        return [upstream * at.clip(x, -1, 1)]

    def infer_shape(self, fgraph, node, shapes):
        return shapes


huber = Huber()

a, b = lvars("a b")

LAWS = [
    law("huber-even", huber(-a), huber(a)),
    law("huber-abs", huber(at.abs(a)), huber(a)),
    law(
        "huber-written-out",
        at.switch(at.lt(at.abs(a), 1), at.sqr(a) / 2, at.abs(a) - 0.5),
        huber(a),
        sound="rounding",
    ),
]
