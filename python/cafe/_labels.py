"""Labels of nodes: by name where they carry names, as numbers for the library.

Data with an index (a pandas Series or a table of one column) and mappings are matched by the names
of the nodes, in any order. Only a plain sequence is matched by position.
"""
from typing import Any, Iterable, Mapping, Tuple

import numpy as np

from ._arrays import refuse_masked
from ._sources import is_missing, objects
from .graph import Graph


def positions(graph: Graph, nodes: Any) -> np.ndarray:
    """The node indices by their names; -1: the graph has none of that name."""
    if graph.names is None and getattr(nodes, "dtype", None) is not None and nodes.dtype.kind in "iu":
        numbers = np.asarray(nodes)
        return np.where((numbers >= 0) & (numbers < graph.n_nodes), numbers, -1).astype(np.int64)
    return np.fromiter((_position(graph, node) for node in nodes), np.int64, len(nodes))


def _position(graph: Graph, node: Any) -> int:
    try:
        return graph.index(node)
    except KeyError:
        return -1


def some(names: Iterable[Any]) -> str:
    """Three of them, as an example."""
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    return ", ".join(map(repr, plain[:3])) + (", ..." if len(plain) > 3 else "")


def found_positions(graph: Graph, nodes: Any, what: str) -> np.ndarray:
    """The node indices, all of them in the graph."""
    at = positions(graph, nodes)
    if (at < 0).any():
        unknown = [node for node, u in zip(nodes, at) if u < 0]
        raise ValueError(f"{what}: {len(unknown)} of {len(at)} nodes are not in the graph: "
                         f"{some(unknown)}")
    return at


def known_positions(graph: Graph, nodes: Any, what: str) -> np.ndarray:
    """The node indices, each of them once and in the graph."""
    at = found_positions(graph, nodes, what)
    if len(np.unique(at)) < len(at):
        values, counts = np.unique(at, return_counts=True)
        twice = graph.nodes[values[counts > 1]]
        raise ValueError(f"{what}: {len(twice)} nodes are there more than once: {some(twice)}")
    return at


# ---- to numbers --------------------------------------------------------------------------------

def encode_labels(y: Any, graph: Graph, what: str = "y") -> Tuple[np.ndarray, np.ndarray]:
    """Known labels as numbers (-1: unknown), and the classes in order.

    y is a sequence with an entry per node, a mapping from nodes to labels, or a pandas Series (a
    table of one column) whose index has the nodes. None, NaN and what pandas takes for missing are
    unknown; -1 is a class to some and unknown to others, and is refused. A node that is not mentioned
    has no label where that is certain (in a mapping, or a Series with an index of its own), and is an
    error otherwise."""
    known = _in_order(y, graph, what)
    unknown = _unknown(known, what)
    if unknown.all():
        raise ValueError(f"{what}: expected at least one known label, found none")
    try:
        classes, numbers = np.unique(_plain(known[~unknown]), return_inverse=True)
    except TypeError:
        raise TypeError(f"{what}: labels of one kind can be put in order, text or numbers") from None
    label = np.full(graph.n_nodes, -1, np.int32)
    label[~unknown] = numbers.reshape(-1)
    return label, classes


def _in_order(y: Any, graph: Graph, what: str) -> np.ndarray:
    """A label per node, None where there is none."""
    if hasattr(y, "iloc"):
        y = one_column(y, what)
        return _by_name(y.index, _values(y), graph, what, not _counted(y.index))
    if isinstance(y, Mapping):
        return _by_name(list(y), objects(list(y.values())), graph, what, True)
    values = _values(y)
    if values.ndim != 1:
        raise ValueError(f"{what}: expected a label per node, found shape {values.shape}")
    if len(values) != graph.n_nodes:
        raise ValueError(f"{what}: expected {graph.n_nodes} labels, found {len(values)}")
    return values


def one_column(y: Any, what: str) -> Any:
    if not hasattr(y, "columns"):
        return y
    if len(y.columns) != 1:
        raise ValueError(f"{what}: expected one column of labels, indexed by the nodes; found "
                         f"{len(y.columns)}: {some(y.columns)}")
    return y.iloc[:, 0]


