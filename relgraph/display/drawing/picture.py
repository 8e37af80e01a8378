"""What a picture of a graph shows: boxes, and edges with labels."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph

Kind = Literal["input", "constant", "op", "output", "folded"]

MOST_NODES = 200
"""How many nodes are shown; what is further from the outputs is left out."""
PART_NODES = 40
"""How many nodes of a large graph are in one picture, where the others can be opened."""
WHOLE_NODES = 60
"""So many are drawn in one all the same."""
MOST_ARGUMENTS = 16
"""How many arguments of a node are shown, and how many outputs; one box stands for the rest."""
MOST_LETTERS = 28
"""How long a label is; the whole text is shown by the pointer."""


@dataclass(eq=False)
class Box:
    """A box of a picture.

    Attributes
    ----------
    kind
        An input, a constant, an op, an output, or what stands for nodes that are left out.
    label
        Its text.
    title
        What there is more to say, for the pointer.
    marked
        Whether it is highlighted.
    part
        The number of the picture that shows what it stands for; None if there is none.
    """

    kind: Kind
    label: str
    title: str
    marked: bool = False
    part: int | None = None


@dataclass(eq=False)
class Edge:
    """An edge between two boxes.

    Attributes
    ----------
    source, target
        The box that computes a value, and the one that reads it.
    label
        Which argument it is, if there are several, and the shape, with a dtype that is not float64.
    title
        The same in words.
    use
        ``read``; ``viewed`` if the result may share its storage; ``destroyed`` if that is
        overwritten.
    """

    source: Box
    target: Box
    label: str
    title: str
    use: Literal["read", "viewed", "destroyed"] = "read"


@dataclass
class Picture:
    """Boxes and edges; what an edge comes from stands before what it leads to."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


def outputs_of(graph: Any) -> list[Variable]:
    """Return the outputs of what can be drawn.

    Parameters
    ----------
    graph
        A variable, a sequence of variables, a FunctionGraph or a compiled function.

    Raises
    ------
    TypeError
        If it is none of these.
    """
    graph = getattr(getattr(graph, "maker", None), "fgraph", graph)
    if isinstance(graph, FunctionGraph):
        return list(graph.outputs)
    outputs = [graph] if isinstance(graph, Variable) else graph
    if not isinstance(outputs, list | tuple) or not outputs:
        kind = "empty" if outputs == [] else f"a value of class {type(graph).__name__}"
        raise TypeError(
            f"wanted is a variable, a list of them, a graph or a function, and this is {kind}"
        )
    for out in outputs:
        if not isinstance(out, Variable):
            kind = type(out).__name__
            raise TypeError(f"wanted is a list of variables, and a value of class {kind} is in it")
    return list(outputs)


def picture_of(
    graph: Any, most_nodes: int = MOST_NODES, marked: Collection[Variable] = ()
) -> Picture:
    """Return one picture of a graph; for the parameters and what is raised see `pictures_of`."""
    return pictures_of(graph, most_nodes, marked, part_nodes=most_nodes)[0]


def pictures_of(
    graph: Any,
    most_nodes: int = MOST_NODES,
    marked: Collection[Variable] = (),
    part_nodes: int = PART_NODES,
) -> list[Picture]:
    """Return the pictures of a graph: of what is nearest to the outputs, and of what these leave
    out. A node is in one of them.

    Parameters
    ----------
    graph
        As for `outputs_of`, which raises the same.
    most_nodes
        How many nodes are shown; of a larger graph those nearest to the outputs.
    marked
        Variables that are highlighted.
    part_nodes
        How many nodes of a graph of more than `WHOLE_NODES` there are in one picture.
    """
    outputs = outputs_of(graph)
    if len(_nearest(outputs, WHOLE_NODES + 1, ())) <= WHOLE_NODES:
        part_nodes = max(part_nodes, WHOLE_NODES)
    parts: list[tuple[Sequence[Variable], set[Apply]]] = []
    drawn: dict[Apply, int] = {}
    waiting: deque[Sequence[Variable]] = deque([outputs])
    while waiting:
        starts = waiting.popleft()
        nodes = _nearest(_first(starts), min(part_nodes, most_nodes - len(drawn)), drawn)
        if nodes or not parts:
            drawn.update(dict.fromkeys(nodes, len(parts)))
            parts.append((starts, set(nodes)))
            read = dict.fromkeys(v for node in nodes for v in _first(node.inputs))
            waiting.extend([v] for v in read if v.owner is not None and v.owner not in drawn)
    return [_picture(i, *part, drawn, marked) for i, part in enumerate(parts)]


