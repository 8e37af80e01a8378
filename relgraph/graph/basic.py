"""Variables, constants and the Apply nodes that connect them; clones, deep copies and pickles.

`copy.deepcopy` and `pickle` go from each object to those that it refers to, one call inside the
other, and a graph is deeper than Python's stack and C's. Here both meet the nodes of a graph in
topological order, so that what a node reads is there already. For `deepcopy` that is a loop, since
it hands on a memo. `pickle` hands on nothing, but it saves an object once in a run, refers to it
after that, and saves a list element by element. So each node refers to a `Listing` of all nodes
that it depends on, which is saved before what it reads is.
"""

from __future__ import annotations

import copy
import heapq
import itertools
import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref

from relgraph.graph.traversal import ancestors as ancestors
from relgraph.graph.traversal import applys_between as applys_between
from relgraph.graph.traversal import as_string as as_string
from relgraph.graph.traversal import equal_computations as equal_computations
from relgraph.graph.traversal import general_toposort as general_toposort
from relgraph.graph.traversal import graph_inputs as graph_inputs
from relgraph.graph.traversal import io_connection_pattern as io_connection_pattern
from relgraph.graph.traversal import io_toposort as io_toposort
from relgraph.graph.traversal import is_in_ancestors as is_in_ancestors
from relgraph.graph.traversal import list_of_nodes as list_of_nodes
from relgraph.graph.traversal import orphans_between as orphans_between
from relgraph.graph.traversal import vars_between as vars_between
from relgraph.graph.traversal import view_roots as view_roots
from relgraph.graph.traversal import walk as walk
from relgraph.graph.utils import Scratchpad
from relgraph.introspection import Displayed

if TYPE_CHECKING:
    from relgraph.graph.op import Op
    from relgraph.graph.type import Type


def clone(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool | None = None,
) -> tuple[list[Variable], list[Variable]]:
    """Return copies of the inputs and outputs of a graph, and so of all between them.

    Parameters
    ----------
    copy_inputs
        Copy the inputs too; otherwise the copy shares them.
    copy_orphans
        Copy constants and other variables that are not among the inputs. Like `copy_inputs` if
        None.
    """
    memo = clone_get_equiv(
        inputs, outputs, copy_inputs, copy_inputs if copy_orphans is None else copy_orphans
    )
    return [memo[v] for v in inputs], [memo[v] for v in outputs]


def clone_get_equiv(
    inputs: Iterable[Variable],
    outputs: Iterable[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool = True,
    memo: dict[Any, Any] | None = None,
) -> dict[Any, Any]:
    """Copy a graph; return a dict from each of its variables and nodes to its copy.

    Parameters
    ----------
    memo
        Where to note the copies; what it maps already is not copied again.
    """
    same_types = memo is None
    memo = {} if memo is None else memo
    for var in inputs:
        if var not in memo:
            memo[var] = var.clone() if copy_inputs else var
    outputs = list(outputs)
    for node in io_toposort(memo, outputs):
        if node in memo:
            continue
        inputs = []
        for var in node.inputs:
            known = memo.get(var)
            if known is None:
                known = memo[var] = var.clone() if copy_orphans else var
            inputs.append(known)
        if same_types:
            copy = node.copy_with_inputs(inputs)
        else:
            copy = node.clone_with_new_inputs(inputs)
        memo[node] = copy
        for old, new in zip(node.outputs, copy.outputs, strict=True):
            if old not in memo:
                new.name = old.name
                memo[old] = new
    for var in outputs:
        if var not in memo:
            memo[var] = var.clone() if copy_orphans else var
    return memo


def clone_replace(
    output: Variable | Sequence[Variable],
    replace: Mapping[Variable, Variable] | Iterable[tuple[Variable, Variable]] | None = None,
) -> Any:
    """Return a copy of a graph in which some variables are replaced.

    Parameters
    ----------
    output
        One output or several; what comes back has the same form.
    replace
        From variables to what stands in their place. A replacement is used as it is, not copied.

    Raises
    ------
    TypeError
        If a replacement does not fit the type of what it replaces.
    """
    pairs = dict({} if replace is None else replace)
    memo: dict[Any, Any] = {
        old: old.type.filter_variable(new, allow_convert=True) for old, new in pairs.items()
    }
    outs = list(output) if isinstance(output, Sequence) else [output]
    clone_get_equiv([], outs, copy_inputs=False, copy_orphans=False, memo=memo)
    new_outs = [memo[out] for out in outs]
    return new_outs if isinstance(output, Sequence) else new_outs[0]


_serial = itertools.count()


class _Registry(threading.local):
    """The listing that each node is in, for as long as somebody holds that: the pickler does."""

    def __init__(self) -> None:
        self.by_node: dict[Apply, ref[Listing]] = {}


_registry = _Registry()


class Listing:
    """Nodes in topological order, that become a plain list of nodes when copied or unpickled.

    Parameters
    ----------
    needs
        The listings of what these nodes depend on besides.
    """

    __slots__ = ("__weakref__", "_by_node", "_self", "needs", "nodes", "serial")

    def __init__(self, nodes: list[Apply], needs: dict[Listing, None] | None = None) -> None:
        self.nodes = nodes
        self.needs = {} if needs is None else needs
        self.serial = next(_serial)
        self._by_node = _registry.by_node
        self._self = ref(self)
        self._by_node.update(dict.fromkeys(nodes, self._self))

    def __del__(self) -> None:
        for node in self.nodes:
            if self._by_node.get(node) is self._self:
                del self._by_node[node]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, iter(self.nodes)


def listing_of(node: Apply) -> Listing:
    """Return a listing that holds `node` and, with those it needs, all that it depends on."""
    known = _registry.by_node.get(node)
    found = None if known is None else known()
    return found if found is not None else _new_listing(node)


def _new_listing(node: Apply) -> Listing:
    """Return a listing of what is not in one yet, and of what is in small ones.

    Where one variable after another is pickled, and each is made from the last, there would be a
    listing for each, which needs the one before it, as deep as the graph. So a new one takes in
    those that are no larger than itself: there are at most as many, one below the other, as a
    number of that size has binary digits.
    """
    nodes, needs = _unlisted(node)
    waiting = [(len(found.nodes), found.serial, found) for found in needs]
    heapq.heapify(waiting)
    taken: dict[Listing, None] = {}
    size = len(nodes)
    while waiting and waiting[0][0] <= size:
        _, _, small = heapq.heappop(waiting)
        if small not in taken:
            taken[small] = None
            size += len(small.nodes)
            for other in small.needs:
                heapq.heappush(waiting, (len(other.nodes), other.serial, other))
    older = sorted(taken, key=lambda found: found.serial)
    listed = {old: None for found in older for old in found.nodes}
    return Listing([*listed, *nodes], {found: None for _, _, found in waiting})


def _unlisted(root: Apply) -> tuple[list[Apply], dict[Listing, None]]:
    """Return the nodes behind `root` that are in no listing, and the listings where that ends."""
    needs: dict[Listing, None] = {}

    def is_listed(node: Apply) -> bool:
        known = _registry.by_node.get(node)
        found = None if known is None else known()
        if found is not None:
            needs[found] = None
        return found is not None

    def read(node: Apply) -> list[Apply]:
        return [v.owner for v in node.inputs if v.owner is not None and not is_listed(v.owner)]

    return general_toposort([root], read), needs


def attributes(thing: Any) -> dict[str, Any]:
    """Return what an object has in its slots and its dictionary, by name."""
    state = object.__getstate__(thing)
    parts = state if isinstance(state, tuple) else (state,)
    return {name: value for part in parts if part is not None for name, value in part.items()}


# makes what needs no checks; a name of the module is found faster than a method of `object`
_new = object.__new__


class _Tagged:
    """Something people may attach notes to; the note pad is made on first use."""

    __slots__ = ("_tag",)

    _tag: Scratchpad | None

    @property
    def tag(self) -> Scratchpad:
        if self._tag is None:
            self._tag = Scratchpad()
        return self._tag

    @tag.setter
    def tag(self, value: Scratchpad) -> None:
        self._tag = value

    def copy_tag_from(self, other: _Tagged) -> None:
        """Give this object a copy of the notes on `other`."""
        self._tag = None if other._tag is None else Scratchpad(**vars(other._tag))


class Variable(_Tagged, Displayed):
    """A value in a graph: an input, or an output of an `Apply` node.

    Variables are equal to themselves alone, and have no truth value.

    Parameters
    ----------
    type
        What values it can take.
    owner, index
        The node that computes it, and which of the node's outputs it is; None for an input.
    name
        What people call it.

    Attributes
    ----------
    head
        The `Op` of its owner, the class `Constant` for a constant, None for an input: what a
        matcher asks first, kept where one attribute access finds it.
    """

    __slots__ = ("__weakref__", "head", "index", "name", "owner", "type")

    type: Any  # a Type; TensorVariable and friends narrow it
    owner: Apply | None
    index: int | None
    name: str | None
    head: Any

    # whether variables of the class are made and copied as the methods here say
    plain: ClassVar[bool] = True
    # whether it stands in for a variable whose node is not to be looked at when it is printed
    opaque: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.plain = cls.clone is Variable.clone and cls.__init__ is Variable.__init__

    def __init__(
        self,
        type: Type,
        owner: Apply | None = None,
        index: int | None = None,
        name: str | None = None,
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"a variable's name is a string, not {name!r}")
        if owner is not None and not isinstance(owner, Apply):
            raise TypeError(f"a variable's owner is an Apply node, not {owner!r}")
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name
        self.head = None if owner is None else owner.op
        self._tag = None

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self} ({self.type}) is symbolic and has no truth value; "
            "compare with `is None`, or choose between two values with `switch`"
        )

    def clone(self, **kwargs: Any) -> Variable:
        """Return a new variable of the same type, name and notes that nothing computes."""
        copy: Variable
        if self.plain:
            copy = _new(self.__class__)
            copy.type = self.type
            copy.name = kwargs.get("name", self.name)
            copy.owner = copy.index = copy.head = copy._tag = None
        else:
            copy = self.type.make_variable(kwargs.get("name", self.name))
        if self._tag is not None:
            copy.copy_tag_from(self)
        return copy

    def __copy__(self) -> Variable:
        """Return a variable with the same owner's inputs, or one that nothing computes either."""
        if self.owner is None or self.index is None:
            return self.clone()
        copied: Variable = self.owner.clone().outputs[self.index]
        return copied

    def eval(self, inputs_to_values: Mapping[Any, Any] | None = None) -> Any:
        """Return the value of this variable for the given values of the inputs it depends on.

        Parameters
        ----------
        inputs_to_values
            Values by variable, or by the name of one.

        Raises
        ------
        MissingInputError
            If an input has no value.
        """
        # Evaluation is the business of the layers above; the method is the field's shortest way
        # to a number, so this is one of the three imports that go up.
        from relgraph.compile.optimize import evaluate_variable  # noqa: PLC0415

        return evaluate_variable(self, inputs_to_values or {})

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        if self.owner is None:
            return f"<{self.type}>"
        return f"{self.owner.op}.{self.index}"

    def __repr__(self) -> str:
        return str(self)


class Constant(Variable):
    """A variable whose value is part of the graph.

    Parameters
    ----------
    type
        The type; `data` is passed through its `filter`.
    data
        The value.
    """

    __slots__ = ("data",)

    data: Any

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, None, None, name)
        self.head = Constant
        self.data = type.filter(data)

    @property
    def value(self) -> Any:
        return self.data

    def unique_value(self) -> Any:
        """Return the Python number that every element is, or None if there is no one such."""
        return self.data if isinstance(self.data, bool | int | float | complex) else None

    def signature(self) -> Hashable:
        """Return a hashable that equals another constant's if both mean the same value."""
        return (self.type, self.data)

    def equals(self, other: Any) -> bool:
        """Return whether `other` is a constant of the same type and value."""
        return isinstance(other, Constant) and (
            self is other or self.signature() == other.signature()
        )

    def clone(self, **kwargs: Any) -> Constant:
        twin = type(self)(self.type, self.data, kwargs.pop("name", self.name))
        twin.copy_tag_from(self)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Constant:
        # the value never changes, so both constants may have it
        twin = self.clone()
        twin._tag = copy.deepcopy(self._tag, memo)
        return twin

    def __str__(self) -> str:
        return self.name if self.name is not None else f"{type(self).__name__}{{{self.data}}}"


