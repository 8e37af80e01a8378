"""The graph container that rewriting works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from relgraph.graph.basic import (
    Apply,
    Constant,
    Variable,
    as_string,
    clone_get_equiv,
    graph_inputs,
    io_toposort,
)
from relgraph.graph.features.feature import Feature
from relgraph.graph.fg.boundary import Boundary
from relgraph.graph.fg.clients import Client, with_clients
from relgraph.graph.fg.integrity import check_integrity
from relgraph.graph.utils import InconsistencyError
from relgraph.settings import config


class FunctionGraph(Boundary):
    """The graph between some inputs and outputs, made to be changed.

    It keeps for each variable who uses it, so that the graph can be followed both ways, and tells
    its features about each change. Changing it costs what is touched, not what the graph holds.
    An operation that raises leaves the graph as it was; what a feature's callback did to the
    graph before another callback raised is the one exception.

    Parameters
    ----------
    inputs
        What the graph depends on, constants aside. Found from `outputs` if None.
    outputs
        What it computes.
    features
        What to attach once the graph is there.
    clone
        Work on a copy. Without it the variables and nodes themselves are changed, and no input
        may be computed by a node.
    update_mapping
        From the index of an output to the index of the input that takes its value after a call.
    clone_kwds
        Arguments for `relgraph.graph.basic.clone_get_equiv`, where `clone` is true.

    Raises
    ------
    MissingInputError
        If the outputs depend on what is neither an input nor a constant.
    ValueError
        If an input is the output of a node, and `clone` is false; if there are no outputs given.

    Attributes
    ----------
    inputs, outputs
        Lists of variables.
    variables, apply_nodes
        The sets of what is in the graph.
    clients
        For each variable the list of (node, i) such that it is input i of the node; an output of
        the graph is input i of the node ``"output"``. See `get_clients`.
    update_mapping
        As given, and kept right when inputs and outputs go. Replaced, never changed in place.
    merged
        Whether an optimizer is at work that sees to it that nothing is computed twice: what is
        equal is then one variable, or will be when both have been looked at.
    """

    def __init__(
        self,
        inputs: Sequence[Variable] | None = None,
        outputs: Sequence[Variable] | None = None,
        features: Sequence[Feature] | None = None,
        clone: bool = True,
        update_mapping: Mapping[int, int] | None = None,
        **clone_kwds: Any,
    ) -> None:
        super().__init__()
        self.merged = False
        if outputs is None:
            raise ValueError("a FunctionGraph needs outputs (an empty list is possible)")
        complete = inputs is None
        if inputs is None:
            inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
        nodes: list[Apply] = []
        if clone:
            memo = clone_get_equiv(inputs, outputs, **clone_kwds)
            inputs = [memo[v] for v in inputs]
            outputs = [memo[v] for v in outputs]
            if complete and not clone_kwds:
                # all that is needed is there, each node after what it reads
                nodes = [copy for copy in memo.values() if type(copy) is Apply]
        elif clone_kwds:
            raise TypeError(f"{', '.join(clone_kwds)} can't be used with clone=False")
        self.update_mapping = None if update_mapping is None else dict(update_mapping)
        self._put_first_inputs(inputs)
        self._connect(nodes)
        for var in outputs:
            self.add_output(var, reason="init")
        for feature in features or ():
            self.attach_feature(feature)

    @classmethod
    def of_nodes(
        cls, inputs: Sequence[Variable], nodes: Sequence[Apply], outputs: Sequence[Variable]
    ) -> FunctionGraph:
        """Return the graph of some nodes, without a copy and without a walk to find them.

        Parameters
        ----------
        inputs
            The leaves that are not constants.
        nodes
            All that the outputs depend on and nothing else, each after what it reads.
        """
        made = cls(inputs, [], clone=False)
        made._connect(nodes)
        for var in outputs:
            made.add_output(var, reason="init")
        made._order = list(nodes)
        return made

    def change_node_input(
        self,
        node: Apply | Literal["output"],
        i: int,
        new_var: Variable,
        reason: str | None = None,
        import_missing: bool = False,
        check: bool = True,
    ) -> None:
        """Make `new_var` input `i` of `node`, and prune what only its predecessor needed.

        Parameters
        ----------
        node
            A node of the graph, or ``"output"`` to change output `i` of the graph.
        import_missing
            Make inputs of variables that are neither inputs nor constants.
        check
            Whether the types have to fit: each value of ``new_var.type`` has to be a value of the
            predecessor's type, that is ``old.type.is_super(new.type)``, or `new_var` has to be
            something that ``old.type.filter_variable`` turns into such a variable. (The document
            writes the two types the other way round; narrowing a type is what is safe for the
            users of a variable, and what rewrites do.)

        Raises
        ------
        TypeError
            If the types don't fit; the message names both variables and both types.
        MissingInputError
            If there are such variables and `import_missing` is false.
        InconsistencyError
            If `node` would be an input of itself. Longer cycles are found by `toposort`.
        ValueError
            If `node` is not in the graph.
        """
        if isinstance(node, str):
            old = self.outputs[i]
        elif node in self.apply_nodes:
            old = node.inputs[i]
        else:
            raise ValueError(f"{node} is not in the graph, so its input {i} can't be changed here")
        if new_var is old:
            return
        if check:
            new_var = _fitted(old, new_var)
        if new_var.owner is node:
            raise InconsistencyError(f"{new_var} would become an input of its own node, {node}")
        inputs_before = len(self.inputs)
        self.import_var(new_var, reason, import_missing)
        self._rewire(node, i, old, new_var)
        if self._hooks["on_change_input"]:
            try:
                self._tell(
                    "on_change_input",
                    (node, i, old, new_var, reason),
                    "on_change_input",
                    (node, i, new_var, old, reason),
                )
            except BaseException as error:
                self._rewire(node, i, new_var, old)
                self._prune([new_var], reason, error=error)
                self._drop_inputs_from(inputs_before, reason, error)
                raise
        if not self.clients[old]:
            self._prune([old], reason)

    def replace(
        self,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
        verbose: bool | None = None,
        import_missing: bool = False,
    ) -> None:
        """Make every user of `var` use `new_var`, and prune what only `var` needed.

        `new_var` may be built from `var`: what the call brings into the graph keeps using `var`,
        so that replacing ``exp(x)`` by ``neg(neg(exp(x)))`` does what it says. Only the users that
        are in the graph already are changed; if `new_var` depends on one of them the result has a
        cycle, which costs a walk over the graph to find: `toposort` and `check_integrity` do.

        Nothing happens if `var` is not in the graph (an earlier replacement may have pruned it).

        Parameters
        ----------
        reason
            The name of the rewrite in progress.
        verbose
            Print `reason`, `var` and `new_var`. ``config.optimizer_verbose`` if None.
        import_missing
            Make inputs of variables that are neither inputs nor constants.

        Raises
        ------
        TypeError, MissingInputError, InconsistencyError
            As `change_node_input` does; all users of `var` use `var` again then.
        """
        if config.optimizer_verbose if verbose is None else verbose:
            print(f"rewrite {reason} replaces {_described(var)} with {_described(new_var)}")
        if var not in self.variables or new_var is var:
            return
        if not (isinstance(new_var, Variable) and new_var.type is var.type):
            new_var = _fitted(var, new_var)
        told = None if import_missing else self._quiet["on_replace"]
        if told is not None:
            self._replace_at_once(var, new_var, reason, told)
            return
        users = self.clients[var].copy()
        inputs_before = len(self.inputs)
        try:
            for node, i in users:
                # a callback may have changed this one meanwhile
                if (node, i) in self.clients.get(var, ()):
                    self.change_node_input(node, i, new_var, reason, import_missing, check=False)
        except BaseException as error:
            self._unreplace(users, var, new_var, reason, error)
            self._drop_inputs_from(inputs_before, reason, error)
            raise

    def _replace_at_once(
        self,
        var: Variable,
        new_var: Variable,
        reason: str | None,
        told: tuple[Callable[..., Any], ...],
    ) -> None:
        """Do what `replace` does in one go: nobody who is told can object or interfere."""
        all_clients = self.clients
        users = all_clients[var]
        if not users:
            return
        imported: list[Apply] = []
        owner = new_var.owner
        if new_var in self.variables:
            for user, _ in users if owner is not None else ():
                if user is owner:
                    raise InconsistencyError(
                        f"{new_var} would become an input of its own node, {owner}"
                    )
        elif owner is None:
            self.import_var(new_var, reason)
        else:
            imported = self._importable(owner)
        # what the new term reads of `var` goes into a list of its own, and so stays
        all_clients[var] = []
        self._order = None
        if imported:
            self._connect(imported)
        for user, i in users:
            (self.outputs if isinstance(user, str) else user.inputs)[i] = new_var
        known = all_clients[new_var]
        all_clients[new_var] = with_clients(known, users) if known else users
        single = [var] if len(all_clients[var]) == 1 else []
        pruned = () if all_clients[var] else list(self._disconnect_unused((var,), single))
        for hook in told:
            hook(self, var, new_var, users, imported, pruned, single, reason)

    def _unreplace(
        self,
        users: list[Client],
        var: Variable,
        new_var: Variable,
        reason: str | None,
        error: BaseException,
    ) -> None:
        for node, i in reversed(users):
            if (node, i) not in self.clients.get(new_var, ()):
                continue
            self.import_var(var, reason)
            self._rewire(node, i, new_var, var)
            self._tell_back("on_change_input", (node, i, new_var, var, reason), error)
        self._prune([new_var], reason, error=error)

    def replace_all(self, pairs: Iterable[tuple[Variable, Variable]], **kwargs: Any) -> None:
        """Replace variables, one (var, new_var) pair after the other, as `replace` does.

        If one fails those before it stand; see `ReplaceValidate` for all or none.
        """
        for var, new_var in pairs:
            self.replace(var, new_var, **kwargs)

    def toposort(self) -> list[Apply]:
        """Return the nodes in an order of evaluation that follows the graph and `orderings`.

        Raises
        ------
        ValueError
            If there is a cycle; the message names a node on it.
        """
        orderings = self.orderings()
        if orderings:
            return io_toposort(self.inputs, self.outputs, orderings)
        if self._order is None:
            self._order = io_toposort(self.inputs, self.outputs)
        return self._order.copy()

    def check_integrity(self) -> None:
        """Check that everything the graph keeps about itself is right.

        Raises
        ------
        InconsistencyError
            If not; the message names the variable or node at fault.
        """
        check_integrity(self)

    def clone(self, check_integrity: bool = True) -> FunctionGraph:
        """Return a copy of the graph, with copies of its features. See `clone_get_equiv`."""
        return self.clone_get_equiv(check_integrity)[0]

    def __copy__(self) -> FunctionGraph:
        return self.clone(check_integrity=False)

    def clone_get_equiv(
        self, check_integrity: bool = True, attach_feature: bool = True, **kwargs: Any
    ) -> tuple[FunctionGraph, dict[Any, Any]]:
        """Copy the graph.

        Parameters
        ----------
        check_integrity
            Whether to check this graph and the copy.
        attach_feature
            Whether to attach clones of the features to the copy.
        kwargs
            Arguments for `relgraph.graph.basic.clone_get_equiv`.

        Returns
        -------
        graph
            The copy.
        equiv
            From each variable and node to its copy.
        """
        equiv = clone_get_equiv(self.inputs, self.outputs, **kwargs)
        if check_integrity:
            self.check_integrity()
        copy = FunctionGraph(
            [equiv[v] for v in self.inputs],
            [equiv[v] for v in self.outputs],
            clone=False,
            update_mapping=self.update_mapping,
        )
        if check_integrity:
            copy.check_integrity()
        if attach_feature:
            for feature in self.features:
                copy.attach_feature(feature.clone())
        return copy, equiv

    def __contains__(self, item: object) -> bool:
        return item in self.variables or item in self.apply_nodes

    def __repr__(self) -> str:
        return f"FunctionGraph({', '.join(as_string(self.inputs, self.outputs))})"


def _described(var: Any) -> str:
    owner = getattr(var, "owner", None)
    return str(var) if owner is None else f"{var} of {owner}"


def _fitted(old: Variable, new: Any) -> Variable:
    """Return `new` as a variable that can stand where `old` does."""
    if isinstance(new, Variable) and (old.type is new.type or old.type.is_super(new.type)):
        return new
    try:
        fitted: Variable = old.type.filter_variable(new)
    except (TypeError, ValueError) as error:
        kind = new.type if isinstance(new, Variable) else type(new).__name__
        raise TypeError(
            f"{new}, of type {kind}, can't replace {old}, of type {old.type}: {error}"
        ) from error
    return fitted