def _picture(
    number: int,
    outputs: Sequence[Variable],
    shown: set[Apply],
    drawn: Mapping[Apply, int],
    marked: Collection[Variable],
) -> Picture:
    """Return the picture with a number, of some nodes and what is read by them or from them."""
    picture = Picture()
    boxes: dict[Apply | Variable, Box] = {}
    folded: list[Variable] = []
    for item in _in_order(_first(outputs), shown):
        box = boxes[item] = _box(item, marked)
        if isinstance(item, Variable) and item.owner is not None:
            folded.append(item)
        picture.boxes.append(box)
        if isinstance(item, Apply):
            for i, var in enumerate(_first(item.inputs)):
                picture.edges.append(_edge(_drawn(var, shown, boxes), box, item, i, var))
            rest = len(item.inputs) - len(_first(item.inputs))
            if rest:
                others = Box("folded", f"… {rest:,} arguments", f"further arguments of {item.op}")
                picture.boxes.insert(0, others)
                picture.edges.append(Edge(others, box, "", others.title))
    for var, (count, whole) in zip(folded, _counts(folded, shown), strict=True):
        box = boxes[var]
        assert var.owner is not None
        box.part = drawn.get(var.owner)
        nodes = f"{count:,} node{'s' if count > 1 else ''}"
        box.label = f"… {nodes}" if box.part is None else f"{_part_name(box.part)}: {nodes}"
        box.title = f"left out: {whole}"
    for i, var in enumerate(_first(outputs)):
        name = "output" if len(outputs) == 1 else f"output {i}"
        if number > 0:
            name = _part_name(number) if var.name is None else cut(var.name)
        box = Box("output", name, f"{name}: {_described(var)}", var in marked)
        picture.boxes.append(box)
        source = _drawn(var, shown, boxes)
        picture.edges.append(Edge(source, box, _typed(var), _described(var)))
    rest = len(outputs) - len(_first(outputs))
    if rest:
        picture.boxes.append(Box("folded", f"… {rest:,} outputs", "further outputs"))
    return picture


def _part_name(number: int) -> str:
    return f"part {number}" if number else "above"


def _first(variables: Sequence[Variable]) -> Sequence[Variable]:
    """Return the variables that are shown, of the inputs of a node or the outputs of a graph."""
    few = len(variables) <= MOST_ARGUMENTS
    return variables if few else variables[: MOST_ARGUMENTS - 1]


def _nearest(
    outputs: Iterable[Variable], most: int, others: Collection[Apply]
) -> dict[Apply, None]:
    """Return the nodes nearest to the outputs, by the number of edges between them, but for those
    that are shown elsewhere."""
    shown: dict[Apply, None] = {}
    queue = deque(out.owner for out in outputs if out.owner is not None)
    while queue and len(shown) < most:
        node = queue.popleft()
        if node not in shown and node not in others:
            shown[node] = None
            queue.extend(var.owner for var in _first(node.inputs) if var.owner is not None)
    return shown


def _drawn(var: Variable, shown: set[Apply], boxes: dict[Any, Box]) -> Box:
    return boxes[var.owner if var.owner is not None and var.owner in shown else var]