class Apply(_Tagged):
    """The application of an `Op` to inputs.

    Parameters
    ----------
    op
        What is applied.
    inputs
        Its arguments.
    outputs
        Fresh variables for its results; the node becomes their owner.

    Raises
    ------
    TypeError
        If an input or output is not a `Variable`.
    ValueError
        If an output already belongs to another node.
    """

    __slots__ = ("__weakref__", "inputs", "op", "outputs", "view")

    op: Any
    view: Any  # its S-expression, kept by `unify`
    inputs: list[Any]
    outputs: list[Any]

    def __init__(self, op: Op, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        if not isinstance(inputs, Sequence) or not isinstance(outputs, Sequence):
            raise TypeError(f"the inputs and outputs of an Apply of {op} must be sequences")
        for i, var in enumerate(inputs):
            if not isinstance(var, Variable):
                raise TypeError(f"input {i} of {op} is {var!r}, not a Variable")
        self.op = op
        self.inputs = list(inputs)
        self.view = None
        self._tag = None
        for i, var in enumerate(outputs):
            if not isinstance(var, Variable):
                raise TypeError(f"output {i} of {op} is {var!r}, not a Variable")
            if var.owner is None:
                var.owner = self
                var.index = i
                var.head = op
            elif var.owner is not self or var.index != i:
                raise ValueError(f"output {i} of {op} already belongs to {var.owner}")
        self.outputs = list(outputs)

    @property
    def nin(self) -> int:
        return len(self.inputs)

    @property
    def nout(self) -> int:
        return len(self.outputs)

    @property
    def out(self) -> Any:
        """The default output."""
        return self.default_output()

    def default_output(self) -> Any:
        """Return the output that a caller who wants one value gets.

        Raises
        ------
        ValueError
            If there are several outputs and the Op does not say which one.
        """
        which = self.op.default_output
        if which is None:
            if len(self.outputs) != 1:
                raise ValueError(
                    f"{self.op} has {len(self.outputs)} outputs and no default_output: "
                    "say which one you mean"
                )
            which = 0
        elif not 0 <= which < len(self.outputs):
            raise ValueError(f"{self.op}.default_output is {which}, of {len(self.outputs)} outputs")
        return self.outputs[which]

    def clone(self) -> Apply:
        """Return a node with the same op and inputs, and new outputs."""
        return self.copy_with_inputs(list(self.inputs))

    def copy_with_inputs(self, inputs: list[Variable]) -> Apply:
        """Return a node like this one on `inputs`: a list that becomes its own, of variables of
        the very types that its inputs have."""
        # what the constructor would check holds of this node, and so of its copy
        copy = _new(self.__class__)
        copy.op = op = self.op
        copy.inputs = inputs
        copy.view = None
        copy._tag = None
        copy.outputs = outputs = []
        for out in self.outputs:
            cls = out.__class__
            if cls.plain:
                # all that `clone` and the constructor do, without the calls
                new = _new(cls)
                new.type = out.type
                new.name = out.name
                new._tag = None
                if out._tag is not None:
                    new.copy_tag_from(out)
            else:
                new = out.clone()
            new.owner = copy
            new.index = out.index
            new.head = op
            outputs.append(new)
        if self._tag is not None:
            copy.copy_tag_from(self)
        return copy

    def clone_with_new_inputs(self, inputs: Sequence[Variable], strict: bool = True) -> Apply:
        """Return a node that applies the same op to `inputs`.

        Parameters
        ----------
        strict
            Whether an input of a type that the old one's does not cover is an error. If not, the
            op makes the node anew, and the output types may differ.

        Raises
        ------
        TypeError
            If `strict` and an input does not fit the place it is given.
        """
        new_inputs = list(inputs)
        remake = False
        for i, (old, new) in enumerate(zip(self.inputs, new_inputs, strict=True)):
            if old.type is new.type or old.type == new.type:
                continue
            if strict:
                new_inputs[i] = old.type.filter_variable(new)
            remake = True
        if not remake:
            return self.copy_with_inputs(new_inputs)
        node: Apply = self.op.make_node(*new_inputs)
        node.copy_tag_from(self)
        return node

    __copy__ = clone

    def __getstate__(self) -> dict[str, Any]:
        # the listing comes first: what this node reads is saved with it, before the node refers
        # to that
        return {"listing": listing_of(self), **attributes(self), "view": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if name != "listing":
                setattr(self, name, value)

    def __str__(self) -> str:
        return as_string(self.inputs, [self.outputs[0]])[0] if self.outputs else f"{self.op}()"

    def __repr__(self) -> str:
        return f"<Apply {self}>"
