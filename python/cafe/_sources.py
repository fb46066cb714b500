"""What graphs are made from: every kind of input as arrays of links, and names of nodes.

All other libraries are recognised by what their objects can do, and never imported here.
"""
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple

import numpy as np

MOST_NODES = 2**31 - 2


@dataclass
class Links:
    """Links between nodes 0 .. nodes-1: from `source`, or in compressed rows by `offsets`."""

    nodes: int
    target: np.ndarray  # int32
    weights: Optional[np.ndarray] = None  # float32
    source: Optional[np.ndarray] = None  # int32
    offsets: Optional[np.ndarray] = None  # int64
    names: Optional[np.ndarray] = None

    def __post_init__(self) -> None:
        """The library reads as many numbers as these say: their lengths must agree."""
        count = len(self.target)
        for what, array in (("weights", self.weights), ("edges", self.source)):
            if array is not None and array.shape != (count,):
                raise ValueError(f"{what}: expected {count}, found shape {array.shape}")
        if self.offsets is not None:
            _check_offsets(self.offsets, self.nodes, count)

    def sources(self) -> np.ndarray:
        if self.source is None:
            assert self.offsets is not None
            self.source = np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.offsets))
        return self.source


def links_of(data: Any, weights: Any, nodes: Optional[int]) -> Links:
    """Dispatches on what the data can do."""
    if hasattr(data, "tocsr") and hasattr(data, "shape"):
        return _from_scipy(data)
    if hasattr(data, "adj") and hasattr(data, "is_multigraph"):
        return _from_networkx(data, weights)
    if hasattr(data, "get_edgelist") and hasattr(data, "vcount"):
        return _from_igraph(data, weights)
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return _from_pandas(data, weights)
    if hasattr(data, "edge_index"):
        given = weights if weights is not None else getattr(data, "edge_weight", None)
        return _from_array(_array(data.edge_index), given,
                           nodes or getattr(data, "num_nodes", None))
    return _from_array(_array(data), weights, nodes)


def _check_offsets(offsets: np.ndarray, rows: int, entries: int) -> None:
    if offsets.shape != (rows + 1,):
        raise ValueError(f"indptr: expected {rows + 1} offsets, found shape {offsets.shape}")
    if offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise ValueError("indptr: expected offsets that ascend from 0")
    if offsets[-1] > entries:
        raise ValueError(f"indptr: ends at {offsets[-1]}, but there are {entries} indices")


def as_names(names: Sequence) -> Optional[np.ndarray]:
    """An array of names: text or whole numbers as such, anything else as objects; None when they
    are just 0 .. n-1."""
    array = np.array(names) if len(names) and not _nested(names) else _objects(names)
    if array.ndim != 1 or array.dtype.kind not in "iuUO" or len(array) != len(names):
        array = _objects(names)
    mixed = array.dtype.kind == "U" and not all(isinstance(n, (str, np.str_)) for n in names)
    if mixed:
        array = _objects(names)
    if array.dtype.kind in "iu" and np.array_equal(array, np.arange(len(array))):
        return None
    return array


def _nested(names: Sequence) -> bool:
    return any(isinstance(n, (tuple, list, frozenset)) for n in names)


def _objects(names: Sequence) -> np.ndarray:
    array = np.empty(len(names), dtype=object)
    array[:] = list(names)
    return array


# ---- matrices ----------------------------------------------------------------------------------

def _from_scipy(matrix: Any) -> Links:
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"an adjacency is square, found shape {matrix.shape}")
    csr = matrix.tocsr()
    return Links(csr.shape[0], _indices(csr.indices, csr.shape[0]), _data_weights(csr.data),
                 offsets=np.ascontiguousarray(csr.indptr, dtype=np.int64))


def links_of_rows(matrix: Any, columns: int) -> Links:
    """Links of new nodes, rows of a matrix, to the nodes of a graph, its columns."""
    if matrix.ndim != 2 or matrix.shape[1] != columns:
        raise ValueError(f"links: expected {columns} columns, found shape {matrix.shape}")
    if not hasattr(matrix, "tocsr"):
        return _from_dense(matrix)
    csr = matrix.tocsr()
    return Links(csr.shape[0], _indices(csr.indices, columns), _data_weights(csr.data),
                 offsets=np.ascontiguousarray(csr.indptr, dtype=np.int64))


def _data_weights(data: np.ndarray) -> Optional[np.ndarray]:
    """None for all ones, which need no weights; float32 as it is, anything else converted."""
    if len(data) == 0 or (data.min() == 1 and data.max() == 1):
        return None
    return _weights(data)


