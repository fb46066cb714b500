"""Graphs of several layers: kinds of edges, slices of time."""
import ctypes
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._arrays import pointer
from ._call import Context, Handle, c_texts, run
from ._library import lib
from ._sources import as_names
from .graph import Graph, _names_of, as_graph


class Sum(Graph):
    """Several kinds of edges between the same nodes as one graph. Every layer has its own null model:
    Q is the mean of the layers' modularity matrices by `weights`.

    Nodes are the same where their names are. SphereGCN, CafeGCN and SoftmaxClustering take such graphs, also
    beside features=.

    Parameters
    ----------
    graphs : sequence of Graph or graph-like
        The layers.
    weights : sequence of float, optional
        Of the layers, above 0; None: all count alike, however many edges they have.
    names : sequence of str, optional
        Of the layers; None: 0, 1, ...

    Examples
    --------
    >>> import cafe
    >>> calls = cafe.Graph.from_edges(["ann", "bob", "cy"], ["bob", "cy", "ann"])
    >>> mails = cafe.Graph.from_edges(["ann", "dan"], ["dan", "cy"])
    >>> both = cafe.Sum([calls, mails], weights=[1, 0.5], names=["calls", "mails"])
    >>> both.layers
    ['calls', 'mails']
    >>> cafe.SphereGCN(n_components=2).fit_transform(both).shape
    (4, 2)
    """

    def __init__(self, graphs: Iterable[Any], *, weights: Optional[Sequence[float]] = None,
                 names: Optional[Sequence[str]] = None) -> None:
        layers, nodes = _layers(graphs, names)
        shares = None if weights is None else np.ascontiguousarray(weights, np.float64)
        if shares is not None and shares.shape != (len(layers),):
            raise ValueError(f"weights: expected {len(layers)}, one for each layer, found {shares.size}")

        def work(context: Context) -> Handle:
            return context.make("cafe_graph_join", "cafe_graph", len(layers), _pointers(layers),
                                _texts(names), None if shares is None else pointer(shares))

        _become(self, run(work, 1), nodes)


class Slices(Graph):
    """A graph at several times as one graph: a node has a copy in each slice in which it has an edge,
    named NODE@SLICE. Copies of a node that follow one another are joined by an edge. Every slice has
    its own null model, and vectors and communities are those of the copies.

    Parameters
    ----------
    graphs : sequence of Graph or graph-like
        The slices, first to last. Nodes are the same where their names are.
    coupling : float, default=1
        Weight of the edge between two copies, in mean weights of an edge.
    names : sequence of str, optional
        Of the slices; None: 0, 1, ...

    Examples
    --------
    >>> import cafe
    >>> early = cafe.Graph.from_edges(["ann", "bob"], ["bob", "cy"])
    >>> late = cafe.Graph.from_edges(["ann", "cy"], ["cy", "dan"])
    >>> cafe.Slices([early, late], names=["2023", "2024"]).nodes.tolist()
    ['ann@2023', 'ann@2024', 'bob@2023', 'cy@2023', 'cy@2024', 'dan@2024']
    """

    def __init__(self, graphs: Iterable[Any], *, coupling: float = 1,
                 names: Optional[Sequence[str]] = None) -> None:
        layers, nodes = _layers(graphs, names)

        def work(context: Context) -> Handle:
            return context.make("cafe_graph_couple", "cafe_graph", len(layers), _pointers(layers),
                                _texts(names), float(coupling))

        handle = run(work, 1)
        named = _names_of(handle.pointer)
        assert named is not None  # copies have the names NODE@SLICE
        copies = named.tolist()
        titles = [str(l) for l in range(len(layers))] if names is None else names
        slices = lib.cafe_graph_slice_of(handle.pointer)[:len(copies)]
        _become(self, handle, [f"{copy.split('@')[0] if nodes is None else nodes[int(copy.split('@')[0])]}@{titles[s]}"
                               for copy, s in zip(copies, slices)])


def _layers(graphs: Iterable[Any], titles: Optional[Sequence[str]]) -> Tuple[List[Graph], Optional[List[Any]]]:
    """The layers, over the nodes of all of them, and the names of these nodes; None: they are numbers."""
    if isinstance(graphs, Graph) or not hasattr(graphs, "__iter__"):
        raise TypeError(f"graphs: expected a list of graphs, found {type(graphs).__name__}")
    layers = [as_graph(graph) for graph in graphs]
    if titles is not None and len(titles) != len(layers):
        raise ValueError(f"names: expected {len(layers)}, one for each layer, found {len(titles)}")
    if all(layer.names is None for layer in layers):
        return layers, None
    nodes = list(dict.fromkeys(name for layer in layers for name in layer.nodes.tolist()))
    number = {name: u for u, name in enumerate(nodes)}
    return [_renumbered(layer, number) for layer in layers], nodes


def _renumbered(layer: Graph, number: Dict[Any, int]) -> Graph:
    at = np.array([number[name] for name in layer.nodes.tolist()], np.int32)
    source, target, weights = layer._once()
    return Graph.from_edges(at[source], at[target], weights=weights, nodes=len(number), self_loops="keep")


def _pointers(layers: List[Graph]) -> Any:
    kind = ctypes.POINTER(_abi.cafe_graph)
    return (kind * len(layers))(*[layer.pointer for layer in layers])


def _texts(names: Optional[Sequence[str]]) -> Any:
    return None if names is None else c_texts(names, lambda name: str(name).encode())


def _become(graph: Graph, handle: Handle, names: Optional[List[Any]]) -> None:
    graph._handle, graph._asked, graph._index, graph.shared = handle, True, None, False
    graph._names = None if names is None else as_names(names)
