"""A graph to try things on."""
from typing import Any, List

import numpy as np

from .graph import Graph

# Zachary (1977): who met whom outside the club; node by node, the neighbours of larger number
_NEIGHBOURS: List[List[int]] = [
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31], [2, 3, 7, 13, 17, 19, 21, 30],
    [3, 7, 8, 9, 13, 27, 28, 32], [7, 12, 13], [6, 10], [6, 10, 16], [16], [], [30, 32, 33], [33],
    [], [], [], [33], [32, 33], [32, 33], [], [], [32, 33], [33], [32, 33], [], [32, 33],
    [25, 27, 29, 32, 33], [25, 27, 31], [31], [29, 33], [33], [31, 33], [32, 33], [32, 33],
    [32, 33], [33]]
_OFFICERS = (9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33)


def karate(return_labels: bool = False) -> Any:
    """Zachary's karate club: 34 members, 78 friendships; with `return_labels` also the faction each
    member joined when the club split (0: Mr. Hi's, 1: the officers').

    >>> import cafe
    >>> cafe.karate()
    Graph(34 nodes, 78 edges)
    """
    edges = [(u, w) for u, others in enumerate(_NEIGHBOURS) for w in others]
    graph = Graph(np.array(edges))
    if not return_labels:
        return graph
    faction = np.zeros(34, dtype=int)
    faction[list(_OFFICERS)] = 1
    return graph, faction
