"""What wrong arguments and values are answered with: the kind of error, and what it names."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import ifelse, scalar, scan, scan_checkpoints, shared, until
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from relgraph.tensor import linalg
from relgraph.tensor.along_axes import Cumulate, Recurrence
from relgraph.tensor.basic import Assert
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.linalg.blas import _dot22, _dot22scalar, _gemm, _gemv
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.math import _dot
from relgraph.tensor.random import functions as random
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import RandomVariable
from relgraph.tensor.random.type import random_generator_type
from relgraph.tensor.reductions import Argmax
from relgraph.tensor.shapes import MakeVector, Reshape, as_lengths
from tests.refusals import check_refused


def of(*shape: int | None, dtype: str = "float64") -> Any:
    return at.TensorType(dtype, shape)()


x, y, v = at.dvectors("x", "y", "v")
A, B = at.dmatrices("A", "B")
S, T = at.dtensor3("S"), at.dtensor3("T")
s, i, n, sizes = at.dscalar("s"), at.lvector("i"), at.lscalar("n"), at.lvector("sizes")
rng = random_generator_type("rng")
number = scalar.float64("number")
tall, row = of(4, 2), at.TensorType("float64", (1, None))("row")

REFUSED = {
    # elementwise ops
    "TypeError: exp takes 1 input, not 2": lambda: at.exp(x, x),
    "TypeError: add takes at least 1 input, not 0": lambda: at.add(),
    "TypeError: not a tensor": lambda: at.add(x, number),
    "TypeError: is not a scalar op": lambda: Elemwise(np.add),
    "ValueError: two outputs can't be written over one input": lambda: Elemwise(
        scalar.Composite([number], [number + 1, number * 2]), {0: 0, 1: 0}
    ),
    "TypeError: can't be written to the storage of input 0": lambda: Elemwise(scalar.add, {0: 0})(
        row, A
    ),
    "TypeError: can't be written to the storage of input 1": lambda: Elemwise(scalar.add, {0: 1})(
        A, at.fmatrix()
    ),
    r"TypeError: would drop axis 1 .* length is not known": lambda: A.dimshuffle(0),
    r"TypeError: would drop axis 0 .* length is 3": lambda: of(3).dimshuffle([]),
    "ValueError: names an axis twice": lambda: A.dimshuffle(0, 0, 1),
    "ValueError: axis 2 of an array with 2 dimensions": lambda: A.dimshuffle(0, 2, 1),
    r"TypeError: 'y' in .* is neither an axis nor 'x'": lambda: A.dimshuffle(0, "y", 1),
    "TypeError: takes a tensor with 1 dimensions": lambda: DimShuffle(1, (0,))(A),
    "TypeError: would drop the imaginary part": lambda: at.cast(at.zvector(), "float64"),
    "TypeError: at least one condition": lambda: Assert()(x),
    "TypeError: the message is a string": lambda: Assert(x),  # type: ignore[arg-type]
    # lengths and shapes
    "ValueError: shape_i: axis 2 of an array with 2 dimensions": lambda: at.shape_i(A, 2),
    "TypeError: input 1 is float64, which int64 can't hold": lambda: MakeVector("int64")(n, s),
    r"TypeError: input 0 is a .*, not of rank 0": lambda: MakeVector("float64")(x),
    r"TypeError: f: the shape .* how many dimensions": lambda: as_lengths(i, "f"),
    "TypeError: an integer of rank 0": lambda: as_lengths((s,), "f"),
    r"ValueError: reshape: 6 elements \(shape \(2, 3\)\) don't fit \(4,\)": lambda: at.reshape(
        of(2, 3), (4,)
    ),
    "ValueError: one element may be -1": lambda: at.reshape(A, (-1, -1)),
    "TypeError: unknown length; give ndim": lambda: at.reshape(A, i),
    r"ValueError: reshape: A has shape \(2, 3\), .* don't fit \(4,\)": lambda: evaluate(
        [at.reshape(A, (4,))], {A: np.ones((2, 3))}
    ),
    "ValueError: has 1 elements": lambda: Reshape(2)(A, (6,)),
    "DisconnectedInputError: not a differentiable function of n": lambda: grad(
        at.sum(at.reshape(A, (n, 1))), n
    ),
    "ValueError: flatten: ndim is 3": lambda: at.flatten(A, 3),
    "TypeError: flatten: ndim is 'F', not an int; `ravel` takes an order": lambda: A.flatten("F"),
    "ValueError: reshape: the order is 'C' or 'F', not 'K'": lambda: at.reshape(A, 4, order="K"),
    "ValueError: axis 0 of A has length 3, not 2": lambda: evaluate(
        [at.specify_shape(A, (2, None))], {A: np.ones((3, 3))}
    ),
    "ValueError: axis 0 of the input has length 4, not 3": lambda: at.specify_shape(tall, (3, 2)),
    "TypeError: of 2 dimensions": lambda: at.specify_shape(A, (3,)),
    "TypeError: i is no int, and no variable of rank 0": lambda: at.specify_shape(A, (i, 2)),
    "ValueError: no order of 2 axes": lambda: at.transpose(A, (0, 0)),
    "ValueError: axis 0 of A has length 2, not 1": lambda: evaluate(
        [at.squeeze(A, 0)], {A: np.ones((2, 3))}
    ),
    "ValueError: squeeze: axis 0 has length 4": lambda: at.squeeze(tall, 0),
    # arrays that are made, joined and split
    r"ValueError: axis 0 of input 0 \(x\) has length 1, .* has length 3; only an axis": lambda: (
        evaluate([at.alloc(x, 3)], {x: np.ones(1)})
    ),
    r"ValueError: axis 0 of input 0 \(x\) has length 2, .* has length 3": lambda: evaluate(
        [at.alloc(x, 3)], {x: np.ones(2)}
    ),
    "TypeError: the value has 1 dimensions, the shape only 0": lambda: at.alloc(x),
    r"ValueError: axis 0 of input \d \(.*\) has length 2": lambda: at.alloc(np.ones(2), 3),
    "ValueError: axis 0 of the shape is -1": lambda: at.zeros(-1),
    r"TypeError: zeros: .* an integer of rank 0": lambda: at.zeros((s, 2)),
    "ValueError: step is 0": lambda: at.arange(0, 3, 0),
    "TypeError: start is a": lambda: at.arange(x, 3),
    r"TypeError: stack: the tensors have \[0, 1\] dimensions": lambda: at.stack([s, x]),
    "ValueError: axis 1 of B has length 4, of A 3": lambda: evaluate(
        [at.join(0, A, B)], {A: np.ones((2, 3)), B: np.ones((2, 4))}
    ),
    r"ValueError: join\{axis=1\}: the inputs have lengths \[2, 3\] along axis 0": lambda: at.join(
        1, of(2, None), of(3, 4)
    ),
    "TypeError: input 0 has 2 dimensions, input 1 1": lambda: at.join(0, A, x),
    "ValueError: join: axis 2": lambda: at.join(2, A, B),
    "ValueError: there are no tensors": lambda: at.concatenate([]),
    r"ValueError: lengths \[1, 5\] for axis 0 of x, which has length 5": lambda: evaluate(
        at.split(x, sizes, n_splits=2), {x: np.ones(5), sizes: np.array([1, 5])}
    ),
    "TypeError: give n_splits": lambda: at.split(x, sizes),
    r"ValueError: lengths \[1, 2\] of an axis of length 4": lambda: at.split(tall, (1, 2)),
    # along axes
    "TypeError: one of add, mul, maximum, minimum, logaddexp, not": lambda: Cumulate(
        at.hypot.scalar_op, 0
    ),
    "ValueError: cumsum: axis 2": lambda: at.cumsum(A, 2),
    r"TypeError: recurrence\{axis=1\}: .* wanted is one rank": lambda: Recurrence(1)(x, y),
    r"ValueError: the inputs have lengths \[2, 3\] along axis 0": lambda: Recurrence(0)(
        np.ones(2), np.ones(3)
    ),
    "ValueError: repeat: -1 times": lambda: at.repeat(x, -1),
    "ValueError: tile: .*-1 times": lambda: at.tile(x, -1),
    r"ValueError: max\{axis=\(0,\)\}: axis 0 of A has length 0": lambda: evaluate(
        [at.max(A, axis=0)], {A: np.zeros((0, 3))}
    ),
    "ValueError: argmin": lambda: evaluate([at.argmin(A, axis=0)], {A: np.zeros((0, 3))}),
    r"TypeError: Argmax: axis is \[0, 1\], which has no hash": lambda: Argmax([0, 1]),
    r"ValueError: gradient: axis .* names an axis twice": lambda: at.gradient(S, axis=(1, -2)),
    "ValueError: roll: 3 shifts along 2 axes": lambda: at.roll(S, (1, 2, 3), (0, 1)),
    # types, variables and constants
    "TypeError: no variable has dtype": lambda: at.TensorType("U3", ()),
    "TypeError: ints or None, not 1.5": lambda: at.TensorType("float64", (1.5,)),  # type: ignore[arg-type]
    "ValueError: length -1 .* is negative": lambda: of(-1),
    "TypeError: dvector makes variables of dtype float64, not int8": lambda: at.dvector(
        "x", dtype="int8"
    ),
    "ValueError: row makes variables of shape": lambda: at.row("x", shape=(2, 3)),
    r"TypeError: x is symbolic and has no len\(\)": lambda: len(x),
    "TypeError: no truth value": lambda: bool(x > 0),
    "TypeError: length of its first axis is not known": lambda: iter(x),
    "TypeError: rank 0": lambda: iter(s),
    "TypeError: 'x' .*not an array of numbers": lambda: at.as_tensor_variable("x"),
    "TypeError: None .*not an array of numbers": lambda: at.as_tensor_variable(None),
    "ValueError: axis 0 can't go: its length is not known": lambda: at.as_tensor_variable(
        A, ndim=1
    ),
    "TypeError: is a variable, and a constant needs a value": lambda: at.constant(x),
    "TypeError: no value of dtype int8": lambda: at.constant(300, dtype="int8"),
    "ValueError: 2 axes where 1": lambda: at.constant([[1]], ndim=1),
    # parts
    "IndexError: 4 indices": lambda: S[0, 0, 0, 0],
    "IndexError: more than one ellipsis": lambda: S[..., ...],
    "TypeError: no index": lambda: S[1.5],
    "TypeError: True is no index": lambda: S[True],
    "ValueError: step of a slice is 0": lambda: S[::0],
    "TypeError: array of numbers": lambda: S["a"],
    "IndexError: axis 0 has length 4, so there's no 4": lambda: tall[4],
    r"IndexError: subtensor\{5\}: x has shape \(3,\)": lambda: evaluate([x[5]], {x: np.ones(3)}),
    "IndexError: delete: index 3": lambda: evaluate([at.delete(x, 3)], {x: np.ones(3)}),
    "IndexError: insert: index -4": lambda: evaluate([at.insert(x, -4, 0)], {x: np.ones(3)}),
    "IndexError: delete: index 4 is out of bounds for axis 0, which": lambda: at.delete(tall, 4, 0),
    r"IndexError: advanced.*: x has shape \(3,\)": lambda: evaluate([x[[5, 1]]], {x: np.ones(3)}),
    "TypeError: float64 values don't fit into a tensor of int64": lambda: at.set_subtensor(
        i[1:], x
    ),
    "TypeError: can't be broadcast to the part": lambda: at.set_subtensor(y[1:], A),
    r"ValueError: axis 0 of input 0 .* has length 2, axis 0 of input 1 .* has length 3": lambda: (
        at.inc_subtensor(of(4)[:2], np.ones(3))
    ),
    "ValueError: only an axis whose length is known to be 1 broadcasts": lambda: evaluate(
        [at.set_subtensor(y[1:], v)], {y: np.ones(4), v: np.ones(1)}
    ),
    "TypeError: no part of a tensor": lambda: at.set_subtensor(y, 1.0),
    "TypeError: whose axes have another order": lambda: at.set_subtensor(A.T, 0),
    "ValueError: diag: the input is a": lambda: at.diag(S),
    # choices and loops
    "TypeError: the condition is a TensorType": lambda: ifelse(x, x, x),
    "TypeError: wanted are one dtype and rank": lambda: ifelse(s, x, s),
    "TypeError: one branch is a list": lambda: ifelse(s, [x], x),
    "ValueError: 2 and 1 tensors": lambda: ifelse(s, [x, x], [x]),
    "ValueError: at least one variable": lambda: ifelse(s, [], []),
    "TypeError: takes 3 inputs, not 2": lambda: IfElse(1)(s, x),
    "ValueError: n is neither an input of the inner graph": lambda: Scan([s], [s * n], 1, 0),
    r"TypeError: state 0 is a .* before a step and a": lambda: Scan([s], [at.stack([s, s])], 0, 1),
    "TypeError: takes 2 inputs, not 1": lambda: Scan([s], [s], 1, 0)(3),
    "TypeError: sequence 0 is a": lambda: Scan([s], [s], 1, 0)(3, n),
    "ValueError: save_every_N is 0; wanted is a positive integer": lambda: scan_checkpoints(
        lambda s: s, None, x, n_steps=3, save_every_N=0
    ),
    "ValueError: end early": lambda: scan_checkpoints(
        lambda s: (s, until(s.sum() > 1)), None, x, n_steps=3
    ),
    r"TypeError: output 0 changes its dtype: .*int8.*float64.*; cast one of them": lambda: scan(
        at.add, x, at.constant(np.int8(0))
    ),
    "TypeError: output 0 changes its rank": lambda: scan(
        lambda a, s: at.stack([s, a]), x, at.constant(0.0)
    ),
    r"TypeError: output 0 changes its shape: .*\(3,\).*\(6,\)": lambda: scan(
        lambda s: at.concatenate([s, s]), None, at.zeros((3,)), n_steps=2
    ),
    "ValueError: neither a sequence nor n_steps": lambda: scan(lambda: x),
    "ValueError: 2 outputs.*is for 1": lambda: scan(lambda a: (a, a), x, [None]),
    "TypeError: sequence 0, s, is a .*axis": lambda: scan(at.neg, s),
    "TypeError: scan: sequence 0: ": lambda: scan(at.neg, "x"),
    "TypeError: output 0 of the step: ": lambda: scan(lambda a: "x", x),
    "TypeError: n_steps is a .*integer of rank 0": lambda: scan(at.neg, x, n_steps=1.5),
    "ValueError: n_steps is -1; wanted is 0": lambda: scan(at.neg, x, n_steps=-1),
    "ValueError: keys 'input', 'tap'": lambda: scan(at.neg, {"input": x, "tap": 0}),
    "TypeError: wanted are integers": lambda: scan(at.neg, {"input": x, "taps": ["b"]}),
    r"ValueError: outputs_info\[0\] has the taps \[1\]": lambda: scan(
        at.add, x, {"initial": x, "taps": [1]}
    ),
    "TypeError: a row for each of the steps before the first": lambda: scan(
        at.add, x, {"initial": s, "taps": [-2]}
    ),
    "ValueError: has 1 initial rows; .* need 2": lambda: scan(
        at.add, x, {"initial": np.zeros(1), "taps": [-2]}
    ),
    "ValueError: uses s .*not among non_sequences": lambda: scan(lambda a: a * s, x, strict=True),
    "TypeError: until: the condition is a ": lambda: scan(lambda a: (a, until(x)), x),
    "ValueError: truncate_gradient is 0": lambda: scan(at.neg, x, truncate_gradient=0),
    "TypeError: scan: the update of": lambda: scan(lambda a: {shared(0): a}, x),
    # draws
    "TypeError: normal.*the generator is 3, and a variable of": lambda: random.normal(3),
    "TypeError: the generator is s of type": lambda: random.normal(s),
    "TypeError: permuted{axis=0}: the generator is 3": lambda: random.permutation(3, 4),
    "TypeError: normal: loc is a .*complex128.*real numbers": lambda: random.normal(rng, 1j),
    "TypeError: normal: loc: 'a' is not an array": lambda: random.normal(rng, "a"),
    r"TypeError: normal\(rng, loc=.*argument 'scal'": lambda: random.normal(rng, scal=1.0),
    "TypeError: gamma.*missing.*'shape'": lambda: random.gamma(rng),
    "TypeError: binomial: n is .*integers are wanted": lambda: random.binomial(rng, 2.5, 0.5),
    "ValueError: alpha is .*, and one draw needs 1 axes": lambda: random.dirichlet(rng, 1.0),
    "TypeError: normal: size: 2.5 is a .*integer": lambda: random.normal(rng, size=2.5),
    "TypeError: size is a .*of known length": lambda: random.normal(rng, size=i),
    "TypeError: size is a .*float64": lambda: random.normal(rng, size=x),
    r"ValueError: \(loc\).* 3, .*\(size\).* 2": lambda: random.normal(rng, np.zeros(3), size=2),
    r"ValueError: \(size\).* 1, .*\(loc\).* 3": lambda: random.normal(rng, np.zeros(3), size=1),
    r"ValueError: \(loc\).* 3, .*\(scale\).* 2": lambda: random.normal(rng, of(3), of(2)),
    "ValueError: size has 1 axes, and loc has": lambda: random.normal(rng, A, size=3),
    r"ValueError: multivariate_normal: axis 0 of input 0 \(mean\) has length 3, .* \(cov\) .* 2": (
        lambda: random.multivariate_normal(rng, of(3), np.eye(2))
    ),
    "TypeError: normal draws real numbers.*int64": lambda: random.normal(rng, dtype="int64"),
    "TypeError: integers draws integers": lambda: random.integers(rng, 3, dtype="float64"),
    "TypeError: gamma{float64} takes 3 inputs, not 2": lambda: RandomVariable(
        DISTRIBUTIONS["gamma"], False, "float64"
    )(rng, 1.0),
    "TypeError: size is a .*, and a vector of int64 of known length is wanted": (
        lambda: RandomVariable(DISTRIBUTIONS["random"], True, "float64")(rng, n)
    ),
    "NullTypeGradError: no derivative of a draw from gamma by shape": lambda: grad(
        random.gamma(rng, x, 2.0)[1].sum(), x
    ),
    "NullTypeGradError: no derivative of a draw from beta by a is known": lambda: grad(
        random.beta(rng, x, 2.0)[1].sum(), x
    ),
    "DisconnectedInputError: not a .* function of x": lambda: grad(
        random.normal(rng, 0.0, 1.0, size=x.shape)[1].sum(), x
    ),
    "DisconnectedInputError: not a .* function of rng": lambda: grad(
        random.normal(rng, x, 1.0)[1].sum(), rng
    ),
    r"TypeError: shuffle: .* is of rank 0": lambda: random.shuffle(rng, 3),
    r"TypeError: permutation: 2.5 is a .*float64.* where an integer": lambda: random.permutation(
        rng, 2.5
    ),
    r"ValueError: choice: p is a .*, and has 1 axes too many": lambda: random.choice(
        rng, 2, p=[[0.5, 0.5]]
    ),
    # products
    r"TypeError: dot: input 1 is a .*; wanted is a rank of 1 or 2": lambda: _dot(A, S),
    "TypeError: dot takes 2 inputs, not 1": lambda: _dot(A),
    r"ValueError: dot: axis 1 of input 0 \(.*\) has length 3, axis 0": lambda: evaluate(
        [at.dot(A, B)], {A: np.ones((2, 3)), B: np.ones((2, 3))}
    ),
    "ValueError: has length 2.* has length 4": lambda: at.dot(tall, tall),
    "TypeError: matmul: s has rank 0": lambda: at.matmul(s, A),
    "ValueError: tensordot: 3 axes": lambda: at.tensordot(A, B, 3),
    "ValueError: tensordot: 2 axes can't meet 1": lambda: at.tensordot(A, B, ((0, 1), (0,))),
    "ValueError: tensordot: axis 1 of the first has length 2": lambda: at.tensordot(tall, tall, 1),
    r"ValueError: axis 0 of input 0 \(S\) has length 1, .* \(T\) has length 5; only an axis": (
        lambda: evaluate([S @ T], {S: np.ones((1, 2, 3)), T: np.ones((5, 3, 2))})
    ),
    "TypeError: batched_dot": lambda: at.batched_dot(x, A),
    r"ValueError: dot22: axis 1 of input 0 \(.*\) has length 3": lambda: evaluate(
        [_dot22(A, B)], {A: np.ones((2, 3)), B: np.ones((2, 3))}
    ),
    r"ValueError: gemv: axis 1 of input 0 \(.*\) has length 4": lambda: evaluate(
        [_gemv(A, x)], {A: np.ones((3, 4)), x: np.ones(2)}
    ),
    r"TypeError: gemv: input 1 is a .*wanted is rank 1": lambda: _gemv(A, A),
    "TypeError: gemm takes 5 inputs, not 4": lambda: _gemm(A, 1.0, A, B),
    r"TypeError: gemm: input 3 is a .*wanted is rank 2": lambda: _gemm(A, 1.0, A, x, 1.0),
    r"TypeError: gemm: input 2 is a .*float32": lambda: _gemm(A, 1.0, at.fmatrix(), B, 1.0),
    r"TypeError: dot22scalar: input 2 is a .*wanted is rank 0": lambda: _dot22scalar(A, B, x),
    r"ValueError: axis 1 of input 2 \(.*\) has length 2": lambda: _gemm(A, 1.0, tall, tall, 1.0),
    "ValueError: axis 0 of input 0 has length 1": lambda: _gemm(row, 1.0, A, B, 1.0),
    r"ValueError: gemm: axis 0 of input 0 \(A\) has length 1, .* \(B\) has length 2": lambda: (
        evaluate([_gemm(A, 1.0, B, B, 1.0)], {A: np.ones((1, 2)), B: np.ones((2, 2))})
    ),
    # linear algebra
    "ValueError: inv: the matrices of input 0 are not square": lambda: linalg.inv(tall),
    "TypeError: det: input 0 is a": lambda: linalg.det(x),
    r"TypeError: lstsq: input 0 is a .*neither a matrix": lambda: linalg.lstsq(x, y),
    r"ValueError: lstsq: axis 0 of input 0 .* has length 4, axis 0 of input 1 .* 2": lambda: (
        linalg.lstsq(tall, of(2))
    ),
    "MethodNotDefined: lstsq has no gradient by its residuals": lambda: grad(
        at.sum(linalg.lstsq(A, x)[1]), A, stabilize=False
    ),
    r"TypeError: solve: input 0 is a .*neither a matrix nor a stack": lambda: linalg.solve(x, y),
    r"TypeError: solve: input 1 is a .*neither a vector nor a matrix": lambda: linalg.solve(A, s),
    "ValueError: not square: 4 rows and 2 columns": lambda: linalg.solve(tall, x),
    r"ValueError: solve: axis 0 of input 0 .* has length 3, axis 0 of input 1 .* 2": lambda: (
        linalg.solve(of(3, 3), of(2))
    ),
    "TypeError: LAPACK has no float16": lambda: linalg.solve(
        of(3, 3, dtype="float16"), of(3, dtype="float16")
    ),
    "ValueError: assume_a is one of gen, sym, her, pos": lambda: linalg.solve(
        A, x, assume_a="band"
    ),
    "ValueError: trans is one of": lambda: linalg.solve_triangular(A, x, trans=3),
    "ValueError: solve.* not square": lambda: evaluate(
        [linalg.solve(A, x)], {A: np.ones((2, 3)), x: np.ones(2)}
    ),
    "ValueError: cholesky: the matrices of input 0 are not square": lambda: linalg.cholesky(tall),
    "ValueError: qr: mode is one of reduced, complete, r": lambda: linalg.qr(A, "full"),
    "ValueError: eigh: UPLO is L or U": lambda: linalg.eigh(A, "X"),
    "TypeError: svd: input 0 is a": lambda: linalg.svd(x),
    "MethodNotDefined: use the mode reduced": lambda: grad(
        at.sum(linalg.qr(tall, "complete")[0]), tall, stabilize=False
    ),
    "MethodNotDefined: full_matrices=False": lambda: grad(
        at.sum(linalg.svd(tall)[0]), tall, stabilize=False
    ),
    "ValueError: norm: the order is one of fro, nuc": lambda: linalg.norm(A, 3),
    "ValueError: norm: 3 axes": lambda: linalg.norm(S, 2),
    "ValueError: vector_norm: the order is a number, not 'fro'": lambda: linalg.norm(x, "fro"),
    "TypeError: the exponent is an integer known ahead": lambda: linalg.matrix_power(A, n),
    "TypeError: multi_dot: input 1 is a": lambda: linalg.multi_dot([A, x, A]),
    "ValueError: at least 2": lambda: linalg.multi_dot([A]),
    "ValueError: expm: the matrices of input 0 are not square": lambda: linalg.expm(tall),
    # functions
    r"TypeError: digitize.*complex": lambda: at.digitize(at.zvector(), [0.0, 1.0]),
    r"TypeError: digitize.*not a vector": lambda: at.digitize(x, A),
    "ValueError: interp: there is no point": lambda: at.interp(x, np.zeros(0), np.zeros(0)),
    "TypeError: interp: the points are": lambda: at.interp(x, A, y),
    r"ValueError: \(x\) has length 2, .* \(y\) has length 3": lambda: evaluate(
        [at.interp(np.array([0.5]), x, y)], {x: np.arange(2.0), y: np.arange(3.0)}
    ),
    "TypeError: bins is 'auto'": lambda: at.histogram(x, "auto"),
    "TypeError: a number that is known": lambda: at.histogram(x, n),
    "ValueError: take: the mode is raise, wrap or clip, not 'x'": lambda: at.take(x, [1], mode="x"),
    "TypeError: which has no axes": lambda: at.unique(s, axis=None).owner.op(s),
    r"TypeError: softmax: input 0 is a .*not of real": lambda: at.softmax(at.zvector()),
    "ValueError: log_softmax: axis 2": lambda: at.log_softmax(A, 2),
}


@pytest.mark.parametrize("error", REFUSED)
def test_what_is_wrong_is_named(error: str) -> None:
    check_refused(error, REFUSED[error])
