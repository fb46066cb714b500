"""What the functions for other programs share: the objective as igraph and networkx define it.

Graphs keep loops and repeated edges, as both programs count them."""
from dataclasses import dataclass
from typing import Any, List, Optional

import numpy as np

from ._call import Context, run, seed_of, threads_of
from ._method import Run, searched_as
from .graph import Graph

OBJECTIVES = ("modularity", "CPM")


@dataclass(frozen=True)
class Found:
    """Communities of a graph, numbered by size."""

    labels: np.ndarray
    quality: float  # the objective
    layers: List[np.ndarray]  # finest first; the last one has these communities


def graph_of(pairs: Any, weights: Any, nodes: int, directed: bool, **options: Any) -> Graph:
    """Pairs of numbers, m x 2; repeated edges count together, loops count twice in degrees."""
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(pairs[:, 0], pairs[:, 1], weights=weights, nodes=nodes, self_loops="keep",
                            duplicates="sum", directed="sum" if directed else "no", **options)


def communities_of(graph: Graph, objective: str = "modularity", resolution: float = 1, *, caller: str,
                   directed: bool = False, start: Any = None, random_state: Any = None,
                   n_jobs: Optional[int] = None, **options: Any) -> Found:
    """A search by layers for an objective of igraph and networkx: for directed modularity, or for CPM with
    the resolution g of a pair of nodes. It is E(c) - g n_c^2 / 2, with directions E(c) - g n_c^2; the
    library has it in units of the mean."""
    if objective not in OBJECTIVES:
        raise ValueError(f"objective {objective!r}: expected {' or '.join(map(repr, OBJECTIVES))}")
    null = "directed" if directed else None
    if objective == "CPM" and graph.n_edges:
        pairs = graph.n_nodes ** 2 / graph.counts["total_weight"]
        null, resolution = "constant", (2 if directed else 1) * resolution * pairs
    given = searched_as(caller, {"resolution": float(resolution), "null": null, **options}, start=start)
    if not graph.n_edges:  # nothing to draw from
        alone = np.arange(graph.n_nodes, dtype=np.int32)
        return Found(alone, 0.0, [alone])

    def work(context: Context) -> Found:
        made = Run(context, graph, given).step("WRITE")
        kept, layers = made.numbered(), [layer.partition for layer in made.layers()]
        labels = made.partition() if kept is None else kept
        return Found(labels, made.course()["modularity_"], [*layers[:-1], labels])

    return run(work, threads_of(n_jobs), seed_of(random_state))


def parts(labels: np.ndarray) -> List[np.ndarray]:
    """The nodes of each community, in the order of their numbers."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []
