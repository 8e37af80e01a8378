"""Variables, constants and the Apply nodes that connect them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from relgraph.displayed import Displayed
from relgraph.graph.cloning import (
    attributes,
    clone,
    clone_get_equiv,
    clone_replace,
    deep_copy,
    listing_of,
)
from relgraph.graph.traversal import (
    ancestors,
    applys_between,
    as_string,
    equal_computations,
    general_toposort,
    graph_inputs,
    io_connection_pattern,
    io_toposort,
    is_in_ancestors,
    list_of_nodes,
    orphans_between,
    vars_between,
    view_roots,
    walk,
)
from relgraph.graph.utils import Scratchpad

if TYPE_CHECKING:
    from relgraph.graph.op import Op
    from relgraph.graph.type import Type

__all__ = [
    "Apply",
    "Constant",
    "Variable",
    "ancestors",
    "applys_between",
    "as_string",
    "clone",
    "clone_get_equiv",
    "clone_replace",
    "equal_computations",
    "general_toposort",
    "graph_inputs",
    "io_connection_pattern",
    "io_toposort",
    "is_in_ancestors",
    "list_of_nodes",
    "orphans_between",
    "vars_between",
    "view_roots",
    "walk",
]


# makes what needs no checks; a name of the module is found faster than a method of `object`
_new = object.__new__


class _Tagged:
    """Something people may attach notes to; the note pad is made when it is first asked for."""

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

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return deep_copy(self, memo)


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
    # attributes that a deep copy shares, since nothing changes them
    immutable: ClassVar[tuple[str, ...]] = ()

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
        copy = type(self)(self.type, self.data, kwargs.pop("name", self.name))
        copy.copy_tag_from(self)
        return copy

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
