"""Local optimizers that replace an Op (`OpSub`, `OpRemove`), or a term that matches a pattern.

The two patterns of a `PatternSub` are written as tuples and strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from unification.core import reify

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.codegen import NotCompilable, compile_rule
from relgraph.graph.kanren.matching import INNER, match
from relgraph.graph.kanren.prefilter import rule_might_match
from relgraph.graph.kanren.rules import Rule
from relgraph.graph.kanren.terms import build
from relgraph.graph.op import Op
from relgraph.graph.opt.base import Answer, LocalOptimizer, Tracked
from relgraph.graph.unify import convert_strs_to_vars, nth

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
        for called in _functions_in(in_pattern):
            raise TypeError(
                f"in the pattern to search for, {pattern_text(in_pattern)}, {called.__name__} is a "
                "function and no Op; name the Op, or write a law"
            )
        known = _names(in_pattern)
        for unknown in _names(out_pattern) - known:
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
        variables: dict[str, Any] = {}
        self._in = convert_strs_to_vars(in_pattern, variables)
        self._out = convert_strs_to_vars(out_pattern, variables)
        # A regrouped sum reaches as deep as it is nested, and a skipped identity adds a level.
        bounded = (
            get_nodes is None and skip_identities_fn is None and not _matches_modulo_ac(in_pattern)
        )
        self.depth = _levels(in_pattern) if bounded else None

        self.rule = Rule(
            self.name,
            self._in,
            self._out,
            regroup=True,
            one_client=not allow_multiple_clients,
        )
        self._plain = skip_identities_fn is None and values_eq_approx is None

    def tracks(self) -> Sequence[Tracked]:
        return self._tracks

    def might_match(self, node: Apply) -> bool:
        known = self._plain and self.get_nodes is None
        return not known or rule_might_match(self.rule, node)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        # the compiled function hides this method: one call less for each node
        self.__dict__["transform"] = run = self._function()
        return run(fgraph, node)

    def _function(self) -> Callable[[FunctionGraph, Apply], Answer]:
        if self._plain and self.get_nodes is None:
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
        term = _SkippingCopy(node.outputs[0], _levels(self.in_pattern), self.skip_identities_fn)
        for bindings in match(self._in, term.root, {}):
            inner = bindings.get(INNER, ())
            if not self.allow_multiple_clients and term.has_outside_clients(fgraph, node, inner):
                continue
            new = self._build(node.outputs[0], bindings, term.originals)
            if new is not None:
                return [new]
        return False

    def _build(
        self, old: Variable, bindings: Mapping[Any, Any], originals: Mapping[Variable, Variable]
    ) -> Variable | None:
        values = {
            key: originals.get(value, value) if isinstance(value, Variable) else value
            for key, value in bindings.items()
            if key is not INNER
        }
        new: Variable | None = old.type.fit(build(reify(self._out, values)), old)
        if new is None or new is old:
            return None
        if self.values_eq_approx is not None and new.owner is not None:
            new.tag.values_eq_approx = self.values_eq_approx
        return new

    def __str__(self) -> str:
        assert self.name is not None
        return self.name


class _SkippingCopy:
    """A copy of the top levels of a term, without the variables that are mere copies of others.

    Attributes
    ----------
    root
        The copy of the given variable, or the variable itself if nothing was skipped.
    originals
        From the variables of the copy to those of the graph.
    skipped
        The nodes that were skipped.
    """

    def __init__(self, var: Variable, levels: int, skip: Callable[[Variable], Any] | None) -> None:
        self.originals: dict[Variable, Variable] = {}
        self.skipped: set[Any] = set()
        self.root = var if skip is None else self._copy(var, levels, skip)

    def _copy(self, var: Variable, levels: int, skip: Callable[[Variable], Any]) -> Variable:
        while isinstance(under := skip(var), Variable):
            self.skipped.add(var.owner)
            var = under
        if var.owner is None or levels == 0:
            return var
        inputs = [self._copy(v, levels - 1, skip) for v in var.owner.inputs]
        if all(new is old for new, old in zip(inputs, var.owner.inputs, strict=True)):
            return var
        made: Variable = var.owner.clone_with_new_inputs(inputs).outputs[var.index or 0]
        self.originals[made] = var
        return made

    def has_outside_clients(
        self, fgraph: FunctionGraph, root: Apply, inner: Iterable[Variable]
    ) -> bool:
        """Whether an inner variable of a match, its root aside, has a client outside of it."""
        below = [self.originals.get(var, var) for var in inner]
        nodes = {root, *(var.owner for var in below)}
        stack = [var for var in below if var.owner is not root]
        while stack:
            for reader, _ in fgraph.clients.get(stack.pop(), ()):
                if isinstance(reader, Apply) and reader in self.skipped:
                    stack.extend(reader.outputs)
                elif reader not in nodes:
                    return True
        return False


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


def _functions_in(pattern: Any) -> Iterator[Any]:
    """Yield the functions that head a pattern or a part of it."""
    if isinstance(pattern, tuple) and pattern:
        if isinstance(pattern[0], FunctionType) and pattern[0] is not nth:
            yield pattern[0]
        for part in pattern[1:]:
            yield from _functions_in(part)


def _names(pattern: Any) -> set[str]:
    if isinstance(pattern, str):
        return {pattern}
    if isinstance(pattern, dict):
        return _names(pattern.get("pattern"))
    if isinstance(pattern, tuple):
        return set().union(*map(_names, pattern)) if pattern else set()
    return set()


def _levels(pattern: Any) -> int:
    return 1 + max(map(_levels, pattern[1:]), default=0) if isinstance(pattern, tuple) else 0


def _matches_modulo_ac(pattern: Any) -> bool:
    if not isinstance(pattern, tuple):
        return False
    head = pattern[0]
    associative = isinstance(head, Op) and head.commutative and head.associative
    return associative or any(map(_matches_modulo_ac, pattern[1:]))