def _counted(index: Any) -> bool:
    """Whether pandas made up the index: 0, 1, 2, ..."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _indexed(index: Any, graph: Graph, what: str) -> np.ndarray:
    """The numbers of the nodes that an index has, each of them once."""
    try:
        return known_positions(graph, index, what)
    except ValueError as error:
        hint = ("; its index is not of nodes: give an array for what is in the order of the nodes"
                if _counted(index) else "")
        raise ValueError(f"{error}{hint}") from None


def _all_there(at: np.ndarray, graph: Graph, what: str, hint: str = "") -> None:
    if len(at) < graph.n_nodes:
        missing = np.setdiff1d(np.arange(graph.n_nodes), at)
        raise ValueError(f"{what}: {len(missing)} of {graph.n_nodes} nodes have none: "
                         f"{some(graph.nodes[missing])}{hint}")


def rows_by_name(table: Any, graph: Graph, what: str) -> Any:
    """Rows of a pandas table in the order of the nodes that its index has; an array as it is."""
    if not hasattr(table, "iloc"):
        return table
    at = _indexed(table.index, graph, what)
    _all_there(at, graph, what)
    return table.iloc[np.argsort(at)].to_numpy()


def _by_name(nodes: Any, values: np.ndarray, graph: Graph, what: str, partial: bool) -> np.ndarray:
    at = _indexed(nodes, graph, what)
    if not partial:
        _all_there(at, graph, what, " (None says that it is not known)")
    known = np.full(graph.n_nodes, None, object)
    known[at] = values
    return known


def _values(y: Any) -> np.ndarray:
    """As NumPy has them; lists with None stay objects, and pandas' own types become such."""
    refuse_masked(y, "labels")
    if isinstance(y, (str, bytes)) or not hasattr(y, "__iter__"):
        raise TypeError(f"labels: expected a sequence with one for each node, found {y!r}")
    if isinstance(y, np.ndarray):
        return y
    if hasattr(y, "iloc"):
        return y.to_numpy() if isinstance(y.dtype, np.dtype) else objects(y.tolist())
    return objects(list(y))


def _unknown(labels: np.ndarray, what: str) -> np.ndarray:
    missing = missing_labels(labels)
    if any(map(_is_minus_one, labels[~missing].tolist())):
        raise ValueError(f"{what}: -1 may be a class or no label: None or NaN is no label, "
                         f"np.where({what} == -1, None, {what}); a class needs another name")
    return missing


def missing_labels(labels: np.ndarray) -> np.ndarray:
    """Where there is none."""
    if labels.dtype.kind in "biuU":
        return np.zeros(len(labels), bool)
    return np.fromiter(map(is_missing, labels), bool, len(labels))


def _is_minus_one(label: Any) -> bool:
    return isinstance(label, (int, float, np.number)) and label == -1


def plain_labels(y: Any) -> np.ndarray:
    """Of a sequence or a Series, by position; with None among them they stay objects."""
    labels = _values(y)
    if labels.dtype != object or missing_labels(labels).any():
        return labels
    return _plain(labels)


def _plain(labels: np.ndarray) -> np.ndarray:
    """Objects as what they are: text, numbers. NumPy would make "1" of 1 beside it."""
    if labels.dtype != object:
        return labels
    listed = labels.tolist()
    texts = sum(isinstance(label, str) for label in listed)
    if 0 < texts < len(listed):
        raise TypeError("labels of one kind can be compared: text or numbers, not both")
    if any(isinstance(label, (tuple, list, set, frozenset)) for label in listed):
        raise TypeError("labels: expected one for each node, found several")
    return np.array(listed)


def share_right(told: np.ndarray, labels: np.ndarray, classes: np.ndarray, weights: Any = None) -> float:
    """The share of the labels that were told; text is never a number, whatever it looks like."""
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US") and \
            all(kind in "biufUS" for kind in (labels.dtype.kind, classes.dtype.kind)):
        raise ValueError(f"y: its labels are {labels.dtype}, the classes that were learnt {classes.dtype}")
    return float(np.average(np.asarray(told == labels, dtype=bool), weights=weights))


def known_communities(start: Any, graph: Graph) -> np.ndarray:
    """Communities to start from, -1: none. Integers stay as they are, other names are numbered. Nodes
    that the graph no longer has are left out of what carries names."""
    if hasattr(start, "iloc"):
        start = one_column(start, "start")
        if not _counted(start.index):
            start = start[positions(graph, start.index) >= 0]
    elif isinstance(start, Mapping):
        start = {node: c for node, c in start.items() if _position(graph, node) >= 0}
    label, classes = encode_labels(start, graph, "start")
    if classes.dtype.kind not in "iu":
        return label
    if classes[0] < 0 or classes[-1] >= 2**31 - 1 - graph.n_nodes:
        raise ValueError("start: expected numbers of communities from 0")
    return np.where(label < 0, -1, classes[label]).astype(np.int32)


# ---- and back ----------------------------------------------------------------------------------

def decode_labels(numbers: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Numbers back to labels; -1 stays -1, or becomes None where labels are no integers."""
    if (numbers >= 0).all():
        return classes[numbers]
    plain = classes.dtype.kind in "iu"
    out = np.full(len(numbers), -1 if plain else None, classes.dtype if plain else object)
    out[numbers >= 0] = classes[numbers[numbers >= 0]]
    return out


# ---- labels to compare with --------------------------------------------------------------------

def known_labels(y: Any, nodes: Any) -> Tuple[np.ndarray, np.ndarray]:
    """The known labels among those of a graph's nodes, or of nodes by their names, and where they
    are."""
    if isinstance(nodes, Graph):
        label, classes = encode_labels(y, nodes)
        known = np.flatnonzero(label >= 0)
        return classes[label[known]], known
    if hasattr(y, "iloc"):
        y = one_column(y, "y").loc[list(nodes)]
    values = _values(y)
    if values.shape != (len(nodes),):
        raise ValueError(f"y: expected {len(nodes)} labels, found shape {values.shape}")
    known = np.flatnonzero(~_unknown(values, "y"))
    return _plain(values[known]), known
