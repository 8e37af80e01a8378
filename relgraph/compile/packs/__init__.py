"""Rule packs: laws of other packages, which queries find on request.

A package offers laws by an entry point of the group ``relgraph.laws`` that names a table of laws,
or a module that holds some::

    [project.entry-points."relgraph.laws"]
    geometry = "geometry_laws:LAWS"

``Mode().including("pack:geometry")`` applies them. Nothing of a pack is imported before.
"""

from relgraph.compile.packs.installed import PackError, installed_packs, laws_of_pack

__all__ = ["PackError", "installed_packs", "laws_of_pack"]
