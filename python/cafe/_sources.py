"""What graphs are made from: every kind of input as arrays of links, and names of nodes.

All other libraries are recognised by what their objects can do, and never imported here.
"""
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence, Tuple

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
    lent: Tuple[np.ndarray, ...] = ()  # the caller's arrays that some of these may be
    matrix: Any = None  # of scipy, that these are of

    def __post_init__(self) -> None:
        """The library reads as many numbers as these say: their lengths must agree."""
        count = len(self.target)
        for what, array in (("weights", self.weights), ("edges", self.source)):
            if array is not None and array.shape != (count,):
                raise ValueError(f"{what}: expected {count}, found shape {array.shape}")
        if self.offsets is not None:
            _check_offsets(self.offsets, self.nodes, count)

    def copy(self) -> None:
        """Own arrays instead of the caller's."""
        self.lent = ()
        self.target = self.target.copy()
        self.weights = None if self.weights is None else self.weights.copy()
        self.offsets = None if self.offsets is None else self.offsets.copy()

    def sources(self) -> np.ndarray:
        if self.source is None:
            assert self.offsets is not None
            self.source = np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.offsets))
        return self.source


def certain_links(data: Any, weights: Any, nodes: Optional[int]) -> Links:
    """Of data with one meaning alone; whatever has two is refused by the constructors to choose
    from."""
    kind = kind_of(data)
    if nodes is not None and kind not in ("edges", "edge_index"):
        raise TypeError(f"nodes: {_WHAT[kind]} has its own number of nodes")
    if kind == "scipy":
        _without(weights, kind)
        return from_scipy(data)
    if kind == "adjacency":
        _without(weights, kind)
        return from_adjacency(data)
    if kind in ("networkx", "igraph"):
        if weights is not None and not isinstance(weights, str):
            raise TypeError(f"weights: {_WHAT[kind]} has its own, as an attribute; give its name")
        make = from_networkx if kind == "networkx" else from_igraph
        return make(data, weights)
    if kind == "pandas":
        return _from_table(data, weights)
    if kind == "edge_index":
        return from_edge_index(data, weights, nodes)
    return from_edges(data, None, weights, nodes)


_WHAT = {"scipy": "a matrix", "adjacency": "an adjacency", "networkx": "a graph of networkx",
         "igraph": "a graph of igraph", "pandas": "a table"}


def _without(weights: Any, kind: str) -> None:
    if weights is not None:
        raise TypeError(f"weights: {_WHAT[kind]} has its own, its entries; False leaves them out")


def kind_of(data: Any) -> str:
    """By what the data can do; arrays by their shape, when that has one meaning."""
    if hasattr(data, "tocsr") and hasattr(data, "shape"):
        return "scipy"
    if hasattr(data, "adj") and hasattr(data, "is_multigraph"):
        return "networkx"
    if hasattr(data, "get_edgelist") and hasattr(data, "vcount"):
        return "igraph"
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return "pandas"
    if hasattr(data, "edge_index"):
        return "edge_index"
    if hasattr(data, "read"):
        raise TypeError("an open file: give its path, Graph.from_file(path)")
    return _kind_of_array(as_array(data))


def _kind_of_array(array: np.ndarray) -> str:
    rows, columns = array.shape if array.ndim == 2 else (0, 0)
    names = array.dtype.kind not in "biuf"
    if columns == 2 and (rows != 2 or names):
        return "edges"
    if rows == 2 and columns > 2:
        return "edge_index"
    if rows == columns and rows > 3:
        return "adjacency"
    raise ValueError(_uncertain(array, rows, columns))


def _uncertain(array: np.ndarray, rows: int, columns: int) -> str:
    if rows == columns == 2:
        return ("a 2 x 2 array may be two edges or an edge_index of two columns: "
                "Graph.from_edges(x) or Graph.from_edge_index(x)")
    if rows == columns == 3:
        return ("a 3 x 3 array may be three edges with weights or an adjacency: "
                "Graph.from_edges(x[:, :2], weights=x[:, 2]) or Graph.from_adjacency(x)")
    if columns == 3:
        return ("an m x 3 array may be edges with weights: "
                "Graph.from_edges(x[:, :2], weights=x[:, 2])")
    return (f"expected edges as an m x 2 or 2 x m array, or a square adjacency; found shape "
            f"{array.shape}")


