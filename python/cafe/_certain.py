"""What data is, when it can be one thing only.

All other libraries are recognised by what their objects can do.
"""
from typing import Any, Mapping, Optional

import numpy as np

from ._arrow import is_stream
from ._columns import certain_table
from ._sources import (Links, are_tuples, from_adjacency, from_edge_index, from_edges, from_igraph,
                       from_networkx, from_scipy, listed)


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
    if kind in ("pandas", "arrow"):
        return certain_table(data, weights, kind)
    if kind == "edge_index":
        return from_edge_index(data, weights, nodes)
    return from_edges(data, None, weights, nodes)


_WHAT = {"scipy": "a matrix", "adjacency": "an adjacency", "networkx": "a graph of networkx",
         "igraph": "a graph of igraph", "pandas": "a table", "arrow": "a table"}


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
    if is_stream(data):
        return "arrow"
    if hasattr(data, "columns"):
        raise TypeError(f"{type(data).__name__}: a table without __arrow_c_stream__; convert it to "
                        "one of pandas and use Graph.from_pandas(x, source=..., target=...)")
    if hasattr(data, "edge_index"):
        return "edge_index"
    if hasattr(data, "read"):
        where = getattr(data, "name", None)
        path = repr(where) if isinstance(where, str) else "path"
        raise TypeError(f"an open file: give its path, Graph.from_file({path})")
    if isinstance(data, Mapping):
        raise TypeError("a mapping from nodes to their neighbours: Graph.from_networkx(networkx.Graph(x))")
    if are_tuples(data):
        return "edges"
    array = listed(data)
    if array.ndim == 0:
        raise TypeError("expected a graph: a Graph, a file's path, a matrix of scipy.sparse, a graph of networkx or "
                        f"igraph, a table or an array of edges; found {type(data).__name__}")
    return _kind_of_array(array)


def _kind_of_array(array: np.ndarray) -> str:
    rows, columns = array.shape if array.ndim == 2 else (0, 0)
    names = array.dtype.kind not in "biuf"
    if columns == 2 and (rows != 2 or names):
        return "edges"
    if rows == 2 and columns > 3:
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
    if rows == 2 and columns == 3:
        return ("a 2 x 3 array may be two edges with weights or an edge_index of three columns: "
                "Graph.from_edges(x[:, :2], weights=x[:, 2]) or Graph.from_edge_index(x)")
    if columns == 3:
        return ("an m x 3 array may be edges with weights: "
                "Graph.from_edges(x[:, :2], weights=x[:, 2])")
    return (f"expected edges as an m x 2 or 2 x m array, or a square adjacency; found shape "
            f"{array.shape}")
