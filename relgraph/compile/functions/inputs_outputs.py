"""`In` and `Out`: the inputs and outputs of a function, with their options."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Constant, Variable


class In:
    """An input of a function.

    Parameters
    ----------
    variable
        The variable that the argument is a value of.
    name
        The name of the argument; by default that of the variable.
    value
        The default value of the argument.
    update
        An expression for the default value at the next call.
    mutable
        Whether the function may overwrite the argument.
    strict
        Whether to accept only values of the variable's type, without conversion.
    allow_downcast
        Whether a conversion may lose precision; None for only that of a Python float.
    borrow
        Whether a result may share the storage of the argument, if its `Out` borrows too; by
        default as `mutable`.

    Raises
    ------
    TypeError
        If `variable` is not a variable, or `update` can't be converted to its type.
    ValueError
        If `variable` is a constant, `mutable` is combined with ``borrow=False``, or there is an
        `update` without a `value`.
    """

    def __init__(
        self,
        variable: Variable,
        name: str | None = None,
        value: Any = None,
        update: Variable | None = None,
        mutable: bool | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        borrow: bool | None = None,
    ) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"an input of a function is a Variable, not {variable!r}")
        if isinstance(variable, Constant):
            raise ValueError(f"the constant {variable} can't be an input of a function")
        self.variable = variable
        self.name = variable.name if name is None else name
        self.value = value
        self.update = None if update is None else converted_like(update, variable, "the update of")
        if update is not None and value is None:
            raise ValueError(f"input {variable} has an update and no value to begin with")
        self.mutable = bool(mutable)
        self.borrow = self.mutable if borrow is None else bool(borrow)
        if self.mutable and not self.borrow:
            raise ValueError(
                f"input {variable}: mutable=True lets the function overwrite the argument, "
                "and borrow=False forbids that it shares it; drop one of the two"
            )
        self.strict = strict
        self.allow_downcast = allow_downcast

    def __repr__(self) -> str:
        return f"In({self.variable})"


class Out:
    """An output of a function.

    Parameters
    ----------
    variable
        The variable whose value is the result.
    borrow
        Whether the result may share storage with another borrowed result, a borrowed argument, or
        the value of a shared variable.

    Raises
    ------
    TypeError
        If `variable` is not a variable.
    """

    def __init__(self, variable: Variable, borrow: bool = False) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"an output of a function is a Variable, not {variable!r}")
        self.variable = variable
        self.borrow = bool(borrow)

    def __repr__(self) -> str:
        return f"Out({self.variable}, borrow={self.borrow})"


def converted_like(new: Any, old: Variable, role: str) -> Variable:
    """Return `new` converted to a variable of the type of `old`.

    Parameters
    ----------
    new
        A variable, a number or an array.
    old
        The variable whose type is taken.
    role
        What `new` is for `old`, for the error: "the update of", say.

    Raises
    ------
    TypeError
        If `new` can't be converted without a change of its values.
    """
    try:
        return old.type.filter_variable(new, allow_convert=True)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        found = f"{new} of type {new.type}" if isinstance(new, Variable) else f"{new!r}"
        raise TypeError(
            f"{role} {old} has to be of type {old.type}, and {found} is not and can't be "
            "converted safely; cast it, or declare a wider type"
        ) from error