def _check_offsets(offsets: np.ndarray, rows: int, entries: int) -> None:
    if offsets.shape != (rows + 1,):
        raise ValueError(f"indptr: expected {rows + 1} offsets, found shape {offsets.shape}")
    if offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise ValueError("indptr: expected offsets that ascend from 0")
    if offsets[-1] > entries:
        raise ValueError(f"indptr: ends at {offsets[-1]}, but there are {entries} indices")


def as_names(names: Sequence) -> Optional[np.ndarray]:
    """An array of names: text or whole numbers as such, anything else as objects; None when they
    are just 0 .. n-1. No name comes twice."""
    names = list(names)
    if len(set(names)) < len(names):
        seen: set = set()
        twice = next(n for n in names if n in seen or seen.add(n))  # type: ignore[func-returns-value]
        raise ValueError(f"names: {twice!r} comes twice")
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

def from_scipy(matrix: Any) -> Links:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"an adjacency is square, found shape {matrix.shape}")
    csr = matrix.tocsr()
    lent = tuple(getattr(matrix, name) for name in ("indptr", "indices", "data") if csr is matrix)
    return Links(csr.shape[0], _indices(csr.indices, csr.shape[0]), _data_weights(csr.data),
                 offsets=np.ascontiguousarray(csr.indptr, dtype=np.int64), lent=lent, matrix=csr)


def summed(matrix: Any) -> Links:
    """Entries that are there twice count together, as everywhere in scipy."""
    matrix = matrix.copy()
    matrix.sum_duplicates()
    return from_scipy(matrix)


def from_adjacency(matrix: Any) -> Links:
    """A square array; or a table whose columns are named as its rows are."""
    if not hasattr(matrix, "iloc"):
        return _from_dense(_square(as_array(matrix)))
    names = list(matrix.index)
    if list(matrix.columns) != names:
        raise ValueError("an adjacency has its rows and columns named alike and in the same order")
    links = _from_dense(_square(_numbers(matrix, "an adjacency")))
    links.names = as_names(names)
    return links


def _square(array: np.ndarray) -> np.ndarray:
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"an adjacency is square, found shape {array.shape}")
    return array


def _numbers(table: Any, what: str) -> np.ndarray:
    """Of a table or column, nullable ones too."""
    if table.isna().to_numpy().any():
        raise ValueError(f"{what} has missing values")
    try:
        return table.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected real numbers, found {table.dtypes}") from None


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
    array = as_array(values)
    if array.dtype == object:
        array = _plain(array)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"weights: expected real numbers, found {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float32)


def _plain(array: np.ndarray) -> np.ndarray:
    """Objects that are all real numbers, as such."""
    if not all(isinstance(x, (int, float, np.integer, np.floating)) for x in array.ravel()):
        return array
    return array.astype(np.float64)


def _indices(values: np.ndarray, nodes: int) -> np.ndarray:
    if nodes > MOST_NODES:
        raise ValueError(f"{nodes} nodes: a graph has at most {MOST_NODES}")
    if values.dtype.kind not in "iu":
        raise ValueError(f"indices: expected whole numbers, found {values.dtype}")
    if values.dtype != np.int32 and len(values) and not -1 < values.min() <= values.max() < nodes:
        raise ValueError(f"indices: expected 0 to {nodes - 1}, found {values.min()} to {values.max()}")
    return np.ascontiguousarray(values, dtype=np.int32)


# ---- arrays of edges ---------------------------------------------------------------------------

def as_array(data: Any) -> np.ndarray:
    """NumPy from anything; tensors come from their device first."""
    if isinstance(data, np.ma.MaskedArray):
        raise TypeError("a masked array: fill it first, x.filled(0)")
    if hasattr(data, "detach"):
        data = data.detach().cpu()
    if hasattr(data, "numpy") and not isinstance(data, np.ndarray):
        return np.asarray(data.numpy())
    return np.asarray(data)


