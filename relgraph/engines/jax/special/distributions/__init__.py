"""Distribution functions and their inverses, computed in 64 bits whatever dtype is given."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import jax.numpy as jnp

_HOMES = {
    "betas": "betaincinv betainccinv btdtria btdtrib bdtr bdtrc bdtri bdtrik bdtrin nbdtr nbdtrc "
    "nbdtri nbdtrik nbdtrin fdtri",
    "gammas": "gammaincinv gammainccinv chdtri chdtriv gdtria gdtrib gdtrix pdtri pdtrik",
    "kolmogorov": "kolmogorov kolmogi smirnov smirnovi",
    "noncentral": "chndtr chndtrix chndtridf chndtrinc fdtridfd ncfdtr ncfdtri ncfdtrinc",
    "others": "erfcx erfi zetac shichi.0 shichi.1 wrightomega binom tklmbda frexp.0 frexp.1",
    "students": "stdtr stdtrit stdtridf ndtri_exp nrdtrimn nrdtrisd",
    "voigt": "voigt_profile",
}


def _on_first_use(home: str, name: str) -> Callable[..., Any]:
    """Return a function of arrays of any real dtypes that computes with doubles of one shape.

    The module that has it is loaded when it is first called.
    """

    def computed(*values: Any) -> Any:
        function = import_module(f"{__name__}.{home}").FUNCTIONS[name]
        return function(*jnp.broadcast_arrays(*[jnp.asarray(v, "float64") for v in values]))

    return computed


DISTRIBUTIONS = {
    name: _on_first_use(home, name) for home, names in _HOMES.items() for name in names.split()
}
"""The functions by the names that they have in ``scipy.special``."""
