"""Communities of graphs of igraph, as igraph's own functions return them.

    import cafe.igraph
    clustering = cafe.igraph.cluster(g, weights="weight", resolution=1.2)
"""
from typing import Any, Optional

import numpy as np

from ._elsewhere import communities_of, graph_of
from ._sources import from_igraph


def cluster(graph: Any, objective_function: str = "modularity", weights: Any = None, resolution: float = 1,
            initial_membership: Any = None, *, seed: Any = None, n_jobs: Optional[int] = None,
            **options: Any) -> Any:
    """Communities of an igraph.Graph by cafe.LayeredCafe: what Graph.community_leiden() and
    leidenalg.find_partition() are called for.

    Parameters
    ----------
    graph : igraph.Graph
        With directions, directed modularity is maximised.
    objective_function : {"modularity", "CPM"}
        As in igraph: CPM compares the density of pairs of nodes with the resolution.
    weights : str or sequence, optional
        An attribute of the edges, or a number per edge. None: every edge weighs 1, as in igraph.
    resolution : float
        Larger values give smaller communities.
    initial_membership : sequence of int, optional
        A community per node to begin with.
    seed : int or generator, optional
        None is 1, the default of the tool. The same seed gives the same communities.
    n_jobs : int, optional
        Threads; None is 1, -1 one per CPU. The result does not depend on them.
    **options
        Options of cafe.LayeredCafe, as effort="high".

    Returns
    -------
    igraph.VertexClustering
        Numbered by size. quality has the value of the objective, modularity is that of igraph.

    Examples
    --------
    >>> import igraph, cafe.igraph
    >>> found = cafe.igraph.cluster(igraph.Graph.Famous("Zachary"))
    >>> len(found), round(found.modularity, 4)
    (4, 0.4198)
    """
    import igraph
    links = from_igraph(graph, False)
    directed = bool(graph.is_directed())
    if directed and objective_function == "CPM":
        raise ValueError("CPM is of graphs without directions: graph.as_undirected()")
    values = graph.es[weights] if isinstance(weights, str) else weights
    made = graph_of(np.column_stack([links.source, links.target]),  # type: ignore[list-item]
                    values, graph.vcount(), directed)
    start = None if initial_membership is None else np.asarray(initial_membership)
    found = communities_of(made, objective_function, resolution, caller="cafe.igraph.cluster", directed=directed,
                           start=start, random_state=seed, n_jobs=n_jobs, **options)
    numbers = np.unique(found.labels, return_inverse=True)[1]  # those of a start may have gaps
    weighted = {} if weights is None else {"weights": weights}
    return igraph.VertexClustering(graph, numbers.tolist(), params={"quality": found.quality},
                                   modularity_params=weighted)
