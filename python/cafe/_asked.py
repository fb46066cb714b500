"""Whose rows transform() and predict() are asked for: those of the nodes that fit() saw, or of new
ones, by their edges to them."""
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._labels import known_positions, positions, some
from ._sklearn import quiet, warn
from ._sources import Links, links_of_rows, weights_of
from .graph import Graph, as_graph


@dataclass
class Asked:
    """Rows: of training nodes by their numbers, -1: of a new node, whose edges come in the order of
    the new nodes."""

    index: Any  # a name for every row
    known: np.ndarray
    links: Optional[Links] = None
    trained: bool = False  # all training nodes in their order

    def filled(self, rows: np.ndarray, place: Callable[[Links], np.ndarray]) -> np.ndarray:
        """The rows of training nodes, and of new ones what place() makes of their edges."""
        if self.links is None:
            return rows[self.known]
        found = np.empty((len(self.known), rows.shape[1]), rows.dtype)
        new = self.known < 0
        found[~new] = rows[self.known[~new]]
        found[new] = place(self.links)
        return found


def asked(X: Any, graph: Graph) -> Asked:
    """X is the graph that was fitted, or another graph that has some of its nodes. Or X has the
    edges of new nodes. They are a matrix with a row for each and a column for every node of the
    graph, sequences of nodes, or a mapping from new names to such."""
    if isinstance(X, Mapping):
        return _new(list(X), links_to(X.values(), graph))
    if _is_matrix(X) and X.shape[1] == graph.n_nodes:
        if X.shape[0] == X.shape[1] and _is_trained(X, graph):
            return _all(graph)
        return _new(np.arange(X.shape[0]), links_of_rows(X, graph.n_nodes))
    if _is_nameless(X):
        raise ValueError(f"X: expected a matrix with {graph.n_nodes} columns, one for each node that was fitted; "
                         f"found {X.shape[1]}")
    if _is_matrix(X) and X.shape[1] == 2 and not _is_trained(X, graph):
        raise ValueError("X: an m x 2 array may be the edges of m new nodes or the edges of a graph: "
                         "transform(x.tolist()) or transform(cafe.Graph(x))")
    if isinstance(X, (list, tuple)):
        if _is_trained(X, graph):
            return _all(graph)
        return _new(np.arange(len(X)), links_to(X, graph))
    other = as_graph(X)
    return _all(graph) if same_graph(other, graph) else _of_graph(other, graph)


def _is_matrix(X: Any) -> bool:
    return hasattr(X, "tocsr") or (isinstance(X, np.ndarray) and X.ndim == 2)


def _is_nameless(X: Any) -> bool:
    """An adjacency without names, so that its columns can only be those of the nodes that were fitted;
    an m x 2 array may name nodes."""
    return _is_matrix(X) and (hasattr(X, "tocsr") or 2 not in X.shape)


def _all(graph: Graph) -> Asked:
    return Asked(graph.nodes, np.arange(graph.n_nodes), trained=True)


def _new(names: Any, links: Links) -> Asked:
    """Nodes that are not in the graph; one without an edge could be anywhere."""
    assert links.offsets is not None
    weights = None if links.weights is None else links.weights.astype(float)
    alone = np.flatnonzero(np.bincount(links.sources(), weights, links.nodes) == 0)
    if len(alone):
        warn(f"{len(alone)} of {links.nodes} new nodes have no edge to a node that was fitted "
             f"({some(np.asarray(names)[alone])}): nothing is known of them")
    return Asked(names, np.full(links.nodes, -1), links)


def _of_graph(other: Graph, graph: Graph) -> Asked:
    """A graph with some of the nodes that were fitted: these keep their rows, others are new."""
    nodes = other.nodes
    known = positions(graph, nodes)
    if (known >= 0).all():
        return Asked(nodes, known)
    offsets, targets, weights = other.csr()
    row = np.repeat(np.arange(other.n_nodes), np.diff(offsets))
    new = known < 0
    kept = new[row] & (known[targets] >= 0)
    order = np.lexsort((known[targets[kept]], row[kept]))
    count = np.bincount(row[kept], minlength=other.n_nodes)[new]
    links = Links(int(new.sum()), known[targets[kept]][order].astype(np.int32),
                  None if weights is None else weights[kept][order],
                  offsets=np.concatenate([[0], np.cumsum(count)]).astype(np.int64))
    found = _new(nodes[new], links)
    return Asked(nodes, known, found.links)


def links_to(lists: Any, graph: Graph) -> Links:
    """Of new nodes: to the nodes that each list names, or by weight where it is a mapping."""
    pairs = [_pairs(item) for item in lists]
    at: List[np.ndarray] = [known_positions(graph, nodes, "links") for nodes, _ in pairs]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in at])]).astype(np.int64)
    order = [np.argsort(row, kind="stable") for row in at]
    target = [row[o] for row, o in zip(at, order)]
    weight = [weights_of(w)[o] for (_, w), o in zip(pairs, order)]
    joined = np.concatenate([np.zeros(0, np.float32), *weight])
    return Links(len(at), np.concatenate([np.zeros(0, np.int64), *target]).astype(np.int32),
                 None if (joined == 1).all() else joined, offsets=offsets)


def _pairs(item: Any) -> Tuple[List[Any], Sequence[float]]:
    if isinstance(item, Mapping):
        return list(item), list(item.values())
    if isinstance(item, (str, bytes)):
        raise TypeError(f"links: expected the nodes that a new node is linked to, found {item!r}")
    nodes = list(item)
    return nodes, [1.0] * len(nodes)


def mean_of_neighbours(rows: Any, links: Links) -> np.ndarray:
    """Each new node's row: the mean of the rows that it is linked to, by weight."""
    source = links.sources()
    weight = np.ones(len(source)) if links.weights is None else links.weights.astype(float)
    dense = rows[links.target]
    dense = np.asarray(dense.toarray() if hasattr(dense, "toarray") else dense)
    total = np.zeros((links.nodes, dense.shape[1]))
    np.add.at(total, source, weight[:, None] * dense)
    sums = np.bincount(source, weight, links.nodes)
    return total / np.where(sums > 0, sums, 1)[:, None]


# ---- the same graph? ---------------------------------------------------------------------------

def _is_trained(X: Any, graph: Graph) -> bool:
    """Whether X, which might be edges of new nodes too, is the graph that was fitted."""
    try:
        with quiet():
            return same_graph(as_graph(X), graph)
    except (TypeError, ValueError):
        return False


def same_graph(one: Graph, other: Graph) -> bool:
    if one is other or one.pointer is other.pointer:
        return True
    if (one.n_nodes, one.n_edges) != (other.n_nodes, other.n_edges):
        return False
    if one.names is not other.names and one.nodes.tolist() != other.nodes.tolist():
        return False
    return all(_equal(a, b) for a, b in zip(one.csr(), other.csr()))


def _equal(a: Optional[np.ndarray], b: Optional[np.ndarray]) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)
