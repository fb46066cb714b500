"""The backend "cafe" of networkx: nx.community.louvain_communities(G, backend="cafe").

networkx 3.2 and later finds it by an entry point of the package. It has the functions below; calls with
arguments that have no meaning for cafe.LayeredCafe raise NotImplementedError, and networkx then tries the
next backend. The functions also work alone, on graphs of every version of networkx.
"""
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple

import numpy as np

from ._elsewhere import Found, communities_of, graph_of, parts
from ._sources import as_names
from .graph import Graph

METRICS = {"modularity": "modularity", "cpm": "CPM"}
THRESHOLD, THETA = 0.0000001, 0.01  # defaults of networkx, for algorithms that this backend does not run


def convert_from_nx(graph: Any, *, edge_attrs: Optional[Dict[str, Any]] = None, **_: Any) -> Graph:
    """A cafe.Graph of a graph of networkx: the first of `edge_attrs` is the weight, its value the
    default. Repeated edges count together, loops and directions count as in networkx."""
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    weights: Any = None
    if edge_attrs:
        name, default = next(iter(edge_attrs.items()))
        edges = list(graph.edges(data=name, default=default))
        weights = np.array([w for *_, w in edges], dtype=float)
    else:
        edges = list(graph.edges(data=False))
    pairs = [(place[edge[0]], place[edge[1]]) for edge in edges]
    return graph_of(pairs, weights, len(nodes), bool(graph.is_directed()), names=as_names(nodes))


def convert_to_nx(result: Any, **_: Any) -> Any:
    """A cafe.Graph as a graph of networkx; other results as they are."""
    return result.to_networkx() if isinstance(result, Graph) else result


def louvain_communities(G: Any, weight: Optional[str] = "weight", resolution: float = 1,
                        threshold: float = THRESHOLD, max_level: Optional[int] = None, seed: Any = None,
                        **options: Any) -> List[Set[Any]]:
    """Communities with a large modularity, as sets of nodes, the largest first.

    `seed` is an integer or a generator; networkx makes a generator of every seed. random_state=1 among
    the options of cafe.LayeredCafe is the seed 1 of the tool.

    >>> import networkx, cafe.networkx
    >>> found = cafe.networkx.louvain_communities(networkx.karate_club_graph(), weight=None)
    >>> [len(community) for community in found]
    [12, 11, 6, 5]
    """
    _refuse(threshold=(threshold, THRESHOLD), max_level=(max_level, None))
    return _partitions(G, weight, resolution, "modularity", seed, options)[-1]


def louvain_partitions(G: Any, weight: Optional[str] = "weight", resolution: float = 1,
                       threshold: float = THRESHOLD, seed: Any = None, **options: Any) -> Iterator[List[Set[Any]]]:
    """The layers of the communities, finest first."""
    _refuse(threshold=(threshold, THRESHOLD))
    return iter(_partitions(G, weight, resolution, "modularity", seed, options))


def leiden_communities(G: Any, weight: Optional[str] = "weight", resolution: float = 1,
                       max_level: Optional[int] = None, seed: Any = None, metric: str = "modularity",
                       theta: float = THETA, **options: Any) -> List[Set[Any]]:
    """Communities with a large modularity, or CPM by metric="cpm"."""
    _refuse(max_level=(max_level, None), theta=(theta, THETA))
    return _partitions(G, weight, resolution, metric, seed, options)[-1]


def leiden_partitions(G: Any, weight: Optional[str] = "weight", resolution: float = 1, seed: Any = None,
                      metric: str = "modularity", theta: float = THETA, **options: Any) -> Iterator[List[Set[Any]]]:
    """The layers of the communities, finest first."""
    _refuse(theta=(theta, THETA))
    return iter(_partitions(G, weight, resolution, metric, seed, options))


def _refuse(**given: Any) -> None:
    for name, (value, expected) in given.items():
        if value != expected:
            raise NotImplementedError(f"{name}={value!r}: the backend cafe has no such argument")


def _found(G: Any, weight: Optional[str], resolution: float, metric: str, seed: Any,
           options: Mapping[str, Any]) -> Tuple[Graph, Found]:
    if metric not in METRICS:
        raise NotImplementedError(f"metric={metric!r}: the backend cafe has {' and '.join(METRICS)}")
    graph = G if isinstance(G, Graph) else convert_from_nx(G, edge_attrs={weight: 1} if weight else None)
    if weight is None and graph.weighted and graph is G:
        raise NotImplementedError("weight=None: this cafe.Graph has weights")
    # generators of networkx are those of the module random, or wrap those of NumPy
    state = seed.randint(0, 2 ** 31 - 1) if hasattr(seed, "randint") else seed
    return graph, communities_of(graph, METRICS[metric], resolution, caller="the backend cafe",
                                 directed=bool(graph.counts["directed"]), **{"random_state": state, **options})


def _partitions(*arguments: Any) -> List[List[Set[Any]]]:
    """The layers as sets of nodes, finest first."""
    graph, found = _found(*arguments)
    names = graph.nodes
    return [[set(names[part].tolist()) for part in parts(layer)] for layer in found.layers]