def from_edges(edges: Any, target: Any, weights: Any, nodes: Optional[int]) -> Links:
    """Pairs, m x 2; or the sources and the targets, each m long."""
    array = as_array(edges)
    if target is None:
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(f"edges: expected an m x 2 array, found shape {array.shape}")
        return _from_pairs(array[:, 0], array[:, 1], weights, nodes)
    other = as_array(target)
    if array.ndim != 1 or array.shape != other.shape:
        raise ValueError(f"edges: expected sources and targets of one length, found shapes "
                         f"{array.shape} and {other.shape}")
    return _from_pairs(array, other, weights, nodes)


def from_edge_index(data: Any, weights: Any, nodes: Optional[int]) -> Links:
    """2 x m, or an object that has one, with its weights and number of nodes."""
    if hasattr(data, "edge_index"):
        if weights is None:
            weights = getattr(data, "edge_weight", None)
        nodes = getattr(data, "num_nodes", None) if nodes is None else nodes
        data = data.edge_index
    array = as_array(data)
    if array.ndim != 2 or array.shape[0] != 2:
        raise ValueError(f"edge_index: expected a 2 x m array, found shape {array.shape}")
    if weights is not None:
        weights = as_array(weights)
        if weights.ndim == 2 and weights.shape[1] == 1:
            weights = weights[:, 0]
    return _from_pairs(array[0], array[1], weights, nodes)


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

def from_networkx(graph: Any, weight: Optional[str]) -> Links:
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    attribute = weight or "weight"
    given = None
    if any(attribute in data for *_, data in edges):
        given = _weights([data.get(attribute, 1) for *_, data in edges])
    elif weight is not None and edges:
        raise ValueError(f"weights={weight!r}: no edge has this attribute"
                         + _there_are({name for *_, data in edges for name in data}))
    pairs = np.array([(place[u], place[w]) for u, w, *_ in edges], dtype=np.int32).reshape(-1, 2)
    return Links(len(nodes), np.ascontiguousarray(pairs[:, 1]), given,
                 np.ascontiguousarray(pairs[:, 0]), names=as_names(nodes))


def from_igraph(graph: Any, weight: Optional[str]) -> Links:
    pairs = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1, 2)
    attribute = weight or "weight"
    given = None
    if attribute in graph.es.attributes():
        given = _weights(graph.es[attribute])
    elif weight is not None:
        raise ValueError(f"weights={weight!r}: no edge has this attribute"
                         + _there_are(graph.es.attributes()))
    names = as_names(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    return Links(graph.vcount(), np.ascontiguousarray(pairs[:, 1]), given,
                 np.ascontiguousarray(pairs[:, 0]), names=names)


def _there_are(names: Iterable) -> str:
    known = ", ".join(sorted(map(repr, names)))
    return f"; there are {known}" if known else "; there are none"


def _from_table(table: Any, weights: Any) -> Links:
    """A table says by its headings what it is, or is refused."""
    columns = list(table.columns)
    if not {"source", "target"} <= set(columns):
        raise ValueError("a table of edges has columns source and target; otherwise "
                         "Graph.from_pandas(x, source=..., target=...), or for a square table of "
                         f"weights Graph.from_adjacency(x); found columns {columns[:6]}")
    if weights is None and "weight" in columns:
        weights = "weight"
    return from_pandas(table, "source", "target", weights)


def from_pandas(table: Any, source: Any, target: Any, weight: Any) -> Links:
    """Columns by their names; the weights may be an array of their own."""
    named = [source, target] + ([weight] if isinstance(weight, str) else [])
    for name in named:
        if name not in table.columns:
            raise ValueError(f"the table has no column {name!r}{_there_are(table.columns)}")
    given = None
    if isinstance(weight, str):
        given = _weights(_numbers(table[weight], f"column {weight!r}"))
    elif weight is not None:
        given = _weights(weight)
    first, second = (_names_column(table[c]) for c in (source, target))
    whole = first.dtype.kind in "iu" and second.dtype.kind in "iu"
    first, second, names = _numbered(first, second, ascending=whole)
    return Links(len(names), _indices(second, len(names)), given, _indices(first, len(names)),
                 names=as_names(names))


def _names_column(column: Any) -> np.ndarray:
    if column.isna().any():
        raise ValueError(f"column {column.name!r} of the edges has missing values")
    values = column.to_numpy()
    if values.dtype == object and all(isinstance(n, (int, np.integer)) for n in values.tolist()):
        return values.astype(np.int64)  # nullable integers
    return values if values.dtype.kind in "iuU" else values.astype(object)
