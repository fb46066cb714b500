"""Communities of a knowledge graph in the table that GraphRAG reads.

    import cafe.graphrag
    communities = cafe.graphrag.communities(relationships, entities)
    communities.to_parquet("output/communities.parquet")
"""
import datetime
import uuid
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._elsewhere import communities_of, parts
from .graph import Graph

COLUMNS = ("id", "human_readable_id", "community", "level", "parent", "children", "title", "entity_ids",
           "relationship_ids", "text_unit_ids", "period", "size")


def communities(relationships: Any, entities: Any = None, *, max_cluster_size: int = 10, use_lcc: bool = True,
                seed: Any = None, resolution: float = 1, n_jobs: Optional[int] = None, **options: Any) -> Any:
    """Nested communities of entities: level 0 has those of the whole graph. Each community of more than
    `max_cluster_size` entities is divided in the next level, as long as that gains modularity inside it.

    Parameters
    ----------
    relationships : pandas.DataFrame
        Columns source and target; used if available: weight, id, text_unit_ids. Of several rows for a pair
        the last one has the weight, as in GraphRAG.
    entities : pandas.DataFrame, optional
        Columns title and id. Without it the names in source and target are the ids.
    max_cluster_size, use_lcc, seed
        As in GraphRAG's settings; use_lcc: only the largest connected component. A seed of None is 1.
    resolution, n_jobs, **options
        Of cafe.LayeredCafe.

    Returns
    -------
    pandas.DataFrame
        The columns of GraphRAG's communities: parent is -1 at level 0, community is unique over all levels.
        `id` depends on level and entities alone. As in GraphRAG, a community without a relationship inside
        is left out.

    Examples
    --------
    >>> import pandas, cafe.graphrag
    >>> table = pandas.DataFrame([("A", "B"), ("B", "C"), ("C", "A"), ("C", "D"), ("D", "E"), ("E", "F"), ("F", "D")],
    ...                          columns=["source", "target"])
    >>> found = cafe.graphrag.communities(table)
    >>> found[["level", "community", "parent", "entity_ids"]].values.tolist()
    [[0, 0, -1, ['A', 'B', 'C']], [0, 1, -1, ['D', 'E', 'F']]]
    """
    import pandas
    names, matrix = _matrix(relationships)
    if use_lcc and len(names):
        from scipy.sparse.csgraph import connected_components
        part = connected_components(matrix, directed=False)[1]
        inside = np.flatnonzero(part == np.bincount(part).argmax())
        names, matrix = names[inside], matrix[inside][:, inside]
    run = {"random_state": seed, "resolution": resolution, "n_jobs": n_jobs, **options}
    found = _divided(matrix, max_cluster_size, run)
    rows = _rows(found, names, relationships, entities)
    return pandas.DataFrame(rows, columns=list(COLUMNS))


def _matrix(relationships: Any) -> Tuple[np.ndarray, Any]:
    """Names in order, and the weights of pairs; the last row of a pair counts."""
    from scipy.sparse import csr_matrix
    ends = relationships[["source", "target"]].astype(str).to_numpy(dtype=object)
    names, place = np.unique(ends.ravel(), return_inverse=True)
    pairs = np.sort(place.reshape(-1, 2), axis=1)
    weights = np.ones(len(pairs))
    if "weight" in relationships.columns:
        weights = relationships["weight"].to_numpy(dtype=float)
    last = {(u, w): i for i, (u, w) in enumerate(pairs.tolist()) if u != w}
    kept = np.fromiter(last.values(), np.int64, len(last))
    (u, w), values = pairs[kept].T, weights[kept]
    n = len(names)
    return names, csr_matrix((np.r_[values, values], (np.r_[u, w], np.r_[w, u])), shape=(n, n))


def _divided(matrix: Any, largest: int, run: Dict[str, Any]) -> List[Tuple[int, int, np.ndarray]]:
    """Communities as (level, parent, nodes); the number of one is its place."""
    found: List[Tuple[int, int, np.ndarray]] = []
    todo: List[Tuple[int, int, np.ndarray]] = [(0, -1, np.arange(matrix.shape[0]))]
    while todo:
        level, parent, nodes = todo.pop(0)
        own = Graph.from_scipy(matrix[nodes][:, nodes] if level else matrix)
        divided = parts(communities_of(own, caller="cafe.graphrag.communities", **run).labels)
        if level and len(divided) < 2:
            continue
        for part in divided:
            found.append((level, parent, nodes[part]))
            if len(part) > largest:
                todo.append((level + 1, len(found) - 1, nodes[part]))
    return found


def _rows(found: List[Tuple[int, int, np.ndarray]], names: np.ndarray, relationships: Any,
          entities: Any) -> List[Tuple[Any, ...]]:
    ids = {} if entities is None else dict(zip(entities["title"].astype(str), entities["id"]))
    inside = _relationships(found, names, relationships)
    units = (relationships["text_unit_ids"].tolist() if "text_unit_ids" in relationships.columns else
             [()] * len(relationships))
    keys = (relationships["id"] if "id" in relationships.columns else relationships.index.to_series()).tolist()
    kept = [number for number in range(len(found)) if inside[number]]
    children: Dict[int, List[int]] = {number: [] for number in range(-1, len(found))}
    for number in kept:
        children[found[number][1]].append(number)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    rows: List[Tuple[Any, ...]] = []
    for number in kept:
        level, parent, nodes = found[number]
        titles = names[np.sort(nodes)].tolist()
        own = [ids[title] for title in titles if title in ids] if entities is not None else titles
        key = str(uuid.uuid5(uuid.NAMESPACE_OID, "\n".join([str(level), *titles])))
        rows.append((key, number, number, level, parent, children[number], f"Community {number}", own,
                     sorted({keys[i] for i in inside[number]}),
                     sorted({unit for i in inside[number] for unit in units[i]}), today, len(own)))
    return rows


def _relationships(found: List[Tuple[int, int, np.ndarray]], names: np.ndarray,
                   relationships: Any) -> List[List[int]]:
    """Of each community the rows of relationships whose ends are both in it, level by level."""
    inside: List[List[int]] = [[] for _ in found]
    place = {name: i for i, name in enumerate(names.tolist())}
    ends = np.array([[place.get(str(name), -1) for name in relationships[side]] for side in ("source", "target")],
                    dtype=np.int64).reshape(2, -1)
    for level in range(1 + max((level for level, *_ in found), default=-1)):
        part = np.full(len(names) + 1, -1)  # the last one: names that are not in the graph
        for number, (own, _, nodes) in enumerate(found):
            if own == level:
                part[nodes] = number
        source, target = part[ends]
        for i in np.flatnonzero((source == target) & (source >= 0)).tolist():
            inside[source[i]].append(i)
    return inside