def _in_order(outputs: Sequence[Variable], shown: set[Apply]) -> Iterator[Apply | Variable]:
    """Yield the nodes that are shown, and the variables from outside, each after what it reads."""
    done: set[Any] = set()
    stack: list[tuple[Any, bool]] = [(out, False) for out in reversed(outputs)]
    while stack:
        item, ready = stack.pop()
        if isinstance(item, Variable) and item.owner is not None and item.owner in shown:
            item = item.owner
        if item in done:
            continue
        if ready or isinstance(item, Variable):
            done.add(item)
            yield item
        else:
            stack.append((item, True))
            stack.extend((var, False) for var in reversed(_first(item.inputs)))


def _box(item: Apply | Variable, marked: Collection[Variable]) -> Box:
    if isinstance(item, Apply):
        named = ", ".join(out.name for out in item.outputs if out.name is not None)
        op = _short(item.op)
        label = cut(f"{named} = {op}" if named else op)
        types = ", ".join(str(out.type) for out in item.outputs)
        return Box("op", label, f"{item.op}: {types}", any(v in marked for v in item.outputs))
    if isinstance(item, Constant):
        return Box("constant", cut(str(item).strip("{}")), _described(item), item in marked)
    if item.owner is None:
        label = item.name if item.name is not None else "unnamed"
        return Box("input", cut(label), _described(item), item in marked)
    return Box("folded", "…", _described(item), item in marked)


def _short(op: Any) -> str:
    """Return an op as text; of fused elementwise ops the names, not what each of them reads."""
    # such ops stand on a higher layer, and are told by what they have
    fused = getattr(getattr(op, "elemwise", op), "scalar_op", None)
    nodes = getattr(fused, "nodes", None)
    if nodes is None:
        return str(op)
    reductions = [str(one) for one in getattr(op, "reductions", ()) if one is not None]
    names = dict.fromkeys([*(str(node.op) for node in nodes), *reductions])
    return f"{'Fused' if reductions else 'Composite'}{{{', '.join(names)}}}"


def _edge(source: Box, target: Box, node: Apply, i: int, var: Variable) -> Edge:
    use: Literal["read", "viewed", "destroyed"] = "read"
    if any(i in taken for taken in node.op.destroy_map.values()):
        use = "destroyed"
    elif any(i in seen for seen in node.op.view_map.values()):
        use = "viewed"
    words = {"read": "", "viewed": ", viewed", "destroyed": ", overwritten"}[use]
    which = f"{i}: " if len(node.inputs) > 1 else ""
    title = f"argument {i} of {node.op}{words}: {_described(var)}"
    return Edge(source, target, f"{which}{_typed(var)}{words}", title, use)


def _typed(var: Variable) -> str:
    """Return the type of a variable in short, after the number of the output that it is."""
    owner = var.owner
    which = f".{var.index} " if owner is not None and len(owner.outputs) > 1 else ""
    dtype, shape = getattr(var.type, "dtype", None), getattr(var.type, "shape", None)
    if dtype is None or shape is None:
        return which + cut(str(var.type))
    lengths = f"({', '.join('?' if n is None else str(n) for n in shape)})"
    # most arrays are of doubles: what is said of each would be half of a picture
    parts = ["" if dtype == "float64" else dtype, lengths if shape or dtype == "float64" else ""]
    return which + " ".join(filter(None, parts))


def _described(var: Variable) -> str:
    return f"{var if var.name is None else var.name}, {var.type}"


def _counts(variables: Sequence[Variable], shown: set[Apply]) -> Iterator[tuple[int, str]]:
    """Yield for each variable how many nodes compute it that are not shown, and that in words."""
    for var in variables:
        seen: set[Apply] = set()
        stack = [var.owner]
        while stack:
            node = stack.pop()
            if node is not None and node not in seen and node not in shown:
                seen.add(node)
                stack.extend(v.owner for v in node.inputs)
        yield len(seen), f"the {len(seen):,} nodes that compute {_described(var)}"


def cut(text: str, most: int = MOST_LETTERS) -> str:
    """Return a text of one line, and no more than so many letters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
