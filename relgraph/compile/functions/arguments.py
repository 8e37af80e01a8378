"""How a function takes an argument and gives a result."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Constant, Variable


class In:
    """An input of a function.

    Parameters
    ----------
    variable
        The variable it gives a value to.
    name
        What the argument is called; the variable's name if None.
    value
        What it is where a call leaves it out.
    update
        An expression for what `value` is at the next call.
    mutable
        Whether the function may overwrite what it is given.
    strict
        Take only values of the variable's type, and convert nothing.
    allow_downcast
        Whether a conversion may lose precision; None: only of a Python float.
    borrow
        Whether a result may share the storage of the argument (if the result's `Out` borrows too).
        Like `mutable` if None.

    Raises
    ------
    TypeError
        If `variable` is not a variable, or `update` can't be made one of its type.
    ValueError
        If `mutable` and ``borrow=False`` contradict each other, there is an `update` and no
        `value`, or `variable` is a constant.
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
        self.update = None if update is None else fitting(update, variable, "the update of")
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
    """A result of a function.

    Parameters
    ----------
    variable
        The variable whose value is returned.
    borrow
        Whether the result may share storage: with another borrowed result, with a borrowed
        argument, with the value of a shared variable.

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


def fitting(new: Any, old: Variable, role: str) -> Variable:
    """Return `new` as a variable of the type of `old`.

    Parameters
    ----------
    role
        What `new` is to `old`, for the error ("the update of").

    Raises
    ------
    TypeError
        If it is not of that type and can't be converted without a change of its values.
    """
    try:
        return old.type.filter_variable(new, allow_convert=True)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        found = f"{new} of type {new.type}" if isinstance(new, Variable) else f"{new!r}"
        raise TypeError(
            f"{role} {old} has to be of type {old.type}, and {found} is not and can't be "
            "converted safely; cast it, or declare a wider type"
        ) from error
