"""Local optimizers that replace an Op (`OpSub`, `OpRemove`), or a term that matches a pattern.

The two patterns of a `PatternSub` are written as tuples and strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.goals import fitted
from relgraph.graph.kanren.matching import results_of
from relgraph.graph.kanren.rules import Rule, compound_parts, split
from relgraph.graph.op import Op
from relgraph.graph.opt.base import Answer, LocalOptimizer, Tracked
from relgraph.graph.unify import convert_strs_to_vars

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class OpSub(LocalOptimizer):
    """Replace each application of `op1` by one of `op2` to the same inputs.

    Parameters
    ----------
    op1, op2
        The Op to replace, and its replacement, which makes as many outputs.
    transfer_tags
        Whether the new node and its outputs get the tags of the old ones.
    """

    depth = 1
    # On the nodes that it makes it would do nothing, or go on for ever.
    reentrant = False

    def __init__(self, op1: Op, op2: Op, transfer_tags: bool = True) -> None:
        self.op1 = op1
        self.op2 = op2
        self.inplace = bool(op2.destroy_map)
        self.transfer_tags = transfer_tags

    def tracks(self) -> Sequence[Tracked]:
        return [self.op1.tracked]

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if node.op != self.op1 and not self.op1.makes(node):
            return False
        new: Apply = self.op2.make_node(*node.inputs)
        if self.transfer_tags:
            new.copy_tag_from(node)
            for old_out, new_out in zip(node.outputs, new.outputs, strict=False):
                new_out.copy_tag_from(old_out)
        return new.outputs

    def __str__(self) -> str:
        return self.name or f"{self.op1} -> {self.op2}"


class OpRemove(LocalOptimizer):
    """Replace the outputs of each application of `op` by its inputs, one by one.

    Raises
    ------
    TypeError
        From `transform`, if the node has not as many outputs as inputs.
    """

    depth = 1
    reentrant = False

    def __init__(self, op: Op) -> None:
        self.op = op

    def tracks(self) -> Sequence[Tracked]:
        return [self.op.tracked]

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if node.op != self.op and not self.op.makes(node):
            return False
        if len(node.inputs) != len(node.outputs):
            raise TypeError(
                f"{self.op} can't be removed: it has {len(node.inputs)} inputs and "
                f"{len(node.outputs)} outputs"
            )
        return node.inputs

    def __str__(self) -> str:
        return self.name or f"{self.op}(x) -> x"


class PatternSub(LocalOptimizer):
    """Replace a term that matches one pattern by the instance of another one.

    A pattern is a tuple of an Op and patterns for its inputs. A string is a pattern variable, and
    the same string the same variable; ``{"pattern": "x", "constraint": fn}`` matches only what
    `fn(variable)` accepts; a number matches a constant whose every element is that number. The
    inputs of a commutative Op match in any order, and in any grouping if the Op is associative too.

    Parameters
    ----------
    in_pattern
        The pattern to match, headed by an Op.
    out_pattern
        The pattern to build, over strings of `in_pattern`. Its tuples may be headed by other
        callables than Ops. A result that does not fit the type of the old variable is not used.
    allow_multiple_clients
        Whether nodes of the match, its root aside, may have clients outside of it. If not, nothing
        is computed twice.
    skip_identities_fn
        A function that takes a variable, and gives the variable that it is a mere copy of, or None
        (or False). The match skips such copies.
    name
        What reports and errors call it; by default the two patterns.
    tracks
        The Ops and Op classes it is tried on; by default the head of `in_pattern`.
    get_nodes
        A function of the graph and a node of a tracked Op that gives the nodes to match instead.
    values_eq_approx
        Put into the tag of the new variable, for whoever compares its value with the old one's.

    Raises
    ------
    TypeError
        If `in_pattern` is not a tuple headed by an Op.
    ValueError
        If `out_pattern` has a string that `in_pattern` has not.

    Examples
    --------
    ``PatternSub((true_div, (mul, "x", "y"), "y"), "x")``
    """

    def __init__(
        self,
        in_pattern: Any,
        out_pattern: Any,
        allow_multiple_clients: bool = False,
        skip_identities_fn: Callable[[Variable], Any] | None = None,
        name: str | None = None,
        tracks: Sequence[Tracked] = (),
        get_nodes: Callable[[FunctionGraph, Apply], Iterable[Any]] | None = None,
        values_eq_approx: Callable[..., bool] | None = None,
    ) -> None:
        if not isinstance(in_pattern, tuple) or not in_pattern or not isinstance(in_pattern[0], Op):
            raise TypeError(
                f"the pattern to search for must be a tuple that begins with an Op, got "
                f"{pattern_text(in_pattern)}"
            )
        variables: dict[str, Any] = {}
        pattern = convert_strs_to_vars(in_pattern, variables)
        for part in compound_parts(pattern):
            called = split(part).head
            if isinstance(called, FunctionType):
                raise TypeError(
                    f"in the pattern to search for, {pattern_text(in_pattern)}, {called.__name__} "
                    "is a function and no Op; name the Op, or write a law"
                )
        known = dict(variables)
        template = convert_strs_to_vars(out_pattern, variables)
        for unknown in variables.keys() - known.keys():
            raise ValueError(
                f"the replacement {pattern_text(out_pattern)} uses {unknown!r}, which "
                f"{pattern_text(in_pattern)} does not bind"
            )
        if get_nodes is not None and not tracks:
            raise ValueError("get_nodes needs tracks: the Ops on whose nodes it is called")
        self.in_pattern = in_pattern
        self.out_pattern = out_pattern
        self.op = in_pattern[0]
        self.allow_multiple_clients = allow_multiple_clients
        self.skip_identities_fn = skip_identities_fn
        self.get_nodes = get_nodes
        self.values_eq_approx = values_eq_approx
        self.name = name or f"{pattern_text(in_pattern)} -> {pattern_text(out_pattern)}"
        self._tracks = tuple(tracks) or (self.op.tracked,)
        self.rule = Rule(
            self.name, pattern, template, regroup=True, one_client=not allow_multiple_clients
        )
        # a skipped identity adds a level
        bounded = get_nodes is None and skip_identities_fn is None
        self.depth = self.rule.depth if bounded else None
        self._plain = bounded and values_eq_approx is None

    def tracks(self) -> Sequence[Tracked]:
        return self._tracks

    def might_match(self, node: Apply) -> bool:
        return not self._plain or self.rule.might_match(node)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        # the compiled function hides this method: one call less for each node
        self.__dict__["transform"] = run = self._function()
        return run(fgraph, node)

    def _function(self) -> Callable[[FunctionGraph, Apply], Answer]:
        if self._plain:
            try:
                return compile_rule(self.rule)
            except NotCompilable:
                pass
        return self._search

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "transform"}

    def _search(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if self.get_nodes is None:
            return self._rewrite(fgraph, node)
        for real_node in self.get_nodes(fgraph, node):
            if isinstance(real_node, Apply):
                answer = self._rewrite(fgraph, real_node)
                if isinstance(answer, list):
                    return dict(zip(real_node.outputs, answer, strict=True))
        return False

    def _rewrite(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if not self.op.makes(node) or len(node.outputs) != 1:
            return False
        old = node.outputs[0]
        for _, new in results_of(self.rule, old, {}, fgraph, self.skip_identities_fn):
            fit = fitted(new, old)
            if fit is None or fit is old:
                continue
            if self.values_eq_approx is not None and fit.owner is not None:
                fit.tag.values_eq_approx = self.values_eq_approx
            return [fit]
        return False

    def __str__(self) -> str:
        assert self.name is not None
        return self.name


def pattern_text(pattern: Any) -> str:
    """A pattern as text: ``true_div(mul(x, y), y)``."""
    if isinstance(pattern, tuple) and pattern:
        head, *rest = pattern
        return f"{pattern_text(head)}({', '.join(map(pattern_text, rest))})"
    if isinstance(pattern, dict):
        constraint = pattern.get("constraint")
        text = getattr(constraint, "__name__", constraint)
        return f"{pattern_text(pattern.get('pattern'))} subject to {text}"
    if callable(pattern) and not isinstance(pattern, Op):
        return str(getattr(pattern, "__name__", pattern))
    return str(pattern)