def _weights(values: Any) -> np.ndarray:
    array = _array(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"weights: expected real numbers, found {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float32)


def _indices(values: np.ndarray, nodes: int) -> np.ndarray:
    if nodes > MOST_NODES:
        raise ValueError(f"{nodes} nodes: a graph has at most {MOST_NODES}")
    if values.dtype.kind not in "iu":
        raise ValueError(f"indices: expected whole numbers, found {values.dtype}")
    if values.dtype != np.int32 and len(values) and not -1 < values.min() <= values.max() < nodes:
        raise ValueError(f"indices: expected 0 to {nodes - 1}, found {values.min()} to {values.max()}")
    return np.ascontiguousarray(values, dtype=np.int32)


# ---- arrays of edges ---------------------------------------------------------------------------

def _array(data: Any) -> np.ndarray:
    """NumPy from anything; tensors come from their device first."""
    if hasattr(data, "detach"):
        data = data.detach().cpu()
    if hasattr(data, "numpy") and not isinstance(data, np.ndarray):
        return np.asarray(data.numpy())
    return np.asarray(data)


def _from_array(array: np.ndarray, weights: Any, nodes: Optional[int]) -> Links:
    if array.ndim != 2:
        raise ValueError(f"expected edges as an m x 2 or 2 x m array, or a square adjacency; found "
                         f"shape {array.shape}")
    if array.shape[1] == 2:
        return _from_pairs(array[:, 0], array[:, 1], weights, nodes)
    if array.shape[0] == 2:
        return _from_pairs(array[0], array[1], weights, nodes)
    if array.shape[0] == array.shape[1]:
        return _from_dense(array)
    raise ValueError(f"expected edges as an m x 2 or 2 x m array, or a square adjacency; found "
                     f"shape {array.shape}")


def _from_dense(matrix: np.ndarray) -> Links:
    if matrix.dtype.kind not in "biuf" or not np.isfinite(matrix).all():
        raise ValueError("an adjacency has finite numbers")
    rows, columns = np.nonzero(matrix)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return Links(len(matrix), _indices(columns, matrix.shape[1]), _data_weights(matrix[rows, columns]),
                 offsets=np.ascontiguousarray(offsets, dtype=np.int64))


def _from_pairs(source: np.ndarray, target: np.ndarray, weights: Any,
                nodes: Optional[int]) -> Links:
    """Integers are numbers of nodes, anything else names by first appearance."""
    names = None
    if source.dtype.kind not in "iu":
        if source.dtype.kind == "f":
            raise ValueError("edges: expected whole numbers or names, found floats")
        source, target, names = _numbered(source, target, ascending=False)
        nodes = len(names)
    nodes = _node_count(source, target, nodes)
    given = None if weights is None else _weights(weights)
    if given is not None and given.shape != (len(source),):
        raise ValueError(f"weights: expected {len(source)}, found shape {given.shape}")
    return Links(nodes, _indices(target, nodes), given, _indices(source, nodes), names=names)


def _node_count(source: np.ndarray, target: np.ndarray, nodes: Optional[int]) -> int:
    if len(source) == 0:
        return int(nodes or 0)
    low, high = min(source.min(), target.min()), max(source.max(), target.max())
    count = int(nodes or high + 1)
    if low < 0 or high >= count or count > MOST_NODES:
        raise ValueError(f"edges: expected nodes from 0 to {min(count, MOST_NODES) - 1}, found "
                         f"{low if low < 0 else high}; a pandas table takes any numbers as names")
    return count


def _numbered(source: np.ndarray, target: np.ndarray,
              ascending: bool) -> Tuple[np.ndarray, np.ndarray, Any]:
    """Names to numbers: in ascending order, or by first appearance, line by line."""
    both = np.empty(2 * len(source), dtype=np.result_type(source, target)
                    if source.dtype.kind == target.dtype.kind else object)
    both[0::2], both[1::2] = source, target
    if both.dtype == object:
        place: dict = {}
        numbers = np.array([place.setdefault(n, len(place)) for n in both.tolist()], dtype=np.int64)
        return numbers[0::2], numbers[1::2], _objects(list(place))
    names, first, numbers = np.unique(both, return_index=True, return_inverse=True)
    if not ascending:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        names, numbers = names[order], rank[numbers]
    return numbers[0::2], numbers[1::2], names


# ---- objects of other libraries ----------------------------------------------------------------

def _from_networkx(graph: Any, weights: Any) -> Links:
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    attribute = weights if isinstance(weights, str) else "weight"
    given = None
    if any(attribute in data for *_, data in edges):
        given = _weights([data.get(attribute, 1) for *_, data in edges])
    pairs = np.array([(place[u], place[w]) for u, w, *_ in edges], dtype=np.int32).reshape(-1, 2)
    return Links(len(nodes), np.ascontiguousarray(pairs[:, 1]), given,
                 np.ascontiguousarray(pairs[:, 0]), names=as_names(nodes))


def _from_igraph(graph: Any, weights: Any) -> Links:
    pairs = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1, 2)
    attribute = weights if isinstance(weights, str) else "weight"
    given = _weights(graph.es[attribute]) if attribute in graph.es.attributes() else None
    names = as_names(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    return Links(graph.vcount(), np.ascontiguousarray(pairs[:, 1]), given,
                 np.ascontiguousarray(pairs[:, 0]), names=names)


def _from_pandas(table: Any, weights: Any) -> Links:
    """Columns source, target, weight; without these names the first two."""
    columns = list(table.columns)
    ends = ["source", "target"] if {"source", "target"} <= set(columns) else columns[:2]
    if len(ends) < 2:
        raise ValueError("a table of edges has columns source and target")
    attribute = weights if isinstance(weights, str) else "weight"
    given = weights if weights is not None and not isinstance(weights, str) else None
    if given is None and attribute in columns:
        given = table[attribute].to_numpy()
    source, target = (_names_column(table[c]) for c in ends)
    whole = source.dtype.kind in "iu" and target.dtype.kind in "iu"
    source, target, names = _numbered(source, target, ascending=whole)
    return Links(len(names), _indices(target, len(names)),
                 None if given is None else _weights(given), _indices(source, len(names)),
                 names=as_names(names))


def _names_column(column: Any) -> np.ndarray:
    if column.isna().any():
        raise ValueError(f"column {column.name!r} of the edges has missing values")
    values = column.to_numpy()
    return values if values.dtype.kind in "iuU" else values.astype(object)
